"""Table 1: measured growth in background, rows, depth and features against what is stated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.cells import computed
from experiments.clocks import clocked
from experiments.findings import Finding
from experiments.runtime import here, slope
from experiments.size import Size

__all__ = ["SWEEPS", "Sweep", "run"]

_BUDGET = 1.0  # seconds a point
_COLOURS = {
    "FastPD, background": "#20639b",
    "FastPD, tables": "#5c9bd1",
    "FastPD, evaluation": "#a7c6e3",
    "Friedman-path (fastpd)": "#4a8c5c",
    "VanillaPD": "#8c8c8c",
    "TreeSHAP-path (shap)": "#c99a2e",
    "TreeSHAP-int (shap)": "#b03a2e",
}
_NAMES = {"n_b": "background rows", "n_e": "rows explained", "D": "depth", "F": "features"}


@dataclass(frozen=True)
class Sweep:
    """One step of a method, measured along one axis.

    Attributes
    ----------
    clock
        The step; see `clocks.CLOCKS`.
    axis
        ``"n_b"``, ``"n_e"``, ``"D"`` (with as many features as levels) or ``"F"``.
    values
        Where on the axis.
    stated
        The paper's complexity.
    cost
        That complexity as a function of n_b, n_e, D and F.
    fixed
        What the other axes are at, and the number of trees.
    reason
        Where the measured growth lies, and why.
    """

    clock: str
    axis: str
    values: tuple[int, ...]
    stated: str
    cost: Callable[[float, float, float, float], float]
    fixed: dict[str, int]
    reason: str

    def key(self, value: int, budget: float) -> dict[str, Any]:
        """Return the arguments of `clocked` at a value."""
        at = {**self.fixed, self.axis: value}
        depth, features = at["D"], at["D"] if self.axis == "D" else at["F"]
        return {
            "clock": self.clock,
            "n_b": at["n_b"],
            "n_e": at["n_e"],
            "depth": depth,
            "features": features,
            "trees": at["trees"],
            "budget": budget,
        }

    def expected(self) -> NDArray[np.float64]:
        """Return the stated costs at the values, but for a factor."""
        keys = [self.key(value, 0) for value in self.values]
        return np.array([self.cost(k["n_b"], k["n_e"], k["depth"], k["features"]) for k in keys])

    def growth(self, times: Any) -> str:
        """Return the exponent in rows, or the factor a level of depth or a feature."""
        if self.axis in ("n_b", "n_e"):
            return f"{self.axis}^{slope(self.values, times):.2f}"
        factor = np.exp(np.polyfit(self.values, np.log(times), 1)[0])
        return f"x {factor:.2f} a {'level' if self.axis == 'D' else 'feature'}"


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Measure every step along every axis."""
    budget = 0.02 if size.quick else _BUDGET
    sweeps = [_shorter(one) for one in SWEEPS] if size.quick else list(SWEEPS)
    keys = [one.key(value, budget) for one in sweeps for value in one.values]
    cells = iter(computed(clocked, keys, 1))
    times = [np.array([float(next(cells)["seconds"]) for _ in one.values]) for one in sweeps]
    rows = [
        [
            one.clock,
            f"{_NAMES[one.axis]}, {one.values[0]:,} to {one.values[-1]:,}",
            one.stated,
            one.growth(one.expected()),
            one.growth(found),
            one.reason,
        ]
        for one, found in zip(sweeps, times, strict=True)
    ]
    finding = Finding(
        "complexity",
        "Table 1: complexities, stated and measured",
        "VanillaPD takes O(R 2^d n_e n_b), Friedman's method O(2^d 2^D n_e), TreeSHAP-path "
        "O(D^2 2^D n_e), TreeSHAP-int O(D 2^D n_e n_b), Zern et al. O(2^D n_b + 3^D D n_e), FastPD "
        "O(2^(D + F) (n_e + n_b)); R is the cost of a prediction, O(D).",
        f"{_said(rows)}. The table has the growth that the stated complexity has over the same "
        "values, and the growth measured. Zern et al. is not measured: its package is in no "
        "registry.",
        f"Full random trees, the same for all methods, whose paths have as many distinct features "
        f"as there are; SHAP values (VanillaPD: all PD functions). Shortest of repeats, in seconds "
        f"of the processor, one thread, {here()}.",
        ["step", "along", "stated", "growth stated", "growth measured", "why"],
        rows,
        ["complexity"],
    )
    return finding, {"complexity": _picture(sweeps, times)}


def _said(rows: list[list[Any]]) -> str:
    """Return what was found for FastPD."""
    return "; ".join(
        f"{step} along {axis}: {measured}, stated {stated}"
        for step, axis, _, stated, measured, _ in rows
        if step.startswith("FastPD")
    )


def _shorter(sweep: Sweep) -> Sweep:
    small = {"n_b": 64, "n_e": 16, "D": 3, "F": 3, "trees": 2}
    values = tuple(min(one, 200 * (i + 1)) for i, one in enumerate(sweep.values[:2]))
    return Sweep(sweep.clock, sweep.axis, values, sweep.stated, sweep.cost, small, sweep.reason)


def _picture(sweeps: list[Sweep], times: list[NDArray[np.float64]]) -> Figure:
    figure = Figure(figsize=(9.6, 6.6), layout="constrained")
    for axes, (axis, title) in zip(figure.subplots(2, 2).flat, _NAMES.items(), strict=True):
        for one, found in zip(sweeps, times, strict=True):
            if one.axis != axis:
                continue
            stated = one.expected() * found[0] / one.expected()[0]
            colour = _COLOURS[one.clock]
            axes.plot(one.values, stated, color=colour, linestyle=":", linewidth=0.9)
            axes.plot(one.values, found, color=colour, marker="o", markersize=3.5, label=one.clock)
        axes.set_yscale("log")
        if axis in ("n_b", "n_e"):
            axes.set_xscale("log")
        axes.set_xlabel(title)
        axes.set_ylabel("seconds")
        axes.grid(axis="y", color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    labels = {
        text: line
        for axes in figure.axes
        for line, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    dotted = figure.axes[0].plot([], [], color="0.4", linestyle=":")[0]
    figure.legend(
        [*labels.values(), dotted],
        [*labels, "as stated, from the first point"],
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize="small",
    )
    return figure


def _rows(first: int, n: int) -> tuple[int, ...]:
    return tuple(first * 2**k for k in range(n))


_FAST = {"n_b": 20_000, "n_e": 20_000, "D": 6, "F": 6, "trees": 50}
_SLOW = {"n_b": 100, "n_e": 100, "D": 5, "F": 5, "trees": 5}
_PATH = {"n_b": 100, "n_e": 1000, "D": 5, "F": 5, "trees": 5}
_fastpd = partial(Sweep, stated="2^(D+F) (n_e + n_b)", fixed=_FAST)
_friedman = partial(
    Sweep,
    "Friedman-path (fastpd)",
    stated="2^d 2^D n_e",
    cost=lambda b, e, D, F: 2 ** (F + D) * e,
    fixed=_FAST,
)
_vanilla = partial(
    Sweep,
    "VanillaPD",
    stated="R 2^d n_e n_b",
    cost=lambda b, e, D, F: D * 2**F * e * b,
    fixed=_SLOW,
)
_path = partial(
    Sweep,
    "TreeSHAP-path (shap)",
    stated="D^2 2^D n_e",
    cost=lambda b, e, D, F: D**2 * 2**D * e,
    fixed=_PATH,
)
_int = partial(
    Sweep,
    "TreeSHAP-int (shap)",
    stated="D 2^D n_e n_b",
    cost=lambda b, e, D, F: D * 2**D * e * b,
    fixed=_SLOW,
)
_of_background = partial(_fastpd, "FastPD, background", cost=lambda b, e, D, F: 2 ** (D + F) * b)
_of_tables = partial(_fastpd, "FastPD, tables", cost=lambda b, e, D, F: 2 ** (D + F))
_of_rows = partial(_fastpd, "FastPD, evaluation", cost=lambda b, e, D, F: 2 ** (D + F) * e)
_DEPTHS, _FEW, _MORE = tuple(range(2, 9)), tuple(range(1, 7)), (6, 8, 10, 12)
_BYTE = "below: the byte of a row's tests in a block answers for all sets of its features"
_ABOVE = "below: beyond the depth no path has more of them, which 2^F does not see"
SWEEPS = (
    _of_background(axis="n_b", values=_rows(10_000, 6), reason="one pass over the rows"),
    _of_rows(axis="n_e", values=_rows(10_000, 6), reason="the same look-ups for each row"),
    _of_background(axis="D", values=_DEPTHS, reason=_BYTE),
    _of_tables(axis="D", values=_DEPTHS, reason="below: a table a block, not a leaf"),
    _of_rows(axis="D", values=_DEPTHS, reason="below: look-ups a block and feature, not a leaf"),
    _of_background(axis="F", values=_FEW, reason=_BYTE),
    _of_rows(axis="F", values=_FEW, reason="below: one look-up a feature of a block, not a set"),
    _of_background(axis="F", values=_MORE, reason=_ABOVE),
    _of_rows(axis="F", values=_MORE, reason=_ABOVE),
    _friedman(axis="n_e", values=_rows(10_000, 6), reason="below: few rows pay for the tables"),
    _friedman(axis="D", values=_DEPTHS, reason="below: as for FastPD, without a background"),
    _friedman(axis="F", values=_FEW, reason="below: sets of a leaf's features, not of all d"),
    _vanilla(axis="n_b", values=_rows(50, 5), reason="predicts every mixed row"),
    _vanilla(axis="n_e", values=_rows(50, 5), reason="predicts every mixed row"),
    _vanilla(axis="D", values=(4, 5, 6, 7), reason="2^d sets, each a prediction of mixed rows"),
    _vanilla(
        axis="F",
        values=(4, 5, 6, 7, 8),
        reason="above: the empty and the full set, which cost little, count less among more",
    ),
    _path(axis="n_e", values=_rows(500, 5), reason="every row walks every tree"),
    _path(axis="D", values=_DEPTHS, reason="below: leaves share the upper part of their paths"),
    _int(axis="n_b", values=_rows(50, 5), reason="every pair of rows walks every tree"),
    _int(axis="n_e", values=_rows(50, 5), reason="every pair of rows walks every tree"),
    _int(axis="D", values=_DEPTHS, reason="below: leaves that neither row reaches are left out"),
)
