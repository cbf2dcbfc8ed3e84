"""The model without every component that touches some features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._engine import Engine
from fastpd.queries._features import FeatureSet
from fastpd.queries._passes import Moments, as_numbers, rounding
from fastpd.queries._value import predict, value
from fastpd.results import Removal

__all__ = ["removal", "without"]

Floats = NDArray[np.float64]


def without(engine: Engine, features: FeatureSet, rows: Rows) -> Floats:
    """Return v of all other features: the sum of the components that touch none of these."""
    others = tuple(k for k in range(len(engine.names)) if k not in features)
    names = ", ".join(engine.names[k] for k in features)
    engine.need_order(len(others), f"the prediction without {names}")
    found: Floats = value(engine, [others], rows, np.float64)[:, 0]
    return found


def removal(engine: Engine, features: FeatureSet, rows: Rows, weights: Floats | None) -> Removal:
    """Return how much of the prediction goes with some features, over rows."""
    whole = np.atleast_2d(predict(engine, rows).T)
    change = whole - np.atleast_2d(without(engine, features, rows).T)
    parts = np.full(rows.n_rows, 1 / rows.n_rows) if weights is None else weights / weights.sum()
    mean_change, largest = np.abs(change) @ parts, np.abs(change).max(axis=1)
    centred = whole - (whole @ parts)[:, None]
    shared = np.einsum("or,or,r->o", centred, change, parts)
    moments = Moments()
    moments.add(whole, weights)
    total = np.where(moments.variance > rounding(engine) ** 2, moments.variance, np.nan)
    return Removal(
        tuple(engine.names[k] for k in features),
        as_numbers(shared / total),
        as_numbers(mean_change),
        as_numbers(largest),
        rows.n_rows,
        engine.forest.output_names,
        engine.forest.link,
        engine.source_of(rows).library,
    )
