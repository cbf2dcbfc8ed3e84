"""The cases, one file a library."""
