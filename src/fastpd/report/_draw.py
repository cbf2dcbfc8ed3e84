"""Curves and bars as SVG: text keeps its size at any width, shapes are stretched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Curve, Histogram, Story
from fastpd.report._svg import (
    SIZE,
    Scale,
    element,
    foot,
    label,
    nice_ticks,
    side_by_side,
    stretched,
)

__all__ = ["Reach", "bar", "curve_axis", "curve_plot", "reach", "reach_of_labels", "span_of"]

Floats = NDArray[np.float64]
TOP, HEIGHT, GAP, ROWS, FOOT = 8, 180, 6, 30, 22
_PIXELS = TOP + HEIGHT + GAP + ROWS + FOOT


def span_of(curve: Curve, output: int) -> Scale:
    """Return the scale of the values of one output, upside down, with room above and below."""
    shown = [0.0, float(curve.low[:, output].min()), float(curve.high[:, output].max())]
    if curve.missing is not None and curve.missing_share > 0:
        shown.append(float(curve.missing[output]))
    room = 0.08 * (max(shown) - min(shown)) or 1.0
    return Scale(max(shown) + room, min(shown) - room)


def reach_of_labels(curve: Curve) -> tuple[Floats, Floats]:
    """Return how far the bars of each output reach, from zero or below to zero or above."""
    levels = [curve.low, curve.high, np.zeros((1, curve.low.shape[1]))]
    if curve.missing is not None and curve.missing_share > 0:
        levels.append(curve.missing[None, :])
    joined = np.concatenate(levels)
    return joined.min(axis=0), joined.max(axis=0)


def curve_axis(curve: Curve) -> str:
    """Return the numbers beside a curve, those of each output on a scale of its own."""
    groups = []
    for output in range(curve.low.shape[1]):
        scale = span_of(curve, output)
        texts = [
            label(text, 12, x="100%", y=round(TOP + HEIGHT * scale(value) / SIZE) + 4, dx=-6)
            for value, text in nice_ticks(scale.high, scale.low, 4)
        ]
        groups.append(element("g", *texts, class_=f"o o{output}"))
    rows = label("rows", 12, x="100%", y=TOP + HEIGHT + GAP + ROWS - 4, dx=-6, class_="faint")
    return element("svg", *groups, rows, class_="axis", height=_PIXELS, aria_hidden="true")


def curve_plot(curve: Curve, described: str) -> str:
    """Return the steps of a feature of numbers, over a histogram of the rows."""
    across = Scale(*curve.domain)
    outputs = [_output(curve, output, across) for output in range(curve.low.shape[1])]
    ticks = side_by_side(*curve.domain)
    feet = [foot(across.percent(value), text, _PIXELS - 6) for value, text in ticks]
    places = np.array([across(edge) for edge in curve.edges])
    rows = "" if curve.histogram is None else _columns(curve.histogram, across)
    return element(
        "svg",
        stretched("".join(outputs), y=TOP, height=HEIGHT),
        stretched(rows, y=TOP + HEIGHT + GAP, height=ROWS),
        *feet,
        class_="plot",
        height=_PIXELS,
        role="img",
        aria_label=described,
        data_x=" ".join(map(str, places.tolist())),
    )


def _output(curve: Curve, output: int, across: Scale) -> str:
    """Return one output: a line of steps, and a bar from low to high where steps are merged."""
    up = span_of(curve, output)
    grid = "".join(f"M0 {up(v)}H{SIZE}" for v, _ in nice_ticks(up.high, up.low, 4) if v)
    line, spans = _paths(curve, output, across, up)
    parts = [
        element("path", d=grid, class_="grid"),
        element("path", d=f"M0 {up(0.0)}H{SIZE}", class_="zero"),
        element("path", d=line, class_="line") if line else "",
        element("path", d=spans, class_="span") if spans else "",
    ]
    if curve.missing is not None and curve.missing_share > 0:
        height = up(float(curve.missing[output]))
        parts.append(element("path", d=f"M0 {height}H{SIZE}", class_="lost"))
    return element("g", *parts, class_=f"o o{output}")


class _Pen:
    """A path of level and upright lines, which lifts the pen only where it must."""

    def __init__(self) -> None:
        self.path = ""
        self._at: tuple[int, int] | None = None

    def draw(self, x: int, y: int, end: tuple[int, int]) -> None:
        """Draw from a place to another one beside or above it."""
        if self._at != (x, y):
            self.path += f"M{x} {y}"
        self.path += f"H{end[0]}" if y == end[1] else f"V{end[1]}"
        self._at = end


def _paths(curve: Curve, output: int, across: Scale, up: Scale) -> tuple[str, str]:
    """Return the line of single steps, joined where they jump, and the bars of merged ones."""
    pen, spans = _Pen(), ""
    before: tuple[int, int] | None = None
    for k in range(len(curve.shares)):
        left, right = across(curve.edges[k]), across(curve.edges[k + 1])
        if right == left and len(curve.shares) > 1:
            continue
        top, bottom = up(curve.high[k, output]), up(curve.low[k, output])
        # Between levels that do not meet the function jumps, at least from end to nearer end.
        if before is not None and bottom < before[0]:
            pen.draw(left, before[0], (left, bottom))
        elif before is not None and top > before[1]:
            pen.draw(left, before[1], (left, top))
        if top == bottom:
            pen.draw(left, top, (right, top))
        else:
            spans += f"M{left} {bottom}V{top}H{right}V{bottom}Z"
        before = (top, bottom)
    return pen.path, spans


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
