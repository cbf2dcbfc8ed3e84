"""One feature that holds numbers: true steps over the background, no smoothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.plots._spans import Span, beyond_note, span_of
from fastpd.plots._style import MISSING, NEUTRAL, PRIMARY, SECONDARY, dress
from fastpd.plots._support import add_note, add_steps, draw_histogram, percent, scarce

if TYPE_CHECKING:
    from fastpd.results import Ale, Effect
    from fastpd.results._axis import Axis

__all__ = [
    "FADED",
    "Values",
    "draw_ale",
    "draw_curve",
    "draw_missing",
    "draw_steps",
    "missing_step",
]

Floats = NDArray[np.float64]

FADED = 0.3


@dataclass(frozen=True, eq=False)
class Values:
    """What is drawn of an effect.

    Attributes
    ----------
    steps
        v_S or m_S on every step.
    component
        Whether it is m_S.
    origin
        What it is measured from: v_0, or zero for a component.
    widths
        Half the width of a band on every step; None for no band.
    support
        Share of the background on every step; None where it is not known.
    label
        What the numbers are.
    """

    steps: Floats
    component: bool
    origin: float
    widths: Floats | None
    support: Floats | None
    label: str


def draw_curve(effect: Effect, values: Values, ale: Ale | None, ax: Any) -> None:
    """Draw the steps of one feature."""
    span = span_of(effect.axes[0], values.support)
    few = scarce(values.support, [span])
    if values.widths is not None:
        _draw_band(span, values, ax)
    if values.component:
        ax.axhline(0, color=NEUTRAL, linewidth=0.8)
    draw_steps(ax, span, values.steps, few, color=PRIMARY, linewidth=1.8)
    if ale is not None:
        _draw_moved_ale(ale, span, values, ax)
    lost = missing_step(effect.axes[0], values.steps, values.support)
    if lost is not None:
        share = None if values.support is None else float(values.support[lost])
        half = None if values.widths is None else float(values.widths[lost])
        draw_missing(ax, float(values.steps[lost]), half, share)
    ax.set_xlabel(span.name)
    ax.set_ylabel(values.label)
    dress(ax)
    below = ""
    if values.support is not None:
        draw_histogram(ax, values.support, span)
        below = "below: the background"
    faded = few is not None and bool(few.any())
    add_note(ax, below, "faded where little of it is near" if faded else "", beyond_note(span))


def draw_steps(
    ax: Any, span: Span, steps: Floats, few: NDArray[np.bool_] | None, **style: Any
) -> None:
    """Draw a line of steps, faded where there are few rows."""
    levels = steps[span.steps]
    if few is not None and few.any():
        add_steps(ax, levels, span.edges, alpha=FADED, **style)
        levels = np.where(few, np.nan, levels)
    add_steps(ax, levels, span.edges, **style)


def _draw_band(span: Span, values: Values, ax: Any) -> None:
    assert values.widths is not None
    levels, half = values.steps[span.steps], values.widths[span.steps]
    style = {"fill": True, "color": PRIMARY, "alpha": 0.25, "linewidth": 0}
    add_steps(ax, levels + half, span.edges, levels - half, **style)


def missing_step(axis: Axis, steps: Floats, support: Floats | None) -> int | None:
    """Return the step of a missing value, or None where its level is not worth a place.

    It is where the background has missing values; where that is not known, if it differs.
    """
    lost = axis.missing_step
    if lost is None:
        return None
    if support is not None:
        return lost if support[lost] > 0 else None
    return lost if steps[lost] != steps[1] else None


def draw_missing(ax: Any, level: float, half: float | None, share: float | None) -> None:
    """Draw the level of a missing value beside the picture, for it has no place in it."""
    beside = ax.get_yaxis_transform()
    ax.plot(
        [1.02, 1.07], [level] * 2, color=MISSING, linewidth=2.5, transform=beside, clip_on=False
    )
    if half is not None:
        ax.plot(
            [1.045] * 2,
            [level - half, level + half],
            color=MISSING,
            linewidth=1,
            transform=beside,
            clip_on=False,
        )
    ax.annotate(
        "missing" if share is None else f"missing\n{percent(share)}",
        (1.08, level),
        xycoords=beside,
        color=MISSING,
        ha="left",
        va="center",
        fontsize="x-small",
        annotation_clip=False,
    )


def _draw_moved_ale(ale: Ale, span: Span, values: Values, ax: Any) -> None:
    """Draw a local effect around the mean of the curve, as it has a mean of zero itself."""
    known = None if values.support is None else values.support[1:]
    if known is None or not known.sum() > 0:
        mean = values.origin
    else:
        mean = float(np.average(values.steps[1:], weights=known))
    draw_ale(ale, span, mean, ax, color=SECONDARY, linestyle=(0, (5, 1.5)))
    ax.plot([], [], color=PRIMARY, linewidth=1.8, label=values.label.partition(",")[0])
    ax.plot(
        [],
        [],
        color=SECONDARY,
        linewidth=1.6,
        linestyle=(0, (5, 1.5)),
        label="accumulated local effect",
    )
    ax.legend(fontsize="small", frameon=False)


def draw_ale(ale: Ale, span: Span, mean: float, ax: Any, **style: Any) -> None:
    """Draw a local effect between the ends of its intervals; it says nothing beyond."""
    low, high = ale.axis.steps_of_numbers(ale.ends[[0, -1]]).tolist()
    inside = (span.steps >= low) & (span.steps <= high)
    levels = np.where(inside, ale.steps[span.steps] + mean, np.nan)
    add_steps(ax, levels, span.edges, linewidth=1.6, **style)
