"""Pairs of features as maps of a size that can be drawn and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries import Engine
from fastpd.report._curves import by_output
from fastpd.report._data import Map, Side
from fastpd.report._grouping import Grouping, grouped, pooled
from fastpd.report._rows import Standing
from fastpd.results._axis import Axis

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["Pair", "map_of"]

Floats = NDArray[np.float64]
_MOST_LABELS = 24
_FEWEST_STEPS, _MOST_STEPS = 8, 90
_CELLS = 1600  # of one map and output
_WHOLE = 2_000_000  # numbers of a pair's grid, up to which all of it is made


@dataclass(frozen=True, eq=False)
class Pair:
    """Two features: their positions, and how values of each become steps."""

    indices: tuple[int, int]
    axes: tuple[Axis, Axis]

    @property
    def shape(self) -> tuple[int, int]:
        """Steps along each side, the missing one among them."""
        first, second = (len(axis.edges) + 2 for axis in self.axes)
        return first, second


def map_of(
    explainer: Explainer, engine: Engine, pair: Pair, importance: Floats, rows: Standing
) -> Map:
    """Return the component of two features in cells, and the share of rows in each.

    Of steps that are shown together it is the mean over their rows; of a grid too large to make, it
    is the value at one step of each cell, in the middle of the rows there.
    """
    n_outputs = len(explainer.output_names)
    sides = [
        rows.shares_on(index, n_steps)
        for index, n_steps in zip(pair.indices, pair.shape, strict=True)
    ]
    limits = _limits(pair.axes, n_outputs)
    groupings = [
        _inside(grouped(axis, shares, rows.ends.get(index), most, missing=axis.takes_missing))
        for axis, index, shares, most in zip(pair.axes, pair.indices, sides, limits, strict=True)
    ]
    apart = float("nan")
    if pair.shape[0] * pair.shape[1] * n_outputs <= _WHOLE:
        values = by_output(explainer.effect(*pair.indices))
        weights = rows.joint_shares(*pair.indices, pair.shape)[..., None]
        cells, apart = _pooled_cells(values, weights, groupings)
    else:
        steps = [_middle_steps(shares, one) for shares, one in zip(sides, groupings, strict=True)]
        cells = _at_steps(explainer, engine, pair.indices, steps)
    shown = [
        Side(axis.name, one.edges, one.labels, int(np.count_nonzero(one.group >= 0)))
        for axis, one in zip(pair.axes, groupings, strict=True)
    ]
    return Map(shown[0], shown[1], importance, cells, _shares(rows, pair, groupings), apart)


def _limits(axes: tuple[Axis, Axis], n_outputs: int) -> list[int]:
    """Return how many steps each side shows one by one: fewer where there are many outputs."""
    cells = _CELLS // n_outputs
    sizes = [
        None if axis.labels is None else min(len(axis.labels) + 1, _MOST_LABELS) for axis in axes
    ]
    limits = []
    for size, other in zip(sizes, reversed(sizes), strict=True):
        room = int(cells**0.5) if other is None else cells // max(other, 1)
        limits.append(size or max(_FEWEST_STEPS, min(_MOST_STEPS, room)))
    return limits


def _shares(rows: Standing, pair: Pair, groupings: list[Grouping]) -> Floats:
    """Return the share of the rows in each cell."""
    across, up = (
        one.group[rows.steps[index]] for one, index in zip(groupings, pair.indices, strict=True)
    )
    n_across, n_up = (one.n_groups for one in groupings)
    shown = (across >= 0) & (up >= 0)
    cell = across[shown] * n_up + up[shown]
    counted = np.bincount(cell, rows.shares[shown], n_across * n_up)
    return np.asarray(counted, np.float64).reshape(n_across, n_up)


def _pooled_cells(
    values: Floats, weights: Floats, groupings: list[Grouping]
) -> tuple[Floats, float]:
    """Return the mean over rows in each cell, and the largest difference within any."""
    low, high = (_both(ufunc, values, groupings) for ufunc in (np.minimum, np.maximum))
    apart = float((high - low).max())
    if not apart:
        return low, 0.0
    total = _both(np.add, weights, groupings)
    plain = _both(np.add, values, groupings) / _both(np.add, np.ones_like(weights), groupings)
    mean = _both(np.add, values * weights, groupings) / np.where(total > 0, total, 1.0)
    return np.where(high == low, low, np.where(total > 0, mean, plain)), apart


def _both(ufunc: np.ufunc, values: Floats, groupings: list[Grouping]) -> Floats:
    found: Floats = pooled(ufunc, pooled(ufunc, values, groupings[0], 0), groupings[1], 1)
    return found


def _middle_steps(shares: Floats, chosen: Grouping) -> NDArray[np.intp]:
    """Return a step of every group: that of its median row, or the middle one without rows."""
    steps = []
    for group in range(chosen.n_groups):
        mine = np.flatnonzero(chosen.group == group)
        weights = shares[mine] if shares[mine].any() else np.ones(len(mine))
        below = np.cumsum(weights)
        steps.append(mine[np.searchsorted(below, below[-1] / 2)])
    return np.array(steps)


def _at_steps(
    explainer: Explainer, engine: Engine, indices: tuple[int, int], steps: list[NDArray[np.intp]]
) -> Floats:
    """Return the component where steps of both sides meet: (across, up, outputs)."""
    points = np.zeros((len(steps[0]), len(steps[1]), engine.forest.n_features))
    for side, (index, chosen) in enumerate(zip(indices, steps, strict=True)):
        column = engine.blocks.column_of(index)
        values = engine.blocks.representatives(column or 0)[chosen]
        feature = engine.blocks.grid.feature[column or 0]
        points[..., feature] = values[:, None] if side == 0 else values[None, :]
    flat = points.reshape(-1, engine.forest.n_features)
    rows = Rows(*flat.shape, lambda start, stop: flat[start:stop])
    one, other = indices
    wanted: list[Any] = [(one,), (other,), tuple(sorted(indices))]
    found = explainer.value(wanted, rows).reshape(len(flat), 3, -1)
    joint: Floats = (
        found[:, 2] - found[:, 0] - found[:, 1] + np.atleast_1d(explainer.expected_value)
    )
    return joint.reshape(*points.shape[:2], -1)


def _inside(chosen: Grouping) -> Grouping:
    """Leave out groups of numbers that lie outside what is drawn, and end the others there."""
    if chosen.labels is not None:
        return chosen
    low, high = chosen.domain
    kept = np.flatnonzero((chosen.edges[1:] > low) & (chosen.edges[:-1] < high))
    first, last = int(kept[0]), int(kept[-1])
    group = np.where((chosen.group >= first) & (chosen.group <= last), chosen.group - first, -1)
    edges = np.clip(chosen.edges[first : last + 2], low, high)
    return Grouping(group, edges, None, chosen.domain, chosen.ends)
