"""Rows with one feature moved from step to step, and what the model says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.queries._engine import Engine
from fastpd.queries._probability import probabilities
from fastpd.queries._value import raw_scores

__all__ = ["CELLS", "moved_scores"]

CELLS = 1 << 22  # numbers in the rows that are predicted at once


def moved_scores(
    engine: Engine,
    feature: int,
    rows: NDArray[Any],
    values: NDArray[np.float64],
    *,
    transformed: bool,
) -> NDArray[np.float64]:
    """Return the scores (rows, outputs) of rows of one's own, with the feature at these values."""
    block = rows.astype(np.float64, copy=False)
    block[:, engine.blocks.players.columns(feature)] = values[:, None]
    raw = raw_scores(engine, block)
    return probabilities(engine.forest, raw) if transformed else raw
