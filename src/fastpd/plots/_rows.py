"""Curves of single rows, and accumulated local effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported
from fastpd.options import check_count
from fastpd.plots._bars import MOST_BARS, bars_size
from fastpd.plots._checks import need_one_output
from fastpd.plots._curve import draw_ale, missing_step
from fastpd.plots._spans import Span, beyond_note, labels_note, span_of
from fastpd.plots._style import NEUTRAL, PRIMARY, cell, dress, new_axes, one_scale
from fastpd.plots._support import add_note, add_steps

if TYPE_CHECKING:
    from fastpd.results import Ale, Ice

__all__ = ["plot_ale", "plot_ice"]

Floats = NDArray[np.float64]


def plot_ice(ice: Ice, *, most: int = 200, ax: Any = None) -> Any:
    """Draw the curves of single rows with the PD curve over them, and return the axes.

    Parameters
    ----------
    ice
        The curves; of `Ice.centred` they start together.
    most
        Draw no more curves than these, evenly spaced by their mean level. The picture says how many
        of how many are drawn.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> ax = fastpd.plots.plot_ice(fastpd.Explainer(model, X).ice("x0", X))
    """
    need_one_output(ice.output_names, "ICE curve")
    chosen = _spread(ice.steps, check_count(most, "most", 1))
    lost = missing_step(ice.axis, ice.pd_steps, ice.support)
    span = span_of(ice.axis, ice.support, MOST_BARS, missing=lost)
    curves = ice.steps[np.ix_(chosen, span.steps)]
    if span.labels is None:
        ax = new_axes(ax)
        _draw_curves(ax, span, curves, ice.pd_steps[span.steps])
        ax.set_xlabel(span.name)
        ax.set_ylabel(_label(ice))
    else:
        ax = new_axes(ax, bars_size(len(span.labels), MOST_BARS))
        _draw_dots(ax, span, curves, ice.pd_steps[span.steps])
        ax.set_ylabel(span.name)
        ax.set_xlabel(_label(ice))
    dress(ax)
    over = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "ncols": 2}
    ax.legend(fontsize="small", frameon=False, **over)
    n = len(ice.steps)
    how = f"{len(chosen):,} of {n:,} curves, evenly spaced by mean level"
    said = how if len(chosen) < n else f"{n:,} curves"
    add_note(ax, said, labels_note(span), beyond_note(span))
    return ax


def plot_ale(ale: Ale, *, ax: Any = None) -> Any:
    """Draw an accumulated local effect as steps, with the ends of its intervals; return the axes.

    Parameters
    ----------
    ale
        The effect.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> ax = fastpd.plots.plot_ale(fastpd.Explainer(model, X).ale("x0"))
    """
    need_one_output(ale.output_names, "local effect")
    low, high = ale.axis.steps_of_numbers(ale.ends[[0, -1]]).tolist()
    known = np.arange(len(ale.steps))
    ax = new_axes(ax)
    span = span_of(ale.axis, ((known >= low) & (known <= high)).astype(np.float64))
    ax.axhline(0, color=NEUTRAL, linewidth=0.8)
    draw_ale(ale, span, 0.0, ax, color=PRIMARY)
    ends = ale.ends[np.isfinite(ale.ends)]
    ax.plot(
        ends,
        np.full(len(ends), 0.02),
        "|",
        color=NEUTRAL,
        markersize=7,
        transform=ax.get_xaxis_transform(),
    )
    ax.set_xlim(span.edges[0], span.edges[-1])
    ax.set_xlabel(span.name)
    ax.set_ylabel(f"accumulated local effect, {one_scale(ale.link)}")
    dress(ax)
    lost = f"{ale.n_missing:,} of {ale.n_rows:,} rows have no value and are left out"
    add_note(ax, lost if ale.n_missing else "", "ticks: ends of the intervals")
    return ax


def _spread(steps: Floats, most: int) -> NDArray[np.intp]:
    """Return the rows whose curves are drawn, from the lowest mean to the highest."""
    order = np.argsort(steps[:, 1:].mean(axis=1), kind="stable")
    if len(order) <= most:
        return order
    return order[np.unique(np.round(np.linspace(0, len(order) - 1, most)).astype(np.intp))]


def _faint(n: int) -> float:
    return float(np.clip(50 / max(n, 1), 0.25, 0.8))


def _draw_curves(ax: Any, span: Span, curves: Floats, pd: Floats) -> None:
    collections = imported("matplotlib.collections", "plot()")
    x = np.repeat(span.edges, 2)[1:-1]
    y = np.repeat(curves, 2, axis=1)
    lines = np.stack([np.broadcast_to(x, y.shape), y], axis=-1)
    style = {"color": NEUTRAL, "linewidth": 0.7, "alpha": _faint(len(curves))}
    ax.add_collection(collections.LineCollection(lines, **style))
    ax.plot([], [], color=NEUTRAL, linewidth=0.7, label="one row")
    add_steps(ax, pd, span.edges, color="white", linewidth=4)
    add_steps(ax, pd, span.edges, color=PRIMARY, linewidth=2.2)
    ax.plot([], [], color=PRIMARY, linewidth=2.2, label="partial dependence")
    ax.autoscale_view()


def _draw_dots(ax: Any, span: Span, curves: Floats, pd: Floats) -> None:
    places = np.broadcast_to(np.arange(len(pd)), curves.shape)
    style = {"color": NEUTRAL, "alpha": _faint(len(curves)), "linestyle": "none"}
    ax.plot(curves.ravel(), places.ravel(), "|", markersize=9, **style)
    ax.plot([], [], "|", color=NEUTRAL, markersize=9, label="one row")
    ax.plot(
        *(pd, np.arange(len(pd)), "D"),
        color=PRIMARY,
        markersize=6,
        markeredgecolor="white",
        label="partial dependence",
    )
    ax.set_yticks(range(len(pd)), span.labels)
    ax.set_ylim(len(pd) - 0.4, -0.6)


def _label(ice: Ice) -> str:
    if ice.anchor is None:
        return f"prediction of a row, {one_scale(ice.link)}"
    lowest = ice.axis.labels is None and ice.anchor == -np.inf
    at = "the lowest value" if lowest else cell(ice.anchor, 16)
    return f"change from {at}, {one_scale(ice.link)}"
