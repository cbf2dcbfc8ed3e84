"""What an XGBoost model document says, read from JSON or UBJSON and checked field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest._categories import Categories
from fastpd.forest._names import made_up_names
from fastpd.forest.importers.common import MAX_OUTPUTS
from fastpd.forest.importers.xgboost import ubjson
from fastpd.forest.importers.xgboost.fields import FieldReader, damaged
from fastpd.forest.importers.xgboost.labels import read_categories

__all__ = ["NEWEST", "Document", "decode", "parse"]

NEWEST = (3, 4)  # version whose documents are known
_OLD_FORMATS = (b"binf", b"bs64", b"CONFIG-offset:")
_KNOWN = {
    "document": {"learner", "version"},
    "gradient_booster": {"gbtree", "model", "name", "weight_drop"},
    "learner_model_param": {
        *("base_score", "boost_from_average", "num_class", "num_feature", "num_target"),
    },
    "gbtree_model_param": {"num_parallel_tree", "num_trees", "size_leaf_vector"},
    "tree_param": {"num_deleted", "num_feature", "num_nodes", "size_leaf_vector"},
    "learner": {
        *("attributes", "feature_names", "feature_types", "gradient_booster"),
        *("learner_model_param", "objective"),
    },
    "model": {
        *("cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees", "weight_drop"),
    },
    "tree": {
        *("base_weights", "categories", "categories_nodes", "categories_segments"),
        *("categories_sizes", "default_left", "id", "leaf_weights"),
        *("left_children", "loss_changes", "parents", "right_children", "split_conditions"),
        *("split_indices", "split_type", "sum_hessian", "tree_param"),
    },
}


@dataclass(frozen=True, eq=False)
class Document:
    """The parts of a model document that decide on its predictions.

    Attributes
    ----------
    source
        What the document was read from, for messages.
    version
        XGBoost version that wrote it.
    objective, objective_params, base_score
        As written; a base score is a number or a bracketed list of numbers.
    user_base_score
        Whether the base score was set by the user rather than estimated.
    feature_names
        Names of the columns.
    categories
        For each column its categories, None where it holds numbers.
    n_outputs, n_classes
        Number of raw scores, and of classes (0 where the model is no multiclass one).
    trees, tree_info, weights
        The trees as written, the output and the weight of each.
    rounds
        First tree of each boosting round, and the number of trees at the end.
    attributes
        What training and the scikit-learn wrappers stored beside the model.
    """

    source: str
    version: tuple[int, ...]
    objective: str
    objective_params: Mapping[str, Any]
    base_score: str
    user_base_score: bool
    feature_names: tuple[str, ...]
    categories: tuple[Categories | None, ...]
    n_outputs: int
    n_classes: int
    trees: list[Mapping[str, Any]]
    tree_info: NDArray[np.int64]
    weights: NDArray[np.float64]
    rounds: NDArray[np.int64]
    attributes: Mapping[str, Any]


def decode(data: bytes, source: str) -> Any:
    """Return the content of a document; its first bytes tell JSON from UBJSON."""
    if not data:
        raise damaged(source, "it is empty")
    if data.startswith(_OLD_FORMATS):
        raise damaged(source, "it is in the old binary format, which is not read")
    if data[:1] == b"\x80":
        raise damaged(source, "it is a pickle; unpickle it yourself and pass the model")
    text = data.lstrip(b" \t\r\n")
    if not text.startswith(b"{"):
        raise damaged(source, f"it starts with {data[:8]!r}; JSON or UBJSON was expected")
    if text[1:2] in b' \t\r\n"}':
        return _decode_json(text, source)
    try:
        return ubjson.loads(data)
    except ModelFileError as error:
        raise ModelFileError(f"{source}: {error}") from None


def _decode_json(text: bytes, source: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise damaged(source, "its brackets are nested too deeply") from None
    except ValueError as error:
        raise damaged(source, f"its JSON cannot be read ({error})") from None


def parse(content: Any, source: str) -> Document:
    """Return the checked fields of a decoded document.

    Raises
    ------
    ModelFileError
        Where a field is absent or of another kind than XGBoost writes.
    UnsupportedModelError
        For a linear booster.
    """
    if not isinstance(content, Mapping) or "learner" not in content:
        raise damaged(source, "it has no 'learner', so another program wrote it")
    read = FieldReader(source)
    _refuse_unknown(source, "document", content)
    learner = read.mapping(content, "learner")
    _refuse_unknown(source, "learner", learner)
    model, weights = _booster(read, read.mapping(learner, "gradient_booster"))
    params = read.mapping(learner, "learner_model_param")
    _refuse_unknown(source, "learner_model_param", params)
    trees = read.list(model, "trees")
    if not all(isinstance(tree, Mapping) for tree in trees):
        raise damaged(source, "one of its trees is no mapping")
    _refuse_unknown(source, "model", model)
    _refuse_unknown(source, "gbtree_model_param", read.mapping(model, "gbtree_model_param", {}))
    for tree in trees:
        _refuse_unknown(source, "tree", tree)
        _refuse_unknown(source, "tree_param", read.mapping(tree, "tree_param", {}))
    n_classes = read.count(params, "num_class", 0, MAX_OUTPUTS)
    n_outputs = max(1, n_classes, read.count(params, "num_target", 1, MAX_OUTPUTS))
    objective = read.mapping(learner, "objective")
    names = _feature_names(read, learner, read.count(params, "num_feature"))
    return Document(
        source=source,
        version=tuple(read.integers(content, "version").tolist()),
        objective=read.text(objective, "name"),
        objective_params=objective,
        base_score=read.text(params, "base_score"),
        user_base_score=read.count(params, "boost_from_average", 1) == 0,
        feature_names=names,
        categories=read_categories(read, learner, model, names),
        n_outputs=n_outputs,
        n_classes=n_classes,
        trees=trees,
        tree_info=_tree_info(read, model, len(trees), n_outputs),
        weights=_weights(source, weights, len(trees)),
        rounds=_rounds(read, model, len(trees), n_outputs),
        attributes=read.mapping(learner, "attributes", {}),
    )


def _refuse_unknown(source: str, where: str, found: Mapping[str, Any]) -> None:
    """Refuse fields that may decide on predictions in a way that is not known here."""
    unknown = found.keys() - _KNOWN[where]
    if unknown:
        raise UnsupportedModelError(
            f"{source} has the field {min(unknown)!r:.60} in its {where}, which XGBoost up to "
            f"{NEWEST[0]}.{NEWEST[1]} does not write. Update fastpd, or save the model with such a "
            "version."
        )


def _booster(read: FieldReader, booster: Mapping[str, Any]) -> tuple[Mapping[str, Any], Any]:
    """Return the tree model and the weights of its trees (None where all are 1)."""
    name = read.text(booster, "name")
    if name in ("gbtree", "dart"):
        _refuse_unknown(read.source, "gradient_booster", booster)
    if name == "gbtree":
        model = read.mapping(booster, "model")
        # Newer versions drop trees in this booster, too.
        return model, read.list(model, "weight_drop", []) or None
    if name == "dart":
        inner = read.mapping(booster, "gbtree")
        _refuse_unknown(read.source, "gradient_booster", inner)
        return read.mapping(inner, "model"), read.list(booster, "weight_drop")
    raise UnsupportedModelError(
        f"{read.source} has the booster {name!r:.40}, which is no sum of trees; supported are "
        "'gbtree' and 'dart'. Train with `booster='gbtree'`."
    )


def _feature_names(read: FieldReader, learner: Mapping[str, Any], count: int) -> tuple[str, ...]:
    names = read.list(learner, "feature_names", [])
    if not names:
        return made_up_names(count)
    if not all(isinstance(name, str) for name in names):
        raise read.wrong("feature_names", names, "a list of strings")
    if len(names) != count or len(set(names)) != count:
        raise read.wrong("feature_names", names, f"{count} distinct names, one for each column")
    return tuple(names)


def _tree_info(
    read: FieldReader, model: Mapping[str, Any], n_trees: int, n_outputs: int
) -> NDArray[np.int64]:
    info = read.integers(model, "tree_info")
    if len(info) != n_trees or np.any((info < 0) | (info >= n_outputs)):
        expected = f"an output from 0 to {n_outputs - 1} for each of {n_trees} trees"
        raise read.wrong("tree_info", info, expected)
    return info


def _weights(source: str, weights: Any, n_trees: int) -> NDArray[np.float64]:
    if weights is None:
        return np.ones(n_trees)
    if len(weights) != n_trees or not all(isinstance(weight, int | float) for weight in weights):
        raise damaged(source, f"'weight_drop' is not one number for each of {n_trees} trees")
    # A weight that overflows is found with the leaf values that it makes infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(weights, np.float32).astype(np.float64)


def _rounds(
    read: FieldReader, model: Mapping[str, Any], n_trees: int, n_outputs: int
) -> NDArray[np.int64]:
    """Return where each round starts; before 2.0 that follows from the trees of a round."""
    if "iteration_indptr" in model:
        starts = read.integers(model, "iteration_indptr")
        ordered = len(starts) and starts[0] == 0 and starts[-1] == n_trees
        if not ordered or np.any(np.diff(starts) < 0):
            expected = f"increasing tree numbers from 0 to {n_trees}"
            raise read.wrong("iteration_indptr", starts, expected)
        return starts
    params = read.mapping(model, "gbtree_model_param")
    per_round = max(1, read.count(params, "num_parallel_tree", 1)) * n_outputs
    if n_trees % per_round:
        raise damaged(
            read.source, f"{n_trees} trees are no whole number of rounds of {per_round} trees"
        )
    return np.arange(0, n_trees + 1, per_round)
