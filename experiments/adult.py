"""Figure "adult": how age and relationship interact, by FastPD and along the paths."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import xgboost as xgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell, computed
from experiments.findings import Finding
from experiments.realdata import Table
from experiments.search import Draw, fitted, searched
from experiments.size import Size
from fastpd.datasets import adult

__all__ = [
    "METHODS",
    "complete",
    "draw_of",
    "interaction",
    "mean_of",
    "persons",
    "run",
    "tuning",
]

METHODS = ("FastPD", "Friedman-path", "Friedman-path, model's cover")
_GRID = {
    "max_depth": (3, 4, 5, 6, 7),
    "eta": (0.01, 0.05, 0.1),
    "rounds": (100, 200, 300),
    "min_child_weight": (1, 3, 5),
    "subsample": (0.6, 0.8, 1.0),
    "colsample_bytree": (0.6, 0.8, 1.0),
}
_PAPERS = (6, 0.05, 100, 1, 0.8, 0.6)  # what the paper's search found, in the order of the grid
_AGES = np.arange(17, 91)
_PRIME = (25, 54)  # prime working age, as labour statistics have it
_BANDS = ((17, 24), (25, 34), (35, 44), (45, 54), (55, 64), (65, 90))
_SHOWN = (("Husband", "#20639b"), ("Wife", "#b5541c"))


def tuning(searches: int, quick: bool) -> Cell:
    """Return the best of random draws of the paper's grid, as its place in the grid."""
    grid = list(product(*_GRID.values()))
    chosen = np.random.default_rng(0).choice(len(grid), size=searches, replace=False)
    found = searched(complete(quick), [draw_of(grid[k]) for k in chosen], seed=0)
    return {"best": np.array(grid[chosen[np.argmin(found.errors)]]), "errors": found.errors}


def interaction(values: list[float], seed: int, quick: bool) -> Cell:
    """Return the component of age and relationship, at all ages and labels, by each method."""
    table = complete(quick)
    model = fitted(table, draw_of(tuple(values)), seed)
    at = (table.features.index("age"), table.features.index("relationship"))
    ages, codes = np.meshgrid(_AGES, np.arange(len(adult().categories["relationship"])))
    return {
        name: explainer.effect(*at).component(ages.ravel(), codes.ravel()).reshape(ages.shape)
        for name, explainer in zip(METHODS, _explainers(model, table), strict=True)
    }


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Test the claim about husbands and wives on several fits of two models."""
    fits, searches = size.of_repeats(20), size.of_searches(25)
    best = computed(tuning, [{"searches": searches, "quick": size.quick}], size.jobs)[0]["best"]
    models = {"tuned here": tuple(best.tolist()), "the paper's parameters": _PAPERS}
    keys = [
        {"values": list(values), "seed": seed, "quick": size.quick}
        for values in models.values()
        for seed in range(fits)
    ]
    found = computed(interaction, keys, size.jobs)
    cells = {model: found[k * fits : (k + 1) * fits] for k, model in enumerate(models)}
    people = persons(complete(size.quick))
    rows = [
        [model, method, label, low, high, int(_weights(people, label, (low, high)).sum()), *pair]
        for model in models
        for method in METHODS
        for label, _ in _SHOWN
        for low, high in (_PRIME, *_BANDS)
        for pair in [_mean_and_spread(cells[model], people, method, label, (low, high))]
    ]
    finding = Finding(
        "adult",
        "Figure “adult”: the interaction of age and relationship",
        "At prime working age FastPD shows a slight positive effect on income for husbands, close "
        "to zero or slightly negative for wives; Friedman-path estimates zero for both.",
        " ".join(_said(model, cells[model], people) for model in models),
        _sizes(models, searches, fits, int(people.sum())),
        ["model", "method", "relationship", "from age", "to age", "persons", "mean", "sd of fits"],
        rows,
        ["adult"],
    )
    return finding, {"adult": _picture(cells, people)}


def complete(quick: bool) -> Table:
    """Return the rows without missing values; categories are ordinal codes already."""
    data = adult()
    whole = ~np.isnan(data.X).any(axis=1)
    X, y = data.X[whole].astype(np.float32), data.y[whole].astype(np.float64)
    rows = slice(2000 if quick else None)
    return Table("adult", "CC18", X[rows], y[rows], data.columns, 2)


def draw_of(values: tuple[float, ...]) -> Draw:
    """Return the parameters at a place of the grid, given in the grid's order."""
    params: dict[str, Any] = dict(zip(_GRID, values, strict=True))
    rounds = int(params.pop("rounds"))
    return Draw(rounds, params | {"max_depth": int(params["max_depth"])})


def _explainers(model: xgb.Booster, table: Table) -> list[fastpd.Explainer]:
    path = fastpd.measures.Path
    options: dict[str, Any] = {"n_jobs": 1, "progress": False}
    return [
        fastpd.Explainer(model, table.X, **options),
        fastpd.Explainer(model, measure=path(table.X), **options),
        fastpd.Explainer(model, measure=path(), **options),
    ]


def persons(table: Table) -> NDArray[np.int64]:
    """Return how many persons there are of every relationship and age."""
    ages = table.X[:, table.features.index("age")].astype(int) - _AGES[0]
    codes = table.X[:, table.features.index("relationship")].astype(int)
    counts = np.zeros((len(adult().categories["relationship"]), len(_AGES)), dtype=np.int64)
    np.add.at(counts, (codes, ages), 1)
    return counts


def _code(label: str) -> int:
    return adult().categories["relationship"].index(label)


def _weights(people: NDArray[np.int64], label: str, ages: tuple[int, int]) -> NDArray[np.int64]:
    return people[_code(label)] * np.isin(_AGES, np.arange(ages[0], ages[1] + 1))


def mean_of(
    cell: Cell, people: NDArray[np.int64], method: str, label: str, ages: tuple[int, int]
) -> float:
    """Return the mean of the component over the persons of a label and of some ages."""
    weights = _weights(people, label, ages)
    return float(np.average(cell[method][_code(label)], weights=weights))


def _mean_and_spread(
    cells: list[Cell], people: NDArray[np.int64], method: str, label: str, ages: tuple[int, int]
) -> tuple[float, float]:
    means = [mean_of(cell, people, method, label, ages) for cell in cells]
    return float(np.mean(means)), float(np.std(means))


def _said(model: str, cells: list[Cell], people: NDArray[np.int64]) -> str:
    parts = []
    for method in METHODS:
        (husbands, of_husbands), (wives, of_wives) = (
            _mean_and_spread(cells, people, method, label, _PRIME) for label, _ in _SHOWN
        )
        parts.append(
            f"{method} {husbands:+.3f} (sd {of_husbands:.3f}) for husbands and {wives:+.3f} "
            f"(sd {of_wives:.3f}) for wives"
        )
    ages = [band for band in _BANDS if _PRIME[0] <= band[0] < _PRIME[1]]
    bands = ", ".join(
        f"{_mean_and_spread(cells, people, METHODS[0], 'Wife', band)[0]:+.3f} at {band[0]} to "
        f"{band[1]}"
        for band in ages
    )
    return (
        f"Mean component at ages {_PRIME[0]} to {_PRIME[1]}, {model}: {'; '.join(parts)}. FastPD "
        f"for wives by age: {bands}."
    )


def _sizes(models: dict[str, tuple[float, ...]], searches: int, fits: int, persons: int) -> str:
    values = ", ".join(
        f"{name} = {value:g}" for name, value in zip(_GRID, models["tuned here"], strict=True)
    )
    return (
        f"{persons:,} persons without missing values, {searches} draws of the paper's grid (the "
        f"paper: 25), judged by log loss on 5 folds; the best: {values}. {fits} fits of either "
        "model, each with a seed of its own. Log-odds; weighted by the persons of each age. The "
        "paper gives neither the order of its codes nor a seed."
    )


def _picture(cells: dict[str, list[Cell]], people: NDArray[np.int64]) -> Figure:
    figure = Figure(figsize=(7.6, 6.0), layout="constrained")
    grid = figure.subplots(len(cells), 2, sharex=True, sharey=True)
    for line, (model, fits) in zip(grid, cells.items(), strict=True):
        for axes, method in zip(line, METHODS[:2], strict=True):
            _draw_steps(axes, [cell[method] for cell in fits], people)
            axes.set_title(f"{method}, {model}", fontsize="small")
        line[0].set_ylabel("component, log-odds")
    for axes in grid[-1]:
        axes.set_xlabel("age")
    grid[0, 0].legend(frameon=False, fontsize="small", loc="lower left")
    return figure


def _draw_steps(axes: Any, fits: list[NDArray[Any]], people: NDArray[np.int64]) -> None:
    """Draw the first fit where there are persons of that age, and the range of all behind it."""
    edges = np.append(_AGES, _AGES[-1] + 1) - 0.5
    axes.axvspan(_PRIME[0] - 0.5, _PRIME[1] + 0.5, color="0.94")
    axes.axhline(0, color="0.6", linewidth=0.7)
    for label, colour in _SHOWN:
        at = _code(label)
        low, high = np.min(fits, axis=0)[at], np.max(fits, axis=0)[at]
        axes.stairs(high, edges, baseline=low, fill=True, color=colour, alpha=0.2, linewidth=0)
        known = np.where(people[at] > 0, fits[0][at], np.nan)
        axes.stairs(known, edges, color=colour, label=label, linewidth=1.6, baseline=None)
    axes.spines[["top", "right"]].set_visible(False)
