"""Seconds of each step of each method on full random trees, on one thread: shortest of repeats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from benchmarks import timing
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell
from experiments.grown import Grown, grown

__all__ = ["CLOCKS", "clocked"]

Floats = NDArray[np.float64]
# By the processor's time, so that a busy machine does not count.
seconds = partial(timing.seconds, clock=process_time)
best_of = partial(timing.best_of, clock=process_time)
_FEW = 256  # background rows where their number does not count


def clocked(
    clock: str, n_b: int, n_e: int, depth: int, features: int, trees: int, budget: float
) -> Cell:
    """Return the seconds of one step of a method; see `CLOCKS`."""
    rng = np.random.default_rng(1)
    background, rows = (rng.normal(size=(n, features)) for n in (n_b, n_e))
    model = grown(trees, depth, features)
    return {"seconds": np.array(CLOCKS[clock](model, background, rows, budget))}


def _explainer(model: Grown, background: Any = None, **options: Any) -> fastpd.Explainer:
    return fastpd.Explainer(model.forest(), background, n_jobs=1, progress=False, **options)


def _fit(model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    empty = [_explainer(model) for _ in range(5)]
    return min(seconds(partial(one.update, background)) for one in empty)


def _tables(model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    made = []
    for _ in range(3):
        one = _explainer(model, background[:_FEW])
        first = seconds(lambda one=one: one.shap(rows[:1]))
        made.append(first - min(seconds(lambda one=one: one.shap(rows[:1])) for _ in range(3)))
    return max(min(made), 1e-9)


def _evaluation(model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    one = _explainer(model, background[:_FEW])
    one.shap(rows[:1])
    return best_of(lambda: one.shap(rows), budget)


def _friedman(model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    def explain() -> None:
        _explainer(model, measure=fastpd.measures.Path()).shap(rows)

    return best_of(explain, budget)


def _vanilla(model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    predict = _explainer(model, background[:1]).predict
    return best_of(lambda: fastpd.vanilla.values(predict, background, rows), budget)


def _shap(kind: str, model: Grown, background: Floats, rows: Floats, budget: float) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap

        over = {"data": shap.maskers.Independent(background, max_samples=len(background))}
        options = over if kind == "interventional" else {}
        one = shap.TreeExplainer(model.for_shap(), feature_perturbation=kind, **options)
    return best_of(lambda: one.shap_values(rows, check_additivity=False), budget)


CLOCKS: Mapping[str, Callable[[Grown, Floats, Floats, float], float]] = {
    "FastPD, background": _fit,
    "FastPD, tables": _tables,
    "FastPD, evaluation": _evaluation,
    "Friedman-path (fastpd)": _friedman,
    "VanillaPD": _vanilla,
    "TreeSHAP-path (shap)": partial(_shap, "tree_path_dependent"),
    "TreeSHAP-int (shap)": partial(_shap, "interventional"),
}
