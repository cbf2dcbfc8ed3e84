"""The canonical ensemble: frozen arrays that every importer fills and every query reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._categories import Categories
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest._preparation import Preparation

__all__ = ["Absent", "Comparison", "Forest"]

Absent = Literal["zero", "missing", "refused"]
Comparison = Literal["float32", "float64"]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Forest:
    """A sum of decision trees, as arrays over the nodes of all trees.

    A row goes left at a node when its value, rounded to `comparison`, is below the threshold;
    a missing value goes to the side that `default_left` says. At the nodes of `splits` it goes left
    when its value lies in one of their intervals instead. The raw prediction of an output is
    its `base` plus the values of the leaves that the row reaches.

    Attributes
    ----------
    feature
        Feature that the node splits on; -1 at a leaf.
    threshold
        Split point at full precision; 0 at a leaf.
    left, right
        Node that follows (index into these same arrays); -1 at a leaf.
    default_left
        Whether a missing value goes left.
    value
        Leaf values, ``(nodes, width)``; zero at inner nodes. `width` is 1 where every tree adds
        to one output, else the number of outputs.
    cover
        Training weight that reached the node, as the library recorded it.
    roots
        Root node of each tree.
    tree_output
        Output to which each tree adds; -1 where its leaves hold a value for every output.
    base
        Raw prediction of each output before any tree.
    feature_names, output_names
        Names, in column order.
    link
        Function from the mean to the raw scale: ``"identity"``, ``"logit"``, ``"log"``,
        ``"softmax"``, or ``"probability"`` where the raw scores are probabilities already.
    slope
        What raw scores are multiplied by before they go through the inverse of the link.
    comparison
        Precision in which the library compares a value with a threshold.
    missing
        A number that counts as missing beside NaN; NaN where there is none.
    source
        What the forest was read from, for messages.
    splits
        Splits that are no single threshold, such as sets of categories.
    categories
        For each feature its categories, or None where it holds numbers; empty where none has any.
    absent
        What a cell is that a sparse matrix does not hold: a ``"zero"``, a ``"missing"`` value; or
        the library takes no sparse matrix, so that it is ``"refused"``.
    preparation
        Steps between the user's table and these columns, of a pipeline; None where there are none.
    takes_missing
        Whether the library takes missing values; False where it refuses rows that have any.
    """

    feature: Integers
    threshold: Floats
    left: Integers
    right: Integers
    default_left: NDArray[np.bool_]
    value: Floats
    cover: Floats
    roots: Integers
    tree_output: Integers
    base: Floats
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    link: str = "identity"
    slope: float = 1.0
    comparison: Comparison = "float32"
    missing: float = math.nan
    source: str = "arrays"
    splits: IntervalSplits = field(default_factory=IntervalSplits.none)
    categories: tuple[Categories | None, ...] = ()
    absent: Absent = "refused"
    preparation: Preparation | None = None
    takes_missing: bool = True

    @property
    def n_features(self) -> int:
        """Number of columns of the rows that the model takes."""
        return len(self.feature_names)

    @property
    def n_outputs(self) -> int:
        """Number of raw scores that the model returns for a row."""
        return len(self.output_names)

    @property
    def n_trees(self) -> int:
        """Number of trees that count."""
        return len(self.roots)

    @property
    def named(self) -> bool:
        """Whether the model knows its features' names; else they are ``f0``, ``f1``, ..."""
        return self.feature_names != tuple(f"f{i}" for i in range(self.n_features))

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.feature < 0

    def centred_values(self, output: int) -> tuple[Floats, float]:
        """Return leaf values that add to one output, moved to the middle of each tree, and the sum.

        A row reaches exactly one leaf of a tree, so a constant in all of them moves the prediction
        and nothing else. Without it, differences between leaves keep their digits in sums.
        Leaves of trees that add to other outputs, and inner nodes, get zero.
        """
        values = self.value[:, 0 if self.value.shape[1] == 1 else output]
        mine = (self.tree_output == output) | (self.tree_output == -1)
        leaf = self.is_leaf
        if not mine.any():
            return np.zeros(len(values)), 0.0
        lowest = np.minimum.reduceat(np.where(leaf, values, np.inf), self.roots)
        highest = np.maximum.reduceat(np.where(leaf, values, -np.inf), self.roots)
        middle = np.where(mine, lowest / 2 + highest / 2, 0.0)
        counts = leaf & self._of_trees(mine)
        return np.where(counts, values - self._of_trees(middle), 0.0), float(middle.sum())

    def _of_trees(self, entries: NDArray[Any]) -> NDArray[Any]:
        """Repeat one entry a tree for all of its nodes, which stand together."""
        return np.repeat(entries, np.diff(np.append(self.roots, len(self.feature))))
