"""A model written anew as JSON, so that CatBoost can be asked about a file without being harmed.

CatBoost trusts what a file says of its trees, and a damaged one may crash the process. What it
loads here holds only what was read and checked.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fastpd.forest.importers.catboost.document import Ctr, CtrBase, CtrTable, Document, damaged
from fastpd.forest.importers.catboost.trees import read_nodes

__all__ = ["rewritable", "rewritten"]

# Levels of nested trees that neither JSON's writers nor its readers choke on.
MOST_LEVELS = 256


def rewritable(document: Document) -> bool:
    """Tell whether JSON can say all that matters: one table a kind of CTR, and whole sums."""
    kinds = {(base.kind, base.indices) for base in document.tables}
    if len(kinds) < len(document.tables):
        return False
    counts = [table.counts for table in document.tables.values()]
    return all(np.array_equal(one, np.floor(one)) and np.all(np.abs(one) < 2**31) for one in counts)


def rewritten(document: Document) -> bytes:
    """Return the document as JSON that CatBoost loads."""
    content = {
        "ctr_data": {
            _identifier(base): _table(table)
            for base, table in document.tables.items()
            if base in {ctr.base for ctr in document.ctrs}
        },
        "features_info": {
            "categorical_features": _cats(document),
            "ctrs": [_ctr(ctr) for ctr in document.ctrs],
            "float_features": _floats(document),
        },
        "model_info": {},
        "scale_and_bias": [document.scale, document.bias.tolist()],
    }
    if not document.tables:
        del content["ctr_data"]
    if document.trees.symmetric:
        content["oblivious_trees"] = _symmetric(document)
    else:
        content["trees"] = _nested(document)
    return json.dumps(content, allow_nan=False).encode()


def _floats(document: Document) -> list[dict[str, Any]]:
    return [
        {
            "borders": one.borders.astype(float).tolist(),
            "feature_id": "",
            "feature_index": number,
            "flat_feature_index": one.column,
            "has_nans": one.nans_go_right,
            "nan_value_treatment": "AsTrue" if one.nans_go_right else "AsIs",
        }
        for number, one in enumerate(document.floats)
    ]


def _cats(document: Document) -> list[dict[str, Any]]:
    """Return the columns of labels by their index; in another order CatBoost crashes on them."""
    values = {one.index: one.values.tolist() for one in document.one_hots}
    return [
        {"feature_id": "", "feature_index": one.index, "flat_feature_index": one.column}
        | ({"values": values[one.index]} if one.index in values else {})
        for one in sorted(document.cats, key=lambda one: one.index)
    ]


def _elements(base: CtrBase) -> list[dict[str, Any]]:
    return [
        {"cat_feature_index": index, "combination_element": "cat_feature_value"}
        for index in base.indices
    ]


def _identifier(base: CtrBase) -> str:
    return json.dumps({"identifier": _elements(base), "type": base.kind})


def _ctr(ctr: Ctr) -> dict[str, Any]:
    return {
        "borders": ctr.borders.astype(float).tolist(),
        "ctr_type": ctr.base.kind,
        "elements": _elements(ctr.base),
        "identifier": _identifier(ctr.base),
        "prior_denomerator": float(ctr.prior_denominator),
        "prior_numerator": float(ctr.prior_numerator),
        "scale": float(ctr.scale),
        "shift": float(ctr.shift),
        "target_border_idx": ctr.target_border,
    }


def _table(table: CtrTable) -> dict[str, Any]:
    counts = table.counts.astype(np.int64).tolist()
    keys = table.keys.tolist()
    entries = [entry for key, row in zip(keys, counts, strict=True) for entry in (str(key), *row)]
    return {
        "counter_denominator": table.denominator,
        "hash_map": entries,
        "hash_stride": 1 + table.counts.shape[1],
    }


def _symmetric(document: Document) -> list[dict[str, Any]]:
    trees = document.trees
    ends = np.cumsum(trees.sizes)
    values_ends = np.cumsum(1 << trees.sizes) * document.n_outputs
    splits = np.split(trees.splits, ends)
    values = np.split(trees.leaf_values, values_ends)
    return [
        {
            "leaf_values": leaves.tolist(),
            "splits": [{"split_index": number} for number in levels.tolist()],
        }
        for leaves, levels in zip(values[:-1], splits[:-1], strict=True)
    ]


def _nested(document: Document) -> list[dict[str, Any]]:
    """Return trees as nodes within nodes; children stand behind their parents, so from the end."""
    nodes = read_nodes(document, 0, document.n_trees)
    values = document.trees.leaf_values.tolist()
    width = document.n_outputs
    split, leaf = nodes.split.tolist(), nodes.leaf.tolist()
    left, right = nodes.left.tolist(), nodes.right.tolist()
    built: list[dict[str, Any]] = [{}] * len(split)
    levels = [0] * len(split)
    for at in range(len(split) - 1, -1, -1):
        if split[at] < 0:
            start = leaf[at]
            value = values[start : start + width] if width > 1 else values[start]
            built[at] = {"value": value}
            continue
        one, other = left[at], right[at]
        levels[at] = 1 + max(levels[one], levels[other])
        if levels[at] > MOST_LEVELS:
            raise damaged(document.source, f"a tree of more than {MOST_LEVELS} levels")
        built[at] = {"left": built[one], "right": built[other]}
        built[at]["split"] = {"split_index": split[at]}
    return [built[root] for root in nodes.roots.tolist()]
