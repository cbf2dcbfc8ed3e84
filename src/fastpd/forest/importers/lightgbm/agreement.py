"""Whether a Forest sends rows to the leaves that LightGBM sends them to, and adds up the same."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError, ModelMismatchError
from fastpd.forest._forest import Forest
from fastpd.forest.check import check_prediction, sample_rows
from fastpd.forest.importers.lightgbm.nodes import node_of_leaf
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
    rows = sample_rows(forest)
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


def _predicted(forest: Forest, booster: Any, rows: NDArray[Any], **options: Any) -> NDArray[Any]:
    library = importlib.import_module("lightgbm")
    try:
        return np.asarray(booster.predict(rows, num_threads=1, **options))
    except library.basic.LightGBMError as error:
        raise ModelError(
            f"LightGBM cannot predict with {forest.source}: {str(error).splitlines()[0]}. Train or "
            "save it again."
        ) from None
