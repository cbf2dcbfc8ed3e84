"""From the comparisons of an ensemble to thresholds that send what is below them to the left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Comparison
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.importers.onnx.ensemble import Ensemble, Mode
from fastpd.forest.thresholds import just_above

__all__ = ["joined", "node_arrays"]

Floats = NDArray[np.float64]
_ALWAYS = [(-np.inf, np.inf)]


def node_arrays(ensemble: Ensemble, comparison: Comparison, source: str) -> dict[str, Any]:
    """Return the arrays of a Forest for the nodes of one ensemble.

    Parameters
    ----------
    ensemble
        What the operator says; its columns are those of the whole model.
    comparison
        Precision of the values that reach the operator, which may be less than its thresholds'.
    source
        What the model was read from, for messages.

    Raises
    ------
    UnsupportedModelError
        Where a threshold parts infinite values from all finite ones.
    """
    mode, inner = ensemble.mode, ~ensemble.leaf
    above = np.isin(mode, (Mode.LEQ, Mode.GT))
    exact = np.where(inner & (mode != Mode.MEMBER), ensemble.split, 0.0)
    threshold = np.where(above, just_above(exact, comparison), at_or_above(exact, comparison))
    swapped = np.isin(mode, (Mode.GTE, Mode.GT, Mode.NEQ))
    intervals = _equalities(ensemble, comparison, source)
    by_value = np.zeros(len(mode), bool)
    by_value[list(intervals)] = True
    ordered = inner & ~by_value
    # Compared with an infinity, `<=` or `<` holds for every value or for none.
    always = ordered & np.where(above, exact == np.inf, False)
    never = ordered & ~above & (threshold == -np.inf)
    _refuse(ordered & ~always & ~never & ~np.isfinite(threshold), source)
    swapped ^= never
    intervals |= dict.fromkeys(np.flatnonzero(always | never).tolist(), _ALWAYS)
    empty = [node for node, found in intervals.items() if not found]
    swapped[empty] ^= True
    intervals |= dict.fromkeys(empty, _ALWAYS)
    left = np.where(swapped, ensemble.false, ensemble.true)
    right = np.where(swapped, ensemble.true, ensemble.false)
    plain = ordered & ~always & ~never
    return {
        "feature": np.where(inner, ensemble.column, -1).astype(np.int32),
        "threshold": np.where(plain, threshold, 0.0),
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "default_left": inner & (ensemble.tracks_true != swapped),
        "value": ensemble.value,
        "cover": ensemble.cover,
        "roots": ensemble.roots.astype(np.int32),
        "tree_output": ensemble.tree_output,
        "splits": IntervalSplits.from_mapping(intervals),
    }


def at_or_above(threshold: ArrayLike, comparison: Comparison) -> Floats:
    """Return the smallest number of the comparison's precision that is not below a threshold."""
    exact = np.asarray(threshold, dtype=np.float64)
    kind = np.dtype(comparison).type
    with np.errstate(over="ignore", under="ignore"):
        rounded = exact.astype(kind)
        up = np.where(rounded < exact, np.nextafter(rounded, kind(np.inf)), rounded)
    return up.astype(np.float64)


def _equalities(
    ensemble: Ensemble, comparison: Comparison, source: str
) -> dict[int, list[tuple[float, float]]]:
    """Return the values that nodes ask for by equality, as intervals; none where none is equal."""
    nodes = np.flatnonzero(np.isin(ensemble.mode, (Mode.EQ, Mode.NEQ)))
    sets = ensemble.members
    owner = np.concatenate([nodes, np.repeat(list(sets), [len(one) for one in sets.values()])])
    values = np.concatenate([ensemble.split[nodes], *sets.values()])
    low, high = at_or_above(values, comparison), just_above(values, comparison)
    _refuse(np.isinf(values) | np.isinf(low) | np.isinf(high), source)
    found: dict[int, list[tuple[float, float]]] = {int(node): [] for node in [*nodes, *sets]}
    # A value between two numbers of the precision equals none: its interval is empty.
    held = np.flatnonzero(low < high)
    held = held[np.lexsort((low[held], owner[held]))]
    ends = zip(owner[held].tolist(), low[held].tolist(), high[held].tolist(), strict=True)
    for node, start, end in ends:
        mine = found[int(node)]
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


def joined(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the arrays of several ensembles, one after another."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(part["feature"]) for part in parts]
    starts = [int(start) for start in np.cumsum([0, *sizes[:-1]])]
    moved = []
    for part, start in zip(parts, starts, strict=True):
        places = {name: np.where(part[name] < 0, -1, part[name] + start) for name in _PLACES}
        moved.append({**part, **places})
    arrays = {
        name: np.concatenate([part[name] for part in moved])
        for name in parts[0]
        if name != "splits"
    }
    splits = [
        (node + start, ends)
        for part, start in zip(parts, starts, strict=True)
        for node, ends in part["splits"]
    ]
    typed = {name: arrays[name].astype(np.int32) for name in _PLACES}
    return {**arrays, **typed, "splits": IntervalSplits.from_mapping(dict(splits))}


_PLACES = ("left", "right", "roots")
