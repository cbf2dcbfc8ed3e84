"""Whether intervals from standard errors hold the truth as often as they say, in simulation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import xgboost as xgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

import fastpd
from experiments.cells import Cell, computed
from experiments.findings import Finding
from experiments.processes import FIRST
from experiments.size import Size

__all__ = ["held_of", "run"]

_RHO, _LEVEL, _FITS = 0.3, 0.95, 400
_BACKGROUNDS, _FOLDS = (100, 500, 2000), (10, 20)
_GRID = np.linspace(-2, 2, 41)
_POINTS = 30
_KINDS = ("v_1, the band of effect plots", "m_1", "v_S of three sets", "SHAP values")
_OPTIONS: dict[str, Any] = {"n_jobs": 1, "progress": False, "precision": "double"}


def held_of(n_background: int, folds: int, draw: int) -> Cell:
    """Return for one background the share of answers whose interval holds the truth, by kind."""
    model, points = _model()
    rng = np.random.default_rng([n_background, draw])
    background, _ = FIRST.draw(n_background, _RHO, rng)
    ex = fastpd.Explainer(model, background, **_OPTIONS)
    errors = ex.standard_errors(folds)
    found, width = _answers(ex, points), _answers(errors, points)
    shares = []
    for true, one, error in zip(_true(), found, width, strict=True):
        known = error > 1e-9  # what no background changes is certain
        within = np.abs(one - true) <= errors.factor(_LEVEL) * error
        shares.append(float(within[known].mean()))
    return {"held": np.array(shares)}


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Count over many backgrounds how often nominal 95 % intervals hold the truth."""
    draws = size.of_repeats(_FITS)
    rows, shown = list[list[Any]](), dict[tuple[int, int], NDArray[np.float64]]()
    for n in _BACKGROUNDS[: 1 if size.quick else None]:
        for folds in _FOLDS:
            keys = [{"n_background": n, "folds": folds, "draw": k} for k in range(draws)]
            held = np.array([cell["held"] for cell in computed(held_of, keys, size.jobs)])
            mean, error = held.mean(axis=0), held.std(axis=0) / np.sqrt(draws)
            shown[n, folds] = np.stack([mean, error])
            cells = [f"{a:.3f} ({b:.3f})" for a, b in zip(mean, error, strict=True)]
            rows.append([n, folds, *cells])
    every = np.array([mean for mean, _ in shown.values()])
    finding = Finding(
        "coverage",
        "Bands: how often nominal 95 % intervals hold the truth",
        "The paper advises to check whether the background is large enough by a larger one. "
        "`Explainer.standard_errors` answers this without one; its bands must hold the model's own "
        "answers over the distribution as often as they say.",
        f"Nominal 95 % intervals held between {every.min():.1%} and {every.max():.1%} of the "
        f"true answers; {every.mean():.1%} on average over the table.",
        f"A model of DGP 1 (100 trees of depth 4, correlation {_RHO}), truth by exact "
        f"probabilities, {draws} backgrounds of each size. Intervals: `factor(0.95)` standard "
        f"errors; v_1 and m_1 on {len(_GRID)} points of the axis from -2 to 2, the others at "
        f"{_POINTS} rows. In brackets the standard error over backgrounds.",
        ["n_b", "folds", *_KINDS],
        rows,
        ["coverage"],
    )
    return finding, {"coverage": _picture(shown)}


@cache
def _model() -> tuple[Any, NDArray[np.float64]]:
    """Return the model, and rows to explain."""
    X, y = FIRST.draw(2000, _RHO, np.random.default_rng(11))
    data = xgb.DMatrix(X, y, nthread=1)
    params = {"max_depth": 4, "eta": 0.1, "nthread": 1, "seed": 0}
    return xgb.train(params, data, 100), X[:_POINTS]


@cache
def _true() -> list[NDArray[np.float64]]:
    model, points = _model()
    measure = fastpd.measures.Gaussian(np.zeros(2), FIRST.covariance(_RHO))
    ex = fastpd.Explainer(model, measure=measure, **_OPTIONS)
    return _answers(ex, points)


def _answers(of: Any, points: Any) -> list[NDArray[np.float64]]:
    """Return all answers, or of standard errors those of all answers."""
    effect, phi = of.effect(0), of.shap(points)
    values = of.value([(), (0,), (1,)], points)
    return [effect.pd(_GRID), effect.component(_GRID), values, getattr(phi, "values", phi)]


def _picture(shown: dict[tuple[int, int], NDArray[np.float64]]) -> Figure:
    figure = Figure(figsize=(6.2, 3.4), layout="constrained")
    axes = figure.subplots()
    colours = ("#20639b", "#7fa8c9", "#4a8c5c", "#b5541c")
    places = np.arange(len(shown))
    for k, (kind, colour) in enumerate(zip(_KINDS, colours, strict=True)):
        held, error = np.array([one[:, k] for one in shown.values()]).T
        at = places + 0.12 * (k - 1.5)
        axes.errorbar(at, held, 2 * error, fmt="o", ms=5, lw=0.9, color=colour, label=kind)
    axes.axhline(_LEVEL, color="0.4", linestyle=":", linewidth=0.9)
    axes.set_xticks(places, [f"$n_b$ = {n}\n{folds} folds" for n, folds in shown], fontsize="small")
    axes.set_ylim(0.9, 1.0)
    axes.set_ylabel("share of intervals\nthat hold the truth")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    return figure
