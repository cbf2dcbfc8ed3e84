"""Main effects and pairs as curves and maps of a size that can be drawn and read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Curve, Histogram, Map, Side
from fastpd.report._grouping import Grouping, grouped, pooled
from fastpd.report._rows import Standing
from fastpd.results import Effect

__all__ = ["curve_of", "map_of"]

Floats = NDArray[np.float64]
_BARS = 48  # of a histogram
_MOST_LABELS = 40
_MOST_MAP_LABELS = 24
_MOST_MAP_STEPS = 90
_CELLS = 1600  # of one map and output


def curve_of(
    effect: Effect,
    index: int,
    importance: Floats,
    rows: Standing,
    background: Standing | None,
    most: int,
) -> Curve:
    """Return a main effect in stretches, and how the rows lie on them.

    Parameters
    ----------
    effect
        Of one feature.
    index
        Its position.
    importance
        Of the main effect, for each output.
    rows, background
        The rows of the report; and the background where it is known and other than these.
    most
        Numbers are shown step by step up to so many steps.
    """
    axis, levels = effect.axes[0], by_output(effect)
    shares = rows.shares_on(index, len(levels))
    limit = most if axis.labels is None else _MOST_LABELS
    chosen = grouped(axis, shares, rows.ends.get(index), limit)
    if axis.labels is not None and len(effect.output_names) == 1:
        chosen = chosen.sorted_by(pooled(np.maximum, levels[:, 0], chosen))
    known = None if background is None else background.shares_on(index, len(levels))
    numbers = axis.labels is None
    return Curve(
        feature=axis.name,
        index=index,
        importance=importance,
        labels=chosen.labels,
        edges=chosen.edges,
        low=pooled(np.minimum, levels, chosen),
        high=pooled(np.maximum, levels, chosen),
        shares=pooled(np.add, shares, chosen),
        known=None if known is None else pooled(np.add, known, chosen),
        missing=levels[0] if axis.takes_missing else None,
        missing_share=float(shares[0]),
        n_steps=int(np.count_nonzero(chosen.group >= 0)),
        domain=chosen.domain,
        outside=_outside(axis.edges, shares, chosen) if numbers else 0.0,
        histogram=_histogram(axis.edges, shares, chosen) if numbers else None,
    )


def by_output(effect: Effect) -> Floats:
    """Return the component on all steps, with a last axis for outputs even where there is one."""
    steps = effect.component_steps
    return steps if steps.ndim > len(effect.axes) else steps[..., None]


def map_of(effect: Effect, indices: tuple[int, int], importance: Floats, rows: Standing) -> Map:
    """Return the component of two features in cells, and the share of rows in each."""
    values = by_output(effect)
    groupings = []
    limits = _map_limits(effect)
    for axis, index, n_steps, most in zip(
        effect.axes, indices, values.shape[:2], limits, strict=True
    ):
        shares = rows.shares_on(index, n_steps)
        chosen = grouped(axis, shares, rows.ends.get(index), most, missing=axis.takes_missing)
        groupings.append(_inside(chosen))
    shape = (values.shape[0], values.shape[1])
    weights = rows.joint_shares(*indices, shape)[..., None]
    cells, apart = _pooled_cells(values, weights, groupings)
    sides = [
        Side(axis.name, one.edges, one.labels, int(np.count_nonzero(one.group >= 0)))
        for axis, one in zip(effect.axes, groupings, strict=True)
    ]
    shares = _both(np.add, weights, groupings)[..., 0]
    return Map(sides[0], sides[1], importance, cells, shares, apart)


def _map_limits(effect: Effect) -> list[int]:
    """Return how many steps each side shows one by one: fewer where there are many outputs."""
    cells = _CELLS // len(effect.output_names)
    sizes = [
        None if axis.labels is None else min(len(axis.labels) + 1, _MOST_MAP_LABELS)
        for axis in effect.axes
    ]
    limits = []
    for size, other in zip(sizes, reversed(sizes), strict=True):
        room = int(cells**0.5) if other is None else cells // max(other, 1)
        limits.append(size or max(8, min(_MOST_MAP_STEPS, room)))
    return limits


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


def _cumulative(edges: Floats, shares: Floats, chosen: Grouping) -> tuple[Floats, Floats]:
    """Return numbers, and the share of rows below each."""
    inside = np.isfinite(edges)
    below = np.cumsum(shares[1:])
    ends = chosen.ends
    points = np.concatenate([[ends[0]], np.clip(edges[inside], *ends), [ends[1]]])
    return points, np.concatenate([[0.0], below[:-1][inside], [below[-1]]])


def _histogram(edges: Floats, shares: Floats, chosen: Grouping) -> Histogram:
    """Return bars of equal width; within a step, all that is known of rows, they are even."""
    ends = np.linspace(*chosen.domain, _BARS + 1)
    points, below = _cumulative(edges, shares, chosen)
    return Histogram(ends, np.diff(np.interp(ends, points, below)))


def _outside(edges: Floats, shares: Floats, chosen: Grouping) -> float:
    if chosen.domain == chosen.ends:
        return 0.0
    points, below = _cumulative(edges, shares, chosen)
    low, high = np.interp(chosen.domain, points, below)
    return float(below[-1] - (high - low))
