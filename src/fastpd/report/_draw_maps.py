"""Maps of two features as SVG, and their scale of colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Map, Side
from fastpd.report._format import decimals_of, fixed
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

__all__ = ["colour_scale", "limit_of", "map_axis", "map_plot"]

Floats = NDArray[np.float64]
COLOURS = 21  # classes q0 to q20 of the style sheet, q10 in the middle
_TOP, _FOOT, _LABEL_FOOT = 4, 24, 96
_FEW, _SHORT = 6, 9  # labels that stand side by side


def limit_of(one: Map, output: int) -> float:
    """Return the number that has the strongest colour, for one output."""
    return float(np.abs(one.cells[..., output]).max()) or 1.0


def map_axis(one: Map) -> str:
    """Return the names or numbers at the left side of a map."""
    height, texts = _height(one), []
    if one.up.labels is not None:
        size = height / len(one.up.labels)
        for k, name in enumerate(reversed(one.up.labels)):
            y = round(_TOP + (k + 0.5) * size) + 4
            texts.append(label(name, 18, x="100%", y=y, dx=-6))
    else:
        scale = Scale(one.up.edges[-1], one.up.edges[0])
        for value, text in nice_ticks(one.up.edges[0], one.up.edges[-1], 5):
            y = round(_TOP + height * scale(value) / SIZE) + 4
            texts.append(label(text, 12, x="100%", y=y, dx=-6))
    wide = "axis wide" if one.up.labels is not None else "axis"
    return element("svg", *texts, class_=wide, height=_pixels(one), aria_hidden="true")


def map_plot(one: Map, described: str) -> str:
    """Return the cells of a map, those without rows paler."""
    across, up = _bounds(one.across), SIZE - _bounds(one.up)
    shapes = [
        element("g", _cells(one, k, across, up), class_=f"o o{k}")
        for k in range(one.cells.shape[2])
    ]
    height = _height(one)
    return element(
        "svg",
        stretched("".join(shapes), y=_TOP, height=height),
        *_feet(one.across, _TOP + height),
        class_="plot map",
        height=_pixels(one),
        role="img",
        aria_label=described,
        data_x=" ".join(map(str, across.tolist())),
        data_y=" ".join(map(str, up.tolist())),
        data_top=_TOP,
        data_height=height,
    )


def colour_scale(limit: float) -> str:
    """Return the colours from -limit to limit, with numbers."""
    width = SIZE / COLOURS
    boxes = [
        element(
            "path",
            d=f"M{round(k * width)} 0h{round(width) + 1}v{SIZE}h-{round(width) + 1}z",
            class_=f"q{k}",
        )
        for k in range(COLOURS)
    ]
    end = f"{limit:.2g}" if limit < 1e-3 else fixed(limit, decimals_of([limit], 2))
    texts = [
        label(text, 12, x=place, y=26, text_anchor=anchor)
        for text, place, anchor in (
            (f"\u2212{end}", "0", "start"),
            ("0", "50%", "middle"),
            (f"+{end}", "100%", "end"),
        )
    ]
    return element(
        "svg",
        stretched("".join(boxes), y=0, height=10),
        *texts,
        class_="scale",
        height=30,
        aria_hidden="true",
    )


def _bounds(side: Side) -> NDArray[np.int64]:
    """Return where the cells begin and end along one side."""
    if side.labels is not None:
        return np.linspace(0, SIZE, len(side.labels) + 1).round().astype(np.int64)
    scale = Scale(side.edges[0], side.edges[-1])
    return np.array([scale(edge) for edge in side.edges])


def _height(one: Map) -> int:
    return 240 if one.up.labels is None else max(120, 20 * len(one.up.labels))


def _turned(side: Side) -> bool:
    names = side.labels or ()
    return len(names) > _FEW or any(len(name) > _SHORT for name in names)


def _pixels(one: Map) -> int:
    return _TOP + _height(one) + (_LABEL_FOOT if _turned(one.across) else _FOOT)


def _cells(one: Map, output: int, across: NDArray[np.int64], up: NDArray[np.int64]) -> str:
    """Return one path for each colour."""
    values = one.cells[..., output]
    place = np.rint((values / limit_of(one, output) + 1) / 2 * (COLOURS - 1)).astype(int)
    paths: dict[tuple[int, bool], list[str]] = {}
    for i, j in np.ndindex(values.shape):
        left, wide, low, high = across[i], across[i + 1] - across[i], up[j + 1], up[j] - up[j + 1]
        key = int(place[i, j]), bool(one.shares[i, j] == 0)
        paths.setdefault(key, []).append(f"M{left} {low}h{wide}v{high}h-{wide}z")
    return "".join(
        element("path", d="".join(shapes), class_=f"q{colour} void" if empty else f"q{colour}")
        for (colour, empty), shapes in sorted(paths.items())
    )


def _feet(side: Side, top: int) -> list[str]:
    if side.labels is None:
        scale = Scale(side.edges[0], side.edges[-1])
        ticks = side_by_side(side.edges[0], side.edges[-1])
        return [foot(scale.percent(value), text, top + 18) for value, text in ticks]
    n = len(side.labels)
    places = [100 * (k + 0.5) / n for k in range(n)]
    if not _turned(side):
        return [
            label(name, _SHORT, x=f"{place:.2f}%", y=top + 18, text_anchor="middle")
            for name, place in zip(side.labels, places, strict=True)
        ]
    return [
        element(
            "svg",
            label(name, 13, x=4, y=4, transform="rotate(90)"),
            x=f"{place:.2f}%",
            y=top + 2,
            overflow="visible",
        )
        for name, place in zip(side.labels, places, strict=True)
    ]
