"""OpenML-CTR23 and OpenML-CC18: how far importances are from those of FastPD on real data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.cells import Cell, computed
from experiments.comparing import (
    COVER,
    FEW,
    METHODS,
    PATH,
    WHOLE,
    compared,
    differences,
    relative,
    tuned_model,
)
from experiments.findings import Finding
from experiments.realdata import Table, folder, known, load
from experiments.size import Size

__all__ = ["Compared", "run", "searches_of"]

Floats = NDArray[np.float64]
_LIMIT = 0.3
_PAPER = {PATH: 33, "FastPD-50": 18, "FastPD-100": 9}
_OF = 96
# Sets of the two suites, of at most 500 features, that may be hard to get.
_RARE = (
    "pumadyn32nh",
    "sarcos",
    "superconductivity",
    "video_transcoding",
    "wave_energy",
    "nomao",
    "numerai28.6",
)
_COLOURS = {PATH: "#c99a2e", COVER: "#b5541c", "FastPD-50": "#8fb3d3", "FastPD-100": "#20639b"}
# What the draws of a set may cost in all, and the fewest and the most draws.
_WORK, _FEWEST, _MOST = 820_000, 5, 100


@dataclass(frozen=True)
class Compared:
    """A data set with what was found on it."""

    table: Table
    cell: Cell

    @cached_property
    def largest(self) -> dict[str, Floats]:
        """The largest absolute relative difference by method, for each draw of backgrounds."""
        return {
            name: np.nanmax(np.abs(apart), axis=0, initial=0.0)
            for name, apart in differences(self.cell).items()
        }


def searches_of(table: Table, size: Size) -> int:
    """Return the number of draws of parameters that fit: fewer for a set that costs more."""
    fits = min(_MOST, max(_FEWEST, _WORK // _cost(table)))
    return size.of_searches(fits)


def _cost(table: Table) -> int:
    """Return what a round of boosting costs, in rows; histograms cost as much as 250 of them."""
    n, p = table.X.shape
    return table.n_scores * (n + 250 * p)


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Count the data sets where a method's importances are far from those of FastPD."""
    tables = sorted(map(load, known()), key=lambda table: (_cost(table), table.name))
    if size.quick:
        tables = tables[:3]
    keys = [{"name": table.name, "searches": searches_of(table, size)} for table in tables]
    tuned = [{"tuned": cell} for cell in computed(tuned_model, keys, size.jobs)]
    repeats = size.of_repeats(20)
    keys = [{**key, "repeats": repeats} for key in keys]
    cells = computed(compared, keys, size.jobs, given=tuned)
    every = [Compared(*one) for one in zip(tables, cells, strict=True)]
    every.sort(key=lambda one: (one.table.suite, one.table.name.lower()))
    finding = Finding(
        "suites",
        "OpenML-CTR23 and OpenML-CC18: importances on real data",
        "Of the components in the top five of any method, some have an importance that differs "
        f"from FastPD's by more than 30 % in {_PAPER[PATH]} of {_OF} data sets for Friedman-path, "
        f"{_PAPER['FastPD-50']} for FastPD-50 and {_PAPER['FastPD-100']} for FastPD-100. With "
        "trees of depth 1 Friedman-path equals FastPD.",
        _said(every),
        _sizes(every, repeats),
        ["data set", "suite", "n", "p", "D", "rounds", "draws", *(f"{m}, %" for m in METHODS[1:])],
        [_row(one) for one in every],
        ["suites"],
        {"suites-components": [_HEAD, *(row for one in every for row in _component_rows(one))]},
    )
    return finding, {"suites": _picture(every)}


def _exceeding(every: list[Compared], name: str, limit: float = _LIMIT) -> Floats:
    """Return in how many data sets a method is over a limit, for each draw of backgrounds."""
    return np.sum([one.largest[name] > limit for one in every], axis=0).astype(np.float64)


def _said(every: list[Compared]) -> str:
    counts = []
    for name in METHODS[1:]:
        found = _exceeding(every, name)
        paper = f"; the paper: {_PAPER[name] / _OF:.0%}" if name in _PAPER else ""
        counts.append(
            f"{name} in {found.mean():.1f} sets (sd {found.std():.1f}), that is "
            f"{found.mean() / len(every):.0%}{paper}"
        )
    flat = [one for one in every if one.cell["depth"] == 1]
    counted, covers = (
        100 * max((one.largest[name].max() for one in flat), default=0.0) for name in (PATH, COVER)
    )
    return (
        f"Of {len(every)} data sets ({_of(every, 'CTR23')} of CTR23, {_of(every, 'CC18')} of CC18) "
        f"some importance differs by more than 30 % for {'. For '.join(counts)}. Means and "
        "standard deviations are over draws of the small backgrounds. In the "
        f"{len(flat)} sets with trees of depth 1 Friedman-path differs from FastPD by at most "
        f"{counted:.1g} %, with the model's cover by up to {covers:.0f} %."
    )


def _of(every: list[Compared], suite: str) -> int:
    return sum(one.table.suite == suite for one in every)


def _sizes(every: list[Compared], repeats: int) -> str:
    draws = [int(one.cell["searches"]) for one in every]
    parts = [
        f"All rows, all components up to the depth of the trees, {repeats} draws of the small "
        "backgrounds (the paper: one).",
        f"Draws of parameters: the paper's 100 in {sum(k >= _MOST for k in draws)} sets, fewer "
        f"where a set costs more, {int(np.median(draws))} in the median and {min(draws)} at least.",
        "Categories are ordinal codes; classifiers are judged by log loss, several classes are "
        "explained by the sum of their scores.",
        "Friedman-path counts all rows at the nodes, as the paper's proofs do. The model's cover "
        "is what XGBoost itself kept: of the rows that a tree was grown on, weighted by second "
        "derivatives. The paper does not say which it took, but that the result equals FastPD's at "
        "depth 1, which is so for counted rows only.",
    ]
    have = {one.table.name for one in every}
    if lacking := [name for name in _RARE if name not in have]:
        parts.append(
            f"The paper does not name its {_OF} sets; not to be had here: {', '.join(lacking)}."
        )
    if folder() is not None:
        parts.append(
            "The sets are copies from several sources, and a few differ from OpenML's own by a "
            "column or some rows."
        )
    return " ".join(parts)


def _row(one: Compared) -> list[Any]:
    n, p = one.table.X.shape
    means = [round(100 * float(one.largest[name].mean()), 3) for name in METHODS[1:]]
    about = [int(one.cell[key]) for key in ("depth", "rounds", "searches")]
    return [one.table.name, one.table.suite, n, p, *about, *means]


_HEAD = [
    "data set",
    "component",
    "FastPD",
    "Friedman-path, %",
    "Friedman-path with model's cover, %",
    *(f"{name}, {what}" for name in FEW for what in ("%", "sd")),
    "share of draws in which compared",
]


def _component_rows(one: Compared) -> list[list[Any]]:
    """Return importances and their relative differences, the most important components first."""
    cell, apart = one.cell, differences(one.cell)[PATH]
    whole = cell[WHOLE]
    rows = []
    for k in np.argsort(-whole[:, 0], kind="stable"):
        names = [one.table.features[feature] for feature in cell["sets"][k] if feature >= 0]
        few = [100 * relative(cell[name][k], whole[k]) for name in FEW]
        paths = [100 * relative(cell[name][k], whole[k])[0] for name in (PATH, COVER)]
        rows.append(
            [
                one.table.name,
                " x ".join(names),
                float(whole[k, 0]),
                *(round(float(value), 3) for value in paths),
                *(round(float(value), 3) for of in few for value in (of.mean(), of.std())),
                float((~np.isnan(apart[k])).mean()),
            ]
        )
    return rows


def _picture(every: list[Compared]) -> Figure:
    figure = Figure(figsize=(8.6, 3.8), layout="constrained")
    curves, points = figure.subplots(1, 2)
    _draw_curves(curves, every)
    _draw_points(points, every)
    for axes in (curves, points):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_curves(axes: Any, every: list[Compared]) -> None:
    """Draw how many sets exceed which limit, with the paper's counts at 30 %."""
    limits = np.linspace(0.02, 1, 99)
    for name, colour in _COLOURS.items():
        found = np.array([_exceeding(every, name, limit) for limit in limits]) / len(every) * 100
        axes.plot(100 * limits, found.mean(axis=1), color=colour, label=name)
        low, high = found.min(axis=1), found.max(axis=1)
        axes.fill_between(100 * limits, low, high, color=colour, alpha=0.2, linewidth=0)
        if name in _PAPER:
            at = 100 * _PAPER[name] / _OF
            axes.plot(100 * _LIMIT, at, "o", color=colour, markeredgecolor="black", markersize=5)
    axes.axvline(100 * _LIMIT, color="0.6", linewidth=0.7, linestyle=":")
    axes.plot([], [], "o", color="white", markeredgecolor="black", label="the paper's counts")
    axes.set_xlabel("limit of the relative difference, %")
    axes.set_ylabel("data sets that exceed it, %")
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize="x-small")


def _draw_points(axes: Any, every: list[Compared]) -> None:
    """Draw each data set: the largest difference along the paths against FastPD-100's."""
    few = np.array([100 * one.largest["FastPD-100"].mean() for one in every])
    path = np.array([100 * one.largest[PATH].mean() for one in every])
    depth = np.array([int(one.cell["depth"]) for one in every])
    least = 0.5  # sets of depth 1 have a difference of zero
    drawn = axes.scatter(np.maximum(few, least), np.maximum(path, least), c=depth, s=14)
    axes.axhline(100 * _LIMIT, color="0.6", linewidth=0.7, linestyle=":")
    axes.axvline(100 * _LIMIT, color="0.6", linewidth=0.7, linestyle=":")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    axes.set_yticks([0.5, 1, 3, 10, 30, 100], ["0.5", "1", "3", "10", "30", "100"])
    axes.minorticks_off()
    axes.set_xlabel("largest difference of FastPD-100, %")
    axes.set_ylabel("of Friedman-path, % (at least 0.5)")
    axes.figure.colorbar(drawn, ax=axes, label="depth of the trees", ticks=sorted(set(depth)))
