"""Prediction by walking the trees in NumPy: slow, plain, and the yardstick for the engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.forest._forest import Forest

__all__ = ["leaves_reached", "predict", "predict_rounded"]

# Pairs of a row and a tree that are walked at once.
PAIRS = 1 << 19


def predict(
    forest: Forest, rows: ArrayLike, leaves: NDArray[np.int32] | None = None
) -> NDArray[np.float64]:
    """Return the raw predictions of rows, ``(rows, outputs)``, summed in float64.

    Parameters
    ----------
    forest
        The model.
    rows
        Values, ``(rows, features)``.
    leaves
        What `leaves_reached` returned for these rows, if that is known already.
    """
    if leaves is None:
        leaves = leaves_reached(forest, rows)
    count, outputs = len(leaves), forest.n_outputs
    total = np.tile(forest.base, (count, 1))
    step = max(1, PAIRS // max(1, count * forest.value.shape[1]))
    for first in range(0, forest.n_trees, step):
        values = forest.value[leaves[:, first : first + step]]
        if forest.value.shape[1] > 1 or outputs == 1:
            total += values.sum(axis=1)
            continue
        cell = np.arange(count)[:, None] * outputs + forest.tree_output[first : first + step]
        sums = np.bincount(cell.ravel(), values.ravel(), count * outputs)
        total += sums.reshape(count, outputs)
    return total


def predict_rounded(forest: Forest, leaves: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return raw predictions summed tree after tree in float32, as XGBoost sums them.

    Where the leaves are tiny beside the sum so far, that loses what `predict` keeps.
    """
    total = np.tile(forest.base.astype(np.float32), (len(leaves), 1))
    values = forest.value.astype(np.float32)
    for tree, output in enumerate(forest.tree_output.tolist()):
        if output < 0:
            total += values[leaves[:, tree]]
        else:
            total[:, output] += values[leaves[:, tree], 0]
    return total


def leaves_reached(forest: Forest, rows: ArrayLike) -> NDArray[np.int32]:
    """Return the leaf that each row reaches in each tree, ``(rows, trees)``."""
    values = np.asarray(rows)
    kind = np.float32 if forest.comparison == "float32" else np.float64
    with np.errstate(over="ignore"):
        values = values.astype(kind)
        missing = np.isnan(values) | (values == kind(forest.missing))
    where = np.repeat(np.arange(len(values)), forest.n_trees)
    nodes = np.tile(forest.roots, len(values))
    for first in range(0, len(nodes), PAIRS):
        part = slice(first, first + PAIRS)
        _descend(forest, values, missing, where[part], nodes[part])
    return nodes.reshape(len(values), forest.n_trees)


def _descend(
    forest: Forest,
    values: NDArray[np.floating],
    missing: NDArray[np.bool_],
    where: NDArray[np.intp],
    nodes: NDArray[np.int32],
) -> None:
    """Move every pair of a row and a node down to a leaf, in place."""
    with np.errstate(over="ignore"):
        threshold = forest.threshold.astype(values.dtype)
    cells, lost = values.ravel(), missing.ravel()
    active = np.flatnonzero(forest.feature[nodes] >= 0)
    while len(active):
        node = nodes[active]
        cell = where[active] * values.shape[1] + forest.feature[node]
        inside = cells[cell] < threshold[node]
        _apply_splits(forest, node, cells[cell], inside)
        goes_left = np.where(lost[cell], forest.default_left[node], inside)
        node = np.where(goes_left, forest.left[node], forest.right[node])
        nodes[active] = node
        active = active[forest.feature[node] >= 0]


def _apply_splits(
    forest: Forest,
    node: NDArray[np.int32],
    values: NDArray[np.floating],
    inside: NDArray[np.bool_],
) -> None:
    """Decide anew, in place, where a node's split is a union of intervals."""
    if not len(forest.splits):
        return
    at = np.searchsorted(forest.splits.node, node)
    at[at == len(forest.splits)] = 0
    here = forest.splits.node[at] == node
    inside[here] = forest.splits.goes_left(at[here], values[here])
