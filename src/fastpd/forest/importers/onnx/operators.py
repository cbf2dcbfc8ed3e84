"""Readers of TreeEnsembleRegressor and TreeEnsembleClassifier (ai.onnx.ml 1 to 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.comparisons import Mode
from fastpd.forest.importers.onnx.attributes import Attributes, damaged
from fastpd.forest.importers.onnx.ensemble import (
    TRANSFORMS,
    Ensemble,
    Votes,
    refuse_extremes,
)

__all__ = ["read_operator"]

_MODES = {
    **{f"BRANCH_{mode.name}".encode(): mode for mode in Mode if mode < Mode.MEMBER},
    b"LEAF": Mode.LEAF,
}
_NODES = (
    "falsenodeids featureids hitrates hitrates_as_tensor missing_value_tracks_true modes nodeids "
)
_NODES += "treeids truenodeids values values_as_tensor"
_SHARED = {*(f"nodes_{name}" for name in _NODES.split())}
_SHARED |= {"base_values", "base_values_as_tensor", "post_transform"}
_VOTES = ("ids", "nodeids", "treeids", "weights", "weights_as_tensor")
_REGRESSOR = _SHARED | {*(f"target_{name}" for name in _VOTES), "aggregate_function", "n_targets"}
_CLASSIFIER = _SHARED | {*(f"class_{name}" for name in _VOTES)}
_CLASSIFIER |= {"classlabels_int64s", "classlabels_strings"}

Integers = NDArray[np.int64]


def read_operator(node: Any, source: str) -> Ensemble:
    """Return the ensemble of a regressor's or a classifier's node.

    Raises
    ------
    ModelFileError
        Where its attributes do not describe trees.
    UnsupportedModelError
        Where its meaning is not a sum or mean of trees, or not agreed upon by runtimes.
    """
    given = Attributes(node, source)
    classifier = given.op == "TreeEnsembleClassifier"
    given.refuse_others(_CLASSIFIER if classifier else _REGRESSOR)
    table = _Nodes(given)
    votes = table.votes("class" if classifier else "target")
    base = given.floats("base_values").astype(np.float64)
    labels = _labels(given) if classifier else ()
    paired = classifier and _paired(votes, base, len(labels), source)
    if classifier:
        n_outputs, mean = (1 if paired else len(labels)), False
    else:
        n_outputs = _n_targets(given)
        aggregate = given.text("aggregate_function", "SUM")
        refuse_extremes(aggregate, source)
        mean = aggregate == "AVERAGE"
    value, tree_output = votes.of_leaves(table.mode == Mode.LEAF, table.roots, n_outputs, source)
    transform = given.text("post_transform", "NONE")
    if transform not in TRANSFORMS:
        raise given.error(f"has the post_transform {transform!r:.60}")
    return Ensemble(
        mode=table.mode,
        column=table.column,
        split=table.split.astype(np.float64),
        true=table.child("nodes_truenodeids"),
        false=table.child("nodes_falsenodeids"),
        tracks_true=table.tracks_true,
        roots=table.roots,
        value=value / len(table.roots) if mean else value,
        tree_output=tree_output,
        base=_base(base, n_outputs, source),
        labels=labels,
        transform=transform,
        paired=paired,
        kind=table.split.dtype,
        cover=table.cover,
    )


def _labels(given: Attributes) -> tuple[str, ...]:
    texts, numbers = given.texts("classlabels_strings"), given.integers("classlabels_int64s")
    if bool(texts) == bool(len(numbers)):
        raise given.error("has no class labels, or two lists of them")
    return tuple(text.decode("utf-8", "replace") for text in texts) or tuple(
        str(number) for number in numbers.tolist()
    )


def _n_targets(given: Attributes) -> int:
    count = given.integer("n_targets", 1)
    # Every output gets a name; more of them than this is damage.
    if not 1 <= count <= 1_000_000:
        raise given.error(f"has {count} targets")
    return count


def _paired(votes: Votes, base: NDArray[np.float64], n_labels: int, source: str) -> bool:
    """Tell whether one sum stands for two classes; refuse what runtimes do not agree upon."""
    met = np.unique(votes.output)
    if n_labels <= 2 and np.array_equal(met, [0]) and len(base) <= 1:
        return True
    if len(met) > 1 and (n_labels > 2 or not len(base)):
        return False
    raise UnsupportedModelError(
        f"{source} has a TreeEnsembleClassifier of {n_labels} classes with weights of "
        f"{len(met)} of them (the first is {met[:1].tolist()}) and {len(base)} base values, which "
        "ONNX runtimes do not score alike. Export it with weights for all classes (of two without "
        "base values), or with weights for class 0 alone of two."
    )


def _base(base: NDArray[np.float64], n_outputs: int, source: str) -> NDArray[np.float64]:
    if len(base) not in (0, n_outputs):
        raise damaged(source, f"{len(base)} base values for {n_outputs} outputs")
    return base if len(base) else np.zeros(n_outputs)


class _Nodes:
    """The attributes that begin with ``nodes_``, checked."""

    def __init__(self, given: Attributes) -> None:
        self.given = given
        self.tree = given.integers("nodes_treeids")
        if not len(self.tree):
            raise given.error("has no nodes")
        self.number = self._sized("nodes_nodeids", given.integers("nodes_nodeids"))
        modes = [_MODES.get(text, -1) for text in given.texts("nodes_modes")]
        self.mode = self._sized("nodes_modes", np.array(modes, np.int8))
        if np.any(self.mode < 0):
            wrong = given.texts("nodes_modes")[int(np.argmin(self.mode))]
            raise given.error(f"has a node of the mode {wrong!r:.60}")
        leaf = self.mode == Mode.LEAF
        column = self._sized("nodes_featureids", given.integers("nodes_featureids"))
        if np.any(~leaf & (column < 0)):
            raise given.error(f"compares column {int(column[~leaf].min())}")
        self.column = np.where(leaf, -1, column)
        self.split = self._sized("nodes_values", given.floats("nodes_values"))
        if self.split.dtype.kind != "f" or np.any(np.isnan(self.split[~leaf])):
            raise given.error("compares with something that is no number")
        self.tracks_true = self._optional("nodes_missing_value_tracks_true").astype(np.int64) == 1
        self.roots = self._roots()
        self._order = np.lexsort((self.number, self.tree))
        self._refuse_twins()
        self.cover = self._cover()

    def _sized(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if len(values) != len(self.tree):
            raise self.given.error(f"has {len(values)} {name} for {len(self.tree)} nodes")
        return values

    def _optional(self, name: str) -> NDArray[Any]:
        values = self.given.integers(name)
        return self._sized(name, values) if len(values) else np.zeros(len(self.tree))

    def _cover(self) -> NDArray[np.float64]:
        """Return the popularity of nodes, which is no part of any prediction."""
        rates = self.given.floats("nodes_hitrates").astype(np.float64)
        sound = len(rates) == len(self.tree) and bool(np.all(np.isfinite(rates)))
        return rates if sound else np.zeros(len(self.tree))

    def _roots(self) -> Integers:
        roots = np.append(0, np.flatnonzero(self.tree[1:] != self.tree[:-1]) + 1)
        if len(np.unique(self.tree[roots])) < len(roots):
            raise self.given.error("has trees whose nodes do not stand together")
        return roots

    def _refuse_twins(self) -> None:
        tree, number = self.tree[self._order], self.number[self._order]
        if np.any((np.diff(tree) == 0) & (np.diff(number) == 0)):
            raise self.given.error("has two nodes of the same number in a tree")

    def _find(self, tree: Integers, number: Integers, what: str) -> Integers:
        """Return the places of nodes that are given by tree and number."""
        known = np.unique(self.number)
        trees = self.tree[self.roots]
        ranks = np.argsort(trees)
        # One whole number stands for a tree and a node, so that all are found by one search.
        rank = np.searchsorted(trees[ranks], tree).clip(max=len(trees) - 1)
        at = np.searchsorted(known, number).clip(max=len(known) - 1)
        mine = np.searchsorted(trees[ranks], self.tree) * len(known)
        keys = (mine + np.searchsorted(known, self.number))[self._order]
        asked = rank * len(known) + at
        place = np.searchsorted(keys, asked).clip(max=len(keys) - 1)
        found = (trees[ranks][rank] == tree) & (known[at] == number) & (keys[place] == asked)
        if not np.all(found):
            wrong = int(np.argmin(found))
            raise self.given.error(f"{what} node {number[wrong]} of tree {tree[wrong]}, not there")
        return np.asarray(self._order[place], np.int64)

    def child(self, name: str) -> Integers:
        """Return the node that follows each node; -1 at a leaf."""
        numbers = self._sized(name, self.given.integers(name))
        inner = self.mode != Mode.LEAF
        children = np.full(len(numbers), -1, np.int64)
        children[inner] = self._find(self.tree[inner], numbers[inner], "goes on to")
        if np.any(np.isin(children[inner], self.roots)):
            raise self.given.error("has a tree whose first node is not its root")
        return children

    def votes(self, prefix: str) -> Votes:
        """Return what the leaves add."""
        output = self.given.integers(f"{prefix}_ids")
        tree = self.given.integers(f"{prefix}_treeids")
        number = self.given.integers(f"{prefix}_nodeids")
        weight = self.given.floats(f"{prefix}_weights")
        sizes = {len(output), len(tree), len(number), len(weight)}
        if len(sizes) > 1 or weight.dtype.kind != "f":
            raise self.given.error(f"has lists {prefix}_... of {sorted(sizes)} entries")
        return Votes(self._find(tree, number, "weights"), output, weight.astype(np.float64))
