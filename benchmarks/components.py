"""Order-2 components of many rows: lookups, whose cost must not depend on the number of trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import fastpd
from benchmarks.environment import all_threads
from benchmarks.models import FLOAT32, LARGE, SMALL, rows_of, trained
from benchmarks.peers import predictor
from benchmarks.report import Column, Report, Table, Target
from benchmarks.timing import best_of, seconds

__all__ = ["measure"]

_COLUMNS: list[Column] = [
    ("trees", "count"),
    ("components", "count"),
    ("compiling", "time"),
    ("float64", "time"),
    ("float32", "time"),
    ("XGBoost inplace_predict", "time"),
    ("float64 / inplace_predict", "ratio"),
]


def measure(quick: bool) -> Report:
    """Time components of one million rows for growing numbers of trees."""
    setup = SMALL if quick else replace(LARGE, n_trees=800)
    counts = [5, 10, 20] if quick else [100, 200, 400, 800]
    background, X = rows_of(setup, setup.n_train), rows_of(setup, 20_000 if quick else 1_000_000)
    tables, targets = list[Table](), list[Target]()
    for n_threads in sorted({1, all_threads()}):
        rows = [_row(trained(setup)[:k], k, background, X, n_threads) for k in counts]
        threads = "one thread" if n_threads == 1 else f"{n_threads} threads"
        size = f"{len(X):,} rows, depth {setup.depth}, {setup.n_features} features"
        tables.append(Table(f"Order-2 components of {size}, {threads}", _COLUMNS, rows, _NOTE))
        targets += _targets(rows, threads, SMALL.n_trees if quick else LARGE.n_trees)
    targets.append(_check(trained(setup)[: counts[1]], background))
    return Report("components", "Components up to order 2", tables, targets, quick)


_NOTE = "compiling = making the step functions, once an explainer; the rest is the warm evaluation."


def _row(model: Any, n_trees: int, background: FLOAT32, X: FLOAT32, n_threads: int) -> list[Any]:
    run = predictor(model, n_threads)
    predict = best_of(lambda: run(X), 3.0, 2, 10)
    explainer = fastpd.Explainer(model, background, n_jobs=n_threads, progress=False)
    first = seconds(lambda: explainer.components(X[:1]))
    warm = min(seconds(lambda: explainer.components(X[:1])) for _ in range(3))
    size = len(explainer.components(X[:1]))
    double = best_of(lambda: explainer.components(X), 8.0, 3, 10)
    single = best_of(lambda: explainer.components(X, dtype=np.float32), 4.0, 3, 10)
    return [n_trees, size, first - warm, double, single, predict, double / predict]


def _targets(rows: list[list[Any]], threads: str, n_trees: int) -> list[Target]:
    ratio = next(row[-1] for row in rows if row[0] == n_trees)
    few, *_, many = rows
    growth = many[3] / few[3]
    what = f"time with {many[0]} trees / with {few[0]}, {threads}"
    return [
        Target(f"evaluation / inplace_predict, {n_trees} trees, {threads}", ratio, 1.0, "ratio"),
        Target(what, growth, 1.25, "ratio"),
    ]


def _check(model: Any, background: FLOAT32) -> Target:
    """Components and remainder must add up to what XGBoost predicts."""
    parts = fastpd.Explainer(model, background, progress=False).components(background)
    total = parts.intercept + parts.array.sum(axis=1) + parts.remainder
    raw = predictor(model, 1)(background)
    error = float(np.abs(total - raw).max() / np.ptp(raw))
    what = "components and remainder add up to the prediction"
    return Target(what, error, 1e-5, "error", check=True)
