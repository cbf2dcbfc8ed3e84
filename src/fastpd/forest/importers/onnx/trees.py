"""From the nodes of an ensemble to the arrays of a Forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastpd.forest._forest import Comparison
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.importers.comparisons import Tests, equalities, splits_of
from fastpd.forest.importers.onnx.ensemble import Ensemble

__all__ = ["joined", "node_arrays"]

_PLACES = ("left", "right", "roots")


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
    sets = ensemble.members
    sizes = [len(members) for members in sets.values()]
    owner = np.repeat(np.array(list(sets), np.int64), sizes)
    values = np.concatenate([np.zeros(0), *sets.values()])
    tests = Tests(
        ensemble.mode,
        ensemble.split,
        ensemble.true,
        ensemble.false,
        ensemble.tracks_true,
        equalities(owner, values, list(sets), comparison, source),
    )
    return {
        **splits_of(tests, comparison, source),
        "feature": np.where(ensemble.leaf, -1, ensemble.column).astype(np.int32),
        "value": ensemble.value,
        "cover": ensemble.cover,
        "roots": ensemble.roots.astype(np.int32),
        "tree_output": ensemble.tree_output,
    }


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
