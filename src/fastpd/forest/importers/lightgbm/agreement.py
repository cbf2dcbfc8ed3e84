"""Whether a Forest sends rows to the leaves that LightGBM sends them to, and adds up the same."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError, ModelMismatchError
from fastpd.forest._forest import Forest
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.check import check_prediction, sample_rows
from fastpd.forest.importers.lightgbm.nodes import node_of_leaf, node_of_split
from fastpd.forest.importers.lightgbm.splits import ZERO
from fastpd.forest.importers.lightgbm.trees import Trees
from fastpd.forest.walk import leaves_reached

__all__ = ["check"]


def check(
    forest: Forest, trees: Trees, booster: Any, span: Mapping[str, int], *, averaged: bool
) -> None:
    """Compare a forest with the library on rows made to tell differences.

    Parameters
    ----------
    forest, trees
        The forest and what it was made of.
    booster
        What predicts.
    span
        Rounds that count, as keywords of its `predict`; empty for those that it uses by itself.
    averaged
        Whether the forest is the mean of its rounds: LightGBM's raw score is the sum even so.

    Raises
    ------
    ModelMismatchError
        Where a row reaches another leaf, or the sums differ by more than rounding.
    """
    if not forest.n_trees:
        return
    n_rounds = forest.n_trees // forest.n_outputs

    def raw(rows: NDArray[Any]) -> NDArray[np.floating]:
        scores = _predicted(forest, booster, rows, raw_score=True, **span)
        return scores / n_rounds if averaged else scores

    check_prediction(forest, raw)
    rows = np.concatenate([sample_rows(forest), _near_thresholds(forest, trees)])
    leaf = _predicted(forest, booster, rows, pred_leaf=True, **span).reshape(len(rows), -1)
    ours = leaves_reached(forest, rows)
    if leaf.shape == ours.shape:
        theirs = node_of_leaf(trees, np.arange(forest.n_trees), leaf.astype(np.int64))
        if np.array_equal(ours, theirs):
            return
    raise ModelMismatchError(
        f"{forest.source} was not read as it predicts: sample rows reach other leaves in LightGBM. "
        "Explanations would be wrong. Please report the model and its library's version."
    )


def _near_thresholds(forest: Forest, trees: Trees) -> NDArray[Any]:
    """Return rows for splits by number that the forest holds as intervals, and around zero."""
    threshold = forest.threshold.copy()
    finite = np.where(np.isfinite(trees.threshold), trees.threshold, 0.0)
    threshold[node_of_split(trees)] = finite
    rows = sample_rows(replace(forest, threshold=threshold, splits=IntervalSplits.none()), seed=1)
    rng = np.random.default_rng(1)
    zeros = np.array([0.0, ZERO, -ZERO, np.nextafter(ZERO, 1), np.nextafter(-ZERO, -1), np.inf])
    return np.where(rng.random(rows.shape) < 0.2, rng.choice(zeros, rows.shape), rows)


def _predicted(forest: Forest, booster: Any, rows: NDArray[Any], **options: Any) -> NDArray[Any]:
    library = importlib.import_module("lightgbm")
    try:
        return np.asarray(booster.predict(rows, num_threads=1, **options))
    except library.basic.LightGBMError as error:
        raise ModelError(
            f"LightGBM cannot predict with {forest.source}: {str(error).splitlines()[0]}. Train or "
            "save it again."
        ) from None
