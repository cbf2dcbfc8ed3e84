"""Variance of components over rows, and their shares of the prediction's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._engine import Engine
from fastpd.queries._passes import Moments, as_numbers, batches, component_runs, rounding
from fastpd.queries._shapley import present_sets
from fastpd.queries._value import predict
from fastpd.results import VarianceShares

__all__ = ["variance_shares"]

Floats = NDArray[np.float64]


def variance_shares(
    engine: Engine, rows: Rows, weights: Floats | None, max_order: int
) -> VarianceShares:
    """Return Cov(m_S, f) / Var(f) and Var(m_S) over rows, for all components up to an order."""
    engine.need_order(max_order, f"components of order {max_order}")
    sets = present_sets(engine, max_order)
    parts = np.full(rows.n_rows, 1 / rows.n_rows) if weights is None else weights / weights.sum()
    left = np.atleast_2d(predict(engine, rows).T)
    left = left - (left @ parts)[:, None]
    weighed = left * parts
    total = np.einsum("or,or->o", left, weighed)
    found = [np.zeros((2, engine.forest.n_outputs, 0))]
    for batch in batches(engine, sets):
        shared, moments = np.zeros((engine.forest.n_outputs, len(batch))), Moments()
        for run, columns in component_runs(engine, batch, rows):
            left[:, run] -= columns.sum(axis=1)
            shared += (columns @ weighed[:, run, None])[..., 0]
            moments.add(columns, None if weights is None else weights[run])
        found.append(np.stack([shared, moments.variance]))
    covariance, variance = np.concatenate(found, axis=2)
    rest_shared, rest = np.einsum("or,or->o", left, weighed), Moments()
    rest.add(left, weights)
    total = np.where(total > rounding(engine) ** 2, total, np.nan)
    return VarianceShares.ranked(
        [tuple(engine.names[k] for k in one) for one in sets],
        as_numbers((covariance / total[:, None]).T),
        as_numbers(variance.T),
        remainder_share=as_numbers(rest_shared / total),
        remainder_variance=as_numbers(rest.variance),
        total=as_numbers(np.nan_to_num(total)),
        max_order=max_order,
        output_names=engine.forest.output_names,
        link=engine.forest.link,
        library=engine.source_of(rows).library,
    )
