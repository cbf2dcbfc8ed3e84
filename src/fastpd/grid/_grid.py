"""The bins of every feature that the forest tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Forest

__all__ = ["Grid", "make_grid"]


@dataclass(frozen=True, eq=False)
class Grid:
    """Distinct thresholds of each tested feature, and where each node cuts them.

    A value's bin is one more than the number of thresholds at or below it; bin 0 is a missing
    value. A row goes left at a node when its bin is at most the node's `cut`.

    Attributes
    ----------
    feature
        Feature of each column; a column is a feature that some node tests.
    thresholds, offsets
        Sorted thresholds, one column after another, and where each column starts.
    column
        Column that each node tests; -1 at a leaf.
    cut
        Bin up to which a node sends rows left.
    """

    feature: NDArray[np.int32]
    thresholds: NDArray[np.float64]
    offsets: NDArray[np.int64]
    column: NDArray[np.int32]
    cut: NDArray[np.int32]

    @property
    def n_bins(self) -> NDArray[np.int64]:
        """Number of bins of each column, the one for missing values included."""
        return np.diff(self.offsets) + 2

    def edges(self, column: int) -> NDArray[np.float64]:
        """Return the thresholds of one column."""
        return self.thresholds[self.offsets[column] : self.offsets[column + 1]]

    def column_of(self, feature: int) -> int | None:
        """Return the column of a feature, or None where no node tests it."""
        at = int(np.searchsorted(self.feature, feature))
        return at if at < len(self.feature) and self.feature[at] == feature else None

    def representatives(self, column: int) -> NDArray[np.float64]:
        """Return a value in each bin of a column, bin 0 (missing) first."""
        edges = self.edges(column)
        return np.concatenate([[np.nan, -np.inf], edges])


def make_grid(forest: Forest) -> Grid:
    """Collect the distinct thresholds of each feature over the whole ensemble."""
    inner = np.flatnonzero(~forest.is_leaf)
    feature, column_at = np.unique(forest.feature[inner], return_inverse=True)
    column = np.full(len(forest.feature), -1, dtype=np.int32)
    column[inner] = column_at
    cut = np.zeros(len(forest.feature), dtype=np.int32)
    by_column = inner[np.argsort(column_at, kind="stable")]
    ends = np.cumsum(np.bincount(column_at, minlength=len(feature)))
    thresholds, offsets = [], [0]
    for nodes in np.split(by_column, ends[:-1]) if len(feature) else []:
        distinct, position = np.unique(forest.threshold[nodes], return_inverse=True)
        cut[nodes] = position + 1
        thresholds.append(distinct)
        offsets.append(offsets[-1] + len(distinct))
    return Grid(
        feature=feature.astype(np.int32),
        thresholds=np.concatenate(thresholds) if thresholds else np.empty(0),
        offsets=np.array(offsets, dtype=np.int64),
        column=column,
        cut=cut,
    )
