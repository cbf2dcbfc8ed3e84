"""What a model takes: the columns of its rows."""

from __future__ import annotations

from dataclasses import dataclass

from fastpd.forest import Categories, Forest, Preparation
from fastpd.forest._forest import Absent, Comparison

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The columns that rows must have, and how their cells are read.

    Attributes
    ----------
    names
        The model's features, in its own order.
    named
        False if the model was trained without names, so that they are made up. A table that does
        not have them then goes by position, if it has the right number of columns.
    categories, absent, preparation, takes_missing, integers
        As in `Forest`.
    """

    names: tuple[str, ...]
    named: bool = True
    categories: tuple[Categories | None, ...] = ()
    absent: Absent = "refused"
    preparation: Preparation | None = None
    takes_missing: bool = True
    integers: Comparison = "float64"

    @classmethod
    def of(cls, forest: Forest, *, named: bool) -> Columns:
        """Return the columns of a forest; `named` tells whether its own model named them."""
        return cls(
            forest.feature_names,
            named,
            forest.categories,
            forest.absent,
            forest.preparation,
            forest.takes_missing,
            forest.integers,
        )

    def categories_of(self, position: int) -> Categories | None:
        """Return the categories of a column; None where it holds numbers."""
        return self.categories[position] if self.categories else None

    @property
    def any_categories(self) -> bool:
        """Whether any column holds categories."""
        return any(one is not None for one in self.categories)
