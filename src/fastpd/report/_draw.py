"""Curves and bars as SVG: text keeps its size at any width, shapes are stretched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Curve, Histogram, Story
from fastpd.report._svg import SIZE, Scale, element, label, nice_ticks, stretched

__all__ = ["Reach", "bar", "curve_axis", "curve_plot", "reach", "span_of"]

Floats = NDArray[np.float64]
TOP, HEIGHT, GAP, ROWS, FOOT = 8, 180, 6, 30, 22
_PIXELS = TOP + HEIGHT + GAP + ROWS + FOOT


def span_of(curve: Curve) -> Scale:
    """Return the scale of the values of a curve, upside down, with room above and below."""
    missing = curve.missing if curve.missing is not None else np.zeros(1)
    shown = missing if curve.missing_share > 0 else np.zeros(1)
    low = min(float(curve.low.min()), float(shown.min()), 0.0)
    high = max(float(curve.high.max()), float(shown.max()), 0.0)
    room = 0.08 * (high - low) or 1.0
    return Scale(high + room, low - room)


def curve_axis(curve: Curve) -> str:
    """Return the numbers beside a curve."""
    scale = span_of(curve)
    texts = [
        label(text, 12, x="100%", y=round(TOP + HEIGHT * scale(value) / SIZE) + 4, dx=-6)
        for value, text in nice_ticks(scale.high, scale.low, 4)
    ]
    rows = label("rows", 12, x="100%", y=TOP + HEIGHT + GAP + ROWS - 4, dx=-6, class_="faint")
    return element("svg", *texts, rows, class_="axis", height=_PIXELS, aria_hidden="true")


def curve_plot(curve: Curve, described: str) -> str:
    """Return the steps of a feature of numbers, over a histogram of the rows."""
    across, up = Scale(*curve.domain), span_of(curve)
    grid = "".join(f"M0 {up(v)}H{SIZE}" for v, _ in nice_ticks(up.high, up.low, 4) if v)
    parts = [
        element("path", d=grid, class_="grid"),
        element("path", d=f"M0 {up(0.0)}H{SIZE}", class_="zero"),
    ]
    parts += [_line(curve, output, across, up) for output in range(curve.low.shape[1])]
    ticks = nice_ticks(*curve.domain, 5)
    feet = [_foot(across.percent(value), text) for value, text in ticks]
    places = np.array([across(edge) for edge in curve.edges])
    rows = "" if curve.histogram is None else _columns(curve.histogram, across)
    return element(
        "svg",
        stretched("".join(parts), y=TOP, height=HEIGHT),
        stretched(rows, y=TOP + HEIGHT + GAP, height=ROWS),
        *feet,
        class_="plot",
        height=_PIXELS,
        role="img",
        aria_label=described,
        data_x=" ".join(map(str, places.tolist())),
    )


def _foot(place: str, text: str) -> str:
    share = float(place[:-1])
    anchor = "start" if share < 4 else "end" if share > 96 else "middle"
    return label(text, 14, x=place, y=_PIXELS - 6, text_anchor=anchor)


def _line(curve: Curve, output: int, across: Scale, up: Scale) -> str:
    """Return one output: a line of steps, and a bar from low to high where steps are merged."""
    line, spans, pen = [], [], False
    for k in range(len(curve.shares)):
        left, right = across(curve.edges[k]), across(curve.edges[k + 1])
        if right == left and len(curve.shares) > 1:
            continue
        low, high = up(curve.low[k, output]), up(curve.high[k, output])
        if curve.low[k, output] < curve.high[k, output]:
            spans.append(f"M{left} {low}V{high}H{right}V{low}Z")
            pen = False
        else:
            line.append(f"V{low}H{right}" if pen else f"M{left} {low}H{right}")
            pen = True
    parts = [element("path", d="".join(line), class_="line")] if line else []
    if spans:
        parts.append(element("path", d="".join(spans), class_="span"))
    if curve.missing is not None and curve.missing_share > 0:
        height = up(float(curve.missing[output]))
        parts.append(element("path", d=f"M0 {height}H{SIZE}", class_="lost"))
    return element("g", *parts, class_=f"o o{output}")


def _columns(rows: Histogram, across: Scale) -> str:
    top = float(rows.shares.max()) or 1.0
    path = [f"M{across(rows.edges[0])} {SIZE}"]
    for share, right in zip(rows.shares, rows.edges[1:], strict=True):
        path.append(f"V{round(SIZE * (1 - share / top))}H{across(right)}")
    return element("path", d="".join(path) + f"V{SIZE}Z", class_="rows")


def bar(amount: float, low: float, high: float, start: float = 0.0) -> str:
    """Return a bar from `start` by an amount, on a scale from `low` to `high`."""
    scale = Scale(low, high) if low < high else Scale(0.0, 1.0)
    left, right = sorted((scale(start), scale(start + amount)))
    kind = "pos" if amount >= 0 else "neg"
    shape = f"M{left} 150H{max(right, left + 3)}V850H{left}Z"
    parts: Sequence[str] = [
        element("path", d=f"M{scale(0.0)} 0V{SIZE}", class_="zero") if low <= 0 <= high else "",
        element("path", d=shape, class_=kind),
    ]
    return element(
        "svg",
        *parts,
        class_="bar",
        viewBox=f"0 0 {SIZE} {SIZE}",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


@dataclass(frozen=True)
class Reach:
    """Where the bars of a row's components start, counted from v_0, and how far they reach."""

    starts: tuple[float, ...]
    low: float
    high: float


def reach(story: Story) -> Reach:
    """Return where each bar starts: where the one before it ends."""
    ends = np.concatenate([[0.0], np.cumsum([step.amount for step in story.bars])])
    return Reach(tuple(ends[:-1].tolist()), float(ends.min()), float(ends.max()))
