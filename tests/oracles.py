"""Forests, rows and answers to hold the engine against, all in plain NumPy.

Nothing here goes through the engine: a forest is walked node by node in float64, and what partial
dependence makes of it is left to `fastpd.vanilla`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd import Forest
from fastpd.forest import IntervalSplits

Floats = NDArray[np.float64]
Leaf = float | Sequence[float]

EDGE_VALUES = (np.nan, np.inf, -np.inf, 0.0, -0.0)


@dataclass(frozen=True)
class Split:
    """An inner node: values below the threshold go left, missing ones where `missing` says."""

    feature: int
    threshold: float
    left: Split | Leaf
    right: Split | Leaf
    missing: str = "left"


Tree = Split | Leaf


def forest(
    trees: Sequence[Tree],
    n_features: int,
    *,
    n_outputs: int = 1,
    tree_output: Sequence[int] | None = None,
    base: Sequence[float] | None = None,
    comparison: str = "float32",
    missing: float = math.nan,
    names: Sequence[str] | None = None,
) -> Forest:
    """Lay trees out as arrays; leaves of several numbers add to every output.

    >>> forest([Split(0, 0.5, 1.0, 2.0), 3.0], n_features=1).feature
    array([ 0, -1, -1, -1], dtype=int32)
    """
    nodes: list[dict[str, Any]] = []
    roots = [_lay_out(tree, nodes) for tree in trees]
    vector = any(np.ndim(node["value"]) for node in nodes)
    zero = np.zeros(n_outputs) if vector else np.zeros(1)
    outputs = [-1 if vector else 0] * len(roots) if tree_output is None else tree_output

    def column(key: str, kind: Any) -> NDArray[Any]:
        return np.array([node[key] for node in nodes], dtype=kind)

    return Forest(
        feature=column("feature", np.int32),
        threshold=column("threshold", np.float64),
        left=column("left", np.int32),
        right=column("right", np.int32),
        default_left=column("default_left", np.bool_),
        value=np.array([zero + np.asarray(node["value"], dtype=float) for node in nodes]),
        cover=np.ones(len(nodes)),
        roots=np.array(roots, dtype=np.int32),
        tree_output=np.array(outputs, dtype=np.int32),
        base=np.zeros(n_outputs) if base is None else np.array(base, dtype=np.float64),
        feature_names=tuple(names or (f"x{i}" for i in range(n_features))),
        output_names=tuple(f"y{i}" for i in range(n_outputs)),
        comparison=comparison,  # type: ignore[arg-type]
        missing=missing,
    )


def _lay_out(tree: Tree, nodes: list[dict[str, Any]]) -> int:
    """Append a tree's nodes, without recursion: chains of thousands of nodes are tested too."""
    root = len(nodes)
    waiting: list[tuple[Tree, int, str]] = [(tree, -1, "")]
    while waiting:
        node, parent, side = waiting.pop()
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        empty = {"feature": -1, "threshold": 0.0, "left": -1, "right": -1, "default_left": False}
        nodes.append(empty | {"value": 0.0 if isinstance(node, Split) else node})
        if isinstance(node, Split):
            at = len(nodes) - 1
            nodes[at]["feature"], nodes[at]["threshold"] = node.feature, node.threshold
            nodes[at]["default_left"] = node.missing == "left"
            waiting += [(node.right, at, "right"), (node.left, at, "left")]
    return root


def predict_forest(model: Forest, rows: ArrayLike) -> Floats:
    """Return raw predictions, (rows,) or (rows, outputs), summed in float64."""
    kind = np.dtype(model.comparison).type
    with np.errstate(over="ignore"):
        x = np.asarray(rows).astype(kind)
        gone = np.isnan(x) | (x == kind(model.missing))
        threshold = model.threshold.astype(kind)
    low, high = interval_table(model)
    total = np.tile(model.base, (len(x), 1))
    for root, output in zip(model.roots, model.tree_output, strict=True):
        node = np.full(len(x), root)
        while len(active := np.flatnonzero(model.feature[node] >= 0)):
            at = node[active]
            cell = active, model.feature[at]
            below = x[cell] < threshold[at]
            here = np.flatnonzero(low[at, 0] == low[at, 0])
            below[here] = inside(x[cell][here], low[at[here]], high[at[here]])
            left = np.where(gone[cell], model.default_left[at], below)
            node[active] = np.where(left, model.left[at], model.right[at])
        total[:, slice(None) if output < 0 else [output]] += model.value[node]
    return total[:, 0] if model.n_outputs == 1 else total


def interval_table(model: Forest) -> tuple[Floats, Floats]:
    """Return the ends of every node's intervals, (nodes, intervals), NaN where there are none."""
    width = max((len(intervals) for _, intervals in model.splits), default=1)
    table = np.full((2, len(model.feature), width), np.nan)
    for node, intervals in model.splits:
        table[:, node, : len(intervals)] = np.transpose(intervals)
    return table[0], table[1]


def inside(values: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Return whether each value lies in its intervals; one that ends at infinity holds infinity."""
    v = values[:, None]
    return np.any((v >= low) & ((v < high) | (high == np.inf)), axis=1)


def leaf_values(model: Forest, output: int) -> Floats:
    """Return what every node adds to one output, zero in trees of other outputs."""
    if model.value.shape[1] > 1:
        return model.value[:, output].copy()
    tree = np.searchsorted(model.roots, np.arange(len(model.feature)), side="right") - 1
    return np.where(model.tree_output[tree] == output, model.value[:, 0], 0.0)


def oracle(model: Forest) -> Callable[[NDArray[Any]], Floats]:
    """Return the forest as a function, as `fastpd.vanilla` takes models."""
    return lambda rows: predict_forest(model, rows)


def spread(model: Forest, *rows: ArrayLike) -> float:
    """Return the range of the raw prediction over rows, which errors are relative to."""
    predicted = np.concatenate([predict_forest(model, part) for part in rows])
    return float(np.ptp(predicted, axis=0).max()) or 1.0


def random_tree(
    rng: np.random.Generator,
    features: Sequence[int],
    thresholds: Sequence[float],
    depth: int,
    leaf: Callable[[], Leaf],
    stop: float = 0.15,
) -> Tree:
    """Draw a tree: features come again on a path, branches stop early, missing goes both ways."""
    if depth == 0 or rng.random() < stop:
        return leaf()
    left, right = (random_tree(rng, features, thresholds, depth - 1, leaf, stop) for _ in range(2))
    side = "left" if rng.random() < 0.5 else "right"
    return Split(int(rng.choice(features)), float(rng.choice(thresholds)), left, right, side)


def random_forest(
    rng: np.random.Generator,
    n_features: int = 4,
    n_trees: int = 5,
    depth: int = 4,
    *,
    outputs: str = "one",
    comparison: str = "float32",
    missing: float = math.nan,
    stop: float = 0.15,
    categories: int = 0,
) -> Forest:
    """Draw a forest with few distinct thresholds, one of them 0; a stump and a leaf come last.

    `outputs` is "one", "scalar" (three outputs, a tree adds to one) or "vector" (to all of them).
    With `categories` every second feature is split by sets of so many codes.
    """
    thresholds = np.append(np.round(rng.normal(size=5), 1), 0.0).astype(np.float32)
    n_outputs = 1 if outputs == "one" else 3

    def leaf() -> Leaf:
        return rng.normal(size=3).tolist() if outputs == "vector" else float(rng.normal())

    trees = [
        random_tree(rng, range(n_features), thresholds.tolist(), depth, leaf, stop)
        for _ in range(n_trees)
    ]
    stump = Split(n_features - 1, float(thresholds[0]), leaf(), leaf())
    drawn = forest(
        [*trees, stump, leaf()],
        n_features,
        n_outputs=n_outputs,
        tree_output=[i % 3 for i in range(n_trees + 2)] if outputs == "scalar" else None,
        base=rng.normal(size=n_outputs).tolist(),
        comparison=comparison,
        missing=missing,
    )
    return with_categories(drawn, categories, rng) if categories else drawn


def with_categories(model: Forest, n_codes: int, rng: np.random.Generator) -> Forest:
    """Split every second feature by sets of codes; some hold all that lies beyond the codes too."""
    intervals = {}
    for node in np.flatnonzero(~model.is_leaf & (model.feature % 2 == 0)).tolist():
        chosen = np.append(rng.random(n_codes) < 0.5, False)
        chosen[rng.integers(n_codes)] = True
        ends = np.flatnonzero(np.diff(np.append(False, chosen))).astype(float)
        if rng.random() < 0.3:
            ends[-1] = np.inf
        if rng.random() < 0.3:
            ends[0] = -np.inf
        intervals[node] = list(zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True))
    return replace(model, splits=IntervalSplits.from_mapping(intervals))


def path_forest(n_features: int, n_trees: int = 1, seed: int = 0) -> Forest:
    """Return chains that test every feature once, in random orders."""
    rng = np.random.default_rng(seed)
    trees = []
    for _ in range(n_trees):
        node: Tree = float(rng.normal())
        for feature in rng.permutation(n_features):
            sides = [node, float(rng.normal())]
            rng.shuffle(sides)  # type: ignore[arg-type]
            way = "left" if rng.random() < 0.5 else "right"
            node = Split(int(feature), float(np.float32(rng.normal() / 2)), *sides, way)
        trees.append(node)
    return forest(trees, n_features, base=[0.5])


def rows_for(model: Forest, n_rows: int, rng: np.random.Generator, *, edges: bool = True) -> Floats:
    """Draw rows: ties, and where `edges` also thresholds, one step beside them, NaN, inf, -0.0."""
    rows = np.round(rng.normal(size=(n_rows, model.n_features)), 1)
    if edges:
        special = np.array(edge_values(model))
        chosen = rng.random(rows.shape) < 0.5
        rows[chosen] = rng.choice(special, size=int(chosen.sum()))
    return rows


def edge_values(model: Forest) -> list[float]:
    """Return every value that comparisons could get wrong."""
    kind = np.dtype(model.comparison).type
    ends = np.concatenate([model.splits.low, model.splits.high])
    points = np.concatenate([model.threshold[~model.is_leaf], ends[np.isfinite(ends)]])
    thresholds = np.unique(points).astype(kind)
    beside = [np.nextafter(thresholds, kind(end)) for end in (-np.inf, np.inf)]
    missing = [] if math.isnan(model.missing) else [model.missing]
    return [*EDGE_VALUES, *missing, *np.concatenate([thresholds, *beside]).astype(float).tolist()]
