"""Asking an explainer for all that a report says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import fastpd
from fastpd.errors import FastPDError, MemoryLimitError, OptionError
from fastpd.frames import Rows
from fastpd.report._checks import Feature, notes_of, pair_supports
from fastpd.report._data import Curve, Lost, PairSupport, ReportData, Summary
from fastpd.report._orders import Pass, by_output, orders_of, pass_over
from fastpd.report._pictures import curves_of, effects_of, maps_of, seen_curves
from fastpd.report._rows import shares_of
from fastpd.report._scores import scores_of, target
from fastpd.report._sources import Asked, Ground, Sources, check_outputs, ground_of
from fastpd.report._stories import chosen_rows, stories_of
from fastpd.report._values import texts_of_rows, texts_of_steps
from fastpd.results import Adequacy, Effect, HStatistic, Importance

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["gather"]

Floats = NDArray[np.float64]
_COMPARED = 12  # features that are compared in pairs
_ADEQUACY_CELLS = 6_000_000  # components at rows, up to which all their errors take seconds
_FEW_LEAVES, _MOST_LEAVES = 20_000, 100_000  # up to which they do, and those of main effects


def gather(explainer: Explainer, sources: Sources, asked: Asked) -> ReportData:
    """Return all that a report says."""
    check_outputs(explainer)
    ground = ground_of(sources)
    rows = ground.rows if ground.own else None
    importance = explainer.importance(rows, asked.max_order)
    truth = None if sources.y is None else target(sources.y, ground.rows.n_rows)
    found = pass_over(explainer, ground.rows, asked.max_order, len(importance))
    orders = orders_of(found, importance, ground.here.shares)
    effects, refused = effects_of(explainer, importance)
    seen, lost = seen_curves(explainer, sources, refused, importance, ground)
    curves = curves_of(effects, seen, importance, ground)
    maps, unmapped = maps_of(explainer, sources.engine, effects, importance, ground, asked.pairs)
    overall, joint, unknown = _interactions(explainer, rows, asked.max_order)
    adequacy, order, unsure = _adequacy(explainer, rows, importance, ground, asked.max_order)
    pairs = _pairs(curves, importance, ground)
    return ReportData(
        title=asked.title or "What the model does",
        summary=_summary(explainer, sources, ground, found, asked),
        importance=importance,
        orders=orders,
        curves=curves,
        maps=maps,
        stories=_stories(explainer, sources, ground, found, effects, asked),
        variance=explainer.variance_shares(rows, asked.max_order),
        overall=overall,
        joint=joint,
        adequacy=adequacy,
        adequacy_order=order,
        pairs=pairs,
        scores=() if truth is None else scores_of(sources.engine.forest, found.predictions, truth),
        fidelity=asked.fidelity,
        notes=notes_of(curves, pairs, orders, adequacy, ground.rows.n_rows),
        lost=(*lost, *unmapped, *unknown, *unsure),
    )


def _interactions(
    explainer: Explainer, rows: Rows | None, max_order: int
) -> tuple[HStatistic | None, HStatistic | None, list[Lost]]:
    """Return Friedman's H of every feature against all others, and of pairs by strength."""
    found: list[HStatistic | None] = []
    lost = []
    for order in (1, 2):
        try:
            one = explainer.h_statistic(X=rows, order=order) if order <= max_order else None
        except MemoryLimitError as error:
            one = None
            lost.append(Lost("Friedman's H", str(error)))
        found.append(one if one is not None and len(one) else None)
    overall, joint = found
    return overall, None if joint is None else joint.by_strength(), lost


def _adequacy(
    explainer: Explainer,
    rows: Rows | None,
    importance: Importance,
    ground: Ground,
    max_order: int,
) -> tuple[Adequacy | None, int, tuple[Lost, ...]]:
    """Return the adequacy of the background, of main effects alone where more takes minutes."""
    what, n_leaves = "How sure the numbers are", explainer.plan().n_leaves
    if n_leaves > _MOST_LEAVES:
        why = f"it takes minutes for a model of {n_leaves:,} leaves; ask for it by adequacy()."
        return None, 0, (Lost(what, why),)
    quick = importance.scores.size * ground.rows.n_rows <= _ADEQUACY_CELLS
    order = max_order if quick and n_leaves <= _FEW_LEAVES else 1
    try:
        return explainer.adequacy(rows, order), order, ()
    except FastPDError as error:
        return None, order, (Lost(what, str(error)),)


def _pairs(
    curves: Sequence[Curve], importance: Importance, ground: Ground
) -> tuple[PairSupport, ...]:
    """Return how the most important features go together in the background."""
    rows = ground.background or ground.here
    features = [
        Feature(curve.index, curve.feature, curve.labels is None)
        for curve in curves[:_COMPARED]
        if curve.index in rows.steps
    ]
    overall = by_output(importance).mean(axis=1)
    scores = dict(zip(importance.names, overall.tolist(), strict=True))
    return pair_supports(features, rows, scores)


def _stories(
    explainer: Explainer,
    sources: Sources,
    ground: Ground,
    found: Pass,
    effects: dict[int, Effect],
    asked: Asked,
) -> Any:
    n_rows = ground.rows.n_rows
    wrong = [row for row in asked.rows if not 0 <= row < n_rows]
    if wrong:
        raise OptionError(
            f"rows has {wrong[0]}; expected positions of rows to explain, 0 to {n_rows - 1}."
        )
    if sources.rows is not None:
        texts = texts_of_rows(sources.engine, sources.rows, sources.table)
    else:
        axes = {index: effect.axes[0] for index, effect in effects.items()}
        texts = texts_of_steps(sources.engine, ground.here, axes)
    chosen = chosen_rows(found.predictions, ground.here.shares, asked.rows)
    spread = np.ptp(found.predictions, axis=0)
    return stories_of(explainer, ground.rows, chosen, texts, asked.max_order, spread)


def _summary(
    explainer: Explainer, sources: Sources, ground: Ground, found: Pass, asked: Asked
) -> Summary:
    engine, plan = sources.engine, explainer.plan()
    used = {k for k in range(len(engine.names)) if engine.blocks.columns_of(k)}
    low, high = found.predictions.min(axis=0), found.predictions.max(axis=0)
    weights = shares_of(np.concatenate(sources.sample.weights)) if ground.background else None
    return Summary(
        source=engine.forest.source,
        n_trees=plan.n_trees,
        n_leaves=plan.n_leaves,
        features=explainer.feature_names,
        unused=tuple(name for k, name in enumerate(engine.names) if k not in used),
        outputs=explainer.output_names,
        link=engine.forest.link,
        expected=np.atleast_1d(explainer.expected_value),
        measure=engine.measure.name,
        n_background=explainer.n_background,
        n_rows=ground.rows.n_rows,
        own_rows=ground.own,
        weighted=weights is not None and bool(np.ptp(weights) > 0),
        low=low,
        middle=_medians(found.predictions, ground.here.shares),
        high=high,
        precision=engine.settings.precision,
        version=fastpd.__version__,
        date=asked.date,
    )


def _medians(columns: Floats, shares: Floats) -> Floats:
    middle = []
    for column in columns.T:
        order = np.argsort(column, kind="stable")
        at = np.searchsorted(np.cumsum(shares[order]), 0.5)
        middle.append(column[order[min(int(at), len(order) - 1)]])
    return np.array(middle)
