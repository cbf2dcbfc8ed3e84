"""Isolation forests: the mean length of the path to the leaf that a row reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._forest import Forest
from fastpd.forest.importers.sklearn.finish import feature_names, finished, source_of
from fastpd.forest.importers.sklearn.trees import Nodes, read_trees

__all__ = ["isolation_forest"]


def isolation_forest(estimator: Any) -> Forest:
    """Return the forest of mean path lengths.

    `score_samples` is ``-2 ** (-length / c)``, a curve over the mean path length, with the constant
    c of a path in a tree of as many rows as each was trained on. Short paths are anomalies.
    """
    source, trees = source_of(estimator), estimator.estimators_
    count = estimator.n_features_in_
    drawn = estimator.estimators_features_
    # A tree of all the columns takes them as they are, in whatever order they were drawn.
    columns = None if len(drawn[0]) == count else drawn
    nodes, values = read_trees(trees, source, columns)
    lengths = _depths(nodes) + _average_path_length(values.n_samples)
    forest = Forest(
        **vars(nodes),
        value=np.where(nodes.feature < 0, lengths / len(trees), 0.0)[:, None],
        tree_output=np.zeros(len(trees), np.int32),
        base=np.zeros(1),
        feature_names=feature_names(estimator, count),
        output_names=("path_length",),
        source=source,
        absent="zero",
    )
    longest = float(_average_path_length(np.array([estimator.max_samples_]))[0])

    def raw(rows: NDArray[Any]) -> NDArray[np.float64]:
        if longest == 0:  # trees of one row: every path is of length 0, and every score the same
            return np.asarray(0.0 * estimator.score_samples(rows))
        return np.asarray(-longest * np.log2(-estimator.score_samples(rows)))

    return finished(forest, raw)


def _average_path_length(n_samples: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean length of an unsuccessful search in a binary tree of so many rows."""
    rows = np.maximum(n_samples, 3).astype(np.float64)
    long = 2.0 * (np.log(rows - 1.0) + np.euler_gamma) - 2.0 * (rows - 1.0) / rows
    short: NDArray[np.float64] = np.where(n_samples == 2, 1.0, 0.0)
    return np.where(n_samples <= 2, short, long)


def _depths(nodes: Nodes) -> NDArray[np.float64]:
    """Return how many splits there are above each node."""
    depth = np.zeros(len(nodes.feature))
    level, frontier = 0, nodes.roots
    while len(frontier):
        depth[frontier] = level
        inner = frontier[nodes.feature[frontier] >= 0]
        frontier = np.concatenate([nodes.left[inner], nodes.right[inner]])
        level += 1
    return depth
