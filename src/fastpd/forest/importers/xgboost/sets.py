"""Splits by sets of category codes, as XGBoost stores them: a code in the set goes right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.importers.xgboost.fields import damaged

__all__ = ["CodeSets", "read_sets"]

Array = NDArray[np.int64]

# XGBoost takes codes from here on, which float32 does not tell apart, for none of any set.
MAX_CODES = 2**24

_FIELDS = ("categories", "categories_nodes", "categories_segments", "categories_sizes")


@dataclass(frozen=True, eq=False)
class CodeSets:
    """Sets of codes at some nodes.

    Attributes
    ----------
    node
        The nodes, in ascending order.
    sizes
        Number of codes of each node, at least one.
    codes
        The codes of the first node, of the second, ...; of a node ascending.
    """

    node: Array
    sizes: Array
    codes: Array

    @classmethod
    def none(cls) -> CodeSets:
        """Return no sets."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty, empty)

    @classmethod
    def joined(cls, parts: Iterable[CodeSets]) -> CodeSets:
        """Return the sets of several parts, whose nodes ascend from part to part."""
        given = [cls.none(), *parts]
        return cls(
            np.concatenate([part.node for part in given]),
            np.concatenate([part.sizes for part in given]),
            np.concatenate([part.codes for part in given]),
        )

    def shifted(self, by: int) -> CodeSets:
        """Return the sets with all nodes' numbers raised."""
        return CodeSets(self.node + by, self.sizes, self.codes)

    def of(self, wanted: NDArray[np.bool_]) -> CodeSets:
        """Return the sets of the nodes that are wanted."""
        kept = wanted[self.node]
        return CodeSets(self.node[kept], self.sizes[kept], self.codes[np.repeat(kept, self.sizes)])

    def largest(self) -> Array:
        """Return the largest code of each set."""
        return self.codes[np.cumsum(self.sizes) - 1]

    def splits(self) -> IntervalSplits:
        """Return the splits: left goes a value that truncates to no code of the set.

        A negative one goes left, even if it truncates to 0.
        """
        # Between a code and the one before it, and behind the last code, lies an interval.
        ends = np.cumsum(self.sizes)
        low = np.insert((self.codes + 1).astype(np.float64), ends - self.sizes, -np.inf)
        high = np.insert(self.codes.astype(np.float64), ends, np.inf)
        owner = np.repeat(np.arange(len(self.node)), self.sizes + 1)
        kept = low < high
        counts = np.bincount(owner[kept], minlength=len(self.node))
        return IntervalSplits(
            self.node.astype(np.int32),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            low[kept],
            high[kept],
        )


def read_sets(tree: Mapping[str, Any], n_nodes: int, source: str, number: int) -> CodeSets:
    """Return all sets that a tree of a document holds, even at nodes that do not use them.

    Raises
    ------
    ModelFileError
        Where they do not fit the tree, or codes are out of range or out of order.
    """
    codes, node, start, size = (_integers(tree, key, source, number) for key in _FIELDS)

    def refuse(what: str) -> None:
        raise damaged(source, f"the categories of tree {number} {what}")

    if not len(node) == len(start) == len(size):
        refuse("are not one set for each of their nodes")
    if not len(node):
        return CodeSets.none()
    if np.any(np.diff(node) <= 0) or node[0] < 0 or node[-1] >= n_nodes:
        refuse("are not at nodes of it in order")
    if np.any(size < 1) or np.any(start != np.cumsum(size) - size) or size.sum() != len(codes):
        refuse("are not cut into sets one after another")
    if np.any((codes < 0) | (codes >= MAX_CODES)):
        refuse(f"have a code outside 0 to {MAX_CODES - 1}")
    first = np.zeros(len(codes), bool)
    first[start] = True
    if np.any(np.diff(codes)[~first[1:]] <= 0):
        refuse("are not in ascending order")
    return CodeSets(node, size, codes)


def _integers(tree: Mapping[str, Any], key: str, source: str, number: int) -> Array:
    values = tree.get(key)
    try:
        array = np.asarray(values if isinstance(values, list | np.ndarray) else None)
    except (ValueError, OverflowError):
        array = np.empty(0, object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise damaged(source, f"the field {key!r} of tree {number} is no list of whole numbers")
    # No sum of sizes may run over, and no count of them is larger than the file.
    if array.size and (array.max() >= 2**31 or array.min() < 0):
        raise damaged(source, f"the field {key!r} of tree {number} has a number out of range")
    return array.astype(np.int64)
