"""One simulation run: a tuned model, its true SHAP values and component, and their estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell
from experiments.processes import FIRST, Process
from experiments.tuning import tuned

__all__ = ["BACKGROUNDS", "GRID", "estimates_of", "simulated"]

Floats = NDArray[np.float64]
GRID = np.linspace(-3, 3, 241)
BACKGROUNDS = (50, 100, 500, 5000)
_MANY = 1_000_000  # rows that stand for the distribution where boxes have too many sides


def simulated(n: int, correlation: float, covariates: int, searches: int, repeat: int) -> Cell:
    """Return what one run of DGP 1 finds; a cell that depends on its arguments alone.

    Arrays ``phi <estimate>`` hold the SHAP values of the first covariate at the training rows,
    ``m1 <estimate>`` its component on `GRID`.
    """
    process = Process("DGP 1", covariates)
    rng = np.random.default_rng([n, round(100 * correlation), covariates, repeat])
    X, y = process.draw(n, correlation, rng)
    # XGBoost sees float32, so that is where the model is explained.
    X = X.astype(np.float32).astype(np.float64)
    model = tuned(X, y, searches, seed=repeat)
    order = rng.permutation(n)
    cell: Cell = {"x1": X[:, 0]}
    for name, explainer in _explainers(model, process, correlation, X, order, rng).items():
        cell[f"phi {name}"] = explainer.shap(X).values[:, 0]
        cell[f"m1 {name}"] = explainer.effect(0).component(GRID)
    return cell


def estimates_of(n: int) -> list[str]:
    """Return the names of what is compared with the truth in a run of n rows."""
    return ["path", *(f"FastPD-{k}" for k in BACKGROUNDS if k <= n)]


def _explainers(
    model: Any,
    process: Process,
    correlation: float,
    X: Floats,
    order: NDArray[np.int64],
    rng: np.random.Generator,
) -> dict[str, fastpd.Explainer]:
    options: dict[str, Any] = {"n_jobs": 1, "progress": False}
    found = {
        "truth": _truth(model, process, correlation, rng),
        "path": fastpd.Explainer(model, measure=fastpd.measures.Path(), **options),
    }
    for size in BACKGROUNDS:
        if size <= len(X):
            part = X[np.sort(order[:size])]
            found[f"FastPD-{size}"] = fastpd.Explainer(model, part, **options)
    return found


def _truth(
    model: Any, process: Process, correlation: float, rng: np.random.Generator
) -> fastpd.Explainer:
    """Return the explainer of the model over the distribution itself."""
    if process.n_covariates == FIRST.n_covariates:
        mean, covariance = np.zeros(2), process.covariance(correlation)
        measure = fastpd.measures.Gaussian(mean, covariance)
        return fastpd.Explainer(model, measure=measure, n_jobs=1, progress=False)
    rows, _ = process.draw(_MANY, correlation, rng)
    return fastpd.Explainer(model, rows, n_jobs=1, progress=False)
