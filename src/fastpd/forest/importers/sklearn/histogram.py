"""Histogram-based gradient boosting, with its splits by categories."""

from __future__ import annotations

import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest._intervals import IntervalSplits, code_intervals
from fastpd.forest.importers.common import Rounds, rounds_of
from fastpd.forest.importers.sklearn.finish import Raw, finished
from fastpd.forest.importers.sklearn.labels import Encoding
from fastpd.forest.importers.sklearn.names import (
    class_names,
    feature_names,
    source_of,
)
from fastpd.forest.importers.sklearn.trees import thresholds_and_splits

__all__ = ["histogram_boosting"]

_LINKS = {
    "IdentityLink": "identity",
    "LogLink": "log",
    "LogitLink": "logit",
    "MultinomialLogit": "softmax",
}
# Categories have the codes from 0 to here, as they are kept in sets of bits.
_N_CODES = 256
_EVERYTHING = [(-np.inf, np.inf)]


def histogram_boosting(estimator: Any, rounds: Rounds | None) -> Forest:
    """Return the forest of boosted trees, on the raw scale of `decision_function`."""
    first, last = rounds_of(rounds, len(estimator._predictors))
    chosen = copy.copy(estimator)
    chosen._predictors = estimator._predictors[first:last]
    source = source_of(estimator)
    encoding = Encoding.of(estimator, source)
    per_round = len(chosen._predictors[0])
    several = per_round > 1
    forest = Forest(
        **_node_arrays(chosen, encoding, source),
        tree_output=np.tile(np.arange(per_round, dtype=np.int32), last - first),
        base=np.asarray(estimator._baseline_prediction, np.float64).ravel(),
        feature_names=feature_names(estimator, estimator.n_features_in_),
        output_names=class_names(estimator.classes_, False) if several else ("prediction",),
        link=_link(estimator, source),
        comparison="float64",
        source=source,
        categories=encoding.categories,
    )
    return finished(forest, _raw(chosen, forest.link))


def _link(estimator: Any, source: str) -> str:
    name = type(estimator._loss.link).__name__
    if name not in _LINKS:
        raise UnsupportedModelError(
            f"{source} has a loss of the link {name}; expected one of {', '.join(_LINKS)}. Train "
            "with another `loss`."
        )
    return _LINKS[name]


def _raw(estimator: Any, link: str) -> Raw:
    if hasattr(estimator, "classes_"):
        return estimator.decision_function  # type: ignore[no-any-return]
    # The public prediction is on the scale of the mean, where raw scores can not be told exactly.
    return estimator.predict if link == "identity" else estimator._raw_predict  # type: ignore[no-any-return]


def _node_arrays(estimator: Any, encoding: Encoding, source: str) -> dict[str, Any]:
    """Return the node arrays of a Forest."""
    trees = list(chain.from_iterable(estimator._predictors))
    sizes = np.array([len(tree.nodes) for tree in trees])
    roots = np.cumsum(sizes) - sizes
    start = np.repeat(roots, sizes)
    nodes = np.concatenate([tree.nodes for tree in trees])
    inner = nodes["is_leaf"] == 0
    coded = inner & (nodes["is_categorical"] != 0)
    threshold, splits = thresholds_and_splits(
        nodes["num_threshold"], inner & ~coded, "float64", source
    )
    left = np.where(inner, nodes["left"].astype(np.int64) + start, -1)
    right = np.where(inner, nodes["right"].astype(np.int64) + start, -1)
    default_left = (nodes["missing_go_to_left"] != 0) & inner
    column = encoding.column[np.where(inner, nodes["feature_idx"], 0)]
    at = np.flatnonzero(coded)
    goes_left = _codes_left(estimator, trees, sizes, nodes, at)
    for node, codes in zip(at.tolist(), goes_left, strict=True):
        splits[node] = _intervals(codes, bool(default_left[node]))
        if not splits[node]:
            # Only missing values go left, or none at all: all other go to the right.
            left[node], right[node] = right[node], left[node]
            default_left[node] = not default_left[node]
            splits[node] = _EVERYTHING
    return {
        "feature": np.where(inner, column, -1).astype(np.int32),
        "threshold": threshold,
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "default_left": default_left,
        "value": np.where(inner, 0.0, nodes["value"])[:, None],
        "cover": nodes["count"].astype(np.float64),
        "roots": roots.astype(np.int32),
        "splits": IntervalSplits.from_mapping(splits),
    }


def _codes_left(
    estimator: Any, trees: list[Any], sizes: NDArray[Any], nodes: NDArray[Any], at: NDArray[Any]
) -> NDArray[np.bool_]:
    """Return for each split by categories which codes go left, unknown ones as missing."""
    if not len(at):
        return np.zeros((0, _N_CODES), bool)
    known_sets, place_of = estimator._bin_mapper.make_known_categories_bitsets()
    known = _bits(known_sets)[np.asarray(place_of)[nodes["feature_idx"][at]]]
    counts = [len(tree.raw_left_cat_bitsets) for tree in trees]
    first = np.repeat(np.cumsum(counts) - counts, sizes)
    sets = _bits(np.concatenate([tree.raw_left_cat_bitsets for tree in trees]))
    chosen = sets[first[at] + nodes["bitset_idx"][at]]
    missing_left = nodes["missing_go_to_left"][at] != 0
    return np.asarray(chosen | (~known & missing_left[:, None]), bool)


def _bits(sets: NDArray[Any]) -> NDArray[np.bool_]:
    """Return sets of bits, in 32-bit numbers, as one bool for each code."""
    octets = np.ascontiguousarray(sets, dtype="<u4").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(bool)


def _intervals(codes: NDArray[np.bool_], missing_left: bool) -> list[tuple[float, float]]:
    """Return the codes that go left as intervals; codes beyond all sets count as missing."""
    found = code_intervals(np.flatnonzero(codes).tolist())
    if missing_left:
        joined = found and found[-1][1] == _N_CODES
        found.append((found.pop()[0] if joined else float(_N_CODES), np.inf))
    return found
