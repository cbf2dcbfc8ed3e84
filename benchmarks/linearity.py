"""How the cost grows with the rows: fit with the background, evaluation with what is explained."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import fastpd
from benchmarks.models import LARGE, PAPER, SMALL, Setup, rows_of, trained
from benchmarks.report import Column, Report, Table, Target
from benchmarks.timing import best_of, seconds

__all__ = ["measure"]

_COLUMNS: list[Column] = [
    ("rows", "count"),
    ("fit", "time"),
    ("fit, a row", "time"),
    ("evaluation", "time"),
    ("evaluation, a row", "time"),
]


def measure(quick: bool) -> Report:
    """Time fit and evaluation over a range of rows; fit a slope on logarithmic axes."""
    tables, targets = list[Table](), list[Target]()
    for setup in [SMALL] if quick else [PAPER, LARGE]:
        sizes = [1000 * 4**k for k in range(3)] if quick else [10_000 * 2**k for k in range(7)]
        rows = [_row(setup, n, 0.2 if quick else 2.0) for n in sizes]
        slopes = {"fit": _slope(rows, 1), "evaluation": _slope(rows, 3)}
        note = ", ".join(f"slope of {name}: {slope:.3f}" for name, slope in slopes.items())
        tables.append(Table(f"{setup.title}, one thread", _COLUMNS, rows, note + "."))
        targets += [
            Target(f"log-log slope of {name} in its rows: {setup.title}", slope, 1.1, "number")
            for name, slope in slopes.items()
        ]
    return Report("linearity", "Growth with the number of rows", tables, targets, quick)


def _row(setup: Setup, n_rows: int, budget: float) -> list[Any]:
    """Time a background of this size, and the evaluation of this many rows."""
    model, X = trained(setup), rows_of(setup, n_rows)
    empty = [fastpd.Explainer(model, n_jobs=1, progress=False) for _ in range(3)]
    fit = min(seconds(partial(one.update, X)) for one in empty)
    explainer = empty[0]
    explainer.shap(X[:1])
    evaluation = best_of(lambda: explainer.shap(X), budget, 3, 20)
    return [n_rows, fit, fit / n_rows, evaluation, evaluation / n_rows]


def _slope(rows: Sequence[Sequence[Any]], column: int) -> float:
    sizes = np.log([row[0] for row in rows])
    times = np.log([row[column] for row in rows])
    return float(np.polyfit(sizes, times, 1)[0])
