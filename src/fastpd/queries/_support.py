"""Where the background is: its share on the steps of an effect."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from fastpd.measures import Sample
from fastpd.queries._engine import Engine
from fastpd.queries._features import FeatureSet

__all__ = ["support"]


def support(engine: Engine, sample: Sample, features: FeatureSet) -> NDArray[np.float64] | None:
    """Return the share of the background's weight on every step, or cell of steps, of features.

    None where the measure has no rows, where they were not kept, and where no tree tests one of
    the features: what is kept of a row is what the trees see of it.
    """
    columns = [engine.blocks.column_of(k) for k in features]
    places = [None if column is None else sample.column(column) for column in columns]
    known = [one for one in places if one is not None]
    if len(known) < len(features) or not engine.measure.n_rows:
        return None
    shape = tuple(int(engine.blocks.grid.n_bins[column]) for column in columns)
    weights = sample.scaled_weights()
    cell = np.ravel_multi_index(tuple(known), shape)
    total: NDArray[np.float64] = np.bincount(cell, weights, prod(shape)) / weights.sum()
    return total.reshape(shape)
