"""Figure "MSE": errors of SHAP values shrink with the background, path-dependent ones do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.cells import computed
from experiments.findings import Finding
from experiments.simulation import estimates_of, simulated
from experiments.size import Size

__all__ = ["run", "settings"]

# Rows, correlation, covariates: and how many runs of each fit into an hour on two cores.
_SETTINGS = (
    (500, 0.3, 2, 40),
    (5000, 0.3, 2, 20),
    (500, 0.0, 8, 10),
    (500, 0.7, 8, 10),
)
_SEARCHES = 8


def settings(size: Size) -> list[tuple[int, float, int, int]]:
    """Return the settings that are run, with the number of runs of each."""
    chosen = _SETTINGS[:1] if size.quick else _SETTINGS
    return [(n, rho, d, size.of_repeats(fits)) for n, rho, d, fits in chosen]


def keys_of(n: int, rho: float, d: int, repeats: int, size: Size) -> list[dict[str, Any]]:
    """Return the arguments of all runs of a setting."""
    searches = size.of_searches(_SEARCHES)
    return [
        {"n": n, "correlation": rho, "covariates": d, "searches": searches, "repeat": k}
        for k in range(repeats)
    ]


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Compare mean squared errors of the SHAP values of the first covariate."""
    rows, errors = list[list[Any]](), dict[tuple[int, float, int], dict[str, Any]]()
    for n, rho, d, repeats in settings(size):
        cells = computed(simulated, keys_of(n, rho, d, repeats, size))
        found = {
            name: np.array([np.mean((c[f"phi {name}"] - c["phi truth"]) ** 2) for c in cells])
            for name in estimates_of(n)
        }
        errors[n, rho, d] = found
        for name, values in found.items():
            low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
            rows.append([d, rho, n, name, middle, low, high, repeats])
    finding = Finding(
        "errors",
        "Figure “MSE”: the error of SHAP values against the background",
        "The error of path-dependent SHAP values does not shrink with more data, that of FastPD "
        "does; 100 background rows may be too few. With 8 covariates the path-dependent error is "
        "larger still under a correlation of 0.7.",
        _outcome(errors),
        f"{size.of_searches(_SEARCHES)} draws of parameters a run, and the runs in the table; the "
        "paper: 50 draws, 100 runs. Truth: probabilities of boxes under the normal distribution "
        "(2 covariates), or a background of a million fresh rows (8).",
        ["covariates", "correlation", "n", "estimate", "median MSE", "25 %", "75 %", "runs"],
        rows,
        ["errors"],
    )
    return finding, {"errors": _picture(errors)}


def _outcome(errors: dict[tuple[int, float, int], dict[str, Any]]) -> str:
    parts = []
    if (5000, 0.3, 2) in errors:
        few, many = errors[500, 0.3, 2], errors[5000, 0.3, 2]
        path = np.median(many["path"]) / np.median(few["path"])
        fast = np.median(many["FastPD-5000"]) / np.median(few["FastPD-500"])
        parts.append(
            f"From n = 500 to 5000 the median error of the path-dependent values changes by a "
            f"factor of {path:.2f}, that of FastPD with the whole background by {fast:.2f}."
        )
    for (n, rho, d), found in errors.items():
        whole = np.median(found[f"FastPD-{n}"])
        parts.append(
            f"n = {n}, {d} covariates, correlation {rho}: path-dependent / FastPD "
            f"{np.median(found['path']) / whole:.1f}, FastPD-100 / FastPD "
            f"{np.median(found['FastPD-100']) / whole:.1f}."
        )
    return " ".join(parts)


def _picture(errors: dict[tuple[int, float, int], dict[str, Any]]) -> Figure:
    figure = Figure(figsize=(2.6 * len(errors) + 0.6, 3.4), layout="constrained")
    every = figure.subplots(1, len(errors), sharey=True, squeeze=False)[0]
    for axes, ((n, rho, d), found) in zip(every, errors.items(), strict=True):
        axes.boxplot(list(found.values()), tick_labels=list(found), widths=0.6)
        axes.set_yscale("log")
        axes.set_title(f"n = {n}, {d} covariates,\ncorrelation {rho}", fontsize="small")
        axes.tick_params(axis="x", rotation=60, labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
    every[0].set_ylabel("MSE of SHAP values of $x_1$")
    return figure
