"""How values of one feature become the steps of an effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError
from fastpd.forest import Categories, Label
from fastpd.frames import column_values

__all__ = ["Axis"]


@dataclass(frozen=True, eq=False)
class Axis:
    """How values of one feature become steps.

    Attributes
    ----------
    name
        The feature.
    edges
        Points where the function may jump; it is constant from one edge up to the next.
    comparison
        Precision in which the model compares.
    missing
        A number that counts as missing; NaN where there is none.
    categories
        What the feature's labels are; None where it holds numbers. Edges are between codes then.
    takes_missing
        Whether the model takes missing values.
    """

    name: str
    edges: NDArray[np.float64]
    comparison: str
    missing: float
    categories: Categories | None = None
    takes_missing: bool = True

    @property
    def labels(self) -> tuple[Label, ...] | None:
        """Labels of a categorical feature, in the order of their codes; None without any."""
        return None if self.categories is None else self.categories.labels

    def steps(self, values: Any) -> NDArray[np.int64]:
        """Return the step of every value: 0 where missing, 1 below the first edge, and so on."""
        return self.steps_of_numbers(column_values(values, self.name, self.categories))

    def steps_of_labels(self) -> NDArray[np.int64]:
        """Return the step of each label, in the order of their codes."""
        return self.steps_of_numbers(np.arange(len(self.labels or ()), dtype=np.float64))

    def steps_of_numbers(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """Return the steps of values that are numbers already, codes where there are labels."""
        kind = np.dtype(self.comparison).type
        with np.errstate(over="ignore"):
            rounded = numbers.astype(kind)
            edges, missing = self.edges.astype(kind), kind(self.missing)
        step = np.searchsorted(edges, rounded, side="right") + 1
        lost = np.isnan(rounded) | (rounded == missing)
        if not self.takes_missing and lost.any():
            raise DataError(
                f"values of {self.name!r} have a missing one, which the model refuses; expected "
                "numbers. Leave it out."
            )
        return np.where(lost, 0, step)

    @property
    def starts(self) -> NDArray[np.float64]:
        """The smallest number that is on each step, of those that are not missing.

        It lies a little below an edge where the model rounds numbers before it compares them.
        """
        kind = np.dtype(self.comparison).type
        starts = self.edges.copy()
        known = np.isfinite(starts)
        edges = starts[known].astype(kind)
        below = np.nextafter(edges, kind(-np.inf))
        halfway = (below.astype(np.float64) + edges) / 2
        up = halfway.astype(kind) == edges
        starts[known] = np.where(up, halfway, np.nextafter(halfway, np.inf))
        return np.append(-np.inf, starts)

    @property
    def plain_labels(self) -> tuple[Label, ...]:
        """Labels of one type, as columns have it: as they are, or as text where types differ."""
        labels = self.labels or ()
        alike = len({type(label) for label in labels}) <= 1
        return labels if alike else tuple(map(str, labels))

    @property
    def known_steps(self) -> NDArray[np.int64]:
        """The step of each label, or of each number from low to high."""
        return self.steps_of_labels() if self.labels else np.arange(1, len(self.edges) + 2)

    @property
    def missing_step(self) -> int | None:
        """The step of a missing value; None where the model refuses it."""
        null = np.nan if self.categories is None else self.categories.null
        if null is None or (np.isnan(null) and not self.takes_missing):
            return None
        return int(self.steps_of_numbers(np.array(null)))
