"""Weights as whole numbers, so that sums are exact and the same in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import WeightError

__all__ = ["check_weights", "digits_of", "scaled"]

_DIGIT = 32  # bits of a digit: four thousand million rows of them fit into an int64 sum


def check_weights(weights: Any, n_rows: int) -> NDArray[np.float64]:
    """Return weights as float64, or refuse what is not one finite, non-negative number a row."""
    if isinstance(weights, np.ma.MaskedArray):
        raise WeightError(
            "weights are a masked array; expected one number for each background row. Leave rows "
            "without a weight out, or give them weight 0."
        )
    try:
        array = np.asarray(weights)
        if array.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        raise WeightError(
            f"weights are {weights!r:.60}; expected one number for each background row, such as a "
            "list or an array of numbers."
        ) from None
    if array.shape != (n_rows,):
        raise WeightError(
            f"weights have shape {array.shape}; expected ({n_rows},), one for each background row."
        )
    values = array.astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise WeightError(
            f"weight {values[bad[0]]} of row {bad[0]} is not a finite number >= 0 "
            f"({len(bad)} of {n_rows} such). Leave such rows out, or give them weight 0."
        )
    return values


def scaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights scaled by a power of two to at most 1.

    Sums and products of them stay within a float64.
    """
    found: NDArray[np.float64] = np.ldexp(weights, -np.frexp(weights.max())[1])
    return found


def digits_of(weights: NDArray[np.float64]) -> dict[int, NDArray[np.uint32]]:
    """Write weights in base 2**32: ``weights == sum(digit * 2.0**(32 * place))`` exactly.

    A float64 has 53 bits, hence at most three digits that are not zero; whole numbers have one.
    """
    fraction, exponent = np.frexp(weights)
    mantissa = np.ldexp(fraction, 53).astype(np.uint64)
    place, shift = np.divmod(exponent.astype(np.int64) - 53, _DIGIT)
    up = shift.astype(np.uint64)
    low_bits = np.uint64(0xFFFFFFFF)
    # The 85-bit number mantissa << shift, cut into three words of 32 bits.
    words = (
        (mantissa << up) & low_bits,
        (mantissa >> (np.uint64(_DIGIT) - up)) & low_bits,
        np.where(up > 0, mantissa >> np.minimum(np.uint64(64) - up, np.uint64(63)), 0),
    )
    digits: dict[int, NDArray[np.uint32]] = {}
    for k, word in enumerate(words):
        for at in np.unique(place[word > 0] + k).tolist():
            plane = digits.setdefault(at, np.zeros(len(weights), dtype=np.uint32))
            chosen = (place + k == at) & (word > 0)
            plane[chosen] = word[chosen]
    return digits
