"""Cases of plain arrays: shapes of trees, down to none, held against formulas by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Forest
from fastpd.testing._model_case import ModelCase, Trained

__all__ = ["SHAPE_CASES", "array_case", "rows_of"]

Array = NDArray[Any]
NAN = float("nan")


def rows_of(*values: float) -> Array:
    """Return rows whose two columns run through values in opposite orders."""
    return np.column_stack([values, values[::-1]])


def array_case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    return ModelCase(f"arrays-{name}", "Plain arrays", feature, make, needs, refused)


def _nothing_in_leaves() -> Trained:
    """Give leaves neither weight nor value: a tree of zeros, and one with a zero on one side."""
    forest = Forest.from_arrays(
        feature=[[0, -1, -1], [1, -1, -1]],
        threshold=[[0.5, 0, 0], [0.5, 0, 0]],
        left=[[1, -1, -1]] * 2,
        right=[[2, -1, -1]] * 2,
        value=[[7.0, 0.0, 0.0], [7.0, 0.0, 3.0]],
        cover=[[0.0] * 3, [5.0, 5.0, 0.0]],
        base=-1.0,
    )
    rows = rows_of(0.0, 1.0, 0.5, 0.4, 2.0)
    return Trained(forest, rows, rows, lambda cells: np.where(cells[:, 1] <= 0.5, -1.0, 2.0))


def _neighbours() -> Trained:
    """Split at three numbers one step of float64 apart, along a path and in two trees."""
    points = np.array([0.3, np.nextafter(0.3, 1.0), np.nextafter(np.nextafter(0.3, 1.0), 1.0)])
    forest = Forest.from_arrays(
        feature=[[0, 1, -1, -1, -1], [0, -1, -1]],
        threshold=[[points[1], points[0], 0, 0, 0], [points[2], 0, 0]],
        left=[[1, 2, -1, -1, -1], [1, -1, -1]],
        right=[[4, 3, -1, -1, -1], [2, -1, -1]],
        value=[[0.0, 0, 1, 2, 3], [0.0, 10, 20]],
    )

    def raw(cells: Array) -> Array:
        x, y = cells.T
        first = np.where(x <= points[1], np.where(y <= points[0], 1.0, 2.0), 3.0)
        return first + np.where(x <= points[2], 10.0, 20.0)

    rows = rows_of(*points, 0.0, 1.0, float(np.nextafter(0.3, 0.0)))
    return Trained(forest, rows, rows, raw)


def _no_splits(n_leaves: int) -> Trained:
    """Return trees of one leaf each, or no tree at all."""
    leaves = [[-1]] * n_leaves
    value = [[float(k)] for k in range(n_leaves)]
    forest = Forest.from_arrays(leaves, value, leaves, leaves, value, base=[0.5], n_features=2)
    total = 0.5 + sum(range(n_leaves))
    rows = rows_of(0.0, 1.0, NAN)
    return Trained(forest, rows, rows, lambda cells: np.full(len(cells), total))


def _repeated() -> Trained:
    """Split one feature four times along a path, once where no row can go to one side."""
    forest = Forest.from_arrays(
        feature=[0, 0, 0, 0, -1, -1, -1, -1, -1],
        threshold=[2.0, 0.0, 1.0, 5.0, 0, 0, 0, 0, 0],
        left=[1, 4, 3, 5, -1, -1, -1, -1, -1],
        right=[8, 2, 7, 6, -1, -1, -1, -1, -1],
        value=[0.0, 0, 0, 0, 1, 2, 100, 3, 4],
        n_features=2,
    )

    def formula(x: Array) -> Array:
        return np.select([np.isnan(x), x <= 0, x <= 1, x <= 2], [4.0, 1.0, 2.0, 3.0], 4.0)

    rows = rows_of(-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0, NAN)
    return Trained(forest, rows, rows, lambda cells: formula(cells[:, 0]))


def _unused() -> Trained:
    """Use the second and the fourth of five features only."""
    forest = Forest.from_arrays(
        feature=[1, 3, -1, -1, -1],
        threshold=[0.0, 0.5, 0, 0, 0],
        left=[1, 2, -1, -1, -1],
        right=[4, 3, -1, -1, -1],
        value=[0.0, 0.0, 1.0, 2.0, 4.0],
        n_features=5,
        default_left=True,
    )
    cells = np.random.default_rng(2).normal(size=(12, 5))
    cells[3] = NAN

    def raw(rows: Array) -> Array:
        first, second = ~(rows[:, 1] > 0.0), ~(rows[:, 3] > 0.5)
        return np.where(first, np.where(second, 1.0, 2.0), 4.0)

    return Trained(forest, cells, cells[:6], raw)


def _outputs(vector: bool) -> Trained:
    """Add to three outputs, by leaves of three values or by a tree for each of two outputs."""
    stumps: dict[str, Any] = {
        "feature": [[0, -1, -1], [1, -1, -1]],
        "threshold": [[0.5, 0, 0], [-0.5, 0, 0]],
        "left": [[1, -1, -1]] * 2,
        "right": [[2, -1, -1]] * 2,
        "base": [10.0, 20.0, 30.0],
    }
    names: dict[str, Any] = {"output_names": ["low", "mid", "high"], "tree_weights": [1.0, 0.5]}
    one, two = np.array([1.0, 2.0, 4.0]), np.array([-3.0, 0.0, 3.0])
    leaves = [np.stack([one * 0, one, one * 2]), np.stack([two, two * 2, two * 0])]
    if vector:
        forest = Forest.from_arrays(value=leaves, **stumps, **names)
    else:
        value = [[0.0, 1.0, 2.0], [0.0, -6.0, 0.0]]
        forest = Forest.from_arrays(value=value, tree_output=[2, 0], **stumps, **names)

    def raw(cells: Array) -> Array:
        first, second = cells[:, [0]] <= 0.5, cells[:, [1]] <= -0.5
        base = np.array([10.0, 20.0, 30.0])
        added = np.where(first, one, one * 2) + np.where(second, two, 0.0)
        if not vector:
            parts = [np.where(second, -3.0, 0.0), 0.0 * first, np.where(first, 1.0, 2.0)]
            added = np.concatenate(parts, axis=1)
        return np.asarray(base + added)

    rows = rows_of(-1.0, 0.0, 0.5, 1.0, -0.5, NAN)
    return Trained(forest, rows, rows, raw)


SHAPE_CASES: tuple[ModelCase, ...] = (
    array_case("neighbours", "thresholds one step apart", _neighbours),
    array_case("zero-leaves", "leaves of no weight or value", _nothing_in_leaves),
    array_case("leaf", "trees without a split", lambda: _no_splits(2)),
    array_case("no-trees", "no trees", lambda: _no_splits(0)),
    array_case("repeated", "a feature again along a path", _repeated),
    array_case("unused", "features never used", _unused),
    array_case("vector-leaves", "several outputs", lambda: _outputs(vector=True)),
    array_case("tree-outputs", "several outputs", lambda: _outputs(vector=False)),
)
