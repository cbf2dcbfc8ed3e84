"""One feature that holds categories: a bar for each, under the caller's own labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.plots._curve import FADED, Values, missing_step
from fastpd.plots._spans import Span, others_of, span_of
from fastpd.plots._style import MISSING, NEUTRAL, PALE, PRIMARY, dress
from fastpd.plots._support import add_note, percent, scarce

if TYPE_CHECKING:
    from fastpd.results import Effect

__all__ = ["bars_size", "draw_bars"]

Floats = NDArray[np.float64]

MOST_BARS = 30


def bars_size(n_labels: int, most: int) -> tuple[float, float]:
    """Return the size of a figure for so many bars."""
    return 6.4, min(1.3 + 0.26 * min(n_labels, most + 2), 12.0)


def draw_bars(effect: Effect, values: Values, most: int, ax: Any) -> None:
    """Draw one bar a label, from zero for a component and from v_0 for partial dependence."""
    (axis,) = effect.axes
    size = np.abs(values.steps - values.origin) if values.support is None else values.support
    span = span_of(axis, size, most, missing=missing_step(axis, values.steps, values.support))
    assert span.labels is not None
    few = scarce(values.support, [span])
    _draw_each(span, values, few, ax)
    labels, shares = list(span.labels), _shares(span, values)
    if len(span.others):
        rest = values.steps[span.others]
        ax.barh(len(labels), np.ptp(rest), left=rest.min(), height=0.5, color=PALE)
        labels.append(others_of(span))
        if values.support is not None:
            rest_share = values.support[np.setdiff1d(span.others, span.steps)].sum()
            mixed = np.isin(span.others, span.steps).any()
            shares.append(("≥" if mixed else "") + percent(float(rest_share)))
    ax.axvline(values.origin, color=NEUTRAL, linewidth=0.8)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.set_xlabel(values.label)
    ax.set_ylabel(span.name)
    dress(ax, grid="x")
    for place, share in enumerate(shares):
        ax.annotate(
            share,
            (1.01, place),
            xycoords=ax.get_yaxis_transform(),
            va="center",
            fontsize="x-small",
            color=NEUTRAL,
            annotation_clip=False,
        )
    add_note(
        ax,
        "" if values.component else "line: the mean prediction",
        "at the right: share of the background" if shares else "",
        "faded where that is small" if few is not None and few.any() else "",
        "others: from the lowest to the highest" if len(span.others) else "",
    )


def _draw_each(span: Span, values: Values, few: NDArray[np.bool_] | None, ax: Any) -> None:
    levels = values.steps[span.steps]
    alphas = np.ones(len(levels)) if few is None else np.where(few, FADED, 1.0)
    colours = [PRIMARY] * len(levels)
    if span.lost:
        colours[-1] = MISSING
    places = np.arange(len(levels))
    if values.component:
        bars = ax.barh(places, levels, height=0.7, color=colours)
    else:
        bars = ax.barh(
            places, levels - values.origin, left=values.origin, height=0.18, color=colours
        )
        ax.scatter(levels, places, s=30, color=colours, alpha=alphas, zorder=3)
    for bar, alpha in zip(bars, alphas.tolist(), strict=True):
        bar.set_alpha(alpha)
    if values.widths is not None:
        half = values.widths[span.steps]
        ax.errorbar(levels, places, xerr=half, fmt="none", ecolor="black", elinewidth=1, zorder=4)


def _shares(span: Span, values: Values) -> list[str]:
    """Return the share of each label; of what the model holds together it is an upper bound."""
    if values.support is None or span.shared is None:
        return []
    shares = values.support[span.steps].tolist()
    bounds = ["≤" if several else "" for several in span.shared]
    return [bound + percent(share) for bound, share in zip(bounds, shares, strict=True)]
