"""Figure "MSE": errors of SHAP values shrink with the background, path-dependent ones do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from experiments.findings import Finding
from experiments.simulation import SEARCHES, TRUTH, Setting, estimates_of, runs_of
from experiments.size import Size

__all__ = ["run"]

# How many runs of each setting fit: those of figure 3 first, then of its variants in the appendix.
_SETTINGS = {
    Setting(500, 0.3): 100,
    Setting(5000, 0.3): 100,
    Setting(500, 0.0, covariates=8): 45,
    Setting(5000, 0.0, covariates=8): 18,
    Setting(500, 0.7, covariates=8): 45,
    Setting(5000, 0.7, covariates=8): 18,
}
_PATH, _FAST = "#c98a64", "#7fa8c9"
Errors = dict[Setting, dict[str, NDArray[np.float64]]]


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Compare mean squared errors of the SHAP values of the first covariate."""
    rows, errors = list[list[Any]](), Errors()
    for setting, fits in list(_SETTINGS.items())[: 1 if size.quick else None]:
        cells = runs_of(setting, fits, size)
        errors[setting] = {
            name: np.array([np.mean((c[f"phi {name}"] - c["phi truth"]) ** 2) for c in cells])
            for name in estimates_of(setting.n)
        }
        for name, values in errors[setting].items():
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
            place = [setting.covariates, setting.correlation, setting.n]
            rows.append([*place, name, middle, low, high, len(cells)])
    finding = Finding(
        "errors",
        "Figure 3 “MSE”: the error of SHAP values against the background",
        "The error of path-dependent SHAP values does not shrink with more data, that of FastPD "
        "does; 100 background rows may be too few. With 8 covariates the path-dependent error is "
        "larger still under a correlation of 0.7; with none it is closer to FastPD's, but above.",
        _outcome(errors),
        f"{size.of_searches(SEARCHES)} draws of parameters a run, and the runs in the table; the "
        f"paper: 50 draws, 100 runs. {TRUTH}",
        ["covariates", "correlation", "n", "estimate", "median MSE", "25 %", "75 %", "runs"],
        rows,
        ["errors"],
    )
    return finding, {"errors": _picture(errors)}


def _outcome(errors: Errors) -> str:
    parts = []
    for few, found in errors.items():
        many = Setting(5000, few.correlation, few.covariates)
        if few.n == many.n or many not in errors:
            continue
        path = np.median(errors[many]["path"]) / np.median(found["path"])
        fast = np.median(errors[many]["FastPD-5000"]) / np.median(found["FastPD-500"])
        parts.append(
            f"{few.covariates} covariates, correlation {few.correlation}: from n = 500 to 5000 the "
            f"median error of the path-dependent values changes by a factor of {path:.2f}, that "
            f"of FastPD with the whole background by {fast:.2f}."
        )
    for setting, found in errors.items():
        whole = np.median(found[f"FastPD-{setting.n}"])
        parts.append(
            f"n = {setting.n}, {setting.covariates} covariates, correlation {setting.correlation}: "
            f"path-dependent / FastPD {np.median(found['path']) / whole:.1f}, FastPD-100 / FastPD "
            f"{np.median(found['FastPD-100']) / whole:.1f}."
        )
    return " ".join(parts)


def _picture(errors: Errors) -> Figure:
    pairs = sorted({(one.covariates, one.correlation) for one in errors})
    figure = Figure(figsize=(3.2 * len(pairs) + 0.6, 3.6), layout="constrained")
    every = figure.subplots(1, len(pairs), sharey=True, squeeze=False)[0]
    for axes, (covariates, correlation) in zip(every, pairs, strict=True):
        at, ticks = 0, list[tuple[float, str]]()
        for n in (500, 5000):
            found = errors.get(Setting(n, correlation, covariates), {})
            for name, values in found.items():
                _box(axes, at, values, _PATH if name == "path" else _FAST)
                ticks.append((at, name.removeprefix("FastPD-")))
                at += 1
            if found:
                middle = at - 1 - (len(found) - 1) / 2
                axes.text(middle, 1.0, f"n = {n}", transform=axes.get_xaxis_transform(), **_HEAD)
            at += 1
        axes.set_xticks(*zip(*ticks, strict=True), fontsize="small", rotation=60)
        axes.set_yscale("log")
        title = f"{covariates} covariates, correlation {correlation}"
        axes.set_title(title, fontsize="medium", pad=16)
        axes.set_xlabel("background rows", fontsize="small")
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    every[0].set_ylabel("MSE of SHAP values of $x_1$")
    handles = [Patch(color=_PATH, label="TreeSHAP-path"), Patch(color=_FAST, label="FastPD")]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
    return figure


_HEAD: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "small", "color": "0.3"}


def _box(axes: Any, at: float, values: NDArray[np.float64], colour: str) -> None:
    axes.boxplot(
        values,
        positions=[at],
        widths=0.7,
        patch_artist=True,
        boxprops={"facecolor": colour, "edgecolor": "0.25", "linewidth": 0.8},
        medianprops={"color": "0.1"},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": "0.5"},
    )
