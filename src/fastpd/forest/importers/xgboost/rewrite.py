"""A model document written anew, so that XGBoost can be asked about a file without being harmed.

XGBoost trusts much of what a file says, and a damaged one crashes the process. Loaded instead is a
document that keeps what decides on predictions, as it was read, and has all else put in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.xgboost import ubjson
from fastpd.forest.importers.xgboost.document import Document
from fastpd.forest.importers.xgboost.sets import CodeSets, read_sets
from fastpd.forest.importers.xgboost.trees import DELETED, leaf_width, read_nodes

__all__ = ["rewritten"]

# XGBoost holds a set as bits up to its largest code: this many of them are 256 MB.
MAX_BITS = 2**31


def rewritten(document: Document) -> bytes:
    """Return the document as UBJSON that XGBoost of the same or a newer version loads.

    Raises
    ------
    ModelError
        Where a tree, even one that does not count, is damaged, or where sets of categories would
        take XGBoost an absurd memory.
    """
    # Raises where any array has a wrong length or a child that is no node.
    splits = read_nodes(document, 0, len(document.trees)).splits
    # Left goes what is above the largest code of a set, so its last interval starts there.
    bits = float(splits.low[splits.offsets[1:] - 1].sum())
    if bits > MAX_BITS:
        raise UnsupportedModelError(
            f"{document.source} has sets of categories that would take XGBoost "
            f"{bits / 2**33:.1f} GB, so that its predictions are not compared. If it is sound, "
            "load it with XGBoost and give that model."
        )
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": _booster(document),
        "learner_model_param": {
            "base_score": document.base_score,
            "boost_from_average": str(int(not document.user_base_score)),
            "num_class": str(document.n_classes),
            "num_feature": str(len(document.feature_names)),
            "num_target": str(1 if document.n_classes else document.n_outputs),
        },
        "objective": _objective(document),
    }
    return ubjson.dumps({"learner": learner, "version": list(document.version)})


def _objective(document: Document) -> dict[str, Any]:
    content: dict[str, Any] = {"name": document.objective}
    for key, params in document.objective_params.items():
        if isinstance(params, Mapping):
            content[key] = {name: text for name, text in params.items() if isinstance(text, str)}
            # The position biases that go with it matter to training alone.
            if "lambdarank_unbiased" in content[key]:
                content[key]["lambdarank_unbiased"] = "0"
    return content


def _booster(document: Document) -> dict[str, Any]:
    count = len(document.trees)
    vector = bool(count) and leaf_width(document.trees[0], document.source) > 1
    trees_of_round = int(document.rounds[1] - document.rounds[0]) if len(document.rounds) > 1 else 1
    parallel = max(1, trees_of_round // (1 if vector else document.n_outputs))
    model = {
        "cats": {
            "enc": [],
            "feature_segments": np.empty(0, np.int32),
            "sorted_idx": np.empty(0, np.int32),
        },
        "gbtree_model_param": {
            "num_parallel_tree": str(parallel),
            "num_trees": str(count),
            "size_leaf_vector": "0",
        },
        "iteration_indptr": document.rounds.tolist(),
        "tree_info": document.tree_info.tolist(),
        "trees": [_tree(document, number, tree) for number, tree in enumerate(document.trees)],
    }
    if document.version < (2, 0):
        del model["iteration_indptr"]
    booster = {"model": model, "name": "gbtree"}
    if np.all(document.weights == 1.0):
        return booster
    # XGBoost 1.7 and 2.0 do not read numbers in double precision.
    weights = list(document.weights.astype(np.float32))
    return {"gbtree": booster, "name": "dart", "weight_drop": weights}


def _tree(document: Document, number: int, tree: Mapping[str, Any]) -> dict[str, Any]:
    left, right = _array(tree, "left_children", np.int32), _array(tree, "right_children", np.int32)
    column = _array(tree, "split_indices", np.int32)
    count, width = len(left), leaf_width(tree, document.source)
    sets = _sets(document, number, tree, left)
    kinds = np.zeros(count, np.uint8)
    kinds[sets.node] = 1
    zeros = np.zeros(count, np.float32)
    content = {
        "base_weights": np.zeros(count * width, np.float32),
        "categories": sets.codes.astype(np.int32),
        "categories_nodes": sets.node.astype(np.int32),
        "categories_segments": np.cumsum(sets.sizes) - sets.sizes,
        "categories_sizes": sets.sizes,
        "default_left": _array(tree, "default_left", np.uint8),
        "id": number,
        "left_children": left,
        "loss_changes": zeros,
        "parents": _parents(left, right),
        "right_children": right,
        "split_conditions": _array(tree, "split_conditions", np.float32),
        "split_indices": column,
        "split_type": kinds,
        "sum_hessian": zeros,
        "tree_param": {
            "num_deleted": str(int(np.count_nonzero(column == DELETED))),
            "num_feature": str(len(document.feature_names)),
            "num_nodes": str(count),
            "size_leaf_vector": str(width) if document.version >= (2, 0) else "0",
        },
    }
    if width > 1:
        vectors = "leaf_weights" if "leaf_weights" in tree else "base_weights"
        content[vectors] = _array(tree, vectors, np.float32)
    return content


def _sets(
    document: Document, number: int, tree: Mapping[str, Any], left: NDArray[np.int32]
) -> CodeSets:
    """Return the sets of codes at the splits of a tree that use them."""
    kinds = np.asarray(tree.get("split_type", np.zeros(len(left))))
    splits = (kinds == 1) & (left >= 0)
    if not np.any(splits):
        return CodeSets.none()
    return read_sets(tree, len(left), document.source, number).of(splits)


def _parents(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]:
    parents = np.zeros(len(left), np.int32)
    split = np.flatnonzero(left >= 0).astype(np.int32)
    parents[left[split]] = split
    parents[right[split]] = split
    parents[0] = DELETED
    return parents


def _array(tree: Mapping[str, Any], key: str, dtype: type[np.generic]) -> NDArray[Any]:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(tree[key]).astype(dtype)
