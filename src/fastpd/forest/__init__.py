"""The canonical ensemble and its importers, one file a library."""

from fastpd.forest._forest import Forest

__all__ = ["Forest"]
