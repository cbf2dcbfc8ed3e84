"""Which values a LightGBM split sends to the left, missing ones and zeros included.

LightGBM predicts rows after it has put 0 for every number within its zero: those no further from 0
than 1e-35. A split then compares ``<=`` in double precision, unless the value counts as missing.
Each split says itself what counts so: nothing (NaN is a 0 then), zeros and NaN, or NaN.

(Numbers that a sparse matrix by rows holds are not put to 0 first. It shows at one number alone,
-1e-35 itself where that is the threshold too: dense rows and matrices by columns send it right.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.importers.lightgbm.document import damaged
from fastpd.forest.importers.lightgbm.trees import CATEGORICAL, DEFAULT_LEFT, Trees
from fastpd.forest.thresholds import just_above

__all__ = ["ZERO", "Decisions", "decide"]

# A float32 in LightGBM's code, so a double with further digits.
ZERO = float(np.float32(1e-35))
_ABOVE_ZERO = float(np.nextafter(ZERO, np.inf))
_BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
_ABOVE_MINUS_ONE = float(np.nextafter(-1.0, 0.0))
_NAN_IS_ZERO, _ZERO_IS_MISSING = 0, 1

Intervals = list[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a Forest needs to know of every split.

    Attributes
    ----------
    threshold, default_left
        As in `Forest`, for each split.
    intervals
        Intervals of the splits that are no single threshold, by place of the split.
    """

    threshold: NDArray[np.float64]
    default_left: NDArray[np.bool_]
    intervals: dict[int, Intervals]

    def at_nodes(self, node: NDArray[np.int64]) -> IntervalSplits:
        """Return the intervals, where `node` says which node each split is."""
        return IntervalSplits.from_mapping(
            {int(node[split]): found for split, found in self.intervals.items()}
        )


def decide(trees: Trees) -> Decisions:
    """Return what goes left at each split.

    Raises
    ------
    ModelFileError
        Where a categorical split has no set, or an empty one.
    """
    categorical = (trees.decision & CATEGORICAL) > 0
    given_left = (trees.decision & DEFAULT_LEFT) > 0
    missing = trees.decision >> 2
    as_number = trees.threshold >= 0  # whether zero goes left where it is not missing
    default_left = np.where(missing == _NAN_IS_ZERO, as_number, given_left) & ~categorical
    zero_left = np.where(missing == _ZERO_IS_MISSING, given_left, as_number)
    # No number lies between these and a zero, so zero's side alone decides.
    within = (trees.threshold >= _BELOW_ZERO) & (trees.threshold <= ZERO)
    threshold = just_above(trees.threshold, "float64")
    threshold = np.where(within, np.where(zero_left, _ABOVE_ZERO, -ZERO), threshold)
    apart = (zero_left != as_number) & ~within & ~categorical
    # LightGBM writes inf where missing values are split from all numbers, infinite ones too.
    unlimited = np.isinf(threshold) & ~apart & ~categorical
    _refuse_the_largest(trees, np.isinf(threshold) & (trees.threshold < np.inf))
    intervals: dict[int, Intervals] = {
        split: [(-np.inf, np.inf)] for split in np.flatnonzero(unlimited).tolist()
    }
    for split in np.flatnonzero(apart).tolist():
        intervals[split] = _without_zero(float(threshold[split]))
    for split in np.flatnonzero(categorical).tolist():
        intervals[split] = _of_set(trees, split)
    # Overruled by the intervals; a number that is certainly finite.
    threshold[list(intervals)] = 0.0
    return Decisions(threshold, default_left, intervals)


def _refuse_the_largest(trees: Trees, wrong: NDArray[np.bool_]) -> None:
    if np.any(wrong):
        place = trees.place(int(np.argmax(wrong)))
        raise damaged(trees.source, f"{place} has the largest number of all as its threshold")


def _without_zero(end: float) -> Intervals:
    """Return the values below a split's end, with zeros on the other side than their size says."""
    if end > 0:
        return [(-np.inf, -ZERO), (_ABOVE_ZERO, end)]
    return [(-np.inf, end), (-ZERO, _ABOVE_ZERO)]


def _of_set(trees: Trees, split: int) -> Intervals:
    """Return the values that truncate to a category of a split's set.

    Everything above -1 truncates to 0. Codes beyond the set go right, as NaN does.
    """
    sets = trees.sets[int(trees.tree_of_split[split])]
    number = trees.threshold[split]
    if number not in range(len(sets)):
        raise damaged(
            trees.source, f"{trees.place(split)} has a set of categories that is not there"
        )
    bits = np.unpackbits(sets[int(number)].astype("<u4").view(np.uint8), bitorder="little")
    changes = np.flatnonzero(np.diff(bits, prepend=0, append=0)).astype(np.float64)
    if not len(changes):
        raise damaged(trees.source, f"{trees.place(split)} has an empty set of categories")
    changes[0] = changes[0] or _ABOVE_MINUS_ONE
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))
