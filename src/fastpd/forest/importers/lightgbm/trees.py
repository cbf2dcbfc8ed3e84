"""From the trees of a LightGBM model's text to arrays, each field checked and joined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.lightgbm.document import Document, damaged

__all__ = ["CATEGORICAL", "DEFAULT_LEFT", "Trees", "read_trees"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# Bits of a split's decision type; those above say what counts as missing.
CATEGORICAL, DEFAULT_LEFT = 1, 2
_LARGEST_DECISION = 11
_INTEGER = re.compile(r"[-0-9 ]*", re.ASCII)
_DECIMAL = re.compile(r"[-+.0-9eEinf ]*", re.ASCII)


@dataclass(frozen=True, eq=False)
class Trees:
    """The fields of some trees, joined: entries of splits, then those of leaves.

    Attributes
    ----------
    source
        What the trees were read from, for messages.
    first
        Number in the model of the first of them.
    leaves
        Number of leaves of each tree; it has one split less.
    column, threshold, decision, left, right
        Of each split. A child below zero is the leaf ``-1 - child`` of the same tree. The
        threshold of a categorical split is the number of its set.
    leaf_value, leaf_count, split_count
        Of each leaf and each split; counts are those of training rows.
    sets
        For each tree its sets of categories, as bits.
    """

    source: str
    first: int
    leaves: Integers
    column: Integers
    threshold: Floats
    decision: Integers
    left: Integers
    right: Integers
    leaf_value: Floats
    leaf_count: Floats
    split_count: Floats
    sets: list[list[NDArray[np.uint32]]]

    @property
    def splits(self) -> Integers:
        """Number of splits of each tree."""
        return self.leaves - 1

    @cached_property
    def tree_of_split(self) -> Integers:
        """Number among these of the tree of each split."""
        return np.repeat(np.arange(len(self.leaves)), self.splits)

    def place(self, split: int) -> str:
        """Return how messages call a split, given by its place in the joined arrays."""
        tree = int(self.tree_of_split[split])
        return f"split {split - int(self.splits[:tree].sum())} of tree {self.first + tree}"


def read_trees(document: Document, first: int, last: int) -> Trees:
    """Return the trees from `first` up to, not including, `last`.

    Raises
    ------
    ModelFileError
        Where a field is absent, no number, or not of the length that the others have.
    UnsupportedModelError
        Where leaves hold linear models.
    """
    reader = _Reader(document.source, document.trees[first:last], first)
    reader.refuse_linear_leaves()
    leaves = reader.leaf_numbers()
    trees = Trees(
        source=document.source,
        first=first,
        leaves=leaves,
        column=reader.integers("split_feature", leaves - 1),
        threshold=reader.decimals("threshold", leaves - 1),
        decision=reader.integers("decision_type", leaves - 1),
        left=reader.integers("left_child", leaves - 1),
        right=reader.integers("right_child", leaves - 1),
        leaf_value=reader.decimals("leaf_value", leaves),
        leaf_count=reader.counts("leaf_count", leaves),
        split_count=reader.counts("internal_count", leaves - 1),
        sets=reader.sets(),
    )
    _check_splits(trees, len(document.feature_names))
    return trees


def _check_splits(trees: Trees, n_columns: int) -> None:
    splits, leaves = (np.repeat(one, trees.splits) for one in (trees.splits, trees.leaves))
    wrong = [
        ("has a child that is no node", _outside(trees.left, -leaves, splits)),
        ("has a child that is no node", _outside(trees.right, -leaves, splits)),
        ("splits on an absent column", _outside(trees.column, 0, n_columns)),
        ("has an unknown kind of decision", _outside(trees.decision, 0, _LARGEST_DECISION + 1)),
    ]
    for what, where in wrong:
        if np.any(where):
            raise damaged(trees.source, f"{trees.place(int(np.argmax(where)))} {what}")


def _outside(values: Integers, low: Any, high: Any) -> NDArray[np.bool_]:
    return np.asarray((values < low) | (values >= high))


class _Reader:
    """Fields of trees, each parsed for all of them at once."""

    def __init__(self, source: str, trees: list[Mapping[str, str]], first: int) -> None:
        self.source = source
        self.trees = trees
        self.first = first

    def leaf_numbers(self) -> Integers:
        """Return the number of leaves of each tree, which the others' lengths follow from."""
        said = self.integers("num_leaves", np.ones(len(self.trees), np.int64))
        found = [tree.get("leaf_value", "").count(" ") + 1 for tree in self.trees]
        wrong = (said != np.array(found, np.int64)) | (said < 1)
        if np.any(wrong):
            at = int(np.argmax(wrong))
            raise self.wrong(at, "leaf_value", f"{said[at]} numbers, as 'num_leaves' says")
        return said

    def wrong(self, at: int, key: str, expected: str) -> Exception:
        value = self.trees[at].get(key)
        shown = "absent" if value is None else f"{value!r:.40}"
        return damaged(
            self.source, f"{key!r} of tree {self.first + at} is {shown}; expected {expected}"
        )

    def refuse_linear_leaves(self) -> None:
        for at, tree in enumerate(self.trees):
            linear = tree.get("is_linear", "0")
            if linear == "1":
                raise UnsupportedModelError(
                    f"Tree {self.first + at} of {self.source} has linear models in its leaves, so "
                    "its predictions are no sum of steps. Train with `linear_tree=False`."
                )
            if linear != "0":
                raise self.wrong(at, "is_linear", "0 or 1")

    def integers(self, key: str, sizes: Integers) -> Integers:
        words = self._words(key, sizes, _INTEGER, "whole numbers")
        try:
            return np.array(list(map(int, words)), np.int64)
        except (ValueError, OverflowError):
            raise damaged(self.source, f"{key!r} of a tree holds no whole numbers") from None

    def decimals(self, key: str, sizes: Integers) -> Floats:
        words = self._words(key, sizes, _DECIMAL, "numbers")
        try:
            return np.array(list(map(float, words)), np.float64)
        except ValueError:
            raise damaged(self.source, f"{key!r} of a tree holds no numbers") from None

    def counts(self, key: str, sizes: Integers) -> Floats:
        """Return counts of rows, zero where a tree has none; no prediction depends on them."""
        given = np.array([bool(tree.get(key, "").strip()) for tree in self.trees], bool)
        counts = np.zeros(int(sizes.sum()))
        counts[np.repeat(given, sizes)] = self.integers(key, np.where(given, sizes, 0))
        return counts

    def _words(self, key: str, sizes: Integers, form: re.Pattern[str], kind: str) -> list[str]:
        words: list[str] = []
        for at, (tree, size) in enumerate(zip(self.trees, sizes.tolist(), strict=True)):
            text = tree.get(key, "")
            parts = text.split(" ") if text else []
            if len(parts) != size or not form.fullmatch(text):
                raise self.wrong(at, key, f"{size} {kind}")
            words += parts
        return words

    def sets(self) -> list[list[NDArray[np.uint32]]]:
        """Return the bits of each tree's sets of categories."""
        numbers = self.integers("num_cat", np.ones(len(self.trees), np.int64))
        return [
            self._sets_of(at, count) if count else [] for at, count in enumerate(numbers.tolist())
        ]

    def _sets_of(self, at: int, count: int) -> list[NDArray[np.uint32]]:
        tree = self.trees[at]
        reader = _Reader(self.source, [tree], self.first + at)
        length = len(tree.get("cat_threshold", "").split(" "))
        size = len(tree.get("cat_boundaries", "").split(" "))
        bounds = reader.integers("cat_boundaries", np.array([size]))
        bits = reader.integers("cat_threshold", np.array([length]))
        if size != count + 1 or bounds[0] != 0 or bounds[-1] != length:
            raise self.wrong(at, "cat_boundaries", f"{count + 1} bounds of {length} numbers")
        if np.any(np.diff(bounds) < 1) or np.any((bits < 0) | (bits >= 2**32)):
            raise self.wrong(at, "cat_threshold", f"{count} sets of bits")
        return np.split(bits.astype(np.uint32), bounds[1:-1])
