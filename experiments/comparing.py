"""One real data set: its tuned model, and the importance of components by each method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell
from experiments.realdata import Table, load
from experiments.search import drawn, fitted, searched
from fastpd.forest import import_model

__all__ = [
    "COVER",
    "FEW",
    "METHODS",
    "PATH",
    "WHOLE",
    "compared",
    "differences",
    "importances",
    "relative",
    "top",
    "tuned_model",
]

Floats = NDArray[np.float64]
WHOLE, PATH, COVER = "FastPD", "Friedman-path", "Friedman-path, model's cover"
FEW = {"FastPD-50": 50, "FastPD-100": 100}
METHODS = (WHOLE, PATH, *FEW, COVER)
_TOP = 5
_LONGEST = 5  # features of a component: no tree is deeper
_CHUNK = 1 << 25  # components at so many sets times rows at a time: memory only


def tuned_model(name: str, searches: int) -> Cell:
    """Return the model of the best draw for a set, as XGBoost's own bytes, and the search."""
    table, seed = load(name), crc32(name.encode())
    found = searched(table, drawn(searches, seed), seed)
    best = found.best
    model = fitted(table, best, seed)
    return {
        "model": np.frombuffer(bytes(model.save_raw("ubj")), dtype=np.uint8),
        "errors": found.errors,
        "rounds": np.array(best.rounds),
        **{key: np.array(value) for key, value in best.params.items()},
    }


def compared(name: str, searches: int, repeats: int, tuned: Cell) -> Cell:
    """Return the importance of the components that are among the top five of any method.

    Arrays ``<method>`` have a row for each component; of a subsampled background a column for
    each of some draws of it. ``sets`` has a component's features, and -1 after its last.

    Parameters
    ----------
    name, searches
        The data set, and what `tuned` was made with.
    repeats
        Draws of the subsampled backgrounds.
    tuned
        What `tuned_model` found.
    """
    table = load(name)
    model = xgb.Booster({"nthread": 1})
    model.load_model(bytearray(tuned["model"].tobytes()))
    found: dict[str, list[Floats]] = {}
    sets: list[tuple[int, ...]] = []
    for method, explainer in _explainers(import_model(model), table, repeats):
        sets, importance = importances(explainer, table.X, int(tuned["max_depth"]))
        found.setdefault(method, []).append(importance)
    columns = {method: np.column_stack(every) for method, every in found.items()}
    kept = np.any([top(every).any(axis=1) for every in columns.values()], axis=0)
    padded = [[*one, *[-1] * (_LONGEST - len(one))] for one in sets]
    return {
        "sets": np.array(padded, dtype=np.int64).reshape(-1, _LONGEST)[kept],
        "components": np.array(len(sets)),
        "searches": np.array(searches),
        "depth": tuned["max_depth"],
        "rounds": tuned["rounds"],
        **{method: values[kept] for method, values in columns.items()},
    }


def importances(
    explainer: fastpd.Explainer, X: NDArray[np.float32], order: int
) -> tuple[list[tuple[int, ...]], Floats]:
    """Return all components up to an order as sets of columns, and their means of abs(m_S)."""
    place = {name: k for k, name in enumerate(explainer.feature_names)}
    sets = sorted(tuple(place[k] for k in one) for one in explainer.components(X[:0], order))
    sums = dict.fromkeys(sets, 0.0)
    step = max(1, _CHUNK // max(1, len(sets)))
    for start in range(0, len(X), step):
        part = X[start : start + step]
        found = explainer.importance(part, order)
        for names, score in zip(found.names, found.scores, strict=True):
            sums[tuple(place[k] for k in names)] += float(score) * len(part)
    return sets, np.array([sums[one] for one in sets]) / len(X)


def top(importance: Floats) -> NDArray[np.bool_]:
    """Return which components (rows) are among the first five of every column."""
    place = np.argsort(np.argsort(-importance, axis=0, kind="stable"), axis=0)
    return place < _TOP


def differences(cell: Cell) -> dict[str, Floats]:
    """Return relative differences to FastPD by method: (components, draws of the backgrounds).

    They are NaN where a component is in the top five neither of the method, nor of FastPD, nor of
    the other methods that the paper compares, with this draw.
    """
    whole, n_draws = cell[WHOLE], cell[next(iter(FEW))].shape[1]
    tops = {name: top(cell[name]) | np.zeros(n_draws, dtype=bool) for name in METHODS}
    papers = np.logical_or.reduce([tops[name] for name in (WHOLE, PATH, *FEW)])
    return {
        name: np.where(papers | tops[name], relative(cell[name], whole), np.nan)
        for name in METHODS[1:]
    }


def relative(other: Floats, whole: Floats) -> Floats:
    """Return the relative difference of importances; none where both are zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(other == whole, 0.0, (other - whole) / whole)


def _explainers(
    model: fastpd.Forest, table: Table, repeats: int
) -> Iterator[tuple[str, fastpd.Explainer]]:
    """Yield explainers by method, those of a small background with one draw after the other."""
    options: dict[str, Any] = {"n_jobs": 1, "progress": False}
    if table.n_scores > 1:
        options["output"] = "sum"
    path = fastpd.measures.Path
    yield WHOLE, fastpd.Explainer(model, table.X, **options)
    yield PATH, fastpd.Explainer(model, measure=path(table.X), **options)
    yield COVER, fastpd.Explainer(model, measure=path(), **options)
    for repeat in range(repeats):
        order = np.random.default_rng([crc32(table.name.encode()), repeat]).permutation(
            len(table.X)
        )
        for name, size in FEW.items():
            yield name, fastpd.Explainer(model, table.X[np.sort(order[:size])], **options)
