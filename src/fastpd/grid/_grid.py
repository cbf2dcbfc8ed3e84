"""The bins of every feature that the forest tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Forest

__all__ = ["Grid", "make_grid"]


@dataclass(frozen=True, eq=False)
class Grid:
    """Distinct thresholds of each tested feature, and where each node cuts them.

    A value's bin is one more than the number of thresholds at or below it; bin 0 is a missing
    value. A row goes left at a node when its bin is at most the node's `cut`, or, where the bins
    that go left are no such run, when its bin is among the node's `members`.

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
    members, first_member
        A byte for each bin of a node's column, 1 where it goes left, one node after another; and
        where the bytes of each node start, -1 at a node that has a cut.
    """

    feature: NDArray[np.int32]
    thresholds: NDArray[np.float64]
    offsets: NDArray[np.int64]
    column: NDArray[np.int32]
    cut: NDArray[np.int32]
    members: NDArray[np.uint8]
    first_member: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays that grow with the model, in bytes."""
        arrays = (self.column, self.cut, self.thresholds, self.members, self.first_member)
        return sum(array.nbytes for array in arrays)

    @property
    def n_bins(self) -> NDArray[np.int64]:
        """Number of bins of each column, the one for missing values included."""
        return np.diff(self.offsets) + 2

    def edges(self, column: int) -> NDArray[np.float64]:
        """Return the thresholds of one column, as an array of the caller's own."""
        return self.thresholds[self.offsets[column] : self.offsets[column + 1]].copy()

    def representatives(self, column: int) -> NDArray[np.float64]:
        """Return a value in each bin of a column, bin 0 (missing) first."""
        edges = self.edges(column)
        return np.concatenate([[np.nan, -np.inf], edges])


def make_grid(forest: Forest) -> Grid:
    """Collect the distinct thresholds of each feature over the whole ensemble."""
    n_nodes = len(forest.feature)
    tested = np.unique(forest.feature[~forest.is_leaf])
    column = np.where(forest.is_leaf, -1, np.searchsorted(tested, forest.feature))
    points, of_column, nodes = _points(forest, column)
    distinct, position, offsets = _distinct(points, of_column, len(tested))
    cut = np.zeros(n_nodes, dtype=np.int32)
    cut[nodes] = position[: len(nodes)] + 1
    grid = Grid(
        feature=tested.astype(np.int32),
        thresholds=distinct,
        offsets=offsets,
        column=column.astype(np.int32),
        cut=cut,
        members=np.empty(0, dtype=np.uint8),
        first_member=np.full(n_nodes, -1, dtype=np.int64),
    )
    return _with_members(grid, forest) if len(forest.splits) else grid


def _points(
    forest: Forest, column: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]:
    """Return points where a side may change, their columns, and nodes.

    The first points are the thresholds of these nodes; ends of intervals follow.
    """
    splits = forest.splits
    plain = ~forest.is_leaf
    plain[splits.node] = False
    nodes = np.flatnonzero(plain)
    ends = np.concatenate([splits.low, splits.high])
    owner = np.tile(splits.owner(), 2)
    inside = np.isfinite(ends)
    points = np.concatenate([forest.threshold[nodes], ends[inside]])
    return points, np.concatenate([column[nodes], column[owner[inside]]]), nodes


def _distinct(
    points: NDArray[np.float64], of_column: NDArray[np.integer], n_columns: int
) -> tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.int64]]:
    """Return the distinct points of each column, the place of each point, and offsets."""
    order = np.lexsort((points, of_column))
    values, columns = points[order], of_column[order]
    new = np.ones(len(values), dtype=bool)
    new[1:] = (values[1:] != values[:-1]) | (columns[1:] != columns[:-1])
    offsets = np.searchsorted(columns[new], np.arange(n_columns + 1)).astype(np.int64)
    position = np.empty(len(points), dtype=np.int64)
    position[order] = np.cumsum(new) - 1 - offsets[columns] if len(points) else 0
    return values[new], position, offsets


def _with_members(grid: Grid, forest: Forest) -> Grid:
    """Say which bins go left at the nodes whose split is a union of intervals."""
    cut, first_member = grid.cut.copy(), grid.first_member.copy()
    members: list[NDArray[np.uint8]] = []
    size = 0
    for at, node in enumerate(forest.splits.node.tolist()):
        values = grid.representatives(int(grid.column[node]))
        left = forest.splits.goes_left(at, values)
        left[0] = forest.default_left[node]
        run = int(left[1:].sum())
        if left[1 : run + 1].all():
            cut[node] = run
            continue
        first_member[node] = size
        size += len(left)
        members.append(left.astype(np.uint8))
    joined = np.concatenate(members) if members else grid.members
    return replace(grid, cut=cut, members=joined, first_member=first_member)
