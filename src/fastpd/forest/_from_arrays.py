"""A forest of a user's own trees: every argument checked, thresholds and links brought in form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.forest._forest import Absent, Comparison, Forest
from fastpd.forest._given_columns import MOST_OUTPUTS, categories_of, feature_names, output_names
from fastpd.forest._intervals import IntervalSplits, code_intervals
from fastpd.forest._tree_lists import TreeLists, any_array
from fastpd.forest.check import canonical, reachable
from fastpd.forest.thresholds import at_or_above, just_above

__all__ = ["LINKS", "Given"]

# Codes from here on are not all told apart.
_MOST_CODES = {"float32": 2**24, "float64": 2**53}
LINKS = ("identity", "logit", "log", "softmax", "probability")


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of `Forest.from_arrays`, as they were given; see there."""

    feature: Any
    threshold: Any
    left: Any
    right: Any
    value: Any
    roots: Any
    left_if: Any
    comparison: Any
    default_left: Any
    missing: Any
    left_codes: Any
    categories: Any
    base: Any
    tree_output: Any
    tree_weights: Any
    feature_names: Any
    n_features: Any
    output_names: Any
    cover: Any
    link: Any
    absent: Any

    def forest(self) -> Forest:
        """Return the forest, or raise for the first thing that is wrong."""
        _one_of("left_if", self.left_if, ("<", "<="))
        _one_of("comparison", self.comparison, get_args(Comparison))
        _one_of("absent", self.absent, get_args(Absent))
        _one_of("link", self.link, LINKS)
        trees = TreeLists.of(self.feature, self.roots)
        left, right = trees.children("left", self.left), trees.children("right", self.right)
        leaf = _leaves(trees, left, right)
        _check_links(trees, left, right)
        feature = trees.features(self.feature)
        names = feature_names(self.feature_names, self.n_features, feature[~leaf])
        trees.refuse(
            ~leaf & ((feature < 0) | (feature >= len(names))),
            lambda node: (
                f"splits on feature {feature[node]}; expected one from 0 to {len(names) - 1}."
            ),
        )
        columns = np.where(leaf, -1, feature.astype(np.int64))
        sets = trees.sets(self.left_codes)
        value, tree_output, base, outputs = self._outputs(trees, leaf)
        return canonical(
            Forest(
                feature=columns.astype(np.int32),
                threshold=self._thresholds(trees, leaf, sets),
                left=left.astype(np.int32),
                right=right.astype(np.int32),
                default_left=trees.flags("default_left", self.default_left) & ~leaf,
                value=value,
                cover=_covers(trees, self.cover),
                roots=trees.roots.astype(np.int32),
                tree_output=tree_output.astype(np.int32),
                base=base,
                feature_names=names,
                output_names=outputs,
                link=self.link,
                comparison=self.comparison,
                missing=_missing(self.missing),
                splits=self._splits(trees, leaf, sets),
                categories=categories_of(self.categories, names, columns, sets),
                absent=self.absent,
            )
        )

    def _thresholds(
        self, trees: TreeLists, leaf: NDArray[np.bool_], sets: Mapping[int, list[int]]
    ) -> NDArray[np.float64]:
        """Return t for each node such that the values below t go left."""
        given = trees.numbers("threshold", self.threshold)
        plain = ~leaf
        plain[list(sets)] = False
        trees.refuse(
            plain & ~np.isfinite(given),
            lambda node: f"has the threshold {given[node]}; expected a finite number.",
        )
        shift = just_above if self.left_if == "<=" else at_or_above
        points = shift(np.where(plain, given, 0.0), self.comparison)
        trees.refuse(
            plain & ~np.isfinite(points),
            lambda node: (
                f"has the threshold {given[node]}, which only infinity is above in "
                f"{self.comparison}; expected a smaller one."
            ),
        )
        return np.where(plain, points, 0.0)

    def _splits(
        self, trees: TreeLists, leaf: NDArray[np.bool_], sets: Mapping[int, list[int]]
    ) -> IntervalSplits:
        most = _MOST_CODES[self.comparison]
        for node, codes in sets.items():
            if leaf[node]:
                raise OptionError(f"{trees.place(node)} has left_codes, but is a leaf.")
            if codes[-1] >= most:
                raise OptionError(
                    f"{trees.place(node)} has the code {codes[-1]} in left_codes; expected codes "
                    f"below {most}, which {self.comparison} tells apart."
                )
        return IntervalSplits.from_mapping(
            {node: code_intervals(codes) for node, codes in sets.items()}
        )

    def _outputs(
        self, trees: TreeLists, leaf: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], tuple[str, ...]]:
        """Return leaf values, the output of each tree, the base and the names of outputs."""
        n_trees = len(trees.roots)
        weights = _per_tree("tree_weights", self.tree_weights, 1.0, n_trees)
        given = trees.values(self.value)
        weighted = given * np.repeat(weights, trees.sizes)[:, None]
        trees.refuse(
            leaf & ~np.all(np.isfinite(weighted), axis=1),
            lambda node: f"has the leaf value {given[node].tolist()}; expected finite numbers.",
        )
        base = _numbers("base", self.base)
        width = given.shape[1]
        target = np.full(n_trees, -1 if width > 1 else 0, np.int64)
        if self.tree_output is not None:
            target = _tree_outputs(self.tree_output, n_trees, width)
        names = output_names(self.output_names, width, target, base)
        if np.any(target >= len(names)):
            raise OptionError(
                f"tree_output has {target.max()}; expected outputs from 0 to {len(names) - 1}."
            )
        if width not in (1, len(names)) or base.size not in (1, len(names)):
            raise OptionError(
                f"value has {width} columns and base {base.size} entries; expected 1 or one for "
                f"each of the {len(names)} outputs."
            )
        return (
            np.where(leaf[:, None], weighted, 0.0),
            target,
            np.broadcast_to(base, len(names)).copy(),
            names,
        )


def _one_of(name: str, given: Any, known: tuple[str, ...]) -> None:
    if not isinstance(given, str) or given not in known:
        wanted = ", ".join(map(repr, known))
        raise OptionError(f"{name} is {given!r:.60}; expected one of {wanted}.")


def _leaves(
    trees: TreeLists, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.bool_]:
    trees.refuse(
        (left < 0) != (right < 0),
        lambda node: "has a child on one side only; expected two, or -1 on both at a leaf.",
    )
    return left < 0


def _check_links(trees: TreeLists, left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    """Check that every node but the roots hangs below exactly one node of its own tree."""
    count = trees.n_nodes
    split = np.flatnonzero(left >= 0)
    children = np.concatenate([left[split], right[split]])
    parents = np.bincount(children, minlength=count)
    root = np.zeros(count, bool)
    root[trees.roots] = True
    trees.refuse(root & (parents > 0), lambda node: "is a root and a child, too (a cycle).")
    trees.refuse(parents > 1, lambda node: f"is a child {parents[node]} times; expected once.")
    trees.refuse(~root & (parents == 0), lambda node: "is neither a root nor a child of any node.")
    reached = reachable(left, right, trees.roots, "The arrays")
    trees.refuse(~reached, lambda node: "cannot be reached from a root (a cycle).")
    owner = np.repeat(np.arange(len(trees.roots)), trees.sizes)
    crosses = np.zeros(count, bool)
    crosses[split] = (owner[left[split]] != owner[split]) | (owner[right[split]] != owner[split])
    trees.refuse(crosses, lambda node: "has a child behind the root of another tree.")


def _tree_outputs(given: Any, n_trees: int, width: int) -> NDArray[np.int64]:
    if width > 1:
        raise OptionError(
            f"tree_output is given beside leaves of {width} values, which add to every output; "
            "leave it out."
        )
    outputs = any_array(given)
    fits = outputs.shape == (n_trees,) and outputs.dtype.kind in "iu"
    if not fits or np.any((outputs < 0) | (outputs >= MOST_OUTPUTS)):
        raise OptionError(
            f"tree_output is {given!r:.60}; expected the number of an output for each of "
            f"{n_trees} trees."
        )
    return outputs.astype(np.int64)


def _per_tree(name: str, given: Any, absent: float, n_trees: int) -> NDArray[np.float64]:
    numbers = _numbers(name, absent if given is None else given)
    if numbers.size not in (1, n_trees):
        raise OptionError(
            f"{name} has {numbers.size} entries; expected 1 or {n_trees}, one a tree."
        )
    return np.broadcast_to(numbers, n_trees).copy()


def _numbers(name: str, given: Any) -> NDArray[np.float64]:
    """Return one finite number, or a list of them, as an array."""
    numbers = any_array(given)
    fits = numbers.dtype.kind in "iuf" and numbers.ndim <= 1
    if not fits or not np.all(np.isfinite(numbers)):
        raise OptionError(f"{name} is {given!r:.60}; expected finite numbers.")
    return np.atleast_1d(numbers.astype(np.float64))


def _covers(trees: TreeLists, given: Any) -> NDArray[np.float64]:
    if given is None:
        return np.zeros(trees.n_nodes)
    covers = trees.numbers("cover", given)
    trees.refuse(
        ~np.isfinite(covers) | (covers < 0),
        lambda node: f"has the cover {covers[node]}; expected a number from 0.",
    )
    return covers


def _missing(given: Any) -> float:
    if given is None:
        return math.nan
    whole = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not whole or math.isinf(given):
        raise OptionError(f"missing is {given!r:.60}; expected a number, or NaN for no other one.")
    return float(given)
