"""SHAP of one row, warm, as a service would ask for it from Python."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import fastpd
from benchmarks.environment import all_threads
from benchmarks.models import LARGE, SMALL, rows_of, trained
from benchmarks.peers import predictor
from benchmarks.report import Column, Report, Table, Target

__all__ = ["measure"]

_COLUMNS: list[Column] = [("call", ""), ("minimum", "time"), ("median", "time"), ("99 %", "time")]


def measure(quick: bool) -> Report:
    """Time calls on one row, each on another row."""
    setup = SMALL if quick else LARGE
    model, X = trained(setup), rows_of(setup, setup.n_train)
    n_calls = 200 if quick else 3000
    rows, targets = list[list[Any]](), list[Target]()
    for n_threads in sorted({1, all_threads()}):
        threads = "one thread" if n_threads == 1 else f"{n_threads} threads"
        explainer = fastpd.Explainer(model, X, n_jobs=n_threads, progress=False)
        rows.append([f"fastpd shap, {threads}", *_calls(explainer.shap, X, n_calls)])
        run = predictor(model, n_threads)
        rows.append([f"XGBoost inplace_predict, {threads}", *_calls(run, X, n_calls)])
        median = rows[-2][2]
        targets.append(Target(f"median of fastpd shap, {threads}", median, 1e-3, "time"))
    title = f"One row of {setup.title}"
    return Report("latency", "Latency of one row", [Table(title, _COLUMNS, rows)], targets, quick)


def _calls(call: Callable[[Any], Any], X: Any, n_calls: int) -> list[float]:
    """Return the shortest, the middle and a slow time of calls, after some to warm up."""
    times = np.empty(n_calls)
    for i in range(-20, n_calls):
        row = X[i % len(X)][None]
        start = perf_counter()
        call(row)
        if i >= 0:
            times[i] = perf_counter() - start
    return [float(times.min()), float(np.median(times)), float(np.percentile(times, 99))]
