"""A tree ensemble operator as one table of nodes, whichever operator set it was written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.comparisons import Mode
from fastpd.forest.importers.onnx.attributes import damaged

__all__ = ["TRANSFORMS", "Ensemble", "Votes", "refuse_extremes"]

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The nodes of all trees, tree after tree, the root of each first.

    Attributes
    ----------
    mode, column, split
        What each node compares: how, which column, and with what.
    true, false
        Node that follows; -1 at a leaf.
    tracks_true
        Whether a missing value follows `true`.
    members
        For nodes of mode MEMBER the values that follow `true`.
    roots
        Root of each tree.
    value, tree_output
        Leaf values and outputs of the trees, as in a Forest, with the mean already taken.
    base
        What is added to each output.
    labels
        Names of the classes; empty where the operator is no classifier.
    transform
        What happens to the sums: one of `TRANSFORMS`.
    paired
        Whether the one output stands for the second of two classes, and both are returned.
    kind
        Precision in which the operator holds its thresholds.
    cover
        Popularity of the nodes, zero where it is not recorded.
    """

    mode: NDArray[np.int8]
    column: NDArray[np.int64]
    split: NDArray[np.float64]
    true: NDArray[np.int64]
    false: NDArray[np.int64]
    tracks_true: NDArray[np.bool_]
    roots: NDArray[np.int64]
    value: NDArray[np.float64]
    tree_output: NDArray[np.int32]
    base: NDArray[np.float64]
    labels: tuple[str, ...]
    transform: str
    paired: bool
    kind: np.dtype[Any]
    cover: NDArray[np.float64]
    members: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def n_outputs(self) -> int:
        """Number of sums."""
        return len(self.base)

    @property
    def leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return np.asarray(self.mode == Mode.LEAF)


@dataclass(frozen=True, eq=False)
class Votes:
    """What leaves add: a node, an output and a weight for each vote."""

    node: NDArray[np.int64]
    output: NDArray[np.int64]
    weight: NDArray[np.float64]

    def of_leaves(
        self, leaf: NDArray[np.bool_], roots: NDArray[np.int64], n_outputs: int, source: str
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return leaf values and the output of each tree, as a Forest has them.

        Votes of one leaf for one output add up; those of inner nodes do not count.
        """
        counts = leaf[self.node]
        node, output, weight = self.node[counts], self.output[counts], self.weight[counts]
        if np.any((output < 0) | (output >= n_outputs)):
            wrong = int(output[(output < 0) | (output >= n_outputs)][0])
            raise damaged(source, f"a leaf adds to output {wrong} of {n_outputs}")
        # Every output gets a name; far more of them than anything adds to is damage.
        if n_outputs > 1000 + 8 * len(weight):
            raise damaged(source, f"{n_outputs} outputs for {len(weight)} weights of leaves")
        tree = np.searchsorted(roots, node, side="right") - 1
        first = np.full(len(roots), n_outputs, np.int64)
        last = np.full(len(roots), -1, np.int64)
        np.minimum.at(first, tree, output)
        np.maximum.at(last, tree, output)
        if np.all(first >= last):
            value = np.bincount(node, weight, len(leaf)).astype(np.float64)
            return value[:, None], np.maximum(last, 0).astype(np.int32)
        if len(leaf) * n_outputs > 10_000_000 + 64 * len(weight):
            raise damaged(source, f"{n_outputs} outputs for {len(weight)} weights of leaves")
        cells = node * n_outputs + output
        table = np.bincount(cells, weight, len(leaf) * n_outputs).astype(np.float64)
        return table.reshape(len(leaf), n_outputs), np.full(len(roots), -1, np.int32)


def refuse_extremes(aggregate: str, source: str) -> None:
    """Refuse what is neither a sum nor a mean of trees."""
    if aggregate in ("SUM", "AVERAGE"):
        return
    if aggregate in ("MIN", "MAX"):
        raise UnsupportedModelError(
            f"{source} takes the {aggregate} over its trees, and only a sum or a mean of trees "
            "can be explained exactly. Export it with aggregate_function SUM or AVERAGE."
        )
    raise damaged(source, f"aggregate_function is {aggregate!r:.60}")
