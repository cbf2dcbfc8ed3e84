"""The canonical ensemble: frozen arrays that every importer fills and every query reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._categories import Categories
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest._names import made_up_names
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
    underscored
        Whether the library wrote underscores for spaces in the names of features.
    takes_missing
        Whether the library takes missing values; False where it refuses rows that have any.
    integers
        Precision in which the library reads an array of whole numbers.
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
    underscored: bool = False
    takes_missing: bool = True
    integers: Comparison = "float64"

    @classmethod
    def from_arrays(
        cls,
        feature: Any,
        threshold: Any,
        left: Any,
        right: Any,
        value: Any,
        *,
        roots: Any = None,
        left_if: Literal["<", "<="] = "<=",
        comparison: Comparison = "float64",
        default_left: Any = False,
        missing: float | None = None,
        left_codes: Any = None,
        categories: Mapping[str, Any] | None = None,
        base: Any = 0.0,
        tree_output: Any = None,
        tree_weights: Any = None,
        feature_names: Sequence[str] | None = None,
        n_features: int | None = None,
        output_names: Sequence[str] | None = None,
        cover: Any = None,
        link: str = "identity",
        absent: Absent = "refused",
    ) -> Forest:
        """Return a forest of trees of your own, or of a library that is not read directly.

        Each of `feature`, `threshold`, `left`, `right`, `value`, `default_left` and `cover` is
        either a list with one array a tree, whose nodes count from 0 and start with the root; or
        one array over the nodes of all trees, into which `roots` and children point.

        Parameters
        ----------
        feature
            Column that the node splits on; anything at a leaf.
        threshold
            Number that a value is compared with; anything at a leaf and at nodes of `left_codes`.
        left, right
            Node that follows; -1 on both sides at a leaf.
        value
            Leaf values: one a node, or an array (nodes, outputs); anything at inner nodes.
        roots
            First node of each tree, where one array holds all; by default there is one tree.
        left_if
            Whether a value on the threshold goes right, ``"<"``, or left, ``"<="``.
        comparison
            Precision to which values are rounded before they are compared.
        default_left
            Whether missing values go left: one bool, or one a node. By default they go right, as
            comparisons with NaN are false.
        missing
            A number that counts as missing beside NaN.
        left_codes
            At nodes that split by a set of categories: mapping from the node to the codes that go
            left; for a list of trees, a list of mappings. All other codes go right.
        categories
            For categorical columns, by name: labels, code 0 first; or `Categories`; or None where
            rows hold codes. A label that is not there is refused, unless `Categories` say more.
        base
            Raw prediction before any tree: one number, or one an output.
        tree_output
            For each tree the output that it adds to, where leaves have one value; by default 0.
        tree_weights
            What leaf values are multiplied by: a number, such as ``1 / n_trees``, or one a tree.
        feature_names, n_features
            Names of the columns, or their number; by default f0, f1, ... up to the last in use.
        output_names
            Names of the outputs; by default ``"prediction"``, or ``"0"``, ``"1"``, ...
        cover
            Training weight of each node, that of two children together; `measures.Path` alone
            reads it.
        link, absent
            As in `Forest`.

        Returns
        -------
        Forest
            The trees, to be given to `Explainer`.

        Raises
        ------
        OptionError
            Where the arrays describe no trees, or a number would have to be changed.
        FeatureError
            Where categories are given for a column that is not there.

        Examples
        --------
        Two trees, the first ``1 if age <= 30 else 5``, the second a split by the city:

        >>> from fastpd import Explainer, Forest
        >>> forest = Forest.from_arrays(
        ...     feature=[[0, -1, -1], [1, -1, -1]],
        ...     threshold=[[30.0, 0, 0], [0.0, 0, 0]],
        ...     left=[[1, -1, -1], [1, -1, -1]],
        ...     right=[[2, -1, -1], [2, -1, -1]],
        ...     value=[[0.0, 1, 5], [0.0, 10, 20]],
        ...     left_codes=[{}, {0: [0, 2]}],
        ...     categories={"city": ["Rome", "Oslo", "Bern"]},
        ...     feature_names=["age", "city"],
        ... )
        >>> import pandas as pd
        >>> rows = pd.DataFrame({"age": [30, 31], "city": ["Bern", "Oslo"]})
        >>> Explainer(forest, rows).predict(rows)
        array([11., 25.])
        """
        # At call time, for that module builds a Forest.
        from fastpd.forest._from_arrays import Given

        return Given(
            feature=feature,
            threshold=threshold,
            left=left,
            right=right,
            value=value,
            roots=roots,
            left_if=left_if,
            comparison=comparison,
            default_left=default_left,
            missing=missing,
            left_codes=left_codes,
            categories=categories,
            base=base,
            tree_output=tree_output,
            tree_weights=tree_weights,
            feature_names=feature_names,
            n_features=n_features,
            output_names=output_names,
            cover=cover,
            link=link,
            absent=absent,
        ).forest()

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
        return self.feature_names != made_up_names(self.n_features)

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
