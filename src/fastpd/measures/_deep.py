"""Distinct background masks at deep leaves: sparse counts that merge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["DeepCounts", "join", "keep_order"]


@dataclass(frozen=True, eq=False)
class DeepCounts:
    """For each deep leaf the masks "which of its features pass" that occur, sorted, with counts.

    Attributes
    ----------
    offsets
        Where each leaf's masks start; one more entry than there are deep leaves.
    masks
        Bit f says that the row passes every split on the leaf's f-th feature.
    counts
        For each digit's place (see `digits_of`) the sum of digits, one for each mask.
    """

    offsets: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    counts: dict[int, NDArray[np.int64]]

    @classmethod
    def empty(cls, n_leaves: int) -> DeepCounts:
        """Return the counts of no rows."""
        return cls(np.zeros(n_leaves + 1, dtype=np.uint64), np.empty(0, dtype=np.uint64), {})

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return self.offsets.nbytes + self.counted_bytes

    @property
    def counted_bytes(self) -> int:
        """Memory of what grows with the background: masks and their counts."""
        return self.masks.nbytes * (1 + len(self.counts))

    def leaf_of_mask(self) -> NDArray[np.int64]:
        """Return for every mask the leaf that it belongs to."""
        ends = self.offsets.astype(np.int64)
        sizes = ends[1:] - ends[:-1]
        return np.repeat(np.arange(len(sizes)), sizes)


def join(one: DeepCounts, other: DeepCounts) -> DeepCounts:
    """Add up the counts of two samples; the result does not depend on their order."""
    leaf = np.concatenate([one.leaf_of_mask(), other.leaf_of_mask()])
    mask = np.concatenate([one.masks, other.masks])
    order = np.lexsort((mask, leaf))
    leaf, mask = leaf[order], mask[order]
    first = np.flatnonzero(np.append(True, (np.diff(leaf) != 0) | (mask[1:] != mask[:-1])))
    first = first[: len(mask)]
    counts = {}
    for place in sorted({*one.counts, *other.counts}):
        parts = [
            part.counts.get(place, np.zeros(len(part.masks), dtype=np.int64))
            for part in (one, other)
        ]
        joined = np.concatenate(parts)[order]
        counts[place] = np.add.reduceat(joined, first) if len(first) else joined
    return _from_rows(leaf[first], mask[first], counts, len(one.offsets) - 1)


def keep_order(deep: DeepCounts, sizes: NDArray[np.int32], max_order: int) -> DeepCounts:
    """Drop the masks with more than `max_order` failing features."""
    leaf = deep.leaf_of_mask()
    kept = sizes[leaf] - np.bitwise_count(deep.masks) <= max_order
    counts = {place: values[kept] for place, values in deep.counts.items()}
    return _from_rows(leaf[kept], deep.masks[kept], counts, len(sizes))


def _from_rows(
    leaf: NDArray[np.int64],
    masks: NDArray[np.uint64],
    counts: dict[int, NDArray[np.int64]],
    n_leaves: int,
) -> DeepCounts:
    ends = np.cumsum(np.bincount(leaf, minlength=n_leaves))
    return DeepCounts(np.append(0, ends).astype(np.uint64), masks, counts)
