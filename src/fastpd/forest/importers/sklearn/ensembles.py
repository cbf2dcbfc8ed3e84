"""Bagging, voting and multi-output ensembles: sums of other models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpd.errors import ModelError, UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest.importers.sklearn.combining import Part, combined
from fastpd.forest.importers.sklearn.finish import (
    Raw,
    class_names,
    feature_names,
    finished,
    indexed_names,
    source_of,
)

__all__ = [
    "bagging_classifier",
    "bagging_regressor",
    "multi_output_classifier",
    "multi_output_regressor",
    "voting_classifier",
    "voting_regressor",
]


def bagging_regressor(estimator: Any) -> Forest:
    """Return the forest of the mean of models, each of some of the columns."""
    members = _members(estimator, "identity")
    share = 1.0 / len(members)
    drawn = estimator.estimators_features_
    parts = [Part(one, share, columns) for one, columns in zip(members, drawn, strict=True)]
    several = members[0].n_outputs > 1
    names = indexed_names("y", members[0].n_outputs) if several else ("prediction",)
    return _finished(estimator, parts, names, "identity", estimator.predict)


def bagging_classifier(estimator: Any) -> Forest:
    """Return the forest of the mean of probabilities; a class that a model never met gets none."""
    members = _members(estimator, "probability")
    share = 1.0 / len(members)
    parts = []
    for one, model, columns in zip(
        members, estimator.estimators_, estimator.estimators_features_, strict=True
    ):
        every = len(model.classes_) == len(estimator.classes_)
        parts.append(Part(one, share, columns, None if every else np.asarray(model.classes_)))
    names = class_names(estimator.classes_, False)
    return _finished(estimator, parts, names, "probability", estimator.predict_proba)


def voting_regressor(estimator: Any) -> Forest:
    """Return the forest of the weighted mean of models."""
    members = _members(estimator, "identity")
    return _finished(
        estimator, _weighted(estimator, members), ("prediction",), "identity", estimator.predict
    )


def voting_classifier(estimator: Any) -> Forest:
    """Return the forest of the weighted mean of probabilities."""
    if estimator.voting != "soft":
        raise UnsupportedModelError(
            f"{source_of(estimator)} counts votes (voting={estimator.voting!r}), and has no score "
            "that is a sum of trees. Set `voting='soft'`, which needs no training."
        )
    members = _members(estimator, "probability")
    names = class_names(estimator.classes_, False)
    parts = _weighted(estimator, members)
    return _finished(estimator, parts, names, "probability", estimator.predict_proba)


def multi_output_regressor(estimator: Any) -> Forest:
    """Return the forest of one model for each target."""
    members = _members(estimator, "identity")
    names = indexed_names("y", len(members))
    return _finished(estimator, _side_by_side(members), names, "identity", estimator.predict)


def multi_output_classifier(estimator: Any) -> Forest:
    """Return the forest of the probabilities of one classifier for each target."""
    members = _members(estimator, "probability")
    names = class_names(estimator.classes_, True)
    parts = _side_by_side(members)
    return _finished(estimator, parts, names, "probability", estimator.predict_proba)


def _members(estimator: Any, link: str) -> list[Forest]:
    """Return the forests of the models that the ensemble holds, whose predictions add up."""
    from fastpd.forest.registry import import_model

    members = []
    for number, model in enumerate(estimator.estimators_):
        what = f"Model {number} of {source_of(estimator)}"
        try:
            one = import_model(model)
        except ModelError as error:
            raise type(error)(f"{what}: {error}") from error
        if one.link != link:
            raise UnsupportedModelError(
                f"{what} is a {type(model).__name__}, whose predictions are no sum of trees on the "
                f"scale on which they are averaged (their link is {one.link!r}). Explain the "
                "models in `estimators_` one by one."
            )
        members.append(one)
    return members


def _weighted(estimator: Any, members: Sequence[Forest]) -> list[Part]:
    """Return the parts of a weighted mean; the weights of dropped models do not count."""
    given = estimator.weights
    if given is None:
        weights = np.ones(len(members))
    else:
        named = zip(estimator.estimators, given, strict=True)
        weights = np.array([weight for (_, model), weight in named if _is_kept(model)], float)
    shares = (weights / weights.sum()).tolist()
    return [Part(one, share) for one, share in zip(members, shares, strict=True)]


def _is_kept(model: Any) -> bool:
    return not (isinstance(model, str) and model == "drop")


def _side_by_side(members: Sequence[Forest]) -> list[Part]:
    """Return parts whose outputs follow one another."""
    counts = [one.n_outputs for one in members]
    ends = np.cumsum(counts).tolist()
    return [
        Part(one, outputs=np.arange(end - count, end))
        for one, count, end in zip(members, counts, ends, strict=True)
    ]


def _finished(
    estimator: Any, parts: Sequence[Part], names: tuple[str, ...], link: str, raw: Raw
) -> Forest:
    first = parts[0].forest
    count = int(getattr(estimator, "n_features_in_", first.n_features))
    like = Forest(
        **{name: getattr(first, name) for name in _NODE_ARRAYS},
        base=np.zeros(len(names)),
        feature_names=feature_names(estimator, count),
        output_names=names,
        link=link,
        source=source_of(estimator),
    )
    # Models of other libraries may add up in float32.
    return finished(combined(parts, like), raw, sums=np.float32)


_NODE_ARRAYS = (
    *("feature", "threshold", "left", "right", "default_left"),
    *("value", "cover", "roots", "tree_output"),
)
