"""The splits of a CatBoost model, in the order in which its trees number them, as a Forest's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.importers.catboost.document import Document
from fastpd.forest.importers.catboost.labels import LabelCodes, label_codes
from fastpd.forest.thresholds import just_above

__all__ = ["Splits", "read_splits"]

MOST_INTERVALS = 100_000_000
# The first number that is infinite in float32. Behind the largest finite one CatBoost has a border
# that splits missing values, which are infinite to it, from all numbers.
_INFINITE = 2.0**128


@dataclass(frozen=True, eq=False)
class Splits:
    """All splits of a model.

    A row goes left where the condition of a split does not hold: where the value is not above the
    border, or the label not in the set.

    Attributes
    ----------
    column
        Column that each split is of.
    threshold
        Split point; 0 where labels are split.
    default_left
        Whether a missing value goes left.
    intervals
        For a split of labels the codes that go left, as intervals; None for one of numbers.
    codes
        For each column with labels, by its number, their codes.
    """

    column: NDArray[np.int32]
    threshold: NDArray[np.float64]
    default_left: NDArray[np.bool_]
    intervals: list[NDArray[np.float64] | None]
    codes: dict[int, LabelCodes]

    def at_nodes(self, split: NDArray[np.int64], source: str) -> IntervalSplits:
        """Return the splits of labels among those of nodes; a split of -1 is a leaf."""
        sizes = np.array([0 if one is None else len(one) for one in self.intervals], np.int64)
        of_node = np.where(split >= 0, np.append(sizes, 0)[split], 0)
        total = int(of_node.sum())
        if total > MOST_INTERVALS:
            raise UnsupportedModelError(
                f"{source} splits labels into sets of {total} runs in all, more than the "
                f"{MOST_INTERVALS} that are supported. Train with fewer trees or labels, or with "
                "less ctr_border_count."
            )
        node = np.flatnonzero(of_node)
        count = of_node[node]
        offsets = np.concatenate([[0], np.cumsum(count)])
        starts = (np.cumsum(sizes) - sizes)[split[node]]
        where = np.arange(total) + np.repeat(starts - offsets[:-1], count)
        tables = [one for one in self.intervals if one is not None]
        table = np.concatenate([np.empty((0, 2)), *tables])[where]
        return IntervalSplits(
            node.astype(np.int32), offsets, table[:, 0].copy(), table[:, 1].copy()
        )


def read_splits(document: Document, place: dict[int, int]) -> Splits:
    """Return the splits of a document whose columns have the given places in the forest."""
    codes = {place[one.column]: label_codes(document, one.index) for one in document.cats}
    column_of = {one.index: place[one.column] for one in document.cats}
    columns: list[int] = []
    thresholds = [np.empty(0)]
    lefts: list[bool] = []
    for feature in document.floats:
        columns += [place[feature.column]] * len(feature.borders)
        thresholds.append(np.minimum(just_above(feature.borders, "float32"), _INFINITE))
        lefts += [not feature.nans_go_right] * len(feature.borders)
    intervals: list[NDArray[np.float64] | None] = [None] * len(columns)
    remaining = {column: iter(found.holds) for column, found in codes.items()}
    parts = [(column_of[one.index], len(one.values)) for one in document.one_hots]
    parts += [(column_of[one.base.indices[0]], len(one.borders)) for one in document.ctrs]
    for column, count in parts:
        for _ in range(count):
            holds = next(remaining[column])
            columns.append(column)
            lefts.append(not holds[-1])
            intervals.append(_codes_going_left(holds))
        thresholds.append(np.zeros(count))
    return Splits(
        np.array(columns, np.int32),
        np.concatenate(thresholds),
        np.array(lefts, bool),
        intervals,
        codes,
    )


def _codes_going_left(holds: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return as intervals the codes at which a condition does not hold.

    The last code stands for all labels not known, so everything from it on is like it. A set of no
    codes is an interval below all of them.
    """
    changes = np.flatnonzero(np.diff(np.concatenate([[True], holds, [True]])))
    if not len(changes):
        return np.array([[-2.0, -1.0]])
    table = changes.reshape(-1, 2).astype(np.float64)
    table[table == len(holds)] = np.inf
    return table
