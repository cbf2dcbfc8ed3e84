"""The trees of CatBoost's JSON: lists of levels, or nodes within nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.catboost.document import Trees, damaged
from fastpd.forest.importers.catboost.fields import Fields

__all__ = ["read_trees"]


def read_trees(content: Fields) -> tuple[Trees, int]:
    """Return the trees, and how many outputs their leaves have; 0 where there is no tree."""
    if "oblivious_trees" in content:
        return _symmetric(content.mappings("oblivious_trees"), content)
    return _nested(content.mappings("trees"), content)


def _symmetric(trees: list[Fields], content: Fields) -> tuple[Trees, int]:
    for tree in trees:
        tree.refuse_others("leaf_values", "leaf_weights", "splits")
    splits = [
        content.integers([_split_index(one) for one in tree.mappings("splits")], "split_index")
        for tree in trees
    ]
    values = [tree.numbers("leaf_values") for tree in trees]
    weights = [tree.numbers("leaf_weights") for tree in trees]
    sizes = np.array([len(one) for one in splits], np.int64)
    if np.any(sizes > 31):
        raise damaged(content.source, "a tree of too many levels")
    widths = {len(one) / (1 << int(size)) for one, size in zip(values, sizes, strict=True)}
    width = widths.pop() if len(widths) == 1 else 0
    if len(trees) and (width < 1 or width != int(width)):
        raise damaged(content.source, "leaf values that do not fit the levels of its trees")
    none = np.empty(0, np.int64)
    joined = _joined(values), _joined(weights)
    return Trees(True, sizes, np.concatenate([none, *splits]), *joined, none, none, none), int(
        width
    )


def _split_index(split: Fields) -> Any:
    """Return the number of a split, which says all that the fields beside it say again."""
    split.refuse_others(
        *("border", "cat_feature_index", "ctr_target_border_idx", "float_feature_index"),
        *("split_index", "split_type", "value"),
    )
    return split.content.get("split_index")


def _joined(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([np.empty(0), *parts])


class _Nodes:
    """Nodes in the order in which they are met, a node before what is below it."""

    def __init__(self, content: Fields) -> None:
        self.content = content
        self.splits: list[Any] = []
        self.leaf: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.values: list[Any] = []
        self.weights: list[Any] = []
        self.widths: set[int] = set()

    def add_tree(self, root: Any) -> None:
        """Add a tree; the right child of a node waits until all below the left one is added."""
        waiting: list[tuple[Any, int, list[int]]] = [(root, 0, [])]
        while waiting:
            content, parent, sides = waiting.pop()
            at = len(self.splits)
            if sides:
                sides[parent] = at - parent
            node = Fields(content, self.content.source, "trees")
            self.left.append(0)
            self.right.append(0)
            if "value" in node:
                self._add_leaf(node)
                continue
            node.refuse_others("left", "right", "split")
            self.splits.append(_split_index(node.mapping("split")))
            self.leaf.append(0)
            waiting.append((node.content.get("right"), at, self.right))
            waiting.append((node.content.get("left"), at, self.left))

    def _add_leaf(self, node: Fields) -> None:
        node.refuse_others("value", "weight")
        value = node.content["value"]
        values = value if isinstance(value, list) else [value]
        self.widths.add(len(values))
        self.splits.append(0)
        self.leaf.append(len(self.values))
        self.values += values
        if "weight" in node:
            self.weights.append(node.content["weight"])


def _nested(trees: list[Fields], content: Fields) -> tuple[Trees, int]:
    nodes = _Nodes(content)
    ends = [0]
    for tree in trees:
        nodes.add_tree(tree.content)
        ends.append(len(nodes.splits))
    if len(nodes.widths) > 1 or nodes.widths == {0}:
        raise damaged(content.source, f"leaves of {sorted(nodes.widths)[:5]} values")
    read = Trees(
        symmetric=False,
        sizes=np.diff(ends).astype(np.int64),
        splits=content.integers(nodes.splits, "split_index"),
        leaf_values=content.numbers_of(nodes.values, "value"),
        leaf_weights=content.numbers_of(nodes.weights, "weight"),
        left=np.array(nodes.left, np.int64),
        right=np.array(nodes.right, np.int64),
        leaf=np.array(nodes.leaf, np.int64),
    )
    return read, nodes.widths.pop() if nodes.widths else 0
