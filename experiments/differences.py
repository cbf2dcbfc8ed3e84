"""Figure "SHAP differences": true and estimated SHAP values of one model, in the median run."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.cells import Cell
from experiments.findings import Finding
from experiments.simulation import SEARCHES, TRUTH, Setting, runs_of
from experiments.size import Size

__all__ = ["run"]

_ESTIMATES = (("FastPD-500", "FastPD", "#20639b"), ("path", "TreeSHAP-path", "#b5541c"))
# How many runs of each fit: the setting of figure 2, and those of its variants in the appendix.
_MAIN, _MAIN_RUNS = Setting(500, 0.3), 100
_VARIANTS = {
    Setting(500, correlation, covariates=7, process="DGP 2"): 50
    for correlation in (0.0, 0.1, 0.3, 0.7)
}
Chosen = dict[str, Cell]


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Take the run of median error for each method, of those of each setting."""
    settings = {_MAIN: _MAIN_RUNS} | ({} if size.quick else _VARIANTS)
    chosen, rows = dict[Setting, Chosen](), list[list[Any]]()
    for setting, fits in settings.items():
        cells = runs_of(setting, fits, size)
        chosen[setting] = {name: _median(cells, name) for name, _, _ in _ESTIMATES}
        for name, title, _ in _ESTIMATES:
            numbers = _numbers(chosen[setting][name], name)
            rows.append([setting.process, setting.correlation, title, *numbers, len(cells)])
    finding = Finding(
        "differences",
        "Figure 2 “SHAP differences”: model SHAP and its estimates",
        "The model's SHAP values are captured well by FastPD, which equals VanillaPD, and not by "
        "path-dependent TreeSHAP, at 500 points of DGP 1 with correlation 0.3. Under DGP 2 with "
        "pairwise correlations of 0, 0.1, 0.3 and 0.7 TreeSHAP-path is biased, and FastPD is not.",
        _outcome(rows),
        f"The runs of median error among those in the table (the paper: among 100), "
        f"{size.of_searches(SEARCHES)} draws of parameters each (50). {TRUTH} Variance of the "
        "covariates of DGP 2 under a pairwise correlation: 3, that of its own covariance.",
        ["process", "correlation", "estimate", "RMSE", "largest error", "slope", "runs"],
        rows,
        ["differences", "differences_variants"][: len(settings)],
    )
    pictures = {"differences": _picture({_MAIN: chosen.pop(_MAIN)})}
    return finding, pictures | ({"differences_variants": _picture(chosen)} if chosen else {})


def _outcome(rows: list[list[Any]]) -> str:
    pairs = zip(rows[::2], rows[1::2], strict=True)
    said = [
        f"{process}, correlation {rho}: {fast:.3f} for FastPD and {path:.3f} for TreeSHAP-path"
        for (process, rho, _, fast, *_), (_, _, _, path, *_) in pairs
    ]
    return (
        f"Root mean squared errors in the median runs: {'; '.join(said)}. The table's slope is "
        "that of the estimates regressed on the truth: 1 where they follow it, more where they "
        "stretch it."
    )


def _median(cells: list[Cell], name: str) -> Cell:
    errors = [float(np.mean((c[f"phi {name}"] - c["phi truth"]) ** 2)) for c in cells]
    return cells[int(np.argsort(errors)[len(errors) // 2])]


def _numbers(cell: Cell, name: str) -> list[float]:
    found, truth = cell[f"phi {name}"], cell["phi truth"]
    apart = found - truth
    return [
        float(np.sqrt(np.mean(apart**2))),
        float(np.abs(apart).max()),
        float(np.polyfit(truth, found, 1)[0]),
    ]


def _picture(chosen: dict[Setting, Chosen]) -> Figure:
    figure = Figure(figsize=(max(3.4 * len(chosen), 4.2), 5.4), dpi=200, layout="constrained")
    grid = figure.subplots(2, len(chosen), sharex="col", sharey="col", squeeze=False)
    for column, (setting, cells) in zip(grid.T, chosen.items(), strict=True):
        column[0].set_title(f"{setting.process}, correlation {setting.correlation}", fontsize=10)
        column[-1].set_xlabel("$x_1$")
        for axes, (name, title, colour) in zip(column, _ESTIMATES, strict=True):
            cell = cells[name]
            # As pixels: thousands of points make a heavy drawing.
            for kind, dot, tint, label in (
                ("truth", 10, "0.6", "model SHAP"),
                (name, 4, colour, title),
            ):
                x, phi = cell["x1"], cell[f"phi {kind}"]
                axes.scatter(x, phi, s=dot, color=tint, label=label, linewidths=0, rasterized=True)
            axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("SHAP value of $x_1$")
        axes.legend(frameon=False, fontsize="small", markerscale=1.5)
    return figure
