"""The empirical measure: a background sample, kept only as counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import BackgroundError, MemoryLimitError, WeightError
from fastpd.measures._deep import DeepCounts, join, keep_order
from fastpd.measures._weights import digits_of

__all__ = ["ORDERS", "Empirical"]

Poll = Callable[[int, int], None] | None
Digits = dict[int, NDArray[np.uint32]]

_ANY_ORDER = 64
# Orders that deep leaves may be counted for, tried in turn until the counts fit into memory.
ORDERS = (_ANY_ORDER, 4, 3, 2, 1)


@dataclass(frozen=True, eq=False)
class Empirical:
    """Weighted counts of the background's patterns; no row of it is kept.

    Counts are whole numbers, so samples can be added and merged in any order with the same result,
    to the last bit.

    Attributes
    ----------
    blocks
        The forest on its grid.
    n_rows
        Number of background rows seen.
    counts
        For each place of the weights' digits (see `digits_of`), a count for every pattern of
        every block.
    totals
        The sum of the weights' digits, by place.
    deep
        Counts at the leaves that have no table.
    max_order
        Components up to this order can be answered exactly at deep leaves.
    """

    blocks: Blocks
    n_rows: int
    counts: dict[int, NDArray[np.int64]]
    totals: dict[int, int]
    deep: DeepCounts
    max_order: int = _ANY_ORDER
    name = "the background"

    @classmethod
    def nothing(cls, blocks: Blocks) -> Empirical:
        """Return the measure of no rows, to be updated."""
        return cls(blocks, 0, {}, {}, DeepCounts.empty(len(blocks.deep_sizes)))

    @property
    def known(self) -> bool:
        """Whether there were any rows."""
        return self.n_rows > 0

    @property
    def nbytes(self) -> int:
        """Memory of the counts, in bytes."""
        return sum(counts.nbytes for counts in self.counts.values()) + self.deep.nbytes

    def total(self) -> float:
        """Return the sum of the weights, rounded once."""
        return _exact_sum(self.totals)

    @property
    def _top(self) -> int:
        """The highest place of a digit; rows of weight zero have digits that must not set it."""
        return max((place for place, digit in self.totals.items() if digit), default=0)

    def scaled_total(self) -> float:
        """Return the sum of the weights on the scale of the counts that the core gets."""
        return _exact_sum(self.totals, self._top)

    def core(self) -> _core.Measure:
        """Return the counts as float64, scaled alike, for queries."""
        if self.n_rows == 0:
            raise BackgroundError("the background is empty; expected at least one row.")
        top, total = self._top, self.scaled_total()
        if not total > 0:
            raise WeightError("all weights are zero; expected at least one positive weight.")
        n_counts = self.blocks.core.n_counts
        return _core.Measure.counted(
            _float_sum(self.counts, top, n_counts),
            total,
            self.deep.offsets,
            self.deep.masks,
            _float_sum(self.deep.counts, top, len(self.deep.masks)),
        )

    def updated(
        self,
        rows: NDArray[Any],
        weights: NDArray[np.float64] | None,
        *,
        memory_limit: int,
        n_jobs: int = 1,
        poll: Poll = None,
    ) -> Empirical:
        """Return the measure with further rows counted in."""
        batch = _count(self.blocks, rows, weights, self.max_order, memory_limit, n_jobs, poll)
        return self.merged(batch, memory_limit=memory_limit)

    def merged(self, other: Empirical, *, memory_limit: int) -> Empirical:
        """Return the measure of both samples together."""
        if self.n_rows == 0:
            return other
        max_order = min(self.max_order, other.max_order)
        deep = _fit(join(self.deep, other.deep), self.blocks, max_order, memory_limit)
        return Empirical(
            self.blocks,
            self.n_rows + other.n_rows,
            _added(self.counts, other.counts),
            {p: self.totals.get(p, 0) + other.totals.get(p, 0) for p in self.totals | other.totals},
            *deep,
        )


def _count(
    blocks: Blocks,
    rows: NDArray[Any],
    weights: NDArray[np.float64] | None,
    max_order: int,
    memory_limit: int,
    n_jobs: int,
    poll: Poll,
) -> Empirical:
    digits: Digits = {} if weights is None else digits_of(weights)
    places = sorted(digits) if digits else [0]
    planes = np.stack([digits[p] for p in places]) if digits else None
    if weights is not None and not digits:  # all of them zero
        planes = np.zeros((1, len(rows)), dtype=np.uint32)
    counts = np.zeros((len(places), blocks.core.n_counts), dtype=np.int64)
    _core.count_patterns(blocks.core, rows, planes, counts.reshape(-1), n_jobs, poll)
    totals = [len(rows)] if planes is None else [int(p.sum(dtype=np.uint64)) for p in planes]
    batch = Empirical(
        blocks,
        len(rows),
        dict(zip(places, counts, strict=True)),
        dict(zip(places, totals, strict=True)),
        DeepCounts.empty(len(blocks.deep_sizes)),
        max_order,
    )
    if not len(blocks.deep_sizes):
        return batch
    return _with_deep(batch, rows, planes, places, memory_limit, n_jobs, poll)


def _with_deep(
    batch: Empirical,
    rows: NDArray[Any],
    planes: NDArray[np.uint32] | None,
    places: list[int],
    memory_limit: int,
    n_jobs: int,
    poll: Poll,
) -> Empirical:
    """Count masks at the deep leaves, for the highest order that fits into memory."""
    blocks = batch.blocks
    limit = memory_limit // (8 * (1 + len(places)))
    for order in ORDERS:
        if order > batch.max_order:
            continue
        found = _core.count_deep(blocks.core, rows, planes, order, limit, n_jobs, poll)
        if found is None:
            continue
        offsets, masks, counts = found
        by_place = dict(zip(places, counts.reshape(len(places), -1), strict=True))
        return replace(batch, deep=DeepCounts(offsets, masks, by_place), max_order=order)
    raise _too_deep(blocks, memory_limit)


def _fit(
    deep: DeepCounts, blocks: Blocks, max_order: int, memory_limit: int
) -> tuple[DeepCounts, int]:
    """Lower the order until the counts fit; as sizes only grow, any order of merging agrees."""
    for order in ORDERS:
        if order > max_order:
            continue
        if order < _ANY_ORDER and len(blocks.deep_sizes):
            deep = keep_order(deep, blocks.deep_sizes, order)
        if deep.counted_bytes <= memory_limit:
            return deep, order
    raise _too_deep(blocks, memory_limit)


def _too_deep(blocks: Blocks, memory_limit: int) -> MemoryLimitError:
    return MemoryLimitError(
        f"{len(blocks.deep_sizes)} leaves have more than 8 features on their path (up to "
        f"{blocks.largest_deep}), and the background's distinct patterns there take more than "
        f"memory_limit = {memory_limit:,} bytes even for main effects alone. "
        "Raise memory_limit, or explain with a smaller background or a shallower model."
    )


def _exact_sum(digits: dict[int, int], origin: int = 0) -> float:
    lowest = min([*digits, origin])
    whole = sum(digit << (32 * (place - lowest)) for place, digit in digits.items())
    # Python rounds an exact ratio of whole numbers once.
    return whole / (1 << (32 * (origin - lowest)))


def _float_sum(counts: dict[int, NDArray[np.int64]], top: int, size: int) -> NDArray[np.float64]:
    total = np.zeros(size)
    for place in sorted(counts):
        total += np.ldexp(counts[place].astype(np.float64), 32 * (place - top))
    return total


def _added(
    one: dict[int, NDArray[np.int64]], other: dict[int, NDArray[np.int64]]
) -> dict[int, NDArray[np.int64]]:
    added = dict(one)
    for place, counts in other.items():
        added[place] = added[place] + counts if place in added else counts
    return added
