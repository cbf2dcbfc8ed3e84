"""Single trees, and forests that average them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._forest import Forest
from fastpd.forest.importers.sklearn.finish import (
    class_names,
    feature_names,
    finished,
    indexed_names,
    source_of,
)
from fastpd.forest.importers.sklearn.trees import Values, read_trees

__all__ = [
    "classification_forest",
    "classification_tree",
    "regression_forest",
    "regression_tree",
]


def regression_tree(estimator: Any) -> Forest:
    """Return the forest of one tree."""
    return _regression(estimator, [estimator])


def regression_forest(estimator: Any) -> Forest:
    """Return the forest of the mean of trees."""
    return _regression(estimator, estimator.estimators_)


def classification_tree(estimator: Any) -> Forest:
    """Return the forest of one tree of probabilities."""
    return _classification(estimator, [estimator])


def classification_forest(estimator: Any) -> Forest:
    """Return the forest of the mean of trees of probabilities."""
    return _classification(estimator, estimator.estimators_)


def _regression(estimator: Any, trees: Sequence[Any]) -> Forest:
    targets = int(estimator.n_outputs_)
    names = ("prediction",) if targets == 1 else indexed_names("y", targets)
    return _mean(estimator, trees, names, "identity", lambda values: values.value[:, :, 0])


def _classification(estimator: Any, trees: Sequence[Any]) -> Forest:
    several = estimator.n_outputs_ > 1
    counts = [len(labels) for labels in estimator.classes_] if several else None

    def probabilities(values: Values) -> NDArray[np.float64]:
        chances = _as_probabilities(values.value)
        if counts is None:
            return chances[:, 0, :]
        # Targets of fewer classes than others are filled up with zeros.
        return np.hstack([chances[:, k, :count] for k, count in enumerate(counts)])

    names = class_names(estimator.classes_, several)
    return _mean(estimator, trees, names, "probability", probabilities)


def _as_probabilities(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares of classes; old versions of scikit-learn kept their counts instead."""
    total = value.sum(axis=2, keepdims=True)
    if np.allclose(total, 1.0, rtol=0, atol=1e-6):
        return value
    return value / np.where(total == 0, 1.0, total)


def _mean(
    estimator: Any, trees: Sequence[Any], outputs: tuple[str, ...], link: str, scores: Any
) -> Forest:
    source = source_of(estimator)
    nodes, values = read_trees(trees, source)
    leaf = nodes.feature < 0
    several = len(outputs) > 1
    forest = Forest(
        **vars(nodes),
        value=np.where(leaf[:, None], scores(values) / len(trees), 0.0),
        tree_output=np.full(len(trees), -1 if several else 0, np.int32),
        base=np.zeros(len(outputs)),
        feature_names=feature_names(estimator, estimator.n_features_in_),
        output_names=outputs,
        link=link,
        source=source,
        absent="zero",
    )
    raw = estimator.predict_proba if link == "probability" else estimator.predict
    return finished(forest, raw)
