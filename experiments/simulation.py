"""One simulation run: a tuned model, its true SHAP values and component, and their estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell, computed
from experiments.processes import Process
from experiments.size import Size
from experiments.tuning import tuned

__all__ = ["GRID", "SEARCHES", "TRUTH", "Setting", "estimates_of", "runs_of", "simulated"]

Floats = NDArray[np.float64]
GRID = np.linspace(-3, 3, 241)
SEARCHES = 8  # draws of parameters that fit, one number for all settings
TRUTH = (
    "Truth: exact probabilities of boxes under the normal distribution (2 covariates), or a "
    "background of a million fresh rows (7 and 8), whose own squared error is 1/2000 of that of "
    "500 rows and 1/200 of that of 5000."
)
_BACKGROUNDS = (50, 100, 500, 5000)
_MANY = 1_000_000  # rows that stand for the distribution where boxes have too many sides


@dataclass(frozen=True)
class Setting:
    """What a simulation draws: rows, their correlation and number of covariates, and from where."""

    n: int
    correlation: float
    covariates: int = 2
    process: str = "DGP 1"


def runs_of(setting: Setting, fits: int, size: Size) -> list[Cell]:
    """Return the runs of a setting, where so many fit into the time that there is."""
    searches = size.of_searches(SEARCHES)
    keys: Sequence[dict[str, Any]] = [
        {**asdict(setting), "searches": searches, "repeat": k} for k in range(size.of_repeats(fits))
    ]
    return computed(simulated, keys, size.jobs)


def simulated(
    n: int, correlation: float, covariates: int, process: str, searches: int, repeat: int
) -> Cell:
    """Return what one run finds; a cell that depends on its arguments alone.

    Arrays ``phi <estimate>`` hold the SHAP values of the first covariate at the training rows,
    ``m1 <estimate>`` its component on `GRID`.
    """
    source = Process(process, covariates)
    rng = np.random.default_rng([n, round(100 * correlation), covariates, repeat])
    X, y = source.draw(n, correlation, rng)
    # XGBoost sees float32, so that is where the model is explained.
    X = X.astype(np.float32).astype(np.float64)
    model = tuned(X, y, searches, seed=repeat)
    order = rng.permutation(n)
    cell: Cell = {"x1": X[:, 0]}
    for name, explainer in _explainers(model, source, correlation, X, order, rng).items():
        cell[f"phi {name}"] = explainer.shap(X).values[:, 0]
        cell[f"m1 {name}"] = explainer.effect(0).component(GRID)
    return cell


def estimates_of(n: int) -> list[str]:
    """Return the names of what is compared with the truth in a run of n rows."""
    return ["path", *(f"FastPD-{k}" for k in _BACKGROUNDS if k <= n)]


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
    for size in _BACKGROUNDS:
        if size <= len(X):
            part = X[np.sort(order[:size])]
            found[f"FastPD-{size}"] = fastpd.Explainer(model, part, **options)
    return found


def _truth(
    model: Any, process: Process, correlation: float, rng: np.random.Generator
) -> fastpd.Explainer:
    """Return the explainer of the model over the distribution itself."""
    if process.n_covariates == 2:
        measure = fastpd.measures.Gaussian(np.zeros(2), process.covariance(correlation))
        return fastpd.Explainer(model, measure=measure, n_jobs=1, progress=False)
    rows, _ = process.draw(_MANY, correlation, rng)
    return fastpd.Explainer(model, rows, n_jobs=1, progress=False)
