"""Mean absolute components over rows, without holding the components of all rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._components import component_columns
from fastpd.queries._engine import Engine
from fastpd.results import Importance

__all__ = ["importance"]

_STEP = 65536  # rows decomposed at a time


def importance(
    engine: Engine, rows: Rows, max_order: int, weights: NDArray[np.float64] | None
) -> Importance:
    """Return the mean of |m_S| over (weighted) rows, for all components up to an order."""
    forest = engine.forest
    sums: NDArray[np.float64] | None = None
    for start in range(0, rows.n_rows, _STEP):
        stop = min(start + _STEP, rows.n_rows)
        sets, columns = component_columns(engine, rows.part(start, stop), max_order, np.float64)
        np.abs(columns, out=columns)
        if weights is not None:
            columns *= weights[start:stop]
        part = columns.sum(axis=2)
        sums = part if sums is None else sums + part
    total = rows.n_rows if weights is None else weights.sum()
    scores = sums.T / total if sums is not None else np.empty((0, forest.n_outputs))
    names = [tuple(engine.names[i] for i in one) for one in sets]
    single = forest.n_outputs == 1
    return Importance.ranked(
        names,
        scores[:, 0] if single else scores,
        forest.output_names,
        link=forest.link,
        max_order=max_order,
        complete=max_order >= engine.blocks.core.largest_path,
        library=engine.source_of(rows).library,
    )
