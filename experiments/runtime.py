"""Figure "runtime": seconds against the number of rows, which are background and explained both."""

from __future__ import annotations

from functools import partial
from time import process_time
from typing import Any

import numpy as np
from benchmarks.environment import environment
from benchmarks.models import PAPER, rows_of, trained
from benchmarks.timing import growing, seconds
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from experiments.cells import Cell, computed
from experiments.findings import Finding
from experiments.rivals import Method, installed
from experiments.size import Size

__all__ = ["here", "run", "slope"]

_SIZES = tuple(range(1000, 8001, 1000))
_PAPERS = (1000, 8000)
_LABELLED = (1000, 2000, 4000, 8000)
_ROUNDS, _SLOW_ROUNDS = 30, 2
_BUDGET = 5.0  # seconds of a run that may have to be extended
Times = dict[str, NDArray[np.float64]]


def all_once(sizes: list[int], repeat: int) -> Cell:
    """Return the seconds of every method that is not quadratic at each size, taken in turns."""
    model = trained(PAPER)
    found: dict[str, list[float]] = {}
    for n in sizes:
        X = rows_of(PAPER, n)
        for method in installed():
            if not method.quadratic:
                method.prepare(model, X[:100])(X[:100])  # what is loaded once
                task = partial(method.prepare(model, X), X)
                found.setdefault(method.name, []).append(seconds(task, process_time))
    return {name: np.array(times) for name, times in found.items()}


def all_slow(n: int, repeat: int, budget: float) -> Cell:
    """Return the seconds of every quadratic method at a size, and on how many rows it was run."""
    model, X = trained(PAPER), rows_of(PAPER, n)
    found = dict[str, NDArray[np.float64]]()
    for method in installed():
        if method.quadratic:
            measured = growing(method.prepare(model, X), X, budget, first=1, clock=process_time)
            found[method.name] = np.array([measured.seconds, measured.n_run])
    return found


def here() -> str:
    """Return what the times were taken on."""
    found = environment()
    versions = [f"{name} {version}" for name, version in found["versions"].items()]
    return f"on {found['processor']}, {found['instructions']}, {', '.join(versions)}"


def slope(sizes: Any, times: Any) -> float:
    """Return the exponent of the power law that times follow."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Time all methods in one run, one process at a time."""
    sizes = [200, 400] if size.quick else [*_SIZES]
    mean, least, extended = _measured(sizes, size)
    rows = []
    for method in installed():
        name = method.name
        times = [
            "~" * extended.get(name, {}).get(n, False) + _time(one)
            for n, one in zip(sizes, mean[name], strict=True)
        ]
        exponents = [slope(sizes, found[name]) for found in (mean, least)]
        paper = [f"{one:g}" for one in method.paper] if method.paper else ["", ""]
        said = f"{slope(_PAPERS, method.paper):.2f}" if method.paper else ""
        rows.append([name, method.answers, *times, *(f"{e:.2f}" for e in exponents), *paper, said])
    columns = ["method", "finds", *(f"n = {n}" for n in sizes)]
    columns += ["exponent", "of minima", "paper, n = 1000", "paper, n = 8000", "its exponent"]
    finding = Finding(
        "runtime",
        "Figure 4 “runtime”: seconds against the number of rows",
        "VanillaPD and TreeSHAP-int grow with the square of the rows, FastPD and the method of "
        "Zern et al. linearly. FastPD finds all partial dependence functions in about the time in "
        "which that of Zern et al. finds SHAP values.",
        _outcome(sizes, mean),
        f"One XGBoost model of 20 trees of depth 5 on 8000 rows of DGP 2 (covariance 3 I + 3/5 J); "
        f"means of {size.of_repeats(_ROUNDS)} runs in turns (the paper: 100), of {_SLOW_ROUNDS} "
        f"for the quadratic methods; one thread each, in seconds of the processor, so that a busy "
        f"machine does not count, {here()}. The import of the model is left out for all; the pass "
        "over the background is counted. ~: the whole background, but fewer rows explained than n, "
        "extended linearly. The paper gives its times in the order in which its text names the "
        "methods, and does not say on how many threads they were taken.",
        columns,
        rows,
        ["runtime"],
    )
    return finding, {"runtime": _picture(sizes, mean, extended)}


def _measured(sizes: list[int], size: Size) -> tuple[Times, Times, dict[str, dict[int, bool]]]:
    """Return means and minima of all methods, and which of them were extended where."""
    rounds = computed(
        all_once, [{"sizes": sizes, "repeat": k} for k in range(size.of_repeats(_ROUNDS))], 1
    )
    mean = {name: np.mean([cell[name] for cell in rounds], axis=0) for name in rounds[0]}
    least = {name: np.min([cell[name] for cell in rounds], axis=0) for name in rounds[0]}
    budget = 0.2 if size.quick else _BUDGET
    repeats = 1 if size.quick else _SLOW_ROUNDS
    keys = [{"n": n, "repeat": k, "budget": budget} for n in sizes for k in range(repeats)]
    slow = computed(all_slow, keys, 1)
    extended = dict[str, dict[int, bool]]()
    for name in slow[0]:
        found = np.array([cell[name] for cell in slow]).reshape(len(sizes), repeats, 2)
        mean[name], least[name] = found[..., 0].mean(axis=1), found[..., 0].min(axis=1)
        rows_run = found[..., 1].min(axis=1)
        extended[name] = {n: bool(run < n) for n, run in zip(sizes, rows_run, strict=True)}
    return mean, least, extended


def _outcome(sizes: list[int], mean: Times) -> str:
    methods = {method.name: method for method in installed()}
    exponents = ", ".join(f"{name} {slope(sizes, mean[name]):.2f}" for name in methods)
    fast = mean["FastPD"][-1]
    times = ", ".join(
        f"{name} {_ratio(mean[name][-1] / fast)} times" for name in methods if name != "FastPD"
    )
    papers = [
        f"{_ratio(method.paper[1] / mean[name][-1])} for {name}"
        for name, method in methods.items()
        if method.paper
    ]
    absent = (
        ""
        if "Zern et al." in methods
        else " The method of Zern et al. is missing: its package pltreeshap is in no registry (pip "
        "finds no version of it); where it is installed, it is timed as well."
    )
    return (
        f"Exponents: {exponents}. Below 1 a share of the time, such as that of making tables, does "
        f"not depend on the rows. At n = {sizes[-1]} all components by FastPD take "
        f"{1000 * fast:.2f} ms; others take as long as {times}. The paper's time at n = 8000 over "
        f"that at n = {sizes[-1]} here is {', '.join(papers)}.{absent}"
    )


def _time(time: float) -> str:
    return f"{time:,.0f}" if time >= 100 else f"{time:.3g}"


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _picture(sizes: list[int], mean: Times, extended: dict[str, dict[int, bool]]) -> Figure:
    figure = Figure(figsize=(6.8, 6.0), layout="constrained")
    axes = figure.subplots()
    for method in installed():
        _line(axes, method, sizes, mean[method.name], extended.get(method.name, {}))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_xticks(sizes, [f"{n:,}" if n in _LABELLED else "" for n in sizes])
    axes.set_xlabel("rows, background and explained")
    axes.set_ylabel("seconds, mean")
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    marks = [
        Line2D([], [], color="0.3", marker="o", linestyle="", label="measured"),
        Line2D([], [], color="0.3", marker="o", linestyle="", mfc="white", label="extended"),
        Line2D([], [], color="0.3", marker="x", linestyle=":", label="in the paper"),
    ]
    lines = axes.get_legend_handles_labels()[0]
    figure.legend(
        handles=[*lines, *marks],
        loc="outside lower center",
        ncols=2,
        frameon=False,
        fontsize="small",
    )
    return figure


def _line(
    axes: Any, method: Method, sizes: list[int], times: Any, extended: dict[int, bool]
) -> None:
    axes.plot(sizes, times, color=method.colour, label=f"{method.name}: {method.answers}")
    for n, one in zip(sizes, times, strict=True):
        face = "white" if extended.get(n) else method.colour
        axes.plot(n, one, marker="o", markersize=5, color=method.colour, markerfacecolor=face)
    if method.paper and set(_PAPERS) <= set(sizes):
        axes.plot(_PAPERS, method.paper, color=method.colour, marker="x", linestyle=":", lw=0.8)
