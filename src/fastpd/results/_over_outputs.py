"""Numbers of sets of features that may have a last axis for outputs, as one number a set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["over_outputs", "ranking"]


def over_outputs(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the mean over the outputs that have a number, NaN where none has."""
    if numbers.ndim == 1:
        return numbers
    count = (~np.isnan(numbers)).sum(axis=1)
    return np.where(count > 0, np.nansum(numbers, axis=1) / np.maximum(count, 1), np.nan)


def ranking(numbers: NDArray[Any]) -> NDArray[np.intp]:
    """Return the order of the sets, largest first; ties keep theirs."""
    return np.argsort(-over_outputs(numbers), kind="stable")
