"""Gradient boosting over exact trees, on top of an initial model."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest.importers.common import Rounds, rounds_of
from fastpd.forest.importers.sklearn.combining import Part, combined, of_float32_rows
from fastpd.forest.importers.sklearn.finish import finished
from fastpd.forest.importers.sklearn.names import (
    class_names,
    feature_names,
    source_of,
)
from fastpd.forest.importers.sklearn.trees import read_trees

__all__ = ["gradient_boosting"]

# Initial models whose prediction is the same for every row, unless it is drawn at random.
_CONSTANT = ("DummyRegressor", "DummyClassifier")


def gradient_boosting(estimator: Any, rounds: Rounds | None) -> Forest:
    """Return the forest of boosted trees, on the raw scale of `decision_function`."""
    first, last = rounds_of(rounds, len(estimator.estimators_))
    chosen = copy.copy(estimator)
    chosen.estimators_ = estimator.estimators_[first:last]
    forest = _trees(chosen)
    if _is_constant(estimator.init_):
        rows = np.zeros((1, forest.n_features), np.float32)
        base = np.asarray(estimator._raw_predict_init(rows), np.float64).ravel()
        forest = replace(forest, base=base)
    else:
        start = _initial(estimator, forest)
        forest = combined([Part(forest), Part(start)], forest)
    classifier = hasattr(estimator, "classes_")
    raw = chosen.decision_function if classifier else chosen.predict
    return finished(forest, raw)


def _trees(estimator: Any) -> Forest:
    source = source_of(estimator)
    stages, per_stage = estimator.estimators_.shape
    nodes, values = read_trees(estimator.estimators_.ravel().tolist(), source)
    several = per_stage > 1
    leaf = nodes.feature < 0
    steps = estimator.learning_rate * values.value[:, 0, :]
    return Forest(
        **vars(nodes),
        value=np.where(leaf[:, None], steps, 0.0),
        tree_output=np.tile(np.arange(per_stage, dtype=np.int32), stages),
        base=np.zeros(per_stage),
        feature_names=feature_names(estimator, estimator.n_features_in_),
        output_names=class_names(estimator.classes_, False) if several else ("prediction",),
        link=_link(estimator, several),
        # The exponential loss has half the log-odds for raw scores.
        slope=2.0 if estimator.loss == "exponential" else 1.0,
        source=source,
        absent="zero",
    )


def _link(estimator: Any, several: bool) -> str:
    if not hasattr(estimator, "classes_"):
        return "identity"
    return "softmax" if several else "logit"


def _is_constant(init: Any) -> bool:
    if isinstance(init, str):
        return True  # "zero"
    kinds = [base.__name__ for base in type(init).__mro__]
    drawn = getattr(init, "strategy", None) == "stratified"
    return any(kind in kinds for kind in _CONSTANT) and not drawn


def _initial(estimator: Any, forest: Forest) -> Forest:
    """Return the forest of an initial model of the user's own, which sees rows in float32."""
    from fastpd.forest.registry import import_model

    kind = type(estimator.init_).__name__
    if hasattr(estimator, "classes_"):
        raise UnsupportedModelError(
            f"{forest.source} starts from the log-odds of probabilities that a {kind} predicts, "
            "which are no sum of trees. Train with `init=None` or `init='zero'`."
        )
    try:
        start = import_model(estimator.init_)
    except UnsupportedModelError as error:
        raise UnsupportedModelError(
            f"{forest.source} starts from the predictions of a {kind}. {error} "
            "Or train with `init=None` or `init='zero'`."
        ) from error
    if start.link != "identity" or start.n_outputs > 1:
        raise UnsupportedModelError(
            f"{forest.source} starts from the predictions of a {kind}, which are no sum of trees "
            f"(their link is {start.link!r}). Train with `init=None` or `init='zero'`."
        )
    return of_float32_rows(start)
