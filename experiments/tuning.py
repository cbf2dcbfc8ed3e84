"""XGBoost tuned as in the paper: random search, each draw judged by 5-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

__all__ = ["tuned"]

Floats = NDArray[np.float64]


def tuned(X: Floats, y: Floats, searches: int, seed: int) -> Any:
    """Return the model of the best of some draws, fitted to all rows.

    Draws: nrounds of 1 to 1000, eta of 0.01 to 0.3, max_depth of 2 to 6, all uniform.
    """
    rng = np.random.default_rng(seed)
    data = xgb.DMatrix(X, y, nthread=1)
    best: tuple[float, dict[str, Any], int] = (np.inf, {}, 0)
    for _ in range(searches):
        rounds = int(rng.integers(1, 1001))
        params = {
            "eta": float(rng.uniform(0.01, 0.3)),
            "max_depth": int(rng.integers(2, 7)),
            "nthread": 1,
            "seed": seed,
        }
        error = xgb.cv(params, data, rounds, nfold=5, as_pandas=False, seed=seed)["test-rmse-mean"][
            -1
        ]
        if error < best[0]:
            best = (error, params, rounds)
    return xgb.train(best[1], data, best[2])
