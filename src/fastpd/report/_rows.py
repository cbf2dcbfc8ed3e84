"""The rows of a report, as the steps that they stand on: all that the model sees of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.measures import Sample
from fastpd.queries import Engine, chunks_of

__all__ = ["Standing", "shares_of", "standing", "standing_of_sample"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Standing:
    """Rows on the steps of every feature that is one column, step 0 where it is missing.

    Attributes
    ----------
    steps
        Step of every row, by the position of the feature.
    shares
        Weights of the rows, which add up to 1.
    ends
        Smallest and largest number of a feature; none where only steps are known.
    """

    steps: Mapping[int, NDArray[Any]]
    shares: Floats
    ends: Mapping[int, tuple[float, float]]

    def shares_on(self, feature: int, n_steps: int) -> Floats:
        """Return the share of rows on each step of a feature."""
        return np.asarray(np.bincount(self.steps[feature], self.shares, n_steps), np.float64)

    def joint_shares(self, first: int, second: int, shape: tuple[int, int]) -> Floats:
        """Return the share of rows on each pair of steps."""
        cell = self.steps[first].astype(np.int64) * shape[1] + self.steps[second]
        counted = np.bincount(cell, self.shares, shape[0] * shape[1])
        return np.asarray(counted, np.float64).reshape(shape)


def standing(engine: Engine, rows: Rows) -> tuple[Standing, Rows]:
    """Return given rows on their steps, with the smallest and largest number of each feature.

    Also returned are rows that stand on the same steps and so have the same answers, but are read
    much sooner than those of a table with labels.
    """
    most = rows.n_rows * max(rows.n_features, 1) * 4
    sample = Sample.nothing(engine.blocks, most)
    low, high = np.full((2, rows.n_features), np.nan)
    for start, stop in chunks_of(rows):
        chunk = rows.chunk(start, stop)
        sample = sample.updated(chunk, None)
        numbers = np.where(np.isfinite(chunk), chunk, np.nan).astype(np.float64)
        low = np.fmin(low, np.fmin.reduce(numbers, axis=0))
        high = np.fmax(high, np.fmax.reduce(numbers, axis=0))
    steps = _steps(engine, sample)
    ends = {}
    for player in steps:
        column = engine.blocks.grid.feature[engine.blocks.column_of(player)]
        if low[column] == low[column]:
            ends[player] = (float(low[column]), float(high[column]))
    kept = sample.rows()
    same = rows if kept is None else kept[0]
    return Standing(steps, np.full(rows.n_rows, 1 / rows.n_rows), ends), same


def standing_of_sample(engine: Engine, sample: Sample) -> Standing | None:
    """Return the background on its steps, or None where it was too large to keep."""
    kept = sample.rows()
    return None if kept is None else Standing(_steps(engine, sample), shares_of(kept[1]), {})


def shares_of(weights: Floats) -> Floats:
    """Return weights that add up to 1."""
    shares: Floats = weights / weights.sum()
    return shares


def _steps(engine: Engine, sample: Sample) -> dict[int, NDArray[Any]]:
    steps = {}
    for player in range(len(engine.names)):
        column = engine.blocks.column_of(player)
        if column is not None and sample.bins:
            steps[player] = np.concatenate([run[column] for run in sample.bins])
    return steps
