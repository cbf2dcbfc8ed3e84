"""Effects as true steps: no grid, no smoothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.forest import Label
from fastpd.plots._style import (
    DIVERGING,
    MISSING,
    PRIMARY,
    SEQUENTIAL,
    dress,
    new_axes,
    one_scale,
    shown,
)

if TYPE_CHECKING:
    from fastpd.results import Effect
    from fastpd.results._effect import Axis

__all__ = ["plot_effect"]

_CROWDED = 40  # characters of labels that stand side by side


def plot_effect(
    effect: Effect, *, component: bool = False, errors: Effect | None = None, ax: Any = None
) -> Any:
    """Draw an effect and return the axes.

    Parameters
    ----------
    effect
        Effect of one feature (a step line, the level of a missing value beside it) or of two (a
        map on the exact grid of steps).
    component
        Draw the component m_S instead of the partial dependence function v_S.
    errors
        Half the width of a band around the steps of one feature.
    ax
        Axes to draw on; new ones if None.
    """
    steps = effect.component_steps if component else effect.pd_steps
    if steps.ndim != len(effect.axes):
        raise OptionError(
            f"the effect has {len(effect.output_names)} outputs; make the explainer for one of "
            "them, such as Explainer(..., output=0), to draw it."
        )
    widths = None if errors is None else _widths(effect, errors, component=component)
    ax = new_axes(ax)
    if len(effect.axes) == 1:
        if widths is not None:
            _draw_band(effect, steps, widths, ax)
        _draw_line(effect, steps, ax)
        symbol = "m" if component else "v"
        ax.set_ylabel(f"${symbol}$ of {shown(effect.features[0])}, {one_scale(effect.link)}")
    else:
        _draw_map(effect, steps, ax)
    return ax


def _widths(effect: Effect, errors: Effect, *, component: bool) -> NDArray[np.float64]:
    """Return half the width of the band on every step, and refuse one of another effect."""
    widths = errors.component_steps if component else errors.pd_steps
    if len(effect.axes) > 1 or effect.features != errors.features:
        raise OptionError(
            f"errors are those of {' and '.join(errors.features)} for the effect of "
            f"{' and '.join(effect.features)}; expected those of the same single feature."
        )
    return widths


def _draw_band(
    effect: Effect, steps: NDArray[np.float64], widths: NDArray[np.float64], ax: Any
) -> None:
    span = _span(effect.axes[0])
    levels, half = steps[span.steps], widths[span.steps]
    ax.stairs(
        levels + half,
        span.edges,
        baseline=levels - half,
        fill=True,
        color=PRIMARY,
        alpha=0.25,
        linewidth=0,
    )
    # Stairs make room for their upper side only, and leave none below it.
    lowest = float((levels - half).min())
    ax.update_datalim([(span.edges[0], lowest), (span.edges[-1], lowest)])
    ax.use_sticky_edges = False


@dataclass(frozen=True)
class _Span:
    """One axis of a picture: what is drawn from edge to edge, or label by label."""

    edges: NDArray[np.float64]
    steps: NDArray[np.intp]  # step of the effect that each stretch between edges shows
    labels: tuple[Label, ...] | None


def _span(axis: Axis) -> _Span:
    if axis.labels is not None:
        n = len(axis.labels)
        return _Span(np.arange(n + 1, dtype=np.float64) - 0.5, axis.steps_of_labels(), axis.labels)
    edges = _ends(axis.edges)
    return _Span(edges, np.arange(1, len(edges)), None)


def _ends(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges with room on both sides, where the first and last steps show."""
    if len(edges) == 0:
        return np.array([0.0, 1.0])
    inside = edges[np.isfinite(edges)]
    room = max(float(np.ptp(inside)), 1.0) * 0.05
    return np.concatenate([[inside[0] - room], inside, [inside[-1] + room]])


def _draw_line(effect: Effect, steps: NDArray[np.float64], ax: Any) -> None:
    span = _span(effect.axes[0])
    levels = steps[span.steps]
    if span.labels is None:
        ax.stairs(levels, span.edges, baseline=None, color=PRIMARY, linewidth=1.8)
    else:
        ax.hlines(levels, span.edges[:-1] + 0.1, span.edges[1:] - 0.1, color=PRIMARY, linewidth=3)
        _name_labels(ax.xaxis, span.labels)
    if effect.axes[0].takes_missing and not np.any(steps[0] == levels[:1]):
        ax.axhline(steps[0], color=MISSING, linewidth=1, linestyle=(0, (4, 3)))
        ax.annotate(
            "missing",
            (1, steps[0]),
            xycoords=("axes fraction", "data"),
            color=MISSING,
            ha="right",
            va="bottom",
            fontsize="small",
        )
    ax.set_xlabel(shown(effect.features[0]))
    dress(ax)


def _draw_map(effect: Effect, steps: NDArray[np.float64], ax: Any) -> None:
    first, second = (_span(axis) for axis in effect.axes)
    cells = steps[np.ix_(first.steps, second.steps)]
    limit = float(np.abs(cells).max()) or 1.0
    spans = {"vmin": -limit, "vmax": limit} if cells.min() < 0 < cells.max() else {}
    colours = DIVERGING if spans else SEQUENTIAL
    drawn = ax.pcolormesh(first.edges, second.edges, cells.T, cmap=colours, **spans)
    ax.figure.colorbar(drawn, ax=ax, label=one_scale(effect.link))
    for side, span, name in zip(
        (ax.xaxis, ax.yaxis), (first, second), effect.features, strict=True
    ):
        side.set_label_text(shown(name))
        if span.labels is not None:
            _name_labels(side, span.labels)


def _name_labels(side: Any, labels: tuple[Label, ...]) -> None:
    side.set_ticks(np.arange(len(labels)), [shown(label) for label in labels])
    crowded = sum(len(str(label)) for label in labels) > _CROWDED
    if side.axis_name == "x" and crowded:
        side.set_tick_params(rotation=90)
