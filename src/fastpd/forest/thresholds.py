"""Thresholds as the forest compares with them: in the precision of values, and strictly below."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.forest._forest import Comparison

__all__ = ["at_or_above", "just_above", "rounded_to"]


def just_above(threshold: ArrayLike, comparison: Comparison) -> NDArray[np.float64]:
    """Return t such that ``x <= threshold`` is ``x < t`` for every x of the comparison's precision.

    It is infinite where every finite number is at or below the threshold.

    Examples
    --------
    >>> from fastpd.forest.thresholds import just_above
    >>> bool(just_above(0.1, "float32") == np.float32(0.1))  # float32(0.1) is above 0.1
    True
    """
    exact = np.asarray(threshold, dtype=np.float64)
    kind = np.dtype(comparison).type
    with np.errstate(over="ignore", under="ignore"):
        rounded = exact.astype(kind)
        above = np.where(rounded > exact, rounded, np.nextafter(rounded, kind(np.inf)))
    return above.astype(np.float64)


def at_or_above(threshold: ArrayLike, comparison: Comparison) -> NDArray[np.float64]:
    """Return t of the comparison's precision such that ``x < threshold`` is ``x < t``.

    That holds for every x of that precision. It is infinite where all finite numbers are below.

    Examples
    --------
    >>> from fastpd.forest.thresholds import at_or_above
    >>> bool(at_or_above(0.3, "float32") > 0.3)  # float32(0.3) is above 0.3, and not below it
    True
    """
    exact = np.asarray(threshold, dtype=np.float64)
    kind = np.dtype(comparison).type
    with np.errstate(over="ignore", under="ignore"):
        rounded = exact.astype(kind)
        above = np.where(rounded < exact, np.nextafter(rounded, kind(np.inf)), rounded)
    return above.astype(np.float64)


def rounded_to(threshold: NDArray[np.float64], comparison: Comparison) -> NDArray[np.float64]:
    """Return the float64 where values begin that the comparison's precision rounds to t or above.

    `threshold` is t of that precision. Whether the point itself is rounded up is left open.

    Examples
    --------
    >>> from fastpd.forest.thresholds import rounded_to
    >>> float(rounded_to(np.array(2.0**24), "float32"))  # the number below is 2**24 - 1
    16777215.5
    """
    if comparison == "float64":
        return threshold
    past_largest = 2.0**128  # what overflows to infinity lies half a step below
    at = threshold.astype(np.float32)
    ends = np.array([np.nextafter(at, np.float32(-np.inf)), at], dtype=np.float64)
    middle: NDArray[np.float64] = np.clip(ends, -past_largest, past_largest).mean(axis=0)
    return middle
