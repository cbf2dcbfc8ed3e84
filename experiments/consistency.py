"""Proposition 2: FastPD is consistent; its error falls as one over the root of the background."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import fastpd
from experiments.cells import Cell, computed
from experiments.findings import Finding
from experiments.processes import FIRST
from experiments.size import Size
from experiments.tuning import tuned

__all__ = ["errors_of", "run"]

_RHO = 0.3
_ROWS = 2000
_POINTS = 200
_OPTIONS: dict[str, Any] = {"n_jobs": 1, "progress": False, "precision": "double"}


def errors_of(n_background: int, draws: int, searches: int) -> Cell:
    """Return root mean squared errors over draws of the background: of values, and of SHAP's."""
    model, truth, points = _case(searches, _ROWS)
    sets: list[Any] = [(), (0,), (1,)]
    squares = []
    for draw in range(draws):
        background, _ = FIRST.draw(n_background, _RHO, np.random.default_rng([n_background, draw]))
        ex = fastpd.Explainer(model, background, **_OPTIONS)
        value = ex.value(sets, points) - truth.value(sets, points)
        shap = ex.shap(points).values - truth.shap(points).values
        squares.append([np.mean(value**2), np.mean(shap**2)])
    return {"error": np.sqrt(np.mean(squares, axis=0))}


@cache
def _case(searches: int, n_rows: int) -> tuple[Any, fastpd.Explainer, Any]:
    """Return the model, its explainer over the distribution itself, and rows to explain."""
    X, y = FIRST.draw(n_rows, _RHO, np.random.default_rng(5))
    model = tuned(X, y, searches, seed=5)
    measure = fastpd.measures.Gaussian(np.zeros(2), FIRST.covariance(_RHO))
    return model, fastpd.Explainer(model, measure=measure, **_OPTIONS), X[:_POINTS]


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Fit the slope of the error against the background on a log-log plot."""
    counts = [2**k for k in range(5, 8 if size.quick else 17)]
    draws, searches = size.of_repeats(40), size.of_searches(8)
    keys = [{"n_background": n, "draws": draws, "searches": searches} for n in counts]
    errors = np.array([cell["error"] for cell in computed(errors_of, keys, size.jobs)])
    slopes = [float(np.polyfit(np.log(counts), np.log(errors[:, k]), 1)[0]) for k in range(2)]
    finding = Finding(
        "consistency",
        "Proposition 2: consistency",
        "The estimates of the partial dependence functions are consistent.",
        f"On a log-log plot of error against background rows the slopes are {slopes[0]:.3f} for "
        f"the partial dependence functions and {slopes[1]:.3f} for SHAP values; the error of a "
        "mean has -1/2.",
        f"n_b from {counts[0]} to {counts[-1]:,}, {draws} draws each, one tuned model of DGP 1.",
        ["n_b", "error of v_S", "error of SHAP values"],
        [[n, *(float(e) for e in error)] for n, error in zip(counts, errors, strict=True)],
        ["consistency"],
    )
    return finding, {"consistency": _picture(counts, errors)}


def _picture(counts: list[int], errors: Any) -> Figure:
    figure = Figure(figsize=(4.6, 3.4), layout="constrained")
    axes = figure.subplots()
    for k, (label, colour) in enumerate((("$v_S$", "#20639b"), ("SHAP values", "#b5541c"))):
        axes.loglog(counts, errors[:, k], marker="o", markersize=3, color=colour, label=label)
    line = errors[0, 0] * np.sqrt(counts[0] / np.array(counts))
    axes.loglog(counts, line, color="0.5", linestyle=":", label="slope -1/2")
    axes.set_xlabel("background rows")
    axes.set_ylabel("root mean squared error")
    axes.legend(frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
