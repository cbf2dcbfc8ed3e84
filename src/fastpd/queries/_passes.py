"""Passes over many components of many rows, a bounded number of both at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._components import look_up, routed
from fastpd.queries._engine import Engine
from fastpd.queries._features import FeatureSet

__all__ = ["Moments", "as_numbers", "batches", "component_runs", "rounding", "runs_of"]

Floats = NDArray[np.float64]

_NUMBERS = 1 << 25  # held at a time
_FEWEST_ROWS = 4096  # tables are read once for so many rows
_MOST_ROWS = 65536
_ROUNDING = {"fast": 1e-8, "double": 1e-13}  # relative to the most that the trees can add


def runs_of(rows: Rows, n_columns: int) -> list[tuple[int, int]]:
    """Cut rows into runs of which so many columns of numbers stay small."""
    step = min(max(_NUMBERS // max(n_columns, 1), _FEWEST_ROWS), _MOST_ROWS)
    return [(a, min(a + step, rows.n_rows)) for a in range(0, rows.n_rows, step)]


def batches(
    engine: Engine,
    sets: list[FeatureSet],
    needs: Callable[[FeatureSet], list[FeatureSet]] = lambda one: [one],
) -> Iterator[list[FeatureSet]]:
    """Cut sets into batches of which a run of rows stays small, with all sets that each needs."""
    most = max(_NUMBERS // (_FEWEST_ROWS * engine.forest.n_outputs), 1)
    batch: list[FeatureSet] = []
    needed: set[FeatureSet] = set()
    for one in sets:
        if batch and len(needed) >= most:
            yield batch
            batch, needed = [], set()
        batch.append(one)
        needed.update(needs(one))
    if batch:
        yield batch


def component_runs(
    engine: Engine, sets: list[FeatureSet], rows: Rows
) -> Iterator[tuple[slice, Floats]]:
    """Yield runs of rows and the components there: (outputs, sets, rows), to be written over."""
    split = routed(engine, sets)
    place = {one: at for at, one in enumerate(split.sets)}
    order = np.array([place[one] for one in sets], dtype=np.intp)
    moved = bool((np.diff(order) < 0).any())
    for start, stop in runs_of(rows, len(sets) * engine.forest.n_outputs):
        columns = look_up(engine, split, rows.part(start, stop), np.float64)
        yield slice(start, stop), columns[:, order] if moved else columns


def rounding(engine: Engine) -> Floats:
    """Return up to which size an answer may be nothing but rounding, for each output."""
    forest = engine.forest
    sizes = [np.abs(engine.values(output)) for output in range(forest.n_outputs)]
    reach = [np.maximum.reduceat(one, forest.roots).sum() if one.size else 0.0 for one in sizes]
    return _ROUNDING[engine.settings.precision] * np.array(reach)


def as_numbers(by_output: Floats) -> Any:
    """Return numbers whose last axis is for outputs, without it where there is one output."""
    if by_output.shape[-1] > 1:
        return by_output
    only = by_output[..., 0]
    return only if only.ndim else float(only)


@dataclass
class Moments:
    """Weight, mean and sum of squares about the mean of columns, added up run by run.

    Runs are joined by their means (Chan, Golub and LeVeque), so that columns of large means and
    little spread keep their digits.
    """

    weight: float = 0.0
    mean: Floats | float = 0.0
    squares: Floats | float = 0.0

    def add(self, columns: Floats, weights: Floats | None) -> None:
        """Take in a run, (..., rows); a copy of `columns` is not made, they are written over."""
        total = float(columns.shape[-1] if weights is None else weights.sum())
        if total == 0:
            return
        mean = columns.mean(axis=-1) if weights is None else columns @ weights / total
        columns -= mean[..., None]
        if weights is not None:
            columns *= np.sqrt(weights)
        squares = np.einsum("...r,...r->...", columns, columns)
        both = self.weight + total
        apart = mean - self.mean
        self.squares = self.squares + squares + apart**2 * (self.weight * total / both)
        self.mean = self.mean + apart * (total / both)
        self.weight = both

    @property
    def variance(self) -> Floats:
        """Variance of every column."""
        return np.asarray(self.squares) / self.weight
