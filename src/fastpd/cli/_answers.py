"""Answers as Arrow tables, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fastpd.cli._explainers import Rows
from fastpd.cli._progress import Meter
from fastpd.cli._tables import about
from fastpd.errors import FeatureError, OptionError
from fastpd.explainer import Explainer
from fastpd.results import Importance
from fastpd.results._frames import per_output

__all__ = ["answers", "explained", "importance_of", "width_of"]

_MOST_CELLS = 1 << 22  # of one answer


def explained(
    explainer: Explainer,
    rows: Rows,
    what: str,
    max_order: int,
    *,
    keep: Sequence[str],
    predictions: bool,
) -> Iterator[Any]:
    """Go over tables of what was asked, in the order of the rows; at least one.

    Parameters
    ----------
    explainer, rows
        The model, and the file of rows.
    what
        ``"shap"``, ``"components"``, or ``"both"``, with titles that tell them apart.
    max_order
        Of components.
    keep
        Columns of the file to put first.
    predictions
        Whether the prediction, and what values add up to it from, come next.
    """
    import pyarrow as pa

    step = max(64, _MOST_CELLS // max(width_of(explainer, what, max_order), 1))
    with Meter.shown("rows") as meter, about(rows.table.path):
        copied = rows.beside(keep)
        for batch, kept in rows.batches(tuple(keep), most_rows=step, listen=meter, copied=copied):
            columns = dict(zip(kept.column_names, kept.columns, strict=True))
            if predictions:
                _put(columns, _predictions(explainer, batch))
            for prefix, answer in answers(explainer, batch, what, max_order):
                table = answer.to_frame("pyarrow")
                titles = [prefix + title for title in table.column_names]
                _put(columns, dict(zip(titles, table.columns, strict=True)))
            yield pa.table(columns)


def width_of(explainer: Explainer, what: str, max_order: int) -> int:
    """Return how many numbers an answer has for each row."""
    outputs, n_features = len(explainer.output_names), len(explainer.feature_names)
    n_components = 0
    if what != "shap":
        nothing = np.empty((0, len(explainer._columns.names)))
        steps = explainer._columns.preparation
        if steps is None:
            n_components = len(explainer.components(nothing, max_order))
        else:
            n_components = n_features**max_order
    return outputs * (n_components + (n_features if what != "components" else 0))


def answers(
    explainer: Explainer, batch: Any, what: str, max_order: int
) -> Iterator[tuple[str, Any]]:
    """Go over what was asked about rows, each with what its titles begin with."""
    both = what == "both"
    if what != "components":
        yield "shap " if both else "", explainer.shap(batch)
    if what != "shap":
        yield "component " if both else "", explainer.components(batch, max_order)


def _predictions(explainer: Explainer, batch: Any) -> dict[str, Any]:
    found = explainer.predict(batch)
    base = np.broadcast_to(np.asarray(explainer.expected_value), found.shape)
    names = explainer.output_names
    return per_output("prediction", found, names) | per_output("base_value", base, names)


def _put(columns: dict[str, Any], more: dict[str, Any]) -> None:
    twice = [title for title in more if title in columns]
    if twice:
        raise FeatureError(
            f"two columns of the answer would be called {twice[0]!r:.60}. Leave --keep or "
            "--predictions out, or rename the feature."
        )
    columns |= more


def importance_of(explainer: Explainer, rows: Rows, max_order: int) -> Importance:
    """Return the mean absolute components over all rows of a file, batch by batch."""
    total: dict[tuple[str, ...], Any] = {}
    n_rows, last = 0, None
    step = max(64, _MOST_CELLS // max(width_of(explainer, "components", max_order), 1))
    with Meter.shown("rows") as meter, about(rows.table.path):
        for batch, _ in rows.batches(most_rows=step, listen=meter):
            if not batch.num_rows:
                continue
            last = explainer.importance(batch, max_order)
            for names, score in zip(last.names, last.scores, strict=True):
                total[names] = total.get(names, 0.0) + score * batch.num_rows
            n_rows += batch.num_rows
    if last is None:
        raise OptionError(f"{rows.table.path} has no rows; expected at least one to average over.")
    scores = np.array([total[names] for names in last.names]).reshape(last.scores.shape) / n_rows
    return Importance.ranked(
        last.names,
        scores,
        last.output_names,
        link=last.link,
        max_order=last.max_order,
        complete=last.complete,
    )
