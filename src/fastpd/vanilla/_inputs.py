"""Checks of what the brute force is given, and the feature sets that it runs over."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.errors import BackgroundError, DataError, FeatureError, OptionError, WeightError

__all__ = ["Floats", "Numbers", "Subset", "checked", "feature_set", "subsets", "whole", "without"]

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[Any]
Subset: TypeAlias = tuple[int, ...]


def checked(
    background: ArrayLike, rows: ArrayLike, weights: ArrayLike | None
) -> tuple[Numbers, Numbers, Floats]:
    """Return background and rows in one dtype, and weights that sum to one, none of them zero."""
    sample, points = _table(background, "background"), _table(rows, "rows")
    if not len(sample):
        raise BackgroundError("background has no rows; give at least one.")
    if sample.shape[1] != points.shape[1] or not points.shape[1]:
        raise DataError(
            f"background has {sample.shape[1]} columns and rows has {points.shape[1]}; "
            "expected the same number, at least one."
        )
    share = _shares(weights, len(sample))
    dtype = np.result_type(sample, points)
    # A row of weight zero must not count even where the model answers NaN or infinity there.
    return sample[share > 0].astype(dtype), points.astype(dtype), share[share > 0]


def feature_set(subset: Iterable[int], d: int) -> Subset:
    """Return a feature set in column order, once it names each of its columns once."""
    given = tuple(subset)
    for feature in given:
        if not hasattr(feature, "__index__") or not 0 <= operator.index(feature) < d:
            raise FeatureError(
                f"Feature {feature!r} of the set {given} is no column; "
                f"expected indices 0 to {d - 1}."
            )
    if len(set(given)) < len(given):
        raise FeatureError(f"The set {given} names a feature twice; name each feature once.")
    return tuple(sorted(map(operator.index, given)))


def whole(number: int, what: str, least: int) -> int:
    """Return an option that must be a whole number."""
    if not hasattr(number, "__index__") or operator.index(number) < least:
        raise OptionError(f"{what}={number!r}; expected a whole number of at least {least}.")
    return operator.index(number)


def subsets(d: int, smallest: int, largest: int) -> Iterator[Subset]:
    """Run over the feature sets of some sizes, smaller ones first."""
    for size in range(smallest, largest + 1):
        yield from combinations(range(d), size)


def without(subset: Subset, feature: int) -> Subset:
    """Return the set that is left when a feature is taken out."""
    return tuple(other for other in subset if other != feature)


def _table(data: ArrayLike, what: str) -> Numbers:
    if isinstance(data, np.ma.MaskedArray):
        raise DataError(f"{what} is a masked array; expected plain numbers, NaN for a missing one.")
    array = np.asarray(data)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise DataError(
            f"{what} has shape {array.shape} and dtype {array.dtype}; "
            "expected a 2-D array of numbers, one row an observation."
        )
    return array


def _shares(weights: ArrayLike | None, n: int) -> Floats:
    if weights is None:
        return np.full(n, 1 / n)
    try:
        given = np.asarray(weights, dtype=np.float64)
        if isinstance(weights, np.ma.MaskedArray):
            raise TypeError
    except (TypeError, ValueError):
        raise WeightError(
            f"weights are {weights!r:.60}; expected one number for each background row."
        ) from None
    if given.shape != (n,):
        raise WeightError(
            f"weights has shape {given.shape}; expected ({n},), one for each background row."
        )
    bad = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if bad.size:
        raise WeightError(
            f"weights[{bad[0]}] is {given[bad[0]]}; expected finite numbers that are not negative. "
            "Leave out rows that should not count, or give them weight 0."
        )
    if not given.any():
        raise WeightError("weights are all zero; expected at least one above zero.")
    scaled = given / given.max()
    return np.asarray(scaled / scaled.sum(), dtype=np.float64)
