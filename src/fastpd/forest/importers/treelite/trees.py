"""From the trees of a treelite model to the node arrays of a Forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._categories import Categories
from fastpd.forest._intervals import code_intervals
from fastpd.forest.check import reachable
from fastpd.forest.importers.comparisons import Mode, Tests, splits_of
from fastpd.forest.importers.treelite.header import Header, damaged
from fastpd.forest.importers.treelite.leaves import leaf_values

__all__ = ["Nodes", "categories_of", "read_nodes"]

# treelite's numbers for its comparisons and for a node that tests for categories.
_MODES = {1: Mode.EQ, 2: Mode.LT, 3: Mode.LEQ, 4: Mode.GT, 5: Mode.GTE}
_CATEGORICAL = 2
_FIELDS = "cleft cright split_index default_left cmp node_type threshold leaf_value "
_FIELDS += "leaf_vector_begin leaf_vector_end category_list_begin category_list_end "
_FIELDS += "category_list_right_child"
# Codes are compared as whole numbers of 32 bits that the input's type holds without a gap.
_LARGEST = {"float32": 2**24, "float64": 2**32 - 1}


class Nodes:
    """The fields of all trees, each joined over the trees.

    Parameters
    ----------
    model
        A treelite model.
    header
        Its header.
    """

    def __init__(self, model: Any, header: Header) -> None:
        self.header = header
        self._trees = [model.get_tree_accessor(tree).get_field for tree in range(header.n_trees)]
        left = [field("cleft") for field in self._trees]
        self.sizes = np.array([len(one) for one in left], np.int64)
        self.roots = np.cumsum(self.sizes) - self.sizes
        if np.any(self.sizes == 0):
            raise damaged(header.source, f"tree {int(np.argmin(self.sizes))} has no nodes")
        self.start = np.repeat(self.roots, self.sizes)
        self._fields = {name: self._joined(name) for name in _FIELDS.split()}
        self.left, self.right = self._children()
        self.leaf = self.left < 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._fields[name]

    def _joined(self, name: str) -> NDArray[Any]:
        parts = [np.array(field(name)) for field in self._trees]
        for tree, (part, size) in enumerate(zip(parts, self.sizes.tolist(), strict=True)):
            if len(part) != size:
                raise damaged(
                    self.header.source, f"tree {tree} has {len(part)} {name} for {size} nodes"
                )
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        size = np.repeat(self.sizes, self.sizes)
        found = []
        leaf = self["cleft"] == -1
        for name in ("cleft", "cright"):
            child = self[name].astype(np.int64)
            if np.any(~leaf & ((child < 0) | (child >= size))):
                raise damaged(self.header.source, "a node has a child that is not there")
            found.append(np.where(leaf, -1, child + self.start))
        return found[0], found[1]

    def lists(self, name: str, nodes: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Return for some nodes their part of a list that each tree has, such as categories."""
        begin, end = self[f"{name}_begin"].astype(np.int64), self[f"{name}_end"].astype(np.int64)
        tree = np.searchsorted(self.roots, nodes, side="right") - 1
        lists = {one: np.array(self._trees[one](name)) for one in np.unique(tree).tolist()}
        found = []
        for node, one in zip(nodes.tolist(), tree.tolist(), strict=True):
            first, last = int(begin[node]), int(end[node])
            if not 0 <= first <= last <= len(lists[one]):
                raise damaged(self.header.source, f"a node of tree {one} has no {name}")
            found.append(lists[one][first:last])
        return found

    def covers(self) -> NDArray[np.float64]:
        """Return sums of hessians, else numbers of rows; zero where neither is recorded."""
        for name in ("sum_hess", "data_count"):
            parts = [np.array(field(name), np.float64) for field in self._trees]
            given = [len(part) for part in parts] == self.sizes.tolist()
            if given and parts and all(np.all(np.isfinite(part)) for part in parts):
                return np.concatenate(parts)
        return np.zeros(len(self.left))


def read_nodes(nodes: Nodes) -> dict[str, Any]:
    """Return the node arrays of a Forest; nodes that no row reaches are dropped.

    Raises
    ------
    ModelFileError
        Where fields do not describe trees.
    UnsupportedModelError
        Where a threshold parts infinite values from all finite ones.
    """
    header = nodes.header
    reached = reachable(nodes.left, nodes.right, nodes.roots, header.source)
    splits = splits_of(_tests(nodes, reached), header.comparison, header.source)
    value, tree_output = leaf_values(nodes, header)
    place = (np.cumsum(reached) - 1).astype(np.int32)
    feature = np.where(nodes.leaf, -1, nodes["split_index"]).astype(np.int32)
    if np.any(reached & ~nodes.leaf & (feature < 0)):
        raise damaged(header.source, "a node splits no feature")

    def moved(children: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.where(children < 0, -1, place[children]).astype(np.int32)[reached]

    return {
        "feature": feature[reached],
        "threshold": splits["threshold"][reached],
        "left": moved(splits["left"]),
        "right": moved(splits["right"]),
        "default_left": splits["default_left"][reached],
        "value": value[reached],
        "cover": nodes.covers()[reached],
        "roots": place[nodes.roots],
        "tree_output": tree_output,
        "splits": splits["splits"].renumbered(place, reached),
    }


def _tests(nodes: Nodes, reached: NDArray[np.bool_]) -> Tests:
    """Return what nodes ask; those that no row reaches are taken for leaves."""
    inner = reached & ~nodes.leaf
    categorical = inner & (nodes["node_type"] == _CATEGORICAL)
    table = np.full(256, -1, np.int8)
    table[list(_MODES)] = list(_MODES.values())
    mode = table[nodes["cmp"].astype(np.uint8)]
    mode[categorical] = Mode.MEMBER
    mode[~inner] = Mode.LEAF
    split = np.where(inner & ~categorical, nodes["threshold"], 0.0).astype(np.float64)
    if np.any(mode < 0) or np.any(np.isnan(split)):
        raise damaged(nodes.header.source, "a node has no known comparison")
    # A test for categories may hold for the right child; all others hold for the left one.
    turned = categorical & (nodes["category_list_right_child"] != 0)
    return Tests(
        mode=mode,
        split=split,
        true=np.where(turned, nodes.right, nodes.left),
        false=np.where(turned, nodes.left, nodes.right),
        tracks_true=(nodes["default_left"] != 0) != turned,
        members=_members(nodes, categorical),
    )


def _members(nodes: Nodes, categorical: NDArray[np.bool_]) -> dict[int, list[tuple[float, float]]]:
    """Return the values whose whole part is one of the categories of a node."""
    largest = _LARGEST[nodes.header.comparison]
    at = np.flatnonzero(categorical)
    found = {}
    for node, codes in zip(at.tolist(), nodes.lists("category_list", at), strict=True):
        intervals = code_intervals(codes[codes <= largest].tolist())
        # Nothing beyond the largest code is one, not even by its whole part.
        if intervals and intervals[-1][1] > largest:
            kind = np.dtype(nodes.header.comparison).type
            intervals[-1] = (intervals[-1][0], float(np.nextafter(kind(largest), kind(np.inf))))
        found[node] = intervals
    return found


def categories_of(nodes: Nodes) -> tuple[Categories | None, ...]:
    """Return for each feature whether it is split by categories, whose labels are not known."""
    at = ~nodes.leaf & (nodes["node_type"] == _CATEGORICAL)
    columns = set(nodes["split_index"][at].tolist())
    if not columns:
        return ()
    codes = Categories(None)
    return tuple(codes if one in columns else None for one in range(nodes.header.n_features))
