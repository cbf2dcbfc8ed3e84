"""The canonical ensemble, and the importers that fill it."""

from fastpd.forest._categories import Categories, HashedCategories, Label
from fastpd.forest._forest import Forest
from fastpd.forest._intervals import IntervalSplits, code_intervals
from fastpd.forest._preparation import Preparation
from fastpd.forest.registry import import_model

__all__ = [
    "Categories",
    "Forest",
    "HashedCategories",
    "IntervalSplits",
    "Label",
    "Preparation",
    "code_intervals",
    "import_model",
]
