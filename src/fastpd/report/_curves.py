"""Main effects as curves of a size that can be drawn and read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Curve, Histogram
from fastpd.report._grouping import Grouping, grouped, pooled
from fastpd.report._rows import Standing
from fastpd.results import Effect

__all__ = ["by_output", "curve_of"]

Floats = NDArray[np.float64]
_BARS = 48  # of a histogram
_MOST_LABELS = 40


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
