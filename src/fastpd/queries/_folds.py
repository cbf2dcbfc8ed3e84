"""How much answers vary with the background: folds of it, and the jackknife over them.

Every answer is linear in p_j, and p_j of a background is the weighted mean of those of its folds.
So the answer without a fold follows from that of the whole and that of the fold, and the
delete-a-group jackknife takes no counting beyond one pass over the background.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.measures import Empirical, Measure, Sample, merged
from fastpd.queries._engine import Cache, Engine, chunks_of

__all__ = ["Fold", "fold_of_row", "folds_of", "half_of", "jackknife"]

Floats = NDArray[np.float64]

_LEAST_SHARE = 1e-4  # of the weight that is left without a fold; rounding grows by its inverse


@dataclass(frozen=True, eq=False)
class Fold:
    """A part of the background.

    Attributes
    ----------
    engine
        The model with this part as its whole background.
    share
        Its share of the background's weight.
    """

    engine: Engine
    share: float


def fold_of_row(n_rows: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Deal rows to folds at random, so that an order that the rows came in means nothing."""
    order = np.random.default_rng(seed).permutation(n_rows)
    folds = np.empty(n_rows, dtype=np.int64)
    folds[order] = np.arange(n_rows) % n_folds
    return folds


def folds_of(engine: Engine, sample: Sample, n_folds: int, seed: int) -> tuple[Fold, ...]:
    """Return the background in folds of equal numbers of rows.

    Raises
    ------
    OptionError
        Where it has no rows any more, or too few of some weight.
    """
    whole = engine.measure
    if not isinstance(whole, Empirical):
        raise OptionError(
            f"the measure is {whole.name}; standard errors are those of a mean over a background."
        )
    kept = sample.rows()
    if kept is None:
        raise sample.refusal("standard errors take the rows of the background once more")
    rows, weights = kept
    if rows.n_rows < 2 * n_folds:
        raise OptionError(
            f"the background has {rows.n_rows} row{'s' * (rows.n_rows != 1)} for {n_folds} folds; "
            "expected at least two "
            "rows a fold. Give more rows, or fewer folds."
        )
    place = fold_of_row(rows.n_rows, n_folds, seed)
    totals = np.bincount(place, weights, n_folds)
    if np.count_nonzero(totals) < n_folds:
        raise OptionError(
            f"some of {n_folds} folds of the background have no weight; give fewer folds."
        )
    measures = [Empirical.nothing(engine.blocks)] * n_folds
    settings = engine.settings
    for start, stop in chunks_of(rows):
        chunk = rows.chunk(start, stop)
        for k in range(n_folds):
            mine = place[start:stop] == k
            measures[k] = measures[k].updated(
                chunk[mine],
                weights[start:stop][mine],
                memory_limit=settings.memory_limit,
                n_jobs=settings.n_jobs,
            )
    shares = totals / totals.sum()
    if shares.max() > 1 - _LEAST_SHARE:
        raise OptionError(
            f"one of {n_folds} folds of the background has all of its weight but a share of "
            f"{1 - shares.max():.2g}, so that hardly anything is left without it. Give weights "
            "that differ less, or fewer folds."
        )
    # All folds together keep no more tables than one engine does.
    kept_tables = settings.memory_limit // (n_folds + 2)
    return tuple(
        Fold(_with(engine, measure, kept_tables), float(share))
        for measure, share in zip(measures, shares, strict=True)
    )


def half_of(engine: Engine, folds: tuple[Fold, ...]) -> Engine:
    """Return the model with every second fold as its background."""
    limit = engine.settings.memory_limit
    parts = [fold.engine.measure for fold in folds[::2]]
    half = reduce(lambda one, other: merged(one, other, limit), parts)
    return _with(engine, half, limit // (len(folds) + 2))


def jackknife(whole: Floats, folds: tuple[Fold, ...], answer: Callable[[Engine], Floats]) -> Floats:
    """Return the standard error of an answer that is linear in the background's p_j.

    Parameters
    ----------
    whole
        The answer of the whole background.
    folds
        Its folds.
    answer
        Returns the same for an engine.
    """
    n = len(folds)
    total, squares = np.zeros_like(whole), np.zeros_like(whole)
    for fold in folds:
        # The answer without the fold, less that with it.
        change = fold.share / (1 - fold.share) * (whole - answer(fold.engine))
        total += change
        squares += change**2
    variance = (n - 1) / n * np.maximum(squares - total**2 / n, 0)
    return np.sqrt(variance)


def _with(engine: Engine, measure: Measure, limit: int) -> Engine:
    return replace(engine, measure=measure, cache=Cache(limit))
