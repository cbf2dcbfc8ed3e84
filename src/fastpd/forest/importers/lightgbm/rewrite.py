"""A model's text written anew, so that LightGBM can be asked about a file without being harmed.

LightGBM trusts much of what a text says, and a damaged one crashes the process. Loaded instead is a
text that holds what decides on raw predictions, as it was read and found sound, and nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._names import made_up_names
from fastpd.forest.importers.lightgbm.document import Document
from fastpd.forest.importers.lightgbm.trees import Trees

__all__ = ["rewritten"]


def rewritten(document: Document, trees: Trees) -> str:
    """Return the text of a model of these trees alone; their sum is its prediction."""
    n_columns, n_outputs = len(document.feature_names), document.n_outputs
    blocks = [_tree(trees, number) for number in range(len(trees.leaves))]
    header = {
        "version": "v4",
        "num_class": n_outputs,
        "num_tree_per_iteration": n_outputs,
        "label_index": 0,
        "max_feature_idx": n_columns - 1,
        "feature_names": " ".join(made_up_names(n_columns)),
        "feature_infos": " ".join(["none"] * n_columns),
        "tree_sizes": " ".join(str(len(block)) for block in blocks),
    }
    lines = "".join(f"{key}={value}\n" for key, value in header.items())
    ending = "end of trees\n\nfeature_importances:\n\nparameters:\n\nend of parameters\n"
    return f"tree\n{lines}\n{''.join(blocks)}{ending}"


def _tree(trees: Trees, number: int) -> str:
    first = int(trees.splits[:number].sum())
    split = slice(first, first + int(trees.splits[number]))
    first += number
    leaf = slice(first, first + int(trees.leaves[number]))
    sets = trees.sets[number]
    fields = {
        "num_leaves": int(trees.leaves[number]),
        "num_cat": len(sets),
        "split_feature": _joined(trees.column[split]),
        "threshold": _joined(trees.threshold[split]),
        "decision_type": _joined(trees.decision[split]),
        "left_child": _joined(trees.left[split]),
        "right_child": _joined(trees.right[split]),
        "leaf_value": _joined(trees.leaf_value[leaf]),
    }
    if sets:
        fields["cat_boundaries"] = _joined(np.cumsum([0, *(len(one) for one in sets)]))
        fields["cat_threshold"] = _joined(np.concatenate(sets))
    lines = "".join(f"{key}={value}\n" for key, value in fields.items())
    return f"Tree={number}\n{lines}is_linear=0\nshrinkage=1\n\n\n"


def _joined(values: NDArray[np.generic]) -> str:
    return " ".join(map(repr, values.tolist()))
