"""Path-dependent SHAP values: the same numbers as other tools give, at the cost of lookups."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

import fastpd
from benchmarks.environment import all_threads
from benchmarks.models import FLOAT32, LARGE, SMALL, rows_of, trained
from benchmarks.report import Column, Report, Table, Target, almost
from benchmarks.timing import best_of, seconds

__all__ = ["measure"]

Answer = Callable[[FLOAT32], NDArray[Any]]

_COLUMNS: list[Column] = [
    ("who", ""),
    ("model", ""),
    ("time", "time"),
    ("fastpd", "time"),
    ("time / fastpd", "ratio"),
    ("largest difference", "error"),
]
_NOTE = (
    "fastpd: `Explainer(model, measure=measures.Path()).shap(X)`, all tables made anew. "
    "Differences are shares of the prediction's range."
)


def measure(quick: bool) -> Report:
    """Time path-dependent SHAP values and interactions beside those of each model's own library."""
    setup = SMALL if quick else LARGE
    X = rows_of(setup, 1000 if quick else 10_000)
    tables, targets = [], list[Target]()
    for n_threads in sorted({1, all_threads()}):
        rows = [
            _row(who, model, answer, ours, X, n_threads)
            for who, model, answer, ours in _rivals(setup, n_threads)
        ]
        threads = "one thread" if n_threads == 1 else f"{n_threads} threads"
        title = f"{setup.title}, {len(X):,} rows, {threads}"
        tables.append(Table(title, _COLUMNS, rows, _NOTE))
        for row in rows:
            targets.append(Target(f"{row[0]} / fastpd, {threads}", row[4], 1.0, "ratio", False))
            targets.append(Target(f"agreement with {row[0]}", row[5], 1e-5, "error", check=True))
    return Report("paths", "Path-dependent SHAP values", tables, targets, quick)


def _row(
    who: str, model: Any, answer: Answer, ours: Callable[[Any, FLOAT32], Any], X: FLOAT32, n: int
) -> list[Any]:
    def explain() -> Any:
        path = fastpd.measures.Path()
        return ours(fastpd.Explainer(model, measure=path, n_jobs=n, progress=False), X)

    mine = best_of(explain, 2.0, 3, 20)
    few = X[: max(1, len(X) // 50)]
    # The slow ones are linear in the rows, so a share of these is enough.
    theirs = seconds(lambda: answer(few)) * len(X) / len(few)
    extended = theirs > 60
    if not extended:
        theirs = best_of(lambda: answer(X), 2.0, 1, 3)
    part = X[:200]
    phi = ours(fastpd.Explainer(model, measure=fastpd.measures.Path(), progress=False), part)
    expected = answer(part)
    spread = float(np.ptp(expected.reshape(len(part), -1).sum(axis=1)))
    apart = float(np.abs(phi - expected).max()) / spread
    kind = type(model).__module__.partition(".")[0]
    return [who, kind, almost(theirs) if extended else theirs, mine, theirs / mine, apart]


def _shap(ex: fastpd.Explainer, X: FLOAT32) -> NDArray[Any]:
    return ex.shap(X).values


def _pairs(ex: fastpd.Explainer, X: FLOAT32) -> NDArray[Any]:
    """Return the matrix of interaction values, which halves each pair's and adds up to SHAP's."""
    found = ex.interactions(X, order=2, index="SII")
    d = len(ex.feature_names)
    matrix = np.zeros((len(X), d, d))
    for names in found:
        if len(names) == 2:
            a, b = (ex.feature_names.index(name) for name in names)
            matrix[:, a, b] = matrix[:, b, a] = found[names] / 2
    inside = ex.shap(X).values - matrix.sum(axis=2)
    matrix[:, np.arange(d), np.arange(d)] = inside
    return matrix


def _rivals(setup: Any, n: int) -> list[tuple[str, Any, Answer, Any]]:
    booster = trained(setup)
    booster.set_param({"nthread": n})

    def contributions(X: FLOAT32) -> NDArray[Any]:
        return np.asarray(booster.predict(xgb.DMatrix(X, nthread=n), pred_contribs=True)[:, :-1])

    def interactions(X: FLOAT32) -> NDArray[Any]:
        matrix = booster.predict(xgb.DMatrix(X, nthread=n), pred_interactions=True)
        return np.asarray(matrix[:, :-1, :-1])

    rivals: list[tuple[str, Any, Answer, Any]] = [
        ("XGBoost pred_contribs", booster, contributions, _shap),
        ("XGBoost pred_interactions", booster, interactions, _pairs),
    ]
    if importlib.util.find_spec("shap") and n == 1:
        import shap

        explainer = shap.TreeExplainer(booster, feature_perturbation="tree_path_dependent")
        rivals.append(("shap, path-dependent", booster, lambda X: explainer.shap_values(X), _shap))
    if importlib.util.find_spec("lightgbm"):
        rivals.append(_lightgbm(setup, n))
    return rivals


def _lightgbm(setup: Any, n: int) -> tuple[str, Any, Answer, Any]:
    import lightgbm as lgb

    X = rows_of(setup, setup.n_train)
    y = trained(setup).predict(xgb.DMatrix(X))
    params = {"num_leaves": 2**setup.depth, "max_depth": setup.depth, "verbose": -1}
    params |= {"num_threads": n, "seed": 0, "deterministic": True}
    model = lgb.train(params, lgb.Dataset(X, y), setup.n_trees)

    def contributions(rows: FLOAT32) -> NDArray[Any]:
        return np.asarray(model.predict(rows, pred_contrib=True, num_threads=n))[:, :-1]

    return ("LightGBM pred_contrib", model, contributions, _shap)
