"""From the models of each library to a Forest: one folder a library, found by the registry."""
