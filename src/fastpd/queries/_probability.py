"""Partial dependence on the probability scale: the mean of transformed predictions.

The transformation is not linear, so nothing can be counted once and looked up: every row meets
every background row, at a cost of n_e x n_b predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, nearest
from fastpd.forest import Forest
from fastpd.frames import Rows
from fastpd.measures import Empirical, Sample
from fastpd.queries._effects import effect_axes
from fastpd.queries._engine import Engine, as_answer, new_output
from fastpd.queries._features import FeatureSet
from fastpd.queries._triples import cell_rows, points_of
from fastpd.queries._value import raw_scores
from fastpd.results import Effect

__all__ = ["check_scale", "probabilities", "probability_effect", "probability_value"]

Floats = NDArray[np.float64]

_SCALES = ("link", "probability")
# Pairs that are predicted at once. Sums over the background are cut here whatever the points are,
# so that a point's mean is the same bits in any batch.
_OTHERS = 1024
_POINTS = 128
_STEP = 4096


def check_scale(scale: Any, forest: Forest) -> bool:
    """Return whether raw scores must be transformed, and refuse what is no scale of the model."""
    if not isinstance(scale, str) or scale not in _SCALES:
        raise OptionError(
            f"scale is {scale!r:.60}; expected 'link' (the raw scale) or 'probability'."
            f"{nearest(str(scale), _SCALES)}"
        )
    if scale == "link" or forest.link == "probability":
        return False
    single = forest.n_outputs == 1
    if forest.link == "logit" or (forest.link == "softmax" and not single):
        return True
    why = (
        "one raw score of several has no probability without the others; explain all outputs"
        if forest.link == "softmax"
        else f"its link is {forest.link!r}, not that of a classifier; ask for scale='link'"
    )
    raise OptionError(f"scale is 'probability', but {forest.source} has none: {why}.")


def probability_value(
    engine: Engine, sample: Sample, sets: Sequence[FeatureSet], rows: Rows, dtype: Any
) -> NDArray[Any]:
    """Return the mean predicted probability with the features of each set held at a row's."""
    others, weights = _background(engine, sample)
    memory = new_output(rows.n_rows, len(sets), engine.forest.n_outputs, dtype)
    n_parts = len(sets) * -(-rows.n_rows // _STEP)
    with engine.settings.progress.task("probabilities", n_parts) as task:
        part = 0
        for position, players in enumerate(sets):
            columns = np.flatnonzero(np.isin(engine.blocks.players.of_column, players))
            for start in range(0, rows.n_rows, _STEP):
                points = rows.chunk(start, start + _STEP)[:, columns]
                poll = task.poll(part)
                part += 1
                found = _means(engine, others, weights, points, columns, poll)
                memory[:, position, start : start + len(points)] = found.T
    return as_answer(memory)


def _background(engine: Engine, sample: Sample) -> tuple[Rows, Floats]:
    if not isinstance(engine.measure, Empirical):
        raise OptionError(
            f"scale is 'probability', a mean over rows of a background, but the measure is "
            f"{engine.measure.name}. Give a background instead of a measure, or ask for "
            "scale='link'."
        )
    kept = sample.rows()
    if kept is None:
        raise sample.refusal("means of probabilities take the rows of the background")
    return kept


def _means(
    engine: Engine,
    others: Rows,
    weights: Floats,
    points: NDArray[Any],
    columns: NDArray[np.intp],
    poll: Any,
) -> Floats:
    """Average over the background at each point, (points, outputs); equal points are met once."""
    distinct, place = np.unique(points.astype(np.float64), axis=0, return_inverse=True)
    total = np.zeros((len(distinct), engine.forest.n_outputs))
    for first in range(0, others.n_rows, _OTHERS):
        block = np.asarray(others.chunk(first, first + _OTHERS), dtype=np.float64)
        share = weights[first : first + _OTHERS, None]
        for at in range(0, len(distinct), _POINTS):
            part = slice(at, at + _POINTS)
            raw = _predicted(engine, block, distinct[part], columns)
            total[part] += (share * probabilities(engine.forest, raw)).sum(axis=1)
        if poll is not None:
            poll(first + len(block), others.n_rows)
    means: Floats = total / weights.sum()
    return means[place.ravel()]


def _predicted(engine: Engine, block: Floats, points: Floats, columns: NDArray[np.intp]) -> Floats:
    """Return the raw scores of every background row with each point's values put in."""
    mixed = np.tile(block, (len(points), 1)).reshape(len(points), *block.shape)
    mixed[:, :, columns] = points[:, None, :]
    flat = mixed.reshape(-1, block.shape[1])
    return raw_scores(engine, flat).reshape(len(points), len(block), -1)


def probabilities(forest: Forest, raw: Floats) -> Floats:
    """Return the probabilities of raw scores of a classifier, (..., outputs)."""
    if forest.link == "probability":
        return raw
    raw = raw * forest.slope
    if forest.link == "softmax":
        powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
        return shares
    # Of the two equal forms the one whose power cannot overflow.
    power = np.exp(-np.abs(raw))
    return np.where(raw >= 0, 1.0, power) / (1.0 + power)


def probability_effect(engine: Engine, sample: Sample, features: FeatureSet) -> Effect:
    """Return the effect of up to three features as steps on the probability scale."""
    # One for each subset of the features, and the two that are made of them.
    axes = effect_axes(engine, features, 2 ** len(features) + 2)
    steps = [points_of(engine, feature) for feature in features]
    shape = tuple(len(one) for one in steps)
    rows = cell_rows(engine, features, steps)
    subsets = [
        tuple(sorted(s)) for k in range(len(features) + 1) for s in combinations(features, k)
    ]
    found = probability_value(engine, sample, subsets, rows, np.float64)
    signs = np.array([(-1) ** (len(features) - len(one)) for one in subsets])
    component = np.moveaxis(found, 1, -1) @ signs
    outputs = found.shape[2:]
    return Effect(
        axes,
        found[:, -1].reshape(*shape, *outputs),
        component.reshape(*shape, *outputs),
        engine.forest.output_names,
        "probability",
        engine.source_of(),
    )
