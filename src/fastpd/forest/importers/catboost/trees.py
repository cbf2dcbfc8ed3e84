"""From the trees of a CatBoost model to nodes, each with the number of its split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.catboost.document import Document, Trees

__all__ = ["Nodes", "read_nodes"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of some trees; those of one tree stand together, its root first.

    Attributes
    ----------
    split
        Number of the split in the model's list of them; -1 at a leaf.
    left, right
        The node that follows where the split's condition does not hold, and where it does; -1 at
        a leaf.
    leaf
        Number of the leaf's first value; -1 at a split.
    cover
        Training weight that reached the node; zero where the model does not say.
    roots
        First node of each tree.
    """

    split: Integers
    left: Integers
    right: Integers
    leaf: Integers
    cover: Floats
    roots: Integers


def read_nodes(document: Document, first: int, last: int) -> Nodes:
    """Return the nodes of the trees from `first` up to, not including, `last`."""
    trees = document.trees
    ends = np.concatenate([[0], np.cumsum(trees.sizes)])
    if trees.symmetric:
        return _symmetric(document, first, last, ends)
    return _unsymmetric(document, first, last, ends)


def _symmetric(document: Document, first: int, last: int, ends: Integers) -> Nodes:
    """Return trees of levels as binary trees, the leaves' highest bit at the root."""
    trees = document.trees
    leaf_starts = np.concatenate([[0], np.cumsum(1 << trees.sizes)])
    parts: list[Integers] = [np.empty((4, 0), np.int64)]
    covers: list[Floats] = [np.empty(0)]
    offset, roots = 0, []
    for tree in range(first, last):
        children, level, leaf = _levels(int(trees.sizes[tree]))
        splits = np.append(trees.splits[ends[tree] : ends[tree + 1]], -1)
        at = np.where(leaf < 0, -1, (leaf + leaf_starts[tree]) * document.n_outputs)
        left = np.where(children < 0, -1, children + offset)
        parts.append(np.stack([splits[level], left, np.where(left < 0, -1, left + 1), at]))
        covers.append(_sums(_weights(trees, leaf_starts[tree], leaf_starts[tree + 1])))
        roots.append(offset)
        offset += len(level)
    split, left, right, leaf = np.concatenate(parts, axis=1)
    cover = np.concatenate(covers)
    return Nodes(split, left, right, leaf, cover, np.array(roots, np.int64))


@cache
def _levels(size: int) -> tuple[Integers, Integers, Integers]:
    """Return the nodes of a full binary tree, level by level.

    That is their left children, the position of their split among those of the tree (-1 at the
    leaves), and the number of the leaf (-1 at the splits).
    """
    inner = np.arange((1 << size) - 1)
    depth = np.floor(np.log2(inner + 1)).astype(np.int64)
    none = np.full(1 << size, -1)
    children = np.concatenate([2 * inner + 1, none])
    return (
        children,
        np.concatenate([size - 1 - depth, none]),
        np.concatenate([np.full(len(inner), -1), np.arange(1 << size)]),
    )


def _weights(trees: Trees, start: int, stop: int) -> Floats:
    if not len(trees.leaf_weights):
        return np.zeros(stop - start)
    return trees.leaf_weights[start:stop]


def _sums(weights: Floats) -> Floats:
    """Return the weights of all nodes of a full binary tree, from those of its leaves."""
    levels = [weights]
    while len(levels[-1]) > 1:
        levels.append(levels[-1].reshape(-1, 2).sum(axis=1))
    return np.concatenate(levels[::-1])


def _unsymmetric(document: Document, first: int, last: int, ends: Integers) -> Nodes:
    """Return trees of nodes; where a leaf is kept within a node with one child, it gets its own."""
    trees = document.trees
    part = slice(ends[first], ends[last])
    down, up, leaf = trees.left[part], trees.right[part], trees.leaf[part]
    inner = (down > 0) | (up > 0)
    half = inner & ((down == 0) | (up == 0))
    place = np.arange(len(down)) + np.cumsum(half) - half
    total = len(down) + int(half.sum())
    roots = place[ends[first:last] - ends[first]]
    split, low, high, own_leaf = np.full((4, total), -1)
    nodes = Nodes(split, low, high, own_leaf, np.zeros(total), roots)
    nodes.split[place[inner]] = trees.splits[part][inner]
    for child, distance in ((nodes.left, down), (nodes.right, up)):
        follows = distance > 0
        child[place[follows]] = place[np.flatnonzero(follows) + distance[follows]]
        own = half & ~follows
        child[place[own]] = place[own] + 1
    nodes.leaf[place[half] + 1] = leaf[half]
    nodes.leaf[place[~inner]] = leaf[~inner]
    if len(trees.leaf_weights):
        ended = nodes.leaf >= 0
        nodes.cover[ended] = trees.leaf_weights[nodes.leaf[ended] // document.n_outputs]
        _add_up(nodes)
    return nodes


def _add_up(nodes: Nodes) -> None:
    """Fill in the cover of splits; children stand behind their parents."""
    cover = nodes.cover.tolist()
    left, right = nodes.left.tolist(), nodes.right.tolist()
    for at in range(len(cover) - 1, -1, -1):
        if left[at] >= 0:
            cover[at] = cover[left[at]] + cover[right[at]]
    nodes.cover[:] = cover
