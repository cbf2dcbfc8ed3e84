"""Three features: pictures of two side by side, one for each value of the third."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported
from fastpd.plots._curve import Values
from fastpd.plots._pairs import Pair, add_scale, draw_pair, limits_of, notes_of, pair_of
from fastpd.plots._spans import labels_note, span_of
from fastpd.plots._style import NEUTRAL, new_axes

if TYPE_CHECKING:
    from fastpd.results import Effect
    from fastpd.results._axis import Axis

__all__ = ["draw_panels"]

_MOST = 6
_QUANTILES = 4  # of a third feature that holds numbers, where it has many steps
_COLUMNS = 3
_LEGEND = 1.2  # inches beside pictures of lines


def draw_panels(effect: Effect, values: Values, most: int | None, axes: Any) -> Any:
    """Draw the first two features at values of the third; return the axes, one for each."""
    one, other, third = effect.axes
    steps, titles, note = _chosen(third, values, most or _MOST)
    pairs = [pair_of(one, other, _slice(values, step), None) for step in steps.tolist()]
    ends = [limits_of(pair) for pair in pairs]
    limits = min(low for low, _ in ends), max(high for _, high in ends)
    places = _places(len(pairs), axes, beside=_LEGEND if pairs[0].is_lines else 0.0)
    drawn = None
    for place, pair, title in zip(places, pairs, titles, strict=True):
        drawn = draw_pair(pair, limits, place, alone=False)
        place.set_title(title, fontsize="small", loc="left")
    if axes is None:
        for place in places:
            place.label_outer()
    if drawn is None:
        _finish_lines(pairs, places, alone=axes is None)
    else:
        widest = max(pairs, key=lambda pair: float(np.ptp(pair.cells)))
        add_scale(widest, limits, drawn, list(places))
    said = dict.fromkeys(part for pair in pairs for part in notes_of(pair)[:1] if part)
    figure = places[0].figure
    figure.supxlabel("; ".join([*said, *([note] if note else [])]), fontsize="x-small", c=NEUTRAL)
    return places


def _slice(values: Values, step: int) -> Values:
    support = None if values.support is None else values.support[:, :, step]
    return replace(values, steps=values.steps[:, :, step], support=support)


def _chosen(third: Axis, values: Values, most: int) -> tuple[NDArray[np.intp], list[str], str]:
    """Return the steps of the third feature to draw, their titles, and what is left out."""
    support = None if values.support is None else values.support.sum(axis=(0, 1))
    if third.labels is not None:
        size = np.abs(values.steps).max(axis=(0, 1)) if support is None else support
        span = span_of(third, size, most)
        return span.steps, [f"{span.name}: {one}" for one in span.labels or ()], labels_note(span)
    name, n = span_of(third).name, len(third.edges) + 1
    steps = np.arange(1, n + 1)
    note = ""
    if n > most:
        count = min(most, _QUANTILES)
        known = support is not None and support[1:].sum() > 0
        share = support[1:] if support is not None and known else np.ones(n)
        upto = np.cumsum(share) / share.sum()
        steps = np.unique(1 + np.searchsorted(upto, (np.arange(count) + 0.5) / count))
        how = "at quantiles of the background" if known else "evenly spaced"
        note = f"{len(steps)} of {n:,} steps of {name}, {how}"
    ends = np.concatenate([[-np.inf], third.edges, [np.inf]])
    return steps, [_stretch(name, ends[k - 1], ends[k]) for k in steps.tolist()], note


def _stretch(name: str, low: float, high: float) -> str:
    if low == -np.inf:
        return name if high == np.inf else f"{name} < {high:.5g}"
    return f"{name} ≥ {low:.5g}" if high == np.inf else f"{low:.5g} ≤ {name} < {high:.5g}"


def _places(n: int, axes: Any, beside: float) -> NDArray[Any]:
    """Return axes for so many pictures: those given, or those of a new figure."""
    if axes is None:
        pyplot = imported("matplotlib.pyplot", "plot()")
        columns = 2 if n == 4 else min(n, _COLUMNS)
        rows = -(-n // columns)
        size = (1.4 + beside + 2.7 * columns, 0.7 + 2.3 * rows)
        shared = {"sharex": True, "sharey": True, "squeeze": False}
        _, grid = pyplot.subplots(rows, columns, figsize=size, layout="constrained", **shared)
        for unused in grid.ravel()[n:]:
            unused.remove()
        found: NDArray[Any] = grid.ravel()[:n]
        return found
    given = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    for one in given:
        new_axes(one)
    if len(given) < n:
        raise OptionError(
            f"ax has {len(given)} axes; the effect of three features takes {n} here, one for each "
            "value of the last. Pass as many, or none, or a smaller most=."
        )
    return given[:n]


def _finish_lines(pairs: list[Pair], places: NDArray[Any], *, alone: bool) -> None:
    """Give all pictures of lines one height, and the lines their names once, beside them."""
    ends = [place.get_ylim() for place in places]
    for place in places:
        place.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    look = {"title": pairs[0].spans[1].name, "fontsize": "x-small", "title_fontsize": "x-small"}
    if alone:
        named = places[0].get_legend_handles_labels()
        places[0].figure.legend(*named, loc="outside right center", frameon=False, **look)
    else:
        beside = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
        places[-1].legend(frameon=False, **beside, **look)
