"""Background rows, all at once or in batches, each with its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import WeightError
from fastpd.frames import Rows, is_batches
from fastpd.measures._weights import check_weights

__all__ = ["weighted_batches"]

Weighted: TypeAlias = tuple[Rows, NDArray[np.float64] | None]


def weighted_batches(
    background: Any, weights: Any, read: Callable[[Any], Rows]
) -> Iterator[Weighted]:
    """Go over one table, or over an iterator of tables and one of their weights.

    Parameters
    ----------
    background, weights
        As `fastpd.Explainer` takes them.
    read
        Makes rows of a table.
    """
    if not is_batches(background):
        rows = read(background)
        yield rows, None if weights is None else check_weights(weights, rows.n_rows)
        return
    if weights is None:
        for batch in background:
            yield read(batch), None
        return
    if not isinstance(weights, Iterable) or hasattr(weights, "shape"):
        raise WeightError(
            "weights of a background in batches must come in batches too; expected an iterator of "
            "one array a batch."
        )
    try:
        for batch, part in zip(background, weights, strict=True):
            rows = read(batch)
            yield rows, check_weights(part, rows.n_rows)
    except ValueError as error:
        if "zip()" not in str(error):
            raise
        raise WeightError(
            "the background and its weights have different numbers of batches; expected one array "
            "of weights for each batch."
        ) from None
