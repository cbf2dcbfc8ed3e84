"""A few rows explained by the components that make up their predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.report._data import Bar, Story

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["chosen_rows", "stories_of"]

Floats = NDArray[np.float64]
_BARS = 10  # components that are listed; the others are added up
_SMALL = 0.005  # of the largest amount: components below it are added up too
_ROUNDING = 1e-9  # of the prediction's range: a remainder below it is none


def chosen_rows(
    predictions: Floats, shares: Floats, asked: tuple[int, ...]
) -> list[list[tuple[str, int]]]:
    """Return for each output why which rows are explained.

    Those asked for come first; then the lowest and highest prediction, and the one in the middle.
    """
    counts = np.flatnonzero(shares > 0)
    found = []
    for column in predictions.T:
        order = counts[np.argsort(column[counts], kind="stable")]
        middle = order[np.searchsorted(np.cumsum(shares[order]), 0.5 * shares[order].sum())]
        picks = [("asked for", row) for row in asked]
        picks += [
            ("highest prediction", int(counts[np.argmax(column[counts])])),
            ("median prediction", int(middle)),
            ("lowest prediction", int(order[0])),
        ]
        kept: list[tuple[str, int]] = []
        for why, row in picks:
            if row in asked or column[row] not in [column[other] for _, other in kept]:
                kept.append((why, row))
        found.append(kept)
    return found


def stories_of(
    explainer: Explainer,
    rows: Rows,
    chosen: list[list[tuple[str, int]]],
    texts: Callable[[int], tuple[str, ...]],
    max_order: int,
    scale: Floats,
) -> tuple[Story, ...]:
    """Explain the chosen rows of every output.

    `texts` returns what the values of a row are called, and `scale` is the range of predictions.
    """
    expected = np.atleast_1d(explainer.expected_value)
    place = {name: k for k, name in enumerate(explainer.feature_names)}
    stories = []
    for output, picks in enumerate(chosen):
        for why, row in picks:
            found = explainer.components(rows.part(row, row + 1), max_order)
            amounts = found.array.reshape(len(found), len(chosen))[:, output]
            left = float(found.remainder.reshape(-1)[output])
            rounding = _ROUNDING * max(float(scale[output]), abs(float(expected[output])))
            words = texts(row)
            values = [tuple(words[place[name]] for name in names) for names in found.names]
            bars = _bars(list(found.names), values, amounts, left, max_order, rounding)
            prediction = float(expected[output]) + float(amounts.sum()) + left
            stories.append(Story(why, row, output, prediction, float(expected[output]), bars))
    return tuple(stories)


def _bars(
    names: list[tuple[str, ...]],
    values: list[tuple[str, ...]],
    amounts: Floats,
    left: float,
    max_order: int,
    rounding: float,
) -> tuple[Bar, ...]:
    order = np.argsort(-np.abs(amounts), kind="stable")
    listed = min(_BARS, int((np.abs(amounts) >= _SMALL * np.abs(amounts).max(initial=0)).sum()))
    bars = [Bar(names[k], values[k], float(amounts[k])) for k in order[:listed]]
    if len(order) > listed:
        rest = float(amounts[order[listed:]].sum())
        others = (
            "1 other component"
            if len(order) == listed + 1
            else f"{len(order) - listed:,} other components"
        )
        bars.append(Bar((), (others,), rest))
    if abs(left) > rounding:
        bars.append(Bar((), (f"all of order {max_order + 1} and higher",), left))
    elif bars:
        last = bars[-1]
        bars[-1] = Bar(last.features, last.values, last.amount + left)
    return tuple(bars)
