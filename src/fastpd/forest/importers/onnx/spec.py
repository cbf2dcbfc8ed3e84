"""Prediction as the operators' specification words it: another road than that of a Forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.comparisons import Mode
from fastpd.forest.importers.onnx.ensemble import Ensemble

__all__ = ["sums"]

_COMPARE: dict[Mode, Any] = {
    Mode.LEQ: np.less_equal,
    Mode.LT: np.less,
    Mode.GTE: np.greater_equal,
    Mode.GT: np.greater,
    Mode.EQ: np.equal,
    Mode.NEQ: np.not_equal,
}


def sums(ensemble: Ensemble, rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sums of an ensemble before any transformation, (rows, outputs).

    Values are compared as they come, in full; a missing one goes where the node says, whatever the
    node compares.
    """
    count = len(rows)
    total = np.tile(ensemble.base, (count, 1))
    nodes = np.tile(ensemble.roots, (count, 1))
    row = np.broadcast_to(np.arange(count)[:, None], nodes.shape)
    while True:
        modes = ensemble.mode[nodes]
        active = modes != Mode.LEAF
        if not active.any():
            break
        at = nodes[active]
        values = rows[row[active], ensemble.column[at]].astype(np.float64)
        holds = _holds(ensemble, at, modes[active], values)
        holds = np.where(np.isnan(values), ensemble.tracks_true[at], holds)
        nodes[active] = np.where(holds, ensemble.true[at], ensemble.false[at])
    for tree, output in enumerate(ensemble.tree_output.tolist()):
        found = ensemble.value[nodes[:, tree]]
        if output < 0:
            total += found
        else:
            total[:, output] += found[:, 0]
    return total


def _holds(
    ensemble: Ensemble, at: NDArray[Any], modes: NDArray[Any], values: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return whether each comparison holds."""
    holds = np.zeros(len(at), bool)
    for mode, compare in _COMPARE.items():
        here = modes == mode
        holds[here] = compare(values[here], ensemble.split[at[here]])
    member = modes == Mode.MEMBER
    for node in np.unique(at[member]).tolist():
        here = member & (at == node)
        holds[here] = np.isin(values[here], ensemble.members[node])
    return holds
