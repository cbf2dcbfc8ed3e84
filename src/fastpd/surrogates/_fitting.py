"""Tree ensembles fitted to given predictions, tuned by cross-validation over random draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported

__all__ = ["FITTERS", "Fitted"]

Floats = NDArray[np.float64]
Fitted = tuple[Any, Callable[[Any], Floats], Mapping[str, Any]]
_MOST_ROUNDS = 2000
_PATIENCE = 30  # rounds without a smaller error after which boosting stops


def fit_xgboost(
    X: Any, y: Floats, weights: Floats | None, *, trials: int, folds: int, seed: int, n_jobs: int
) -> Fitted:
    """Return an XGBoost model, its predictions of a table, and its parameters."""
    xgb = imported("xgboost", "a surrogate by XGBoost")
    data = xgb.DMatrix(X, y, weight=weights, enable_categorical=True, nthread=n_jobs)
    rng = np.random.default_rng(seed)
    best: tuple[float, dict[str, Any]] = (np.inf, {})
    for _ in range(trials):
        params = {
            "max_depth": int(rng.integers(2, 9)),
            "eta": float(np.exp(rng.uniform(np.log(0.03), np.log(0.3)))),
            "min_child_weight": float(np.exp(rng.uniform(0, np.log(20)))),
            "subsample": float(rng.uniform(0.6, 1.0)),
            "lambda": float(np.exp(rng.uniform(np.log(0.01), np.log(10)))),
            "nthread": n_jobs,
            "seed": seed,
        }
        history = xgb.cv(
            params,
            data,
            num_boost_round=_MOST_ROUNDS,
            nfold=folds,
            early_stopping_rounds=_PATIENCE,
            as_pandas=False,
            seed=seed,
        )["test-rmse-mean"]
        if history[-1] < best[0]:
            best = (history[-1], {**params, "rounds": len(history)})
    chosen = dict(best[1])
    booster = xgb.train(chosen, data, chosen.pop("rounds"))

    def predict(rows: Any) -> Floats:
        return np.asarray(booster.predict(xgb.DMatrix(rows, enable_categorical=True)), np.float64)

    return booster, predict, best[1]


def fit_sklearn(
    X: Any, y: Floats, weights: Floats | None, *, trials: int, folds: int, seed: int, n_jobs: int
) -> Fitted:
    """Return scikit-learn's histogram-based gradient boosting, as `fit_xgboost` does."""
    ensemble = imported("sklearn.ensemble", "a surrogate by scikit-learn")
    selection = imported("sklearn.model_selection", "a surrogate by scikit-learn")
    stats = imported("scipy.stats", "a surrogate by scikit-learn")
    search = selection.RandomizedSearchCV(
        ensemble.HistGradientBoostingRegressor(
            max_iter=_MOST_ROUNDS,
            early_stopping=True,
            n_iter_no_change=_PATIENCE,
            categorical_features="from_dtype",
            random_state=seed,
        ),
        {
            "learning_rate": stats.loguniform(0.03, 0.3),
            "max_leaf_nodes": stats.randint(4, 64),
            "min_samples_leaf": stats.randint(5, 40),
            "l2_regularization": stats.loguniform(0.01, 10),
        },
        n_iter=trials,
        cv=selection.KFold(folds, shuffle=True, random_state=seed),
        n_jobs=n_jobs,
        random_state=seed,
    )
    search.fit(X, y, sample_weight=weights)

    def predict(rows: Any) -> Floats:
        return np.asarray(search.best_estimator_.predict(rows), np.float64)

    return search.best_estimator_, predict, search.best_params_


FITTERS: Mapping[str, Callable[..., Fitted]] = {"xgboost": fit_xgboost, "sklearn": fit_sklearn}
