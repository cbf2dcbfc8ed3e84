"""Mean absolute components over rows, without holding the components of all rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._engine import Engine
from fastpd.queries._features import FeatureSet
from fastpd.queries._passes import as_numbers, batches, component_runs
from fastpd.queries._shapley import present_sets
from fastpd.results import Importance

__all__ = ["importance", "top_interactions"]

Floats = NDArray[np.float64]


def importance(engine: Engine, rows: Rows, weights: Floats | None, max_order: int) -> Importance:
    """Return the mean of |m_S| over (weighted) rows, for all components up to an order."""
    engine.need_order(max_order, f"components of order {max_order}")
    sets = present_sets(engine, max_order)
    return _ranked(engine, sets, rows, weights, max_order)


def top_interactions(
    engine: Engine, rows: Rows, weights: Floats | None, order: int, k: int
) -> Importance:
    """Return the k components of exactly an order with the largest mean of |m_S|."""
    engine.need_order(order, f"components of order {order}")
    sets = [one for one in present_sets(engine, order) if len(one) == order]
    return _ranked(engine, sets, rows, weights, order).top(k)


def _ranked(
    engine: Engine, sets: list[FeatureSet], rows: Rows, weights: Floats | None, order: int
) -> Importance:
    found = [_mean_sizes(engine, batch, rows, weights) for batch in batches(engine, sets)]
    scores = np.concatenate([np.zeros((0, engine.forest.n_outputs)), *found])
    return Importance.ranked(
        [tuple(engine.names[i] for i in one) for one in sets],
        as_numbers(scores),
        engine.forest.output_names,
        link=engine.forest.link,
        max_order=order,
        complete=order >= engine.blocks.core.largest_path,
        library=engine.source_of(rows).library,
    )


def _mean_sizes(
    engine: Engine, sets: list[FeatureSet], rows: Rows, weights: Floats | None
) -> Floats:
    """Return the mean of |m_S| over rows: (sets, outputs)."""
    sums = np.zeros((engine.forest.n_outputs, len(sets)))
    for run, columns in component_runs(engine, sets, rows):
        np.abs(columns, out=columns)
        sums += columns.sum(axis=2) if weights is None else columns @ weights[run]
    return sums.T / (rows.n_rows if weights is None else weights.sum())
