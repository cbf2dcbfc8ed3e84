"""Whether the background is large enough: components with standard errors, and from half of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._components import component_columns
from fastpd.queries._engine import Engine
from fastpd.queries._folds import Fold, half_of, jackknife
from fastpd.results import Adequacy

__all__ = ["adequacy"]

_STEP = 16384  # rows decomposed at a time
Floats = NDArray[np.float64]


def adequacy(
    engine: Engine, folds: tuple[Fold, ...], rows: Rows, max_order: int, weights: Floats | None
) -> Adequacy:
    """Compare components up to an order with what other backgrounds would make of them."""
    half = half_of(engine, folds)
    shares = np.full(rows.n_rows, 1 / rows.n_rows) if weights is None else weights / weights.sum()
    sums: Floats = np.zeros(0)
    for start in range(0, rows.n_rows, _STEP):
        part = _read_once(rows, start, min(start + _STEP, rows.n_rows))

        def columns(of: Engine, part: Rows = part) -> Floats:
            return component_columns(of, part, max_order, np.float64)[1]

        whole = columns(engine)
        squares = jackknife(whole, folds, columns) ** 2
        sizes = np.stack([np.abs(whole), squares, np.abs(whole - columns(half))])
        found = sizes @ shares[start : start + _STEP]
        sums = found if not sums.size else sums + found
    sets = component_columns(engine, rows.part(0, 0), max_order, np.float64)[0]
    importance, squared, change = np.moveaxis(sums, 1, 2)
    order = np.argsort(-importance.sum(axis=1), kind="stable")
    single = engine.forest.n_outputs == 1
    chosen = [
        one[order, 0] if single else one[order] for one in (importance, np.sqrt(squared), change)
    ]
    return Adequacy(
        tuple(tuple(engine.names[k] for k in sets[at]) for at in order.tolist()),
        chosen[0],
        chosen[1],
        chosen[2],
        engine.measure.n_rows,
        len(folds),
        engine.forest.output_names,
        engine.source_of(rows).library,
    )


def _read_once(rows: Rows, start: int, stop: int) -> Rows:
    """Return a part of the rows in memory: every fold asks for it."""
    block = rows.chunk(start, stop)
    return Rows(len(block), rows.n_features, lambda first, last: block[first:last])
