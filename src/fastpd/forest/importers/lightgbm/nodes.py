"""From the trees of a LightGBM model to the node arrays of a Forest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.common import NodeArrays
from fastpd.forest.importers.lightgbm.splits import decide
from fastpd.forest.importers.lightgbm.trees import Trees

__all__ = ["node_of_leaf", "node_of_split", "nodes_of"]


def nodes_of(trees: Trees, n_outputs: int, divisor: int) -> NodeArrays:
    """Return the nodes of trees, the values of whose leaves are divided by a number.

    Parameters
    ----------
    trees
        Whole rounds of trees, one tree of a round for each output.
    n_outputs
        Number of outputs.
    divisor
        Number of rounds where a prediction is the mean of them; else 1.
    """
    decisions = decide(trees)
    roots, tree = _roots(trees), trees.tree_of_split
    split = node_of_split(trees)
    leaf = node_of_leaf(
        trees, np.repeat(np.arange(len(roots)), trees.leaves), _numbers(trees.leaves)
    )
    count = len(split) + len(leaf)

    def spread(
        at: NDArray[np.int64], values: NDArray[np.generic], empty: float
    ) -> NDArray[np.float64]:
        nodes = np.full(count, empty, np.float64)
        nodes[at] = values
        return nodes

    def children(given: NDArray[np.int64]) -> NDArray[np.int32]:
        place = np.where(given < 0, node_of_leaf(trees, tree, -1 - given), roots[tree] + given)
        return spread(split, place, -1).astype(np.int32)

    cover = spread(split, trees.split_count, 0)
    cover[leaf] = trees.leaf_count
    return NodeArrays(
        feature=spread(split, trees.column, -1).astype(np.int32),
        threshold=spread(split, decisions.threshold, 0),
        left=children(trees.left),
        right=children(trees.right),
        default_left=spread(split, decisions.default_left, 0).astype(bool),
        value=spread(leaf, trees.leaf_value / divisor, 0)[:, None],
        cover=cover,
        roots=roots.astype(np.int32),
        tree_output=(np.arange(len(roots)) % n_outputs).astype(np.int32),
        splits=decisions.at_nodes(split),
    )


def node_of_split(trees: Trees) -> NDArray[np.int64]:
    """Return the node of each split."""
    return np.asarray(_roots(trees)[trees.tree_of_split] + _numbers(trees.splits))


def node_of_leaf(
    trees: Trees, tree: NDArray[np.int64], leaf: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the node of a leaf, given by its tree (of these) and its number in that tree."""
    return np.asarray(_roots(trees)[tree] + trees.splits[tree] + leaf)


def _roots(trees: Trees) -> NDArray[np.int64]:
    sizes = trees.leaves + trees.splits
    return np.asarray(np.cumsum(sizes) - sizes)


def _numbers(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0, 1, ... for the entries of each tree."""
    starts = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) - np.repeat(starts, sizes))
