"""Asking an explainer for all that a report says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import fastpd
from fastpd.errors import FastPDError, MemoryLimitError, OptionError
from fastpd.frames import Rows
from fastpd.measures import Sample
from fastpd.queries import Engine
from fastpd.report._checks import Feature, notes_of, pair_supports
from fastpd.report._curves import curve_of
from fastpd.report._data import Curve, Lost, Map, PairSupport, ReportData, Summary
from fastpd.report._maps import Pair, map_of
from fastpd.report._orders import Pass, by_output, orders_of, pass_over
from fastpd.report._rows import Standing, shares_of, standing, standing_of_sample
from fastpd.report._scores import scores_of, target
from fastpd.report._seen import curve_of_values
from fastpd.report._stories import chosen_rows, stories_of
from fastpd.report._values import texts_of_column, texts_of_rows, texts_of_steps
from fastpd.results import Adequacy, Effect, HStatistic, Importance
from fastpd.surrogates._fidelity import Fidelity

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["Asked", "Sources", "gather"]

Floats = NDArray[np.float64]
_MOST_OUTPUTS = 12
_MOST_STEPS = 300  # of one curve, shown one by one
_ALL_STEPS = 24_000  # of all curves and outputs together
_COMPARED = 12  # features that are compared in pairs
_ADEQUACY_CELLS = 6_000_000  # components at rows, up to which all their errors take seconds
_FEW_LEAVES, _MOST_LEAVES = 20_000, 100_000  # up to which they do, and those of main effects


@dataclass(frozen=True)
class Asked:
    """What the caller of a report chose.

    Attributes
    ----------
    title, date
        As they are to be written; None for a title of its own and no date.
    rows
        Rows to explain beside the extreme ones.
    max_order
        Largest sets of features.
    pairs
        How many interactions are drawn.
    fidelity
        Of a surrogate.
    """

    title: str | None
    rows: tuple[int, ...]
    max_order: int
    pairs: int
    date: str | None
    fidelity: Fidelity | None


@dataclass(frozen=True, eq=False)
class Sources:
    """Where a report takes its numbers from.

    Attributes
    ----------
    engine, sample
        The model with its measure, and the background as far as it is kept.
    rows, table, y
        Rows that were given, the table that they came in, and the truth; None without.
    """

    engine: Engine
    sample: Sample
    rows: Rows | None
    table: Any
    y: Any


@dataclass(frozen=True, eq=False)
class _Ground:
    """The rows that a report is about."""

    rows: Rows
    here: Standing
    background: Standing | None  # where it is known
    own: bool

    @property
    def other(self) -> Standing | None:
        """The background, where it is known and not the very rows of the report."""
        return self.background if self.own else None


def gather(explainer: Explainer, sources: Sources, asked: Asked) -> ReportData:
    """Return all that a report says."""
    _check_outputs(explainer)
    ground = _ground(sources)
    rows = ground.rows if ground.own else None
    importance = explainer.importance(rows, asked.max_order)
    truth = None if sources.y is None else target(sources.y, ground.rows.n_rows)
    found = pass_over(explainer, ground.rows, asked.max_order, len(importance))
    orders = orders_of(found, importance, ground.here.shares)
    effects, refused = _effects(explainer, importance)
    seen, lost = _seen_curves(explainer, sources, refused, importance, ground)
    curves = _curves(effects, seen, importance, ground)
    maps, unmapped = _maps(explainer, sources.engine, effects, importance, ground, asked.pairs)
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


def _check_outputs(explainer: Explainer) -> None:
    n_outputs = len(explainer.output_names)
    if n_outputs > _MOST_OUTPUTS:
        raise OptionError(
            f"the model has {n_outputs} outputs; a report shows at most {_MOST_OUTPUTS}. Make the "
            "explainer for one of them, such as Explainer(..., output=0)."
        )


def _ground(sources: Sources) -> _Ground:
    engine = sources.engine
    background = standing_of_sample(engine, sources.sample) if sources.sample.weights else None
    if sources.rows is not None:
        here, same = standing(engine, sources.rows)
        return _Ground(same, here, background, own=True)
    if sources.sample.bins is None:
        raise sources.sample.refusal(
            "a report without X is about rows of the background", "Pass rows, such as report(X)"
        )
    kept = sources.sample.rows() if background is not None else None
    if kept is None or background is None:
        raise OptionError(
            f"the measure {engine.measure.name} has no rows for a report to be about; pass some, "
            "such as report(X)."
        )
    return _Ground(kept[0], background, background, own=False)


def _effects(
    explainer: Explainer, importance: Importance
) -> tuple[dict[int, Effect], dict[int, str]]:
    """Return main effects by position; and why, of features that have none as steps."""
    effects, refused = {}, {}
    used = {names[0] for names in importance.names if len(names) == 1}
    for index, name in enumerate(explainer.feature_names):
        if name not in used:
            continue
        try:
            effects[index] = explainer.effect(index)
        except (OptionError, MemoryLimitError) as error:
            refused[index] = str(error)
    return effects, refused


def _seen_curves(
    explainer: Explainer,
    sources: Sources,
    refused: dict[int, str],
    importance: Importance,
    ground: _Ground,
) -> tuple[list[Curve], list[Lost]]:
    """Return main effects at the values of rows, where they are no functions of steps."""
    curves, lost = [], []
    for index, why in refused.items():
        name = explainer.feature_names[index]
        texts = texts_of_column(sources.table, name) if ground.own else None
        curve = None
        if texts is not None and not sources.engine.blocks.players.is_group(index):
            score = _score(importance, name)
            curve = curve_of_values(explainer, index, score, ground.rows, texts, ground.here.shares)
        if curve is None:
            lost.append(Lost(f"The curve of {name}", why))
        else:
            curves.append(curve)
    return curves, lost


def _score(importance: Importance, *names: str) -> Floats:
    return np.atleast_1d(np.asarray(importance[names], dtype=np.float64))


def _curves(
    effects: dict[int, Effect], seen: list[Curve], importance: Importance, ground: _Ground
) -> tuple[Curve, ...]:
    """Return the curves, the most important first."""
    n_outputs = len(importance.output_names)
    most = max(40, min(_MOST_STEPS, _ALL_STEPS // max(len(effects) * n_outputs, 1)))
    curves = [
        curve_of(
            effect,
            index,
            _score(importance, effect.features[0]),
            ground.here,
            ground.other,
            most,
        )
        for index, effect in effects.items()
        if index in ground.here.steps
    ]
    return tuple(sorted([*curves, *seen], key=lambda curve: -float(curve.importance.mean())))


def _maps(
    explainer: Explainer,
    engine: Engine,
    effects: dict[int, Effect],
    importance: Importance,
    ground: _Ground,
    most: int,
) -> tuple[tuple[Map, ...], list[Lost]]:
    """Return the strongest interactions of two features that have steps, and name the others."""
    maps: list[Map] = []
    without: list[str] = []
    place = {name: index for index, name in enumerate(explainer.feature_names)}
    for names in importance.names:
        if len(maps) == most or len(names) != 2:
            continue
        indices = tuple(place[name] for name in names)
        if not all(k in effects for k in indices):
            without.append(" and ".join(names))
            continue
        # Labels are read best at the left side, above one another.
        first, second = sorted(indices, key=lambda k: len(effects[k].axes[0].labels or ()))
        pair = Pair((first, second), (effects[first].axes[0], effects[second].axes[0]))
        maps.append(map_of(explainer, engine, pair, _score(importance, *names), ground.here))
    why = "their effect is no function on steps of both, as that of one of them is none"
    strongest = f"{'; '.join(without[:5])}{' and others' if len(without) > 5 else ''}"
    return tuple(maps), [Lost(f"The maps of {strongest}", why)] if without else []


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
    ground: _Ground,
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
    curves: Sequence[Curve], importance: Importance, ground: _Ground
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
    ground: _Ground,
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
    explainer: Explainer, sources: Sources, ground: _Ground, found: Pass, asked: Asked
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
