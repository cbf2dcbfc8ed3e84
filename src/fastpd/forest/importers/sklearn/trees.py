"""From the trees of `sklearn.tree` to the node arrays of a Forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Comparison
from fastpd.forest._intervals import IntervalSplits
from fastpd.forest.thresholds import just_above

__all__ = ["Nodes", "Values", "read_trees", "thresholds_and_splits"]

_NO_LIMIT = [(-np.inf, np.inf)]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The node arrays of a Forest without its values; see there."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    default_left: NDArray[np.bool_]
    cover: NDArray[np.float64]
    roots: NDArray[np.int32]
    splits: IntervalSplits


@dataclass(frozen=True, eq=False)
class Values:
    """What the trees hold beside their splits.

    Attributes
    ----------
    value
        Of every node, (nodes, targets, classes); one class in regression.
    n_samples
        Number of training rows that reached the node.
    sizes
        Number of nodes of each tree.
    """

    value: NDArray[np.float64]
    n_samples: NDArray[np.int64]
    sizes: NDArray[np.int64]


def read_trees(
    trees: Sequence[Any], source: str, columns: Sequence[Any] | None = None
) -> tuple[Nodes, Values]:
    """Return the nodes of fitted tree estimators, one after another.

    Parameters
    ----------
    trees
        Estimators such as `DecisionTreeRegressor`.
    source
        What messages call the model.
    columns
        For each tree the columns of the model that it was trained on; None where it were all.
    """
    # What a tree is pickled as has the same fields in all versions, and no private names.
    states = [tree.tree_.__getstate__() for tree in trees]
    sizes = np.array([len(state["nodes"]) for state in states], np.int64)
    roots = np.cumsum(sizes) - sizes
    start = np.repeat(roots, sizes)

    def field(name: str) -> NDArray[Any]:
        return np.concatenate([state["nodes"][name] for state in states])

    inner = field("left_child") >= 0
    feature = field("feature")
    if columns is not None:
        feature = np.concatenate(
            [
                np.asarray(chosen)[np.maximum(state["nodes"]["feature"], 0)]
                for state, chosen in zip(states, columns, strict=True)
            ]
        )
    threshold, splits = thresholds_and_splits(field("threshold"), inner, "float32", source)
    knows_missing = "missing_go_to_left" in states[0]["nodes"].dtype.names
    lost = field("missing_go_to_left") if knows_missing else np.zeros(len(inner), bool)
    nodes = Nodes(
        feature=np.where(inner, feature, -1).astype(np.int32),
        threshold=threshold,
        left=np.where(inner, field("left_child") + start, -1).astype(np.int32),
        right=np.where(inner, field("right_child") + start, -1).astype(np.int32),
        default_left=lost.astype(bool) & inner,
        cover=field("weighted_n_node_samples").astype(np.float64),
        roots=roots.astype(np.int32),
        splits=IntervalSplits.from_mapping(splits),
    )
    value = np.concatenate([state["values"] for state in states])
    return nodes, Values(value, field("n_node_samples"), sizes)


def thresholds_and_splits(
    threshold: NDArray[np.float64], split: NDArray[np.bool_], comparison: Comparison, source: str
) -> tuple[NDArray[np.float64], dict[int, list[tuple[float, float]]]]:
    """Return thresholds for "below" from those for "at most", and splits of missing values alone.

    A threshold of infinity sends every value, infinite ones too, to the left, and only missing
    ones may go to the right.
    """
    above = just_above(np.where(split, threshold, 0.0), comparison)
    missing_alone = split & (threshold == np.inf)
    if np.any(split & np.isinf(above) & ~missing_alone):
        raise UnsupportedModelError(
            f"{source} has a split at the largest {comparison} there is, where values can not be "
            "told from infinity. Scale the feature and train again."
        )
    splits = {int(node): _NO_LIMIT for node in np.flatnonzero(missing_alone)}
    return np.where(split & ~missing_alone, above, 0.0), splits
