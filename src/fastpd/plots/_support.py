"""Where the background is: a histogram below a curve, and what is faded for want of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported
from fastpd.plots._spans import Span
from fastpd.plots._style import NEUTRAL

__all__ = ["add_note", "add_steps", "draw_histogram", "percent", "scarce"]

Floats = NDArray[np.float64]

_NEAR = 0.1  # of a picture's width: what is near a point of it
_SCARCE = 0.1  # of the background that would be there if it were spread evenly
_COLUMNS = 80
_HEIGHT = 0.07  # of the picture
_LINE = 64  # characters of a line of small print
_LEAST = 0.06  # height of a column of few rows, of the highest


def scarce(support: Floats | None, spans: Sequence[Span]) -> NDArray[np.bool_] | None:
    """Tell for everything that is drawn whether little of the background is near.

    Little is less than a tenth of what would be within a tenth of the picture's width (or under a
    label) if the background were spread evenly over the picture. None where that is not known.
    """
    if support is None:
        return None
    near = support[np.ix_(*(span.steps for span in spans))]
    for place, span in enumerate(spans):
        if span.labels is None:
            near = np.moveaxis(_within(np.moveaxis(near, place, 0), span), 0, place)
    even = prod(_NEAR if one.labels is None else 1 / one.n_labels for one in spans)
    few: NDArray[np.bool_] = near < _SCARCE * even * support.sum()
    return few | (near <= 0)


def _within(shares: Floats, span: Span) -> Floats:
    """Return the share within reach of the middle of each stretch, along the first axis."""
    zero = np.zeros((1, *shares.shape[1:]))
    upto = np.concatenate([zero, np.cumsum(shares, axis=0)])
    reach = _NEAR / 2 * span.range
    return _at(upto, span.edges, span.middles + reach) - _at(upto, span.edges, span.middles - reach)


def _at(upto: Floats, edges: Floats, points: Floats) -> Floats:
    """Return numbers known at edges at points between them, on straight lines."""
    place = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, len(edges) - 2)
    part = np.clip((points - edges[place]) / (edges[place + 1] - edges[place]), 0, 1)
    part = part.reshape(-1, *(1,) * (upto.ndim - 1))
    return upto[place] * (1 - part) + upto[place + 1] * part


def add_steps(ax: Any, levels: Floats, edges: Floats, baseline: Any = None, **style: Any) -> None:
    """Draw steps, or the area from a baseline up to them.

    Unlike `Axes.stairs` this makes room for what is drawn and not for zero.
    """
    patches = imported("matplotlib.patches", "plot()")
    look = {"fill": False} | style
    ax.add_patch(patches.StepPatch(levels, edges, baseline=baseline, **look))
    ax.autoscale_view()


def draw_histogram(ax: Any, support: Floats, span: Span) -> None:
    """Draw how the background is spread, at the bottom of the picture.

    Of the rows on one step no more is known, and they are spread over it. Where there are any,
    there is a column that can be seen.
    """
    edges = np.linspace(span.edges[0], span.edges[-1], _COLUMNS + 1)
    upto = np.append(0, np.cumsum(support[span.steps]))
    share = np.diff(_at(upto, span.edges, edges))
    if not share.max() > 0:
        return
    height = np.where(share > 1e-12, np.maximum(share / share.max(), _LEAST), 0) * _HEIGHT
    style = {"fill": True, "color": NEUTRAL, "alpha": 0.4, "linewidth": 0}
    add_steps(ax, height, edges, 0.0, transform=ax.get_xaxis_transform(), **style)
    low, high = ax.get_ylim()
    ax.set_ylim(low - (_HEIGHT + 0.02) * (high - low), high)


def percent(share: float) -> str:
    """Return a share as it is written beside a picture."""
    if 0 < share < 0.005:
        return "<1%"
    return f"{share:.0%}"


def add_note(ax: Any, *parts: str) -> None:
    """Say in small print below the picture what cannot be seen in it."""
    lines = [""]
    for part in filter(None, parts):
        longer = f"{lines[-1]}; {part}" if lines[-1] else part
        lines[-1:] = [longer] if len(longer) <= _LINE else [lines[-1], part]
    if lines[0]:
        ax.annotate(
            "\n".join(lines),
            (1, 0),
            xycoords=("axes fraction", ax.xaxis.label),
            xytext=(0, -3),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize="x-small",
            color=NEUTRAL,
            annotation_clip=False,
        )
