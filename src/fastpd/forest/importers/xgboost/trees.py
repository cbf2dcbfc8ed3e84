"""From the trees of an XGBoost model document to the node arrays of a Forest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.check import reachable
from fastpd.forest.importers.common import NodeArrays
from fastpd.forest.importers.xgboost.document import Document
from fastpd.forest.importers.xgboost.fields import damaged
from fastpd.forest.importers.xgboost.sets import CodeSets, read_sets

__all__ = ["DELETED", "leaf_width", "read_nodes"]

Array = NDArray[Any]

# What XGBoost writes as the column of a node that pruning deleted.
DELETED = 2**31 - 1


def read_nodes(document: Document, first: int, last: int) -> NodeArrays:
    """Return the nodes of the trees from `first` up to, not including, `last`.

    NodeArrays that pruning left behind, which no row reaches, are dropped.

    Raises
    ------
    ModelFileError
        Where an array is absent, of another kind or of another length.
    """
    columns = _Columns(document, first, last)
    left, right = columns.integers("left_children"), columns.integers("right_children")
    inner = left >= 0
    start = np.repeat(columns.roots, columns.sizes)
    _within_tree(document, columns, left, right, inner)
    left = np.where(inner, left + start, -1)
    right = np.where(inner, right + start, -1)
    reached = reachable(left, right, columns.roots, document.source)
    sets = columns.sets(reached & inner)
    value = columns.leaf_values(~inner)
    vector = value.shape[1] > 1
    number = np.cumsum(reached) - 1
    feature = np.where(inner, columns.integers("split_indices"), -1)
    plain = inner.copy()
    plain[sets.node] = False
    threshold = np.where(plain, columns.doubles("split_conditions"), 0.0)
    return NodeArrays(
        feature=np.clip(feature[reached], -1, DELETED).astype(np.int32),
        threshold=threshold[reached],
        left=np.where(inner, number[left], -1)[reached].astype(np.int32),
        right=np.where(inner, number[right], -1)[reached].astype(np.int32),
        default_left=((columns.integers("default_left") != 0) & inner)[reached],
        value=value[reached],
        cover=columns.covers()[reached],
        roots=number[columns.roots].astype(np.int32),
        tree_output=np.where(vector, -1, document.tree_info[first:last]).astype(np.int32),
        splits=sets.splits().renumbered(number, reached),
    )


def leaf_width(tree: Mapping[str, Any], source: str) -> int:
    """Return the number of values that a leaf of a tree has by its parameters, by default 1."""
    text = tree.get("tree_param", {}).get("size_leaf_vector", "1")
    if not str(text).isdecimal() or len(str(text)) > 9:
        raise damaged(source, f"a tree has 'size_leaf_vector' {str(text)[:40]!r}")
    return max(1, int(text))


class _Columns:
    """Fields of the selected trees, each joined over all trees and checked on the way."""

    def __init__(self, document: Document, first: int, last: int) -> None:
        self.document = document
        self.first = first
        self.trees = document.trees[first:last]
        self.weights = document.weights[first:last]
        lengths = [len(self.field(tree, "left_children")) for tree in self.trees]
        self.sizes = np.array(lengths, np.int64)
        if np.any(self.sizes == 0):
            at = first + int(np.argmin(self.sizes))
            raise damaged(document.source, f"tree {at} has no nodes")
        if self.sizes.sum() >= 2**31:
            raise damaged(document.source, f"it has {self.sizes.sum()} nodes, more than 2**31 - 1")
        self.roots = np.cumsum(self.sizes) - self.sizes

    def field(self, tree: Mapping[str, Any], key: str) -> Any:
        values = tree.get(key)
        if not isinstance(values, list | np.ndarray):
            raise damaged(self.document.source, f"the field {key!r} of a tree is no array")
        return values

    def _array(self, key: str, kinds: str, sizes: Array) -> list[Array]:
        """Return one field of every tree as arrays of the sizes and kinds that are expected."""
        arrays = []
        for at, (tree, size) in enumerate(zip(self.trees, sizes.tolist(), strict=True)):
            values = self.field(tree, key)
            try:
                array = np.asarray(values)
            except ValueError:
                array = np.empty(0, object)
            if array.shape != (size,) or (size and array.dtype.kind not in kinds):
                raise damaged(
                    self.document.source,
                    f"the field {key!r} of tree {self.first + at} is not {size} numbers",
                )
            arrays.append(array)
        return arrays

    def _join(self, arrays: list[Array], dtype: type[np.generic]) -> Array:
        # Decimal text holds the shortest digits of a float32, so it is rounded back to one.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.concatenate([np.empty(0, dtype), *arrays], dtype=dtype, casting="unsafe")

    def integers(self, key: str) -> Array:
        return self._join(self._array(key, "iub", self.sizes), np.int64)

    def floats(self, key: str) -> Array:
        return self._join(self._array(key, "iuf", self.sizes), np.float32)

    def doubles(self, key: str) -> NDArray[np.float64]:
        # A damaged number may be a NaN that signals when it is widened.
        with np.errstate(invalid="ignore"):
            return self.floats(key).astype(np.float64)

    def covers(self) -> NDArray[np.float64]:
        """Return the hessian sums; zero where the version did not write them (vector leaves)."""
        if not all("sum_hessian" in tree for tree in self.trees):
            return np.zeros(int(self.sizes.sum()))
        return self.doubles("sum_hessian")

    def sets(self, splits: NDArray[np.bool_]) -> CodeSets:
        """Return the sets of codes that go right, of those of some splits that have one."""
        source = self.document.source
        if not any("split_type" in tree for tree in self.trees):
            return CodeSets.none()
        kinds = self.integers("split_type")
        if np.any(splits & (kinds != 0) & (kinds != 1)):
            raise damaged(source, "a split is neither by a threshold nor by categories")
        wanted = splits & (kinds == 1)
        if not np.any(wanted):
            return CodeSets.none()
        sets = CodeSets.joined(
            [
                read_sets(tree, int(size), source, self.first + at).shifted(int(root))
                for at, (tree, size, root) in enumerate(
                    zip(self.trees, self.sizes, self.roots, strict=True)
                )
            ]
        )
        lacking = wanted.copy()
        lacking[sets.node] = False
        if np.any(lacking):
            tree, node = _place(self, int(np.argmax(lacking)))
            raise damaged(source, f"node {node} of tree {tree} has no categories to split by")
        return sets.of(wanted)

    def leaf_values(self, leaf: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the values of all nodes, weighted, with zero at inner nodes."""
        width = self.width()
        weight = np.repeat(self.weights, self.sizes)[:, None]
        if width == 1:
            values = self.doubles("split_conditions")[:, None]
        elif any("leaf_weights" in tree for tree in self.trees):
            values = self._indexed_vectors(width, leaf)
        else:
            vectors = self._array("base_weights", "iuf", self.sizes * width)
            values = self._join(vectors, np.float32).reshape(-1, width)
        with np.errstate(invalid="ignore"):
            return np.where(leaf[:, None], values.astype(np.float64) * weight, 0.0)

    def width(self) -> int:
        """Return the number of values in a leaf, which all trees must share."""
        source, outputs = self.document.source, self.document.n_outputs
        widths = set()
        for tree in self.trees:
            widths.add(leaf_width(tree, source))
        if len(widths) > 1 or not widths <= {1, outputs}:
            raise damaged(source, f"leaves of {sorted(widths)} values for {outputs} outputs")
        return widths.pop() if widths else 1

    def _indexed_vectors(self, width: int, leaf: NDArray[np.bool_]) -> Array:
        """Return vectors that XGBoost 3.2 and newer keep apart, numbered by the right child."""
        sizes = [len(self.field(tree, "leaf_weights")) // width for tree in self.trees]
        counts = np.array(sizes, np.int64)
        vectors = self._join(self._array("leaf_weights", "iuf", counts * width), np.float32)
        number = self.integers("right_children")
        if np.any(leaf & ((number < 0) | (number >= np.repeat(counts, self.sizes)))):
            raise damaged(self.document.source, "a leaf points outside 'leaf_weights'")
        if not len(vectors):
            return np.zeros((len(number), width), np.float32)
        offset = np.repeat(np.cumsum(counts) - counts, self.sizes)
        return vectors.reshape(-1, width)[np.where(leaf, number + offset, 0)]


def _within_tree(
    document: Document, columns: _Columns, left: Array, right: Array, inner: NDArray[np.bool_]
) -> None:
    """Refuse children outside their tree (before offsets could hide them in the next one)."""
    size = np.repeat(columns.sizes, columns.sizes)
    outside = (left < -1) | (inner & ((left >= size) | (right >= size) | (right < 0)))
    if np.any(outside):
        tree, node = _place(columns, int(np.argmax(outside)))
        raise damaged(document.source, f"node {node} of tree {tree} has a child that is no node")


def _place(columns: _Columns, at: int) -> tuple[int, int]:
    """Return the tree and the number within it of a node of the joined arrays."""
    tree = int(np.searchsorted(columns.roots, at, side="right")) - 1
    return columns.first + tree, at - int(columns.roots[tree])
