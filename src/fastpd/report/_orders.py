"""One pass over the rows: their predictions, and what models cut at each order miss of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.report._data import Order
from fastpd.results import Importance

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["Pass", "by_output", "orders_of", "pass_over"]

Floats = NDArray[np.float64]
_NUMBERS = 1 << 24  # components held at a time


@dataclass(frozen=True, eq=False)
class Pass:
    """What one pass over the rows found.

    Attributes
    ----------
    predictions
        (rows, outputs).
    left
        What components up to each order leave of them, (orders, rows, outputs).
    complete
        Whether there are no components of higher order.
    """

    predictions: Floats
    left: Floats
    complete: bool


def pass_over(explainer: Explainer, rows: Rows, max_order: int, n_components: int) -> Pass:
    """Decompose all rows, a part at a time."""
    n_outputs = len(explainer.output_names)
    step = max(64, _NUMBERS // max(n_components * n_outputs, 1))
    predictions = np.empty((rows.n_rows, n_outputs))
    left = np.empty((max_order, rows.n_rows, n_outputs))
    complete = False
    for start in range(0, rows.n_rows, step):
        part = slice(start, min(start + step, rows.n_rows))
        found = explainer.components(rows.part(part.start, part.stop), max_order)
        columns = found.array.reshape(part.stop - start, len(found), n_outputs)
        raw = explainer.predict(rows.part(part.start, part.stop)).reshape(-1, n_outputs)
        sizes = np.array([len(names) for names in found.names], dtype=np.intp)
        rest = raw - found.intercept
        for order in range(1, max_order + 1):
            rest = rest - columns[:, sizes == order].sum(axis=1)
            left[order - 1, part] = rest
        predictions[part] = raw
        complete = found.complete
    return Pass(predictions, left, complete)


def orders_of(found: Pass, importance: Importance, shares: Floats) -> tuple[Order, ...]:
    """Return what models cut at each order miss, on average over the rows."""
    scores = by_output(importance)
    sizes = np.array([len(names) for names in importance.names], dtype=np.intp)
    spread = _variance(found.predictions, shares)
    orders = []
    for at, left in enumerate(found.left):
        mine = sizes == at + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            explained = np.where(spread > 0, 1 - _variance(left, shares) / spread, np.nan)
        orders.append(
            Order(
                order=at + 1,
                n_components=int(mine.sum()),
                importance=scores[mine].sum(axis=0),
                missed=shares @ np.abs(left),
                explained=explained,
            )
        )
    return tuple(orders)


def by_output(importance: Importance) -> Floats:
    """Return importances as (sets, outputs), also where there is one output."""
    return importance.scores.reshape(len(importance), len(importance.output_names))


def _variance(columns: Floats, shares: Floats) -> Floats:
    found: Floats = shares @ (columns - shares @ columns) ** 2
    return found
