"""Accumulated local effects (Apley and Zhu, 2020), exact for trees.

The standard estimator cuts the rows into intervals of a feature, averages the change of the
prediction from one end of an interval to the other over the rows in it, and adds these up. Within
an interval a forest changes at its own thresholds only, so that the average splits into one for
each threshold. Their sum is the standard estimator at the ends, and known in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.frames import Rows
from fastpd.queries._along import CELLS, moved_scores
from fastpd.queries._effects import effect_axes
from fastpd.queries._engine import Engine, chunks_of
from fastpd.queries._triples import points_of
from fastpd.results import Ale
from fastpd.results._axis import Axis

__all__ = ["ale"]

Floats = NDArray[np.float64]


_MOST_INTERVALS = 1 << 53  # a float64 tells no more of them apart


@dataclass(frozen=True, eq=False)
class _Intervals:
    """The intervals of one feature, and where rows are.

    Attributes
    ----------
    ends
        Ends of the intervals, one more than there are intervals.
    first, last
        Step at the lower and at the upper end of each interval.
    of_row
        Interval of each row; -1 where its value is missing, or where it counts for nothing.
    weights
        Weight of each row, 0 where it is in no interval.
    """

    ends: Floats
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    of_row: NDArray[np.int64]
    weights: Floats


def ale(
    engine: Engine,
    feature: int,
    rows: Rows,
    weights: Floats | None,
    n_intervals: int,
    *,
    transformed: bool,
) -> Ale:
    """Return the accumulated local effect of a feature over rows."""
    (axis,) = effect_axes(engine, (feature,))
    if axis.categories is not None:
        raise OptionError(
            f"{axis.name!r} is categorical, and its categories have no order to accumulate local "
            f"effects along; ask for effect({axis.name!r})."
        )
    values = _column(engine, feature, rows)
    at = axis.steps_of_numbers(values)
    shares = np.ones(rows.n_rows) if weights is None else weights
    found = _intervals(axis, values, at, np.where(at > 0, shares, 0.0), n_intervals)
    jumps = _jumps(engine, feature, rows, found, transformed=transformed)
    steps = np.cumsum(jumps, axis=0)
    steps -= np.average(steps[at], axis=0, weights=found.weights)
    steps[0] = np.nan
    return Ale(
        axis,
        steps[:, 0] if engine.forest.n_outputs == 1 else steps,
        found.ends,
        rows.n_rows,
        int((at == 0).sum()),
        engine.forest.output_names,
        "probability" if transformed else engine.forest.link,
        engine.source_of(rows),
    )


def _column(engine: Engine, feature: int, rows: Rows) -> NDArray[Any]:
    """Return the feature's value of every row; zeros where the model has no column of it."""
    columns = engine.blocks.players.columns(feature)
    if not len(columns):
        return np.zeros(rows.n_rows)
    parts = [np.array(rows.chunk(a, b)[:, columns[0]]) for a, b in chunks_of(rows)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _intervals(
    axis: Axis, values: NDArray[Any], at: NDArray[np.int64], weights: Floats, n_intervals: int
) -> _Intervals:
    """Cut the rows at quantiles of the values: the smallest value that so much weight is up to."""
    counts = np.flatnonzero(weights > 0)
    if not len(counts):
        raise OptionError(
            f"no row has a value of {axis.name!r} and a weight; expected at least one to average "
            "over."
        )
    order = counts[np.argsort(values[counts], kind="stable")]
    upto = np.cumsum(weights[order])
    passed = np.floor(upto / (upto[-1] / min(n_intervals, _MOST_INTERVALS)))
    passed[-1] = np.inf
    ends = np.unique(values[order[np.diff(passed, prepend=-1) > 0]])
    step = axis.steps_of_numbers(ends)
    of_row = np.full(len(values), -1)
    # An interval holds its upper end; the first holds its lower one as well.
    of_row[counts] = np.maximum(np.searchsorted(ends, values[counts]) - 1, 0)
    return _Intervals(ends.astype(np.float64), step[:-1], step[1:], of_row, weights)


def _jumps(
    engine: Engine, feature: int, rows: Rows, intervals: _Intervals, *, transformed: bool
) -> Floats:
    """Return the mean change of the prediction to each step from the one below it."""
    points = points_of(engine, feature)
    sums = np.zeros((len(points), engine.forest.n_outputs))
    width = intervals.last - intervals.first
    moving = np.append(width, 0)[intervals.of_row] > 0  # the appended one is that of no interval
    run = max(1, CELLS // (engine.forest.n_features * int(width.max(initial=0) + 1)))
    n_runs = -(-rows.n_rows // run)
    with engine.settings.progress.task("accumulated local effects", n_runs) as task:
        for part in range(n_runs):
            here = np.flatnonzero(moving[part * run : (part + 1) * run]) + part * run
            which, step = _walks(intervals, intervals.of_row[here])
            chunk = rows.chunk(part * run, (part + 1) * run)[here[which] - part * run]
            scores = moved_scores(engine, feature, chunk, points[step], transformed=transformed)
            same = which[1:] == which[:-1]
            weights = intervals.weights[here[which[1:][same]], None]
            np.add.at(sums, step[1:][same], weights * np.diff(scores, axis=0)[same])
            poll = task.poll(part)
            if poll is not None:
                poll(1, 1)
    totals = np.bincount(intervals.of_row[moving], intervals.weights[moving], len(width))
    return sums / _at_steps(intervals, totals, len(points))[:, None]


def _walks(
    intervals: _Intervals, of_row: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows, each as often as its interval has steps, and these steps."""
    first, length = intervals.first[of_row], (intervals.last - intervals.first)[of_row] + 1
    which = np.repeat(np.arange(len(of_row)), length)
    begin = np.cumsum(length) - length
    return which, first[which] + np.arange(len(which)) - begin[which]


def _at_steps(intervals: _Intervals, totals: NDArray[Any], n_steps: int) -> Floats:
    """Return for each step the total of the interval that goes up to it; 1 where none does."""
    step = np.arange(n_steps)
    place = np.searchsorted(intervals.last, step)
    within = (place < len(totals)) & (step > intervals.first[:1].sum())
    found = np.ones(n_steps)
    found[within] = totals[place[within]]
    return found
