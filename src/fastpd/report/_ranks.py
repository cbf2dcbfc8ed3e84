"""Ranks, and how strongly two features go together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["cramers_v", "ranks", "standardised", "tenths"]

Floats = NDArray[np.float64]


def ranks(values: NDArray[Any], weights: Floats) -> Floats:
    """Return the weight below each value and half of that at it: ranks, ties in the middle."""
    _, place = np.unique(values, return_inverse=True)
    at = np.bincount(place, weights)
    return (np.cumsum(at) - at / 2)[place]


def standardised(values: Floats, shares: Floats) -> Floats:
    """Return weighted values whose products add up to a correlation; zeros where none vary."""
    apart = values - shares @ values
    size = float(np.sqrt(shares @ apart**2))
    return apart * np.sqrt(shares) / size if size > 1e-15 else np.zeros_like(apart)


def tenths(steps: NDArray[Any], shares: Floats, parts: int) -> NDArray[np.intp]:
    """Cut ordered steps into at most so many parts of about equal weight; equal ones stay so."""
    place = ranks(steps, shares) / shares.sum()
    found: NDArray[np.intp] = (place * parts).astype(np.intp)
    return found


def cramers_v(table: Floats, n_rows: int) -> float:
    """Return Cramer's V of a table of shares, corrected for what chance alone makes of it."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    if min(rows, columns) < 2 or n_rows < 2:
        return 0.0
    even = np.outer(table.sum(axis=1), table.sum(axis=0))
    square = float(((table - even) ** 2 / even).sum())
    extra = (rows - 1) * (columns - 1) / (n_rows - 1)
    most = min(rows - (rows - 1) ** 2 / (n_rows - 1), columns - (columns - 1) ** 2 / (n_rows - 1))
    return float(np.sqrt(max(square - extra, 0.0) / (most - 1))) if most > 1 else 0.0
