"""XGBoost tuned as in the paper: random search, each draw judged by 5-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

__all__ = ["tuned"]

Floats = NDArray[np.float64]
_FOLDS = 5


def tuned(X: Floats, y: Floats, searches: int, seed: int) -> Any:
    """Return the model of the best of some draws, fitted to all rows.

    Draws: nrounds of 1 to 1000, eta of 0.01 to 0.3, max_depth of 2 to 6, all uniform.
    """
    rng = np.random.default_rng(seed)
    fold = rng.permutation(len(y)) % _FOLDS
    # Made once, since a matrix keeps its histogram bins; xgb.cv would make them for every draw.
    parts = [
        (_matrix(X[fold != k], y[fold != k]), _matrix(X[fold == k], y[fold == k]))
        for k in range(_FOLDS)
    ]
    best: tuple[float, dict[str, Any], int] = (np.inf, {}, 0)
    for _ in range(searches):
        rounds = int(rng.integers(1, 1001))
        params = {
            "eta": float(rng.uniform(0.01, 0.3)),
            "max_depth": int(rng.integers(2, 7)),
            "nthread": 1,
            "seed": seed,
        }
        error = float(np.mean([_error(params, rounds, *part) for part in parts]))
        if error < best[0]:
            best = (error, params, rounds)
    return xgb.train(best[1], _matrix(X, y), best[2])


def _matrix(X: Floats, y: Floats) -> Any:
    return xgb.DMatrix(X, y, nthread=1)


def _error(params: dict[str, Any], rounds: int, fitted: Any, held: Any) -> float:
    """Return the mean squared error on rows that were held out."""
    found = xgb.train(params, fitted, rounds).predict(held)
    return float(np.mean((found - held.get_label()) ** 2))
