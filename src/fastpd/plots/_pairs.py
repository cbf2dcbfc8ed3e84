"""Two features: a map of their cells, a line for each label, or tiles with numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported
from fastpd.plots._curve import FADED, Values, draw_steps, missing_step
from fastpd.plots._spans import Span, beyond_note, labels_note, name_labels, others_of, span_of
from fastpd.plots._style import (
    DIVERGING,
    MISSING,
    NEUTRAL,
    PALE,
    SEQUENTIAL,
    dress,
    legend_name,
    written,
)
from fastpd.plots._support import add_note, add_steps, percent, scarce

if TYPE_CHECKING:
    from fastpd.results._axis import Axis

__all__ = ["Pair", "add_scale", "draw_pair", "limits_of", "notes_of", "pair_of", "pair_size"]

Floats = NDArray[np.float64]

_MOST_LINES = 7
_MOST_TILES = 16
# Okabe and Ito's colours, told apart by people who see no red or no green, without the yellow.
_LEVELS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_VEIL = 0.75  # of grey over cells of few rows
_GREY = 0.74
_MANY = 100_000
_NUMBERS = 150  # tiles that have room for a number each


@dataclass(frozen=True, eq=False)
class Pair:
    """Two features as they are drawn: along x, and along y or as lines.

    Attributes
    ----------
    spans
        What is drawn of each; a feature that holds numbers comes first.
    values
        Values on the steps of both, in the same order.
    few
        Where little background is near, (x, y); None where that is not known.
    lost
        Share of the background that is not drawn, as a feature that holds numbers is missing.
    """

    spans: tuple[Span, Span]
    values: Values
    few: NDArray[np.bool_] | None
    lost: float

    @property
    def cells(self) -> Floats:
        """Values where they are drawn, (x, y)."""
        return self.values.steps[np.ix_(*(span.steps for span in self.spans))]

    @property
    def is_lines(self) -> bool:
        """Whether the second feature's labels are lines along the first."""
        return self.spans[0].labels is None and self.spans[1].labels is not None


def pair_of(one: Axis, other: Axis, values: Values, most: int | None) -> Pair:
    """Return two features as they are drawn, with at most so many labels."""
    axes = (one, other)
    if one.labels is not None and other.labels is None:
        turned = None if values.support is None else values.support.T
        axes = (other, one)
        values = replace(values, steps=values.steps.T, support=turned)
    lines = axes[0].labels is None and axes[1].labels is not None
    number = most or (_MOST_LINES if lines else _MOST_TILES)
    first, second = (_span(axis, values, place, number) for place, axis in enumerate(axes))
    few = scarce(values.support, [first, second])
    return Pair((first, second), values, few, _lost_share(axes, values))


def _span(axis: Axis, values: Values, place: int, most: int) -> Span:
    other = 1 - place
    size = np.abs(values.steps - values.origin).max(axis=other)
    support = None if values.support is None else values.support.sum(axis=other)
    if axis.labels is None:
        return span_of(axis, support)
    lost = missing_step(axis, size, support)
    return span_of(axis, size if support is None else support, most, missing=lost)


def _lost_share(axes: tuple[Axis, Axis], values: Values) -> float:
    if values.support is None:
        return 0.0
    kept = values.support.copy()
    for place, axis in enumerate(axes):
        if axis.labels is None and axis.missing_step is not None:
            np.moveaxis(kept, place, 0)[axis.missing_step] = 0
    lost = values.support - kept
    return float(lost.sum()) / float(values.support.sum() or 1)


def pair_size(pair: Pair) -> tuple[float, float]:
    """Return the size of a figure in which labels do not meet."""
    names = [span.labels or () for span in pair.spans]
    if pair.is_lines:
        return 6.4, 4.0
    longest = max(map(len, names[0]), default=0)
    return 6.4 + 0.25 * max(len(names[0]) - 10, 0), max(
        4.0, 1.5 + 0.07 * longest + 0.22 * len(names[1])
    )


def limits_of(pair: Pair) -> tuple[float, float]:
    """Return the ends of a scale of colours; zero is in the middle for a component.

    Cells of few rows do not count: the model is free to be anything there.
    """
    cells = pair.cells
    if pair.few is not None and not pair.few.all():
        cells = cells[~pair.few]
    low, high = float(cells.min()), float(cells.max())
    if pair.values.component:
        far = max(abs(low), abs(high)) or 1.0
        return -far, far
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def draw_pair(pair: Pair, limits: tuple[float, float], ax: Any, *, alone: bool = True) -> Any:
    """Draw two features; return what a scale of colours is made of, or None of lines.

    Pictures that are not `alone` share the scale, or the names of lines, and what is to be noted.
    """
    drawn = None
    if pair.is_lines:
        _draw_lines(pair, ax)
    else:
        drawn = _draw_cells(pair, limits, ax)
    dress(ax)
    if alone and pair.is_lines:
        title = pair.spans[1].name
        beside = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
        ax.legend(title=title, fontsize="small", frameon=False, **beside)
    elif alone:
        add_scale(pair, limits, drawn, ax)
    if alone:
        add_note(ax, *notes_of(pair))
    return drawn


def add_scale(pair: Pair, limits: tuple[float, float], drawn: Any, places: Any) -> None:
    """Draw the scale of colours, with points where veiled cells go beyond it."""
    cells = pair.cells
    below, above = cells.min() < limits[0], cells.max() > limits[1]
    extend = ("neither", "min", "max", "both")[int(below) + 2 * int(above)]
    figure = np.ravel(places)[0].figure
    figure.colorbar(drawn, ax=places, label=pair.values.label, extend=extend)


def notes_of(pair: Pair) -> list[str]:
    """Say what a picture of two features does not show of itself."""
    few = pair.few is not None and bool(pair.few.any())
    how = "faded" if pair.is_lines else "grey"
    labels = [] if pair.is_lines else [labels_note(span) for span in pair.spans]
    return [
        f"{how}: little background near" if few else "",
        f"missing values ({percent(pair.lost)}) not shown" if pair.lost > 0 else "",
        beyond_note(*pair.spans),
        *labels,
    ]


def _draw_cells(pair: Pair, limits: tuple[float, float], ax: Any) -> Any:
    second = pair.spans[1]
    drawn = _cells(
        pair,
        pair.cells.T,
        ax,
        cmap=DIVERGING if pair.values.component else SEQUENTIAL,
        vmin=limits[0],
        vmax=limits[1],
    )
    if pair.few is not None and pair.few.any():
        _draw_veil(pair, pair.few, ax)
    for side, span in zip((ax.xaxis, ax.yaxis), pair.spans, strict=True):
        side.set_label_text(span.name)
        if span.labels is not None:
            name_labels(side, span.labels)
    if second.labels is not None:
        ax.set_ylim(len(second.labels) - 0.5, -0.5)
        _write_numbers(pair, drawn, ax)
    return drawn


def _draw_veil(pair: Pair, few: NDArray[np.bool_], ax: Any) -> None:
    """Lay grey over cells; white would read as zero, and transparent cells as another value."""
    colours = imported("matplotlib.colors", "plot()")
    veil = np.full(few.T.shape, np.nan)
    veil[few.T] = 1
    grey = colours.ListedColormap([(_GREY, _GREY, _GREY, _VEIL)])
    _cells(pair, veil, ax, cmap=grey)


def _cells(pair: Pair, numbers: Floats, ax: Any, **style: Any) -> Any:
    """Colour cells by their numbers; as an image where there are more of them than dots of ink."""
    draw = ax.pcolorfast if numbers.size > _MANY else ax.pcolormesh
    return draw(pair.spans[0].edges, pair.spans[1].edges, numbers, rasterized=True, **style)


def _write_numbers(pair: Pair, drawn: Any, ax: Any) -> None:
    cells = pair.cells
    if cells.size > _NUMBERS:
        return
    colours = drawn.to_rgba(cells)[..., :3]
    if pair.few is not None:
        veiled = _GREY * _VEIL + colours * (1 - _VEIL)
        colours = np.where(pair.few[..., None], veiled, colours)
    dark = colours @ [0.299, 0.587, 0.114] < 0.5
    texts = written(cells.ravel().tolist())
    for (i, j), text in zip(np.ndindex(cells.shape), texts, strict=True):
        ink = "white" if dark[i, j] else "black"
        ax.text(i, j, text, ha="center", va="center", color=ink, fontsize="x-small")


def _draw_lines(pair: Pair, ax: Any) -> None:
    """Draw a line for each label, faded where the background has few rows of it."""
    span, levels = pair.spans
    if len(levels.others):
        _draw_others(pair, ax)
    if pair.values.component:
        ax.axhline(0, color=NEUTRAL, linewidth=0.8)
    n = len(levels.steps)
    for k, step in enumerate(levels.steps.tolist()):
        lost = levels.lost and k == n - 1
        colour = MISSING if lost else _LEVELS[k % len(_LEVELS)]
        dashes = (0, (2, 1.5)) if lost or k >= len(_LEVELS) else "-"
        style = {"color": colour, "linewidth": 1.6, "linestyle": dashes}
        few = None if pair.few is None else pair.few[:, k]
        draw_steps(ax, span, pair.values.steps[:, step], few, **style)
        ax.plot([], [], label=legend_name((levels.labels or ())[k], 24), **style)
    ax.set_xlabel(span.name)
    ax.set_ylabel(pair.values.label)


def _draw_others(pair: Pair, ax: Any) -> None:
    """Draw how far the lines of the other labels go where they are not rare."""
    span, levels = pair.spans
    rest = pair.values.steps[np.ix_(span.steps, levels.others)]
    few = scarce(pair.values.support, [span, replace(levels, steps=levels.others)])
    if few is not None:
        rest = np.where(few & ~few.all(axis=1, keepdims=True), np.nan, rest)
    high, low = np.nanmax(rest, axis=1), np.nanmin(rest, axis=1)
    if few is not None:
        high[few.all(axis=1)] = np.nan
    label = f"{others_of(levels)}, lowest to highest"
    style = {"fill": True, "color": PALE, "alpha": FADED + 0.2, "linewidth": 0}
    add_steps(ax, high, span.edges, low, label=label, **style)
