"""What every imported forest is put through: its structure, then its predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd.errors import ModelFileError, ModelMismatchError
from fastpd.forest._forest import Forest
from fastpd.forest.walk import leaves_reached, predict, predict_rounded

__all__ = ["canonical", "check_prediction", "reachable", "sample_rows", "validate"]

Array = NDArray[np.int64]

_TYPES: dict[type[np.generic], tuple[str, ...]] = {
    np.int32: ("feature", "left", "right", "roots", "tree_output"),
    np.float64: ("threshold", "value", "cover", "base"),
    np.bool_: ("default_left",),
}

SAMPLE_ROWS = 64
SAMPLE_CELLS = 4_000_000


def canonical(forest: Forest) -> Forest:
    """Return a forest whose arrays have the declared types, and which describes trees.

    Raises
    ------
    ModelFileError
        Where an array cannot be had in its type without changing a number, or as `validate` does.
    """
    arrays: dict[str, Any] = {
        name: _as_type(forest, name, kind) for kind, names in _TYPES.items() for name in names
    }
    typed = replace(forest, **arrays)
    validate(typed)
    return typed


def validate(forest: Forest) -> None:
    """Check that the arrays of a forest describe trees.

    Raises
    ------
    ModelFileError
        Where lengths differ, a child or a feature is out of range, a node is reached twice or
        never, or a number is not finite.
    """
    _check_lengths(forest)
    inner = ~forest.is_leaf
    _check_splits(forest)
    left, right = forest.left.astype(np.int64), forest.right.astype(np.int64)
    if np.any((left >= 0) != inner) or np.any((right >= 0) != inner):
        raise _broken(forest.source, "a leaf has children or a split has none")
    _refuse_nodes(forest, forest.feature >= forest.n_features, "splits on an absent column")
    _refuse_nodes(forest, ~np.isfinite(forest.cover), "has a cover that is not finite")
    _refuse_nodes(forest, inner & ~np.isfinite(forest.threshold), "has no finite threshold")
    _refuse_nodes(
        forest, np.any(~np.isfinite(forest.value), axis=1), "has a value that is not finite"
    )
    reached = reachable(left, right, forest.roots.astype(np.int64), forest.source)
    _refuse_nodes(forest, ~reached, "cannot be reached")
    owner = np.repeat(np.arange(forest.n_trees), _tree_sizes(forest))
    crosses = np.zeros(len(owner), bool)  # a leaf's children may be any negative number
    crosses[inner] = (owner[left[inner]] != owner[inner]) | (owner[right[inner]] != owner[inner])
    _refuse_nodes(forest, crosses, "has a child in another tree")
    if not np.all(np.isfinite(forest.base)):
        raise _broken(forest.source, "its base is not finite")


def reachable(left: Array, right: Array, roots: Array, source: str) -> NDArray[np.bool_]:
    """Return which nodes hang below a root; a negative child is none.

    Raises
    ------
    ModelFileError
        Where a child is no node or a node is reached twice, as it is in a cycle.
    """
    count = len(left)
    seen = np.zeros(count, bool)
    frontier = roots
    while len(frontier):
        if frontier.max() >= count or frontier.min() < 0:
            raise _broken(source, f"a child has the number {frontier.max()} of {count} nodes")
        if np.any(seen[frontier]) or len(np.unique(frontier)) < len(frontier):
            raise _broken(source, "a node is the child of two nodes (its trees have a cycle)")
        seen[frontier] = True
        children = np.concatenate([left[frontier], right[frontier]])
        frontier = children[children >= 0]
    return seen


def check_prediction(
    forest: Forest,
    library: Callable[[NDArray[Any]], NDArray[np.floating]],
    *,
    sums: type[np.floating] = np.float32,
) -> None:
    """Compare the forest's raw prediction with the library's on rows made to tell them apart.

    Parameters
    ----------
    forest
        The imported model.
    library
        Returns the raw prediction of rows by the library that trained the model. Rows come in the
        precision in which the model compares; categories as their codes.
    sums
        Precision in which the library adds up leaf values.

    Raises
    ------
    ModelMismatchError
        Where a difference is larger than rounding of the library's sum explains.
    """
    rows = sample_rows(forest)
    leaves = leaves_reached(forest, rows)
    ours = predict(forest, rows, leaves)
    theirs = np.asarray(library(rows), np.float64)
    if theirs.size != ours.size:
        raise ModelMismatchError(
            f"{forest.source} predicts an array of shape {theirs.shape} for {len(rows)} rows; "
            f"{ours.shape} was expected. Please report the model and its library's version."
        )
    theirs = theirs.reshape(ours.shape)
    allowed = tolerance(forest, sums)
    if np.all(np.abs(ours - theirs) <= allowed):
        return
    # Thousands of tiny leaves beside a large sum are lost in float32, without being misread.
    rounded = predict_rounded(forest, leaves).astype(np.float64)
    apart = np.minimum(np.abs(ours - theirs), np.abs(rounded - theirs)) / allowed
    apart[~np.isfinite(apart)] = np.inf
    row, output = np.unravel_index(int(np.argmax(apart)), ours.shape)
    if apart[row, output] > 1.0:
        raise ModelMismatchError(
            f"{forest.source} was not read as it predicts: on sample row {row}, output "
            f"{forest.output_names[output]!r}, its library says {theirs[row, output]:.9g} and "
            f"fastpd {ours[row, output]:.9g}, more than {allowed[output]:.3g} apart. Explanations "
            "would be wrong. Please report the model and its library's version."
        )


def tolerance(forest: Forest, sums: type[np.floating] = np.float32) -> NDArray[np.float64]:
    """Return for each output how far a rounded sum may be from the exact one.

    Rounding errors of a sum are independent enough to grow with the root of its length.
    """
    total = np.abs(forest.base)
    if forest.n_trees:
        largest = np.maximum.reduceat(np.abs(forest.value), forest.roots, axis=0)
        if forest.value.shape[1] == 1:
            total = total + np.bincount(forest.tree_output, largest[:, 0], forest.n_outputs)
        else:
            total = total + largest.sum(axis=0)
    epsilon, tiny = float(np.finfo(sums).eps), float(np.finfo(sums).tiny)
    return np.asarray(epsilon * (4.0 + np.sqrt(forest.n_trees)) * total) + tiny


def sample_rows(forest: Forest, seed: int = 0) -> NDArray[Any]:
    """Return rows on which a misread split shows, in the precision in which the model compares.

    Values lie at thresholds, one step to either side, between two of them, beyond all of them, or
    are missing where the library takes that. Features split by sets get whole numbers, as codes.
    """
    count = max(4, min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, forest.n_features)))
    rng = np.random.default_rng(seed)
    kind = np.float32 if forest.comparison == "float32" else np.float64
    rows: NDArray[Any] = rng.normal(size=(count, forest.n_features)).astype(kind)
    feature, points = _points(forest, kind)
    used, first, number = np.unique(feature, return_index=True, return_counts=True)
    if len(used):
        shape = (count, len(used))
        at = first + (rng.random(shape) * number).astype(np.int64)
        last = first + number - 1
        above = points[np.minimum(at + 1, last)]
        rows[:, used] = _around(rng, points[at], above, points[first], points[last])
    limited = np.isfinite(forest.splits.low) | np.isfinite(forest.splits.high)
    coded = np.unique(forest.feature[forest.splits.owner()[limited]])
    rows[:, coded] = np.maximum(np.floor(rows[:, coded]), 0)
    kinds = rng.random(rows.shape)
    if forest.takes_missing:
        rows[kinds < 0.1] = np.nan
    if np.isfinite(forest.missing):
        rows[kinds > 0.95] = kind(forest.missing)
    return rows


def _points(forest: Forest, kind: type[np.floating]) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return features and finite points nearest to where a side changes, sorted by both."""
    plain = ~forest.is_leaf
    plain[forest.splits.node] = False
    ends = np.concatenate([forest.splits.low, forest.splits.high])
    owner = np.tile(forest.splits.owner(), 2)
    finite = np.isfinite(ends)
    feature = np.concatenate([forest.feature[plain], forest.feature[owner[finite]]])
    with np.errstate(over="ignore"):
        points = np.concatenate([forest.threshold[plain], ends[finite]]).astype(kind)
    points = np.clip(points, np.finfo(kind).min, np.finfo(kind).max)
    order = np.lexsort((points, feature))
    return feature[order], points[order]


def _around(
    rng: np.random.Generator,
    at: NDArray[Any],
    above: NDArray[Any],
    lowest: NDArray[Any],
    highest: NDArray[Any],
) -> NDArray[Any]:
    """Return for each chosen threshold one of the values near it, picked at random."""
    # Some libraries take float32 rows only, and refuse infinite values.
    big = at.dtype.type(np.finfo(np.float32).max)
    kind = rng.integers(0, 8, at.shape)
    shape = at.shape
    with np.errstate(over="ignore"):
        values = np.select(
            [kind < 2, kind < 4, kind == 4, kind == 5, kind == 6],
            [
                at,
                np.nextafter(at, -big),
                np.nextafter(at, big),
                at / 2 + above / 2,
                np.broadcast_to(lowest - np.abs(lowest) - 1, shape),
            ],
            np.broadcast_to(highest + np.abs(highest) + 1, shape),
        )
    return np.asarray(np.clip(values, -big, big), at.dtype)


def _as_type(forest: Forest, name: str, kind: type[np.generic]) -> NDArray[Any]:
    given = np.asarray(getattr(forest, name))
    with np.errstate(invalid="ignore", over="ignore"):
        typed = np.ascontiguousarray(given, dtype=kind)
    if given.dtype.kind not in "biuf" or not np.array_equal(typed, given, equal_nan=True):
        raise _broken(forest.source, f"{name} has type {given.dtype}, not {np.dtype(kind)}")
    return typed


def _check_lengths(forest: Forest) -> None:
    count = len(forest.feature)
    arrays = (forest.threshold, forest.left, forest.right, forest.default_left, forest.cover)
    if any(array.shape != (count,) for array in arrays) or forest.value.ndim != 2:
        raise _broken(forest.source, "its node arrays differ in length")
    width = forest.value.shape[1]
    if len(forest.value) != count or width not in (1, forest.n_outputs):
        raise _broken(forest.source, f"leaves of {width} values for {forest.n_outputs} outputs")
    if len(forest.base) != forest.n_outputs or len(forest.tree_output) != forest.n_trees:
        raise _broken(forest.source, "its outputs differ in number")
    roots = forest.roots.astype(np.int64)
    if forest.categories and len(forest.categories) != forest.n_features:
        raise _broken(forest.source, "categories of another number of features")
    if np.any(np.diff(roots) <= 0) or (forest.n_trees and (roots[0] != 0 or roots[-1] >= count)):
        raise _broken(forest.source, "its trees are not stored one after another")
    if count and not forest.n_trees:
        raise _broken(forest.source, "it has nodes but no tree")
    lowest = -1 if width > 1 else 0
    if np.any((forest.tree_output < lowest) | (forest.tree_output >= forest.n_outputs)):
        raise _broken(forest.source, "a tree adds to an output that is not there")


def _check_splits(forest: Forest) -> None:
    """Check that splits by intervals are at inner nodes, and their intervals in order."""
    splits, count = forest.splits, len(forest.feature)
    sizes = np.diff(splits.offsets)
    if len(sizes) != len(splits.node) or np.any(sizes < 1) or splits.offsets[0] != 0:
        raise _broken(forest.source, "its sets of intervals do not fit their nodes")
    if not len(splits.low) == len(splits.high) == splits.offsets[-1]:
        raise _broken(forest.source, "its intervals differ in number")
    if np.any(np.diff(splits.node) <= 0) or np.any((splits.node < 0) | (splits.node >= count)):
        raise _broken(forest.source, "its sets of intervals are not at nodes in order")
    if np.any(forest.is_leaf[splits.node]):
        raise _broken(forest.source, "a leaf has a set of intervals")
    follows = np.diff(splits.owner()) == 0
    apart = (splits.low[1:] > splits.high[:-1]) | ~follows
    if not (np.all(splits.low < splits.high) and np.all(apart)):
        raise _broken(forest.source, "intervals of a node are empty, overlap, or are out of order")


def _tree_sizes(forest: Forest) -> Array:
    return np.diff(np.append(forest.roots.astype(np.int64), len(forest.feature)))


def _refuse_nodes(forest: Forest, wrong: ArrayLike, what: str) -> None:
    if np.any(wrong):
        node = int(np.argmax(wrong))
        tree = int(np.searchsorted(forest.roots, node, side="right")) - 1
        within = node - int(forest.roots[tree]) if tree >= 0 else node
        raise _broken(forest.source, f"node {within} of tree {tree} {what}")


def _broken(source: str, what: str) -> ModelFileError:
    return ModelFileError(
        f"{source} does not describe trees: {what}. It is damaged or was changed by hand; "
        "save the model again."
    )
