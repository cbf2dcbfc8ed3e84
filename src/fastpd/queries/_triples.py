"""Components of three features on the cells of their bins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._engine import Cache, Engine
from fastpd.queries._features import FeatureSet
from fastpd.queries._tables import Ask, answer

__all__ = ["cell_rows", "points_of", "triple_component"]


def triple_component(engine: Engine, features: FeatureSet) -> NDArray[np.float64]:
    """Return m_S of three sorted features on all their bins, a last axis for outputs.

    Pairs are summed leaf by leaf over rectangles. Boxes of three would cost more to write than
    their cells cost to look up, so that a row is made for each cell and goes through tables.
    """
    points = [points_of(engine, feature) for feature in features]
    rows = cell_rows(engine, features, points)
    memory = np.empty((engine.forest.n_outputs, 1, rows.n_rows))
    # The tables are those of float64, which the engine's own cache may not be of.
    settings = replace(engine.settings, precision="double")
    double = replace(engine, settings=settings, cache=Cache(0))
    answer(double, Ask("Moebius", 3), [features], rows, memory, "effects")
    return np.moveaxis(memory[:, 0].reshape(-1, *(len(one) for one in points)), 0, -1)


def points_of(engine: Engine, feature: int) -> NDArray[np.float64]:
    """Return a value on every step of a feature, the missing one first."""
    column = engine.blocks.column_of(feature)
    return np.array([np.nan, 0.0]) if column is None else engine.blocks.representatives(column)


def cell_rows(engine: Engine, features: FeatureSet, values: list[NDArray[np.float64]]) -> Rows:
    """Return a row for every combination of values, the last feature's changing fastest.

    Of the other features nothing is said; they are zero.
    """
    shape = tuple(len(one) for one in values)
    columns = [engine.blocks.players.columns(feature) for feature in features]
    width = engine.forest.n_features

    def read(start: int, stop: int) -> NDArray[np.float64]:
        block = np.zeros((stop - start, width))
        places = np.unravel_index(np.arange(start, stop), shape)
        for column, given, place in zip(columns, values, places, strict=True):
            block[:, column] = given[place][:, None]
        return block

    return Rows(int(np.prod(shape)), width, read)
