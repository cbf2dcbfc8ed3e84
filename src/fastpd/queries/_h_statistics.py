r"""Friedman's H: how much of an effect is interaction (Friedman and Popescu 2008).

With partial dependence functions centred at the rows, what the definitions subtract leaves
components: :math:`F_{jk} - F_j - F_k = m_{jk}`, and :math:`F - F_j - F_{-j}` is the sum of all
components of j with other features, which is one lookup a row as SHAP values are.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.queries._engine import Engine, new_output
from fastpd.queries._features import FeatureSet
from fastpd.queries._passes import Moments, as_numbers, batches, component_runs, rounding, runs_of
from fastpd.queries._shapley import present_sets
from fastpd.queries._tables import Ask, answer
from fastpd.queries._value import predict
from fastpd.results import HStatistic

__all__ = ["joint_h", "overall_h"]

Floats = NDArray[np.float64]

_BLOCK = 32  # joint effects added up at a time, in the processor's cache


def overall_h(
    engine: Engine, rows: Rows, weights: Floats | None, features: Iterable[int]
) -> HStatistic:
    """Return H of single features against all others."""
    engine.need_order(engine.blocks.core.largest_path, "H of one feature against all others")
    sets: list[FeatureSet] = [(k,) for k in features]
    joint, rest = Moments(), Moments()
    for start, stop in runs_of(rows, len(sets) * engine.forest.n_outputs):
        part, share = rows.part(start, stop), None if weights is None else weights[start:stop]
        columns = new_output(stop - start, len(sets), engine.forest.n_outputs, np.float64)
        answer(engine, Ask("Rest", 1), sets, part, columns, "interactions of single features")
        rest.add(columns, share)
        joint.add(np.atleast_2d(predict(engine, part).T)[:, None], share)
    return _ranked(engine, rows, sets, rest.variance, joint.variance)


def joint_h(
    engine: Engine,
    rows: Rows,
    weights: Floats | None,
    order: int,
    features: FeatureSet | None = None,
) -> HStatistic:
    """Return H of one set of features, or of all sets of a size that any tree joins."""
    engine.need_order(order, f"H of {order} features")
    known = present_sets(engine, order)
    sets = [features] if features else [one for one in known if len(one) == order]
    present = set(known)
    found = [
        _variances(engine, batch, present, rows, weights)
        for batch in batches(engine, sets, lambda one: _parts(one, present))
    ]
    nothing = np.zeros((2, engine.forest.n_outputs, 0))
    numerator, denominator = np.concatenate([nothing, *found], axis=2)
    return _ranked(engine, rows, sets, numerator, denominator)


def _variances(
    engine: Engine,
    sets: list[FeatureSet],
    present: set[FeatureSet],
    rows: Rows,
    weights: Floats | None,
) -> Floats:
    """Return the variances of components, and of joint effects: (2, outputs, sets)."""
    inside = [_parts(one, present) for one in sets]
    needed = sorted({part for parts in inside for part in parts}, key=lambda one: (len(one), one))
    place = {one: at for at, one in enumerate(needed)}
    index = np.array([[place[part] for part in parts] for parts in inside], dtype=np.intp)
    blocks = [slice(a, a + _BLOCK) for a in range(0, len(sets), _BLOCK)]
    own, joint = [Moments() for _ in blocks], [Moments() for _ in blocks]
    for run, columns in component_runs(engine, needed, rows):
        share = None if weights is None else weights[run]
        for block, mine, ours in zip(blocks, own, joint, strict=True):
            total = np.zeros((len(columns), len(index[block]), columns.shape[2]))
            last = total.copy()  # the component of the set itself, zero where no tree joins it
            for part in index[block].T:
                last = columns[:, part]
                total += last
            ours.add(total, share)
            mine.add(last, share)
    found = [np.concatenate([one.variance for one in moments], axis=1) for moments in (own, joint)]
    found[0][:, [one not in present for one in sets]] = 0
    return np.stack(found)


def _parts(one: FeatureSet, present: set[FeatureSet]) -> list[FeatureSet]:
    """Return the subsets that have a component, the set itself last."""
    if 1 << len(one) > len(present):
        inside = [part for part in present if set(part) <= set(one)]
    else:
        sizes = range(1, len(one) + 1)
        inside = [part for size in sizes for part in combinations(one, size) if part in present]
    return sorted(inside, key=len)


def _ranked(
    engine: Engine, rows: Rows, sets: list[FeatureSet], numerator: Floats, denominator: Floats
) -> HStatistic:
    """Return the statistics by name, where what is no more than rounding counts as zero."""
    least = rounding(engine)[:, None] ** 2
    numerator, denominator = (np.where(one > least, one, 0.0) for one in (numerator, denominator))
    names = [tuple(engine.names[k] for k in one) for one in sets]
    forest = engine.forest
    return HStatistic.ranked(
        names,
        as_numbers(numerator.T),
        as_numbers(np.broadcast_to(denominator, numerator.shape).T),
        output_names=forest.output_names,
        link=forest.link,
        library=engine.source_of(rows).library,
    )
