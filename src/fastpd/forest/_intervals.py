"""Splits that are no single threshold: unions of intervals, such as sets of category codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["IntervalSplits", "code_intervals"]


def code_intervals(codes: Iterable[int]) -> list[tuple[float, float]]:
    """Return the intervals of values that truncate to one of some codes, neighbours joined.

    Examples
    --------
    >>> from fastpd.forest import code_intervals
    >>> code_intervals([7, 1, 2])
    [(1.0, 3.0), (7.0, 8.0)]
    """
    intervals: list[tuple[float, float]] = []
    for code in sorted(set(codes)):
        joined = intervals and intervals[-1][1] == code
        first = intervals.pop()[0] if joined else float(code)
        intervals.append((first, code + 1.0))
    return intervals


@dataclass(frozen=True, eq=False)
class IntervalSplits:
    """Nodes at which a row goes left when its value lies in one of several intervals.

    An interval holds its lower end and not its upper one; an end of infinity is no limit, so that
    infinite values lie inside.

    Attributes
    ----------
    node
        The nodes, in ascending order.
    offsets
        Where the intervals of each of them start; one more entry than there are nodes.
    low, high
        Ends of the intervals: of a node ascending, and apart from each other.
    """

    node: NDArray[np.int32]
    offsets: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def from_mapping(cls, intervals: Mapping[int, Sequence[tuple[float, float]]]) -> IntervalSplits:
        """Return the splits of a mapping from node to its intervals.

        Examples
        --------
        >>> from fastpd.forest import IntervalSplits
        >>> IntervalSplits.from_mapping({3: [(1.0, 2.0), (4.0, 5.0)]}).goes_left(0, [1.5, 2.0])
        array([ True, False])
        """
        nodes = sorted(intervals)
        ends = [end for node in nodes for end in intervals[node]]
        sizes = [len(intervals[node]) for node in nodes]
        table = np.array(ends, dtype=np.float64).reshape(-1, 2)
        return cls(
            np.array(nodes, dtype=np.int32),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            table[:, 0].copy(),
            table[:, 1].copy(),
        )

    @classmethod
    def none(cls) -> IntervalSplits:
        """Return no splits."""
        return cls.from_mapping({})

    def __len__(self) -> int:
        return len(self.node)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return self.node.nbytes + self.offsets.nbytes + self.low.nbytes + self.high.nbytes

    def same_as(self, other: IntervalSplits) -> bool:
        """Tell whether both are the same splits."""
        arrays = ("node", "offsets", "low", "high")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)

    def owner(self) -> NDArray[np.int32]:
        """Return for every interval the node that it belongs to."""
        return np.repeat(self.node, np.diff(self.offsets))

    @cached_property
    def _jumps(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return where each split's points start at which the side changes, and the points.

        Below the first point a value does not go left. An upper end of infinity is no point.
        """
        points = np.stack([self.low, self.high], axis=1).ravel()
        kept = points < np.inf
        kept[::2] = True
        starts = np.concatenate([[0], np.cumsum(kept)])[2 * self.offsets]
        return starts, points[kept]

    def goes_left(self, at: ArrayLike, values: ArrayLike) -> NDArray[np.bool_]:
        """Return whether values, none of them missing, go left at the splits numbered `at`."""
        given = np.asarray(values)
        number = np.broadcast_to(np.asarray(at), given.shape)
        starts, points = self._jumps
        points = np.append(points, np.nan).astype(given.dtype)
        low, high = starts[number], starts[number + 1]
        first = low.copy()
        # A binary search for all values at once: `low` becomes the number of points passed.
        while np.any(low < high):
            middle = (low + high) // 2
            passed = (points[middle] <= given) & (low < high)
            low, high = np.where(passed, middle + 1, low), np.where(passed, high, middle)
        return np.asarray((low - first) % 2 == 1)

    def renumbered(self, place: NDArray[np.integer], kept: NDArray[np.bool_]) -> IntervalSplits:
        """Return the splits of the nodes that are `kept`, each at its new `place`."""
        stay = kept[self.node] if len(self.node) else np.zeros(0, bool)
        sizes = np.diff(self.offsets)
        intervals = np.repeat(stay, sizes)
        return IntervalSplits(
            place[self.node[stay]].astype(np.int32),
            np.concatenate([[0], np.cumsum(sizes[stay])]).astype(np.int64),
            self.low[intervals],
            self.high[intervals],
        )

    def __iter__(self) -> Iterator[tuple[int, list[tuple[float, float]]]]:
        for at, node in enumerate(self.node.tolist()):
            part = slice(self.offsets[at], self.offsets[at + 1])
            yield node, list(zip(self.low[part].tolist(), self.high[part].tolist(), strict=True))
