"""How well the model predicts, in a few numbers that suit its link."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError
from fastpd.forest import Forest
from fastpd.queries import probabilities
from fastpd.report._data import Score
from fastpd.report._ranks import ranks, standardised

__all__ = ["scores_of", "target"]

Floats = NDArray[np.float64]


def target(y: Any, n_rows: int) -> NDArray[Any]:
    """Return the truth as an array, one a row, or refuse what is none."""
    column = nw.from_native(y, pass_through=True, allow_series=True)
    values = np.asarray(column.to_list() if isinstance(column, nw.Series) else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise DataError(
            f"y has shape {values.shape} for {n_rows} rows; expected one true value a row."
        )
    lost = values != values if values.dtype.kind in "fO" else np.zeros(n_rows, dtype=bool)
    lost |= np.array([value is None for value in values.tolist()], dtype=bool)
    if lost.any():
        raise DataError(
            f"y lacks a value in row {int(np.flatnonzero(lost)[0])}; leave such rows out of X and "
            "y."
        )
    return values


def scores_of(forest: Forest, predictions: Floats, y: NDArray[Any]) -> tuple[Score, ...]:
    """Return how predictions on the link scale, (rows, outputs), compare with the truth."""
    if forest.n_outputs > 1:
        return _of_classes(forest, predictions, y)
    raw = predictions[:, 0]
    if forest.link in ("logit", "probability"):
        return _of_two_classes(probabilities(forest, predictions)[:, 0], _zeros_and_ones(y))
    if forest.link == "softmax":
        return (_ranking(raw, _zeros_and_ones(y)),)
    if forest.link in ("identity", "log"):
        return _of_numbers(np.exp(raw) if forest.link == "log" else raw, _numbers(y))
    return ()


def _of_numbers(predicted: Floats, truth: Floats) -> tuple[Score, ...]:
    apart = predicted - truth
    spread = float(((truth - truth.mean()) ** 2).mean())
    scores = [
        Score("Mean absolute error", float(np.abs(apart).mean()), "in units of the target"),
        Score("Root mean squared error", float(np.sqrt((apart**2).mean())), "in the same units"),
    ]
    if spread > 0:
        r2 = 1 - float((apart**2).mean()) / spread
        scores.insert(0, Score("R²", r2, "share of the variance of the target; 1 is perfect"))
        even = np.full(len(truth), 1 / len(truth))
        rho = float(
            standardised(ranks(predicted, even), even) @ standardised(ranks(truth, even), even)
        )
        scores.append(Score("Rank correlation", rho, "Spearman's, of prediction and target"))
    return tuple(scores)


def _of_two_classes(chance: Floats, truth: Floats) -> tuple[Score, ...]:
    kept = np.clip(chance, 1e-15, 1 - 1e-15)
    loss = -float(np.where(truth == 1, np.log(kept), np.log1p(-kept)).mean())
    return (
        _ranking(chance, truth),
        Score("Log loss", loss, "mean negative log-likelihood; 0 is perfect"),
        Score("Brier score", float(((chance - truth) ** 2).mean()), "mean squared error"),
        Score("Accuracy", float(((chance > 0.5) == (truth == 1)).mean()), "cut at one half"),
    )


def _ranking(score: Floats, truth: Floats) -> Score:
    n, positive = len(truth), float(truth.sum())
    place = ranks(score, np.ones(n)) + 0.5  # from 1, ties in the middle
    pairs = positive * (n - positive)
    above = float(place[truth == 1].sum()) - positive * (positive + 1) / 2
    area = above / pairs if pairs else float("nan")
    return Score("Area under the ROC curve", area, "how often a 1 is ranked above a 0")


def _of_classes(forest: Forest, predictions: Floats, y: NDArray[Any]) -> tuple[Score, ...]:
    if forest.link not in ("softmax", "probability"):
        return ()
    known = {name: k for k, name in enumerate(forest.output_names)}
    texts = [_class_name(value) for value in y.tolist()]
    unknown = [text for text in texts if text not in known]
    if unknown:
        raise DataError(
            f"y holds {unknown[0]!r:.60}, which is no class of the model; expected "
            f"{', '.join(forest.output_names)}."
        )
    at = np.array([known[text] for text in texts])
    chances = probabilities(forest, predictions)
    hit = np.clip(chances[np.arange(len(at)), at], 1e-15, 1)
    right = float((chances.argmax(axis=1) == at).mean())
    return (
        Score("Accuracy", right, "share of rows whose likeliest class is the true one"),
        Score("Log loss", -float(np.log(hit).mean()), "mean negative log-likelihood; 0 is perfect"),
    )


def _class_name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numbers(y: NDArray[Any]) -> Floats:
    try:
        numbers = y.astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise DataError(f"y holds {y.ravel()[0]!r:.60}; expected finite numbers, as predicted.")
    return numbers


def _zeros_and_ones(y: NDArray[Any]) -> Floats:
    numbers = y.astype(np.float64) if y.dtype.kind in "biuf" else np.array([np.nan])
    if not np.isin(numbers, (0, 1)).all():
        found = ", ".join(f"{value!r:.20}" for value in list(dict.fromkeys(y.tolist()))[:4])
        raise DataError(f"y holds {found}; expected 0 and 1, where 1 is what the model predicts.")
    return numbers
