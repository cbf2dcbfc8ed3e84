"""Patterns: a bit for each test of a block; every leaf's mask is a function of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fastpd import Forest, _core
from fastpd.blocks import Blocks, make_blocks
from oracles import Split, Tree, forest, inside, interval_table, random_forest, rows_for

SHAPES = {
    "bushy": {"depth": 7, "stop": 0.05},
    "unbalanced": {"depth": 12, "stop": 0.4},
    "float64": {"depth": 5, "comparison": "float64"},
    "missing number": {"depth": 5, "missing": -0.5},
    "categories": {"depth": 6, "stop": 0.1, "categories": 9},
    "more categories than a byte": {"depth": 5, "stop": 0.1, "categories": 300},
    "wide": {"n_features": 12, "depth": 8, "stop": 0.2},
}


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys(), scope="module")
def model(request: pytest.FixtureRequest) -> Forest:
    return random_forest(np.random.default_rng(5), **request.param)


def rows_of(model: Forest, n: int = 300) -> NDArray[np.float64]:
    return rows_for(model, n, np.random.default_rng(n))


def expected_patterns(blocks: Blocks, rows: NDArray[np.float64], block: int) -> NDArray[np.uint8]:
    """Read each test as the interval of bins that it is, modulo the range of its lane."""
    found = np.zeros(len(rows), dtype=np.uint8)
    tests = _core.describe_block(blocks.core, block)["tests"]
    for bit, (column, low, width, lane, missing, members) in enumerate(tests):
        bins = _core.bin_column(blocks.core, rows, column).astype(np.int64)
        passes = (bins - low) % 2 ** (8 * lane) < width
        if members is not None:
            passes = np.isin(bins, members)
        found |= ((passes | ((bins == 0) & missing)).astype(np.uint8) << bit).astype(np.uint8)
    return found


def path_to(model: Forest, leaf: int) -> list[tuple[int, bool]]:
    """The nodes above a leaf, and whether the path goes left there."""
    steps, below = [], leaf
    while len(above := np.flatnonzero((model.left == below) | (model.right == below))):
        steps.append((int(above[0]), bool(model.left[above[0]] == below)))
        below = int(above[0])
    return steps


def passes(model: Forest, rows: NDArray[np.float64], leaf: int) -> dict[int, NDArray[np.bool_]]:
    """For every feature on the path to a leaf: do the rows pass all splits on it?"""
    kind = np.dtype(model.comparison).type
    x = rows.astype(kind)
    gone = np.isnan(x) | (x == kind(model.missing))
    found: dict[int, NDArray[np.bool_]] = {}
    low, high = interval_table(model)
    for node, goes_left in path_to(model, leaf):
        feature = int(model.feature[node])
        below = x[:, feature] < kind(model.threshold[node])
        if low[node, 0] == low[node, 0]:
            below = inside(x[:, feature], low[node], high[node])
        left = np.where(gone[:, feature], model.default_left[node], below)
        found[feature] = found.get(feature, np.ones(len(rows), dtype=bool)) & (left == goes_left)
    return found


def test_patterns_are_the_tests_read_one_by_one(isa: str, model: Forest):
    blocks, rows = make_blocks(model), rows_of(model)
    assert blocks.core.n_blocks
    for block in range(blocks.core.n_blocks):
        expected = expected_patterns(blocks, rows, block)
        np.testing.assert_array_equal(_core.patterns(blocks.core, rows, block), expected)


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 200])
def test_patterns_of_any_number_of_rows(isa: str, n_rows: int):
    model = random_forest(np.random.default_rng(1), depth=5)
    blocks, rows = make_blocks(model), rows_of(model, n_rows)
    expected = expected_patterns(blocks, rows, 0)
    np.testing.assert_array_equal(_core.patterns(blocks.core, rows, 0), expected)


@pytest.mark.parametrize("n_thresholds", [253, 254, 255, 65533, 65534, 65535])
@pytest.mark.parametrize("missing", ["left", "right"])
def test_tests_at_the_ends_of_every_lane(isa: str, n_thresholds: int, missing: str):
    grid: list[Tree] = [Split(0, float(t), 0.0, 1.0, missing) for t in range(n_thresholds)]
    model = forest(grid, 1)
    blocks = make_blocks(model)
    last = n_thresholds - 1.0
    rows = np.array([[np.nan], [-1.0], [0.0], [last - 1], [last - 0.5], [last], [last + 1]])
    for block in (0, 1, n_thresholds // 2, n_thresholds - 2, n_thresholds - 1):
        expected = np.where(np.isnan(rows[:, 0]), missing == "left", rows[:, 0] < block)
        found = _core.patterns(blocks.core, rows, block)
        np.testing.assert_array_equal(found & 1, expected)


def test_two_sided_intervals_with_missing_values_inside_and_outside(isa: str):
    """A path [2, 5) of one feature under each way of sending missing values."""
    rows = np.array([[v, 0.0] for v in (np.nan, 1.0, 2.0, 3.0, 4.5, 5.0, 9.0)])
    for low in ("left", "right"):
        for high in ("left", "right"):
            # Both sides are too large for one block, so that the interval is a test of a path.
            inner: Tree = 0.0
            for t in range(8):
                inner = Split(1, float(t), inner, 1.0)
            model = forest([Split(0, 2.0, 7.0, Split(0, 5.0, inner, 8.0, high), low)], 2)
            expected = (rows[:, 0] >= 2) & (rows[:, 0] < 5)
            expected |= np.isnan(rows[:, 0]) & (low == "right") & (high == "left")
            leaf = int(np.flatnonzero(model.value[:, 0] == 1.0)[0])
            np.testing.assert_array_equal(masks_by_clauses(model, rows)[leaf][0], expected)


def masks_by_clauses(
    model: Forest, rows: NDArray[np.float64]
) -> dict[int, dict[int, NDArray[np.bool_]]]:
    """For every leaf of a block and feature: do the rows pass, by their patterns?"""
    blocks = make_blocks(model)
    found = {}
    for block in range(blocks.core.n_blocks):
        patterns = _core.patterns(blocks.core, rows, block)
        for leaf, clauses in _core.describe_block(blocks.core, block)["leaves"]:
            found[leaf] = {p: (patterns & need) == want for p, need, want in clauses}
    return found


def test_leaf_masks_say_which_features_pass_the_whole_path(isa: str, model: Forest):
    rows = rows_of(model)
    for leaf, masks in masks_by_clauses(model, rows).items():
        expected = passes(model, rows, leaf)
        assert masks.keys() == expected.keys()
        for feature, passing in masks.items():
            np.testing.assert_array_equal(passing, expected[feature])


def test_every_leaf_is_in_one_block_or_deep(model: Forest):
    blocks = make_blocks(model)
    leaves = [
        leaf
        for block in range(blocks.core.n_blocks)
        for leaf, _ in _core.describe_block(blocks.core, block)["leaves"]
    ]
    assert len(set(leaves)) == len(leaves) == blocks.core.n_leaves
    deep = set(np.flatnonzero(model.is_leaf)) - set(leaves)
    sizes = sorted(len(passes(model, rows_of(model, 1), leaf)) for leaf in deep)
    assert sizes == sorted(blocks.deep_sizes.tolist())
    assert all(size > 8 for size in sizes)


def test_a_missing_number_is_as_missing_as_nan():
    model = random_forest(np.random.default_rng(3), missing=-0.5)
    plain = rows_of(model)
    as_nan = np.where(plain == model.missing, math.nan, plain)
    blocks = make_blocks(model)
    for block in range(blocks.core.n_blocks):
        one, other = (_core.patterns(blocks.core, rows, block) for rows in (plain, as_nan))
        np.testing.assert_array_equal(one, other)
