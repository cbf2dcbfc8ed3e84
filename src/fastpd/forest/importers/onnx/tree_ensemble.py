"""Reader of the operator TreeEnsemble (ai.onnx.ml 5), which keeps leaves apart from nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.check import reachable
from fastpd.forest.importers.comparisons import Mode
from fastpd.forest.importers.onnx.attributes import Attributes
from fastpd.forest.importers.onnx.ensemble import (
    TRANSFORMS,
    Ensemble,
    Votes,
    refuse_extremes,
)

__all__ = ["read_tree_ensemble"]

_AGGREGATES = {0: "AVERAGE", 1: "SUM", 2: "MIN", 3: "MAX"}
_NODES = "falseleafs falsenodeids featureids hitrates missing_value_tracks_true modes splits "
_NODES += "trueleafs truenodeids"
_KNOWN = {*(f"nodes_{name}" for name in _NODES.split()), "aggregate_function", "leaf_targetids"}
_KNOWN |= {"leaf_weights", "membership_values", "n_targets", "post_transform", "tree_roots"}

Integers = NDArray[np.int64]


def read_tree_ensemble(node: Any, source: str) -> Ensemble:
    """Return the ensemble of a node of the operator TreeEnsemble.

    Raises
    ------
    ModelFileError
        Where its attributes do not describe trees.
    UnsupportedModelError
        Where it is neither a sum nor a mean of trees.
    """
    given = Attributes(node, source)
    given.refuse_others(_KNOWN)
    aggregate = _AGGREGATES.get(given.integer("aggregate_function", 1), "of no known number")
    refuse_extremes(aggregate, source)
    transform = given.integer("post_transform", 0)
    n_outputs = given.integer("n_targets", 1)
    if not 0 <= transform < len(TRANSFORMS) or not 1 <= n_outputs <= 1_000_000:
        raise given.error(f"has the post_transform {transform} and {n_outputs} targets")
    nodes = _Nodes(given)
    order, roots = nodes.in_order()
    place = np.full(len(nodes.mode), -1, np.int64)
    place[order] = np.arange(len(order))
    leaf = nodes.leaf_of[order]
    mode = np.where(leaf >= 0, np.int8(Mode.LEAF), nodes.mode[order]).astype(np.int8)
    reached = np.flatnonzero(leaf >= 0)
    votes = Votes(reached, nodes.target[leaf[reached]], nodes.weight[leaf[reached]])
    value, tree_output = votes.of_leaves(mode == Mode.LEAF, roots, n_outputs, source)
    inner = leaf < 0
    return Ensemble(
        mode=mode,
        column=np.where(inner, nodes.column[order], -1),
        split=nodes.split[order],
        true=np.where(inner, place[nodes.true[order]], -1),
        false=np.where(inner, place[nodes.false[order]], -1),
        tracks_true=nodes.tracks_true[order],
        roots=roots,
        value=value / len(roots) if aggregate == "AVERAGE" else value,
        tree_output=tree_output,
        base=np.zeros(n_outputs),
        labels=(),
        transform=TRANSFORMS[transform],
        paired=False,
        kind=nodes.kind,
        cover=np.zeros(len(order)),
        members={int(place[at]): found for at, found in nodes.members() if place[at] >= 0},
    )


class _Nodes:
    """Nodes and, behind them, a copy of a leaf for each branch that ends in it."""

    def __init__(self, given: Attributes) -> None:
        self.given = given
        self.weight = given.tensor("leaf_weights").astype(np.float64)
        self.target = given.integers("leaf_targetids")
        if len(self.weight) != len(self.target):
            raise given.error(f"has {len(self.weight)} weights for {len(self.target)} leaves")
        modes = given.tensor("nodes_modes")
        self.count = len(modes)
        if np.any((modes < 0) | (modes > Mode.MEMBER)) or modes.dtype.kind not in "iu":
            raise given.error("has a node of no known mode")
        splits = self._sized("nodes_splits", given.tensor("nodes_splits"))
        tests = modes < Mode.MEMBER
        if splits.dtype.kind != "f" or np.any(np.isnan(splits[tests])):
            raise given.error("compares with something that is no number")
        self.kind = splits.dtype
        columns = self._integers("nodes_featureids")
        if np.any(columns < 0):
            raise given.error(f"compares column {int(columns.min())}")
        self._branches(modes, splits, columns)

    def _branches(self, modes: NDArray[Any], splits: NDArray[Any], columns: Integers) -> None:
        """Give the leaf at the end of each branch a number of its own, behind the nodes."""
        true, true_leaf = self._ends("true")
        false, false_leaf = self._ends("false")
        leaves = np.concatenate([true[true_leaf], false[false_leaf]])
        new = np.arange(self.count, self.count + len(leaves))
        n_true = int(np.count_nonzero(true_leaf))
        none = np.full(len(leaves), -1, np.int64)
        # Both branches into one leaf are how a tree without any split is written.
        single = true_leaf & false_leaf & (true == false)
        self.leaf_of = np.concatenate([np.where(single, true, -1), leaves])
        true[true_leaf], false[false_leaf] = new[:n_true], new[n_true:]
        self.true = np.concatenate([np.where(single, -1, true), none])
        self.false = np.concatenate([np.where(single, -1, false), none])
        self.mode = np.concatenate([modes.astype(np.int8), np.full(len(leaves), Mode.LEAF)])
        self.split = np.concatenate([splits.astype(np.float64), np.zeros(len(leaves))])
        self.column = np.concatenate([columns, none])
        tracks = self.given.integers("nodes_missing_value_tracks_true")
        if len(tracks):
            tracks = self._sized("nodes_missing_value_tracks_true", tracks)
        else:
            tracks = np.zeros(self.count, np.int64)
        self.tracks_true = np.concatenate([tracks == 1, np.zeros(len(leaves), bool)])

    def _sized(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if len(values) != self.count:
            raise self.given.error(f"has {len(values)} {name} for {self.count} nodes")
        return values

    def _integers(self, name: str) -> Integers:
        return self._sized(name, self.given.integers(name))

    def _ends(self, side: str) -> tuple[Integers, NDArray[np.bool_]]:
        """Return what follows on one side: the number of a leaf or a node, and which of both."""
        number, is_leaf = (
            self._integers(f"nodes_{side}nodeids"),
            self._integers(f"nodes_{side}leafs"),
        )
        leaf = is_leaf == 1
        limit = np.where(leaf, len(self.weight), self.count)
        if np.any((is_leaf != 0) & ~leaf) or np.any((number < 0) | (number >= limit)):
            raise self.given.error(f"has a {side} branch to a node or leaf that is not there")
        return number, leaf

    def in_order(self) -> tuple[Integers, Integers]:
        """Return the nodes that count tree after tree, root first, and where trees start."""
        roots = self.given.integers("tree_roots")
        if not len(roots) or np.any((roots < 0) | (roots >= self.count)):
            raise self.given.error("has no tree, or the root of one is no node")
        reachable(self.true, self.false, roots, self.given.source)
        tree = np.full(len(self.mode), len(roots))
        frontier, owner = roots, np.arange(len(roots))
        order = [np.zeros(0, np.int64)]
        while len(frontier):
            tree[frontier] = owner
            order.append(frontier)
            follow = np.concatenate([self.true[frontier], self.false[frontier]])
            owner = np.tile(owner, 2)[follow >= 0]
            frontier = follow[follow >= 0]
        places = np.concatenate(order)
        places = places[np.argsort(tree[places], kind="stable")]
        return places, np.flatnonzero(np.diff(tree[places], prepend=-1))

    def members(self) -> list[tuple[int, NDArray[np.float64]]]:
        """Return the nodes that test for a set, and its members, in the order of the nodes."""
        nodes = np.flatnonzero(self.mode == Mode.MEMBER).tolist()
        values = self.given.tensor("membership_values").astype(np.float64)
        ends = np.flatnonzero(np.isnan(values))
        closed = not len(values) or np.isnan(values[-1])
        if len(ends) != len(nodes) or not closed:
            raise self.given.error(f"has {len(ends)} sets of members for {len(nodes)} nodes")
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        sets = [values[start:end] for start, end in zip(starts, ends, strict=True)]
        return list(zip(nodes, sets, strict=True))
