"""The canonical ensemble and its importers, one file a library."""

from fastpd.forest._forest import Forest
from fastpd.forest._intervals import IntervalSplits, code_intervals
from fastpd.forest.registry import import_model

__all__ = ["Forest", "IntervalSplits", "code_intervals", "import_model"]
