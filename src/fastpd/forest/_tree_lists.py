"""Arrays of a user's own trees, joined over the trees, each error saying which tree and node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError

__all__ = ["TreeLists", "any_array"]

Integers = NDArray[np.int64]
Array = NDArray[Any]

_EXPECTED = {"iu": "whole numbers", "biu": "bools", "iuf": "numbers"}
_MOST_NODES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class TreeLists:
    """How nodes are given: tree by tree, or all in one array.

    Attributes
    ----------
    roots
        First node of each tree in the joined arrays.
    sizes
        Number of nodes of each tree.
    listed
        Whether every argument is a list with an array for each tree, whose nodes count from 0.
    """

    roots: Integers
    sizes: Integers
    listed: bool

    @classmethod
    def of(cls, feature: Any, roots: Any) -> TreeLists:
        """Return how nodes are given, as the argument `feature` and the roots tell.

        Raises
        ------
        OptionError
            Where roots are no ascending numbers of nodes.
        """
        if _is_listed(feature):
            if roots is not None:
                raise OptionError(
                    "roots is given beside a list of trees, each of which starts at its node 0; "
                    "leave it out."
                )
            sizes = [
                len(_array("feature", tree, "iu", f" of tree {k}"))
                for k, tree in enumerate(feature)
            ]
            if 0 in sizes:
                raise OptionError(f"tree {sizes.index(0)} has no nodes; expected at least a leaf.")
            counts = np.array(sizes, np.int64)
            _check_count(int(counts.sum()))
            return cls(np.cumsum(counts) - counts, counts, True)
        count = len(_array("feature", feature, "iu"))
        _check_count(count)
        given = np.zeros(min(count, 1), np.int64) if roots is None else _array("roots", roots, "iu")
        starts = given.astype(np.int64)
        ordered = np.all(np.diff(starts) > 0) and np.all((starts >= 0) & (starts < count))
        if not ordered or (count > 0) != (len(starts) > 0) or (count and starts[0] != 0):
            raise OptionError(
                f"roots is {_shown(given)}; expected ascending numbers of nodes, the first of them "
                f"0 and all below {count}, the nodes of a tree standing together."
            )
        return cls(starts, np.diff(np.append(starts, count)), False)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return int(self.sizes.sum())

    def place(self, node: int) -> str:
        """Return what messages call a node of the joined arrays."""
        if not self.listed:
            return f"node {node}"
        tree = int(np.searchsorted(self.roots, node, side="right")) - 1
        return f"node {node - int(self.roots[tree])} of tree {tree}"

    def refuse(self, wrong: Array, what: Callable[[int], str]) -> None:
        """Raise for the first of the nodes that are wrong, if any is."""
        if np.any(wrong):
            node = int(np.argmax(wrong))
            raise OptionError(f"{self.place(node)} {what(node)}")

    def numbers(self, name: str, given: Any) -> NDArray[np.float64]:
        """Return one float64 a node."""
        return _floats(name, self._joined(name, given, "iuf"))

    def children(self, name: str, given: Any) -> Integers:
        """Return the nodes that follow, numbered in the joined arrays; -1 where none does."""
        child = self._joined(name, given, "iu")
        size = np.repeat(self.sizes, self.sizes) if self.listed else self.n_nodes
        self.refuse(
            (child < -1) | (child >= size),
            lambda node: (
                f"has {name} {child[node]}; expected a node from 0 to "
                f"{int(np.broadcast_to(size, child.shape)[node]) - 1}, or -1 at a leaf."
            ),
        )
        links = child.astype(np.int64)
        start = np.repeat(self.roots, self.sizes) if self.listed else 0
        return np.where(links >= 0, links + start, -1)

    def features(self, given: Any) -> Array:
        """Return the feature of every node, in the type that it is given in."""
        return self._joined("feature", given, "iu")

    def flags(self, name: str, given: Any) -> NDArray[np.bool_]:
        """Return one bool a node; one alone counts for all."""
        if isinstance(given, bool | np.bool_):
            return np.full(self.n_nodes, bool(given))
        flags = self._joined(name, given, "biu")
        self.refuse(
            (flags != 0) & (flags != 1),
            lambda node: f"has {name} {flags[node]}; expected True or False.",
        )
        return flags.astype(bool)

    def values(self, given: Any) -> NDArray[np.float64]:
        """Return leaf values, one a node or one a node and output, as (nodes, width)."""
        values = self._joined("value", given, "iuf", (1, 2))
        return _floats("value", values[:, None] if values.ndim == 1 else values)

    def sets(self, given: Any) -> dict[int, list[int]]:
        """Return the category codes that go left, by node of the joined arrays."""
        if given is None:
            return {}
        maps = list(given) if self.listed and isinstance(given, list | tuple) else [given]
        starts = self.roots.tolist() if self.listed else [0]
        sizes = self.sizes.tolist() if self.listed else [self.n_nodes]
        if len(maps) != len(starts) or not all(isinstance(one, Mapping) for one in maps):
            wanted = f"{len(starts)} mappings, one a tree," if self.listed else "a mapping"
            raise OptionError(
                f"left_codes is a {type(given).__name__}; expected {wanted} from a node to the "
                "category codes that go left there, such as {0: [1, 4]}."
            )
        found = {}
        for start, size, one in zip(starts, sizes, maps, strict=True):
            for node, codes in one.items():
                if not _is_whole(node) or not 0 <= node < size:
                    raise OptionError(
                        f"left_codes names node {node!r:.40}; expected one from 0 to {size - 1}."
                    )
                found[start + int(node)] = self._codes(start + int(node), codes)
        return found

    def _codes(self, node: int, codes: Any) -> list[int]:
        listed = list(codes) if isinstance(codes, Iterable) and not isinstance(codes, str) else []
        if not listed or not all(_is_whole(code) and code >= 0 for code in listed):
            raise OptionError(
                f"{self.place(node)} has left_codes {codes!r:.60}; expected a list of codes, whole "
                "numbers from 0. If none goes left the node is no split."
            )
        return sorted({int(code) for code in listed})

    def _joined(self, name: str, given: Any, kinds: str, ndims: tuple[int, ...] = (1,)) -> Array:
        """Return an argument over all nodes, its length checked."""
        if not self.listed:
            array = _array(name, given, kinds, ndims=ndims)
            self._check_length(name, len(array), self.n_nodes, "")
            return array
        if not _is_listed(given) or len(given) != len(self.sizes):
            many = f"{len(given)} entries" if isinstance(given, list | tuple) else "no list"
            raise OptionError(
                f"{name} has {many}; expected a list of {len(self.sizes)} arrays, one a tree, "
                "as feature is."
            )
        arrays = []
        for tree, part in enumerate(given):
            array = _array(name, part, kinds, f" of tree {tree}", ndims)
            self._check_length(name, len(array), int(self.sizes[tree]), f" of tree {tree}")
            arrays.append(array)
        if len({array.shape[1:] for array in arrays}) > 1:
            raise OptionError(f"{name} has another number of outputs in one tree than in another.")
        return np.concatenate(arrays)

    @staticmethod
    def _check_length(name: str, found: int, wanted: int, of_tree: str) -> None:
        if found != wanted:
            raise OptionError(
                f"{name}{of_tree} has {found} entries, but feature has {wanted}; expected one a "
                "node."
            )


def _is_listed(given: Any) -> bool:
    return (
        isinstance(given, list | tuple)
        and len(given) > 0
        and isinstance(given[0], Sized)
        and not isinstance(given[0], str)
    )


def any_array(given: Any) -> Array:
    """Return anything as an array; what is none is an array of objects."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0, object)


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _array(
    name: str, given: Any, kinds: str, of_tree: str = "", ndims: tuple[int, ...] = (1,)
) -> Array:
    """Return an argument as an array of the kinds and dimensions that are expected."""
    array = any_array(given)
    masked = isinstance(given, np.ma.MaskedArray)
    if array.size == 0 and array.ndim == 1 and array.dtype == np.float64:
        array = array.astype(np.int64)
    if array.ndim not in ndims or array.dtype.kind not in kinds or masked:
        shape = " rows and columns" if array.ndim == 2 else ""
        raise OptionError(
            f"{name}{of_tree} is {_shown(given)}, of dtype {array.dtype}{shape}; expected an array "
            f"of {_EXPECTED[kinds]}, one a node."
        )
    return array


def _floats(name: str, array: Array) -> NDArray[np.float64]:
    """Return numbers as float64, none of them rounded."""
    with np.errstate(over="ignore", invalid="ignore"):
        floats = array.astype(np.float64)
        same = (floats.astype(array.dtype) == array) | (array != array)
    # The largest integer itself rounds up to a float that can not be converted back.
    if array.dtype.kind in "iu":
        same &= np.abs(floats) < 2.0**63
    if not np.all(same):
        number = array.ravel()[int(np.argmin(same.ravel()))]
        raise OptionError(f"{name} has {number}, which float64 would round; give floats.")
    return np.ascontiguousarray(floats)


def _check_count(count: int) -> None:
    if count > _MOST_NODES:
        raise OptionError(f"{count} nodes are given; at most {_MOST_NODES} can be numbered.")


def _shown(given: Any) -> str:
    text = " ".join(repr(given).split())
    return text if len(text) <= 60 else text[:57] + "..."
