"""Comparisons of every kind as splits that send what is below a threshold, or in a set, left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Comparison
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.thresholds import just_above

__all__ = ["Mode", "Tests", "at_or_above", "equalities", "splits_of"]

Floats = NDArray[np.float64]
Intervals = list[tuple[float, float]]
_ALWAYS = [(-np.inf, np.inf)]


class Mode(IntEnum):
    """What a node compares a value for, numbered as the operator TreeEnsemble of ONNX does."""

    LEQ = 0
    LT = 1
    GTE = 2
    GT = 3
    EQ = 4
    NEQ = 5
    MEMBER = 6
    LEAF = 7


@dataclass(frozen=True, eq=False)
class Tests:
    """What each node asks, and where a row goes on.

    Attributes
    ----------
    mode, split
        The comparison, and what is compared with.
    true, false
        Node that follows where it holds and where it does not; -1 at a leaf.
    tracks_true
        Whether a missing value goes on as if it held.
    members
        For every node of mode MEMBER the intervals of values for which it holds, ascending.
    """

    mode: NDArray[np.int8]
    split: Floats
    true: NDArray[np.int64]
    false: NDArray[np.int64]
    tracks_true: NDArray[np.bool_]
    members: Mapping[int, Intervals]


def splits_of(tests: Tests, comparison: Comparison, source: str) -> dict[str, Any]:
    """Return threshold, left, right, default_left and splits of a Forest.

    Parameters
    ----------
    tests
        The nodes.
    comparison
        Precision of the values, which may be less than that of what they are compared with.
    source
        What the model was read from, for messages.

    Raises
    ------
    UnsupportedModelError
        Where a threshold parts infinite values from all finite ones.
    """
    mode, inner = tests.mode, tests.mode != Mode.LEAF
    above = np.isin(mode, (Mode.LEQ, Mode.GT))
    swapped = np.isin(mode, (Mode.GTE, Mode.GT, Mode.NEQ))
    intervals = _by_value(tests, comparison, source)
    ordered = inner.copy()
    ordered[list(intervals)] = False
    exact = np.where(ordered, tests.split, 0.0)
    threshold = np.where(above, just_above(exact, comparison), at_or_above(exact, comparison))
    # Compared with an infinity, `<=` may hold for every value, and `<` for none.
    always, never = above & (exact == np.inf), ~above & (exact == -np.inf)
    constant = always | never
    _refuse(~constant & ~np.isfinite(threshold), source)
    swapped ^= never
    intervals |= {int(node): _ALWAYS for node in np.flatnonzero(constant)}
    empty = [node for node, found in intervals.items() if not found]
    swapped[empty] ^= True
    intervals |= dict.fromkeys(empty, _ALWAYS)
    return {
        "threshold": np.where(ordered & ~constant, threshold, 0.0),
        "left": np.where(swapped, tests.false, tests.true).astype(np.int32),
        "right": np.where(swapped, tests.true, tests.false).astype(np.int32),
        "default_left": inner & (tests.tracks_true != swapped),
        "splits": IntervalSplits.from_mapping(intervals),
    }


def at_or_above(threshold: ArrayLike, comparison: Comparison) -> Floats:
    """Return the smallest number of the comparison's precision that is not below a threshold.

    Examples
    --------
    >>> from fastpd.forest.importers.comparisons import at_or_above
    >>> bool(at_or_above(0.1, "float32") > 0.1), float(at_or_above(0.5, "float32"))
    (True, 0.5)
    """
    exact = np.asarray(threshold, dtype=np.float64)
    kind = np.dtype(comparison).type
    with np.errstate(over="ignore", under="ignore"):
        rounded = exact.astype(kind)
        up = np.where(rounded < exact, np.nextafter(rounded, kind(np.inf)), rounded)
    return up.astype(np.float64)


def _by_value(tests: Tests, comparison: Comparison, source: str) -> dict[int, Intervals]:
    """Return the intervals of the nodes that do not ask for an order."""
    nodes = np.flatnonzero(np.isin(tests.mode, (Mode.EQ, Mode.NEQ)))
    found = equalities(nodes, tests.split[nodes], nodes.tolist(), comparison, source)
    return found | dict(tests.members)


def equalities(
    owner: NDArray[Any],
    values: Floats,
    nodes: Sequence[int],
    comparison: Comparison,
    source: str,
) -> dict[int, Intervals]:
    """Return for each of some nodes the intervals of the numbers that equal one of its values.

    Parameters
    ----------
    owner, values
        Nodes, each as often as it has values, and the values.
    nodes
        All nodes, with values or without.
    comparison
        Precision of the numbers. A value between two of them equals none.
    source
        What the model was read from, for messages.
    """
    low, high = at_or_above(values, comparison), just_above(values, comparison)
    _refuse(np.isinf(values) | np.isinf(low) | np.isinf(high), source)
    found: dict[int, Intervals] = {node: [] for node in nodes}
    held = np.flatnonzero(low < high)
    held = held[np.lexsort((low[held], owner[held]))]
    ends = zip(owner[held].tolist(), low[held].tolist(), high[held].tolist(), strict=True)
    for node, start, end in ends:
        mine = found[node]
        if mine and start < mine[-1][1]:
            continue
        first = mine.pop()[0] if mine and mine[-1][1] == start else start
        mine.append((first, end))
    return found


def _refuse(wrong: NDArray[np.bool_], source: str) -> None:
    if np.any(wrong):
        raise UnsupportedModelError(
            f"{source} has a split that parts infinite values from all finite ones, which is not "
            "represented. Train or export it with thresholds below the largest number."
        )
