"""Counts: how often each pattern of each block occurs, and each mask of each deep leaf."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import NDArray
from test_patterns import masks_by_clauses, passes

from fastpd import Forest, _core
from fastpd.blocks import Blocks, make_blocks
from fastpd.measures import Empirical
from oracles import path_forest, random_forest, rows_for

Planes = NDArray[np.uint32] | None


def counted(blocks: Blocks, rows: NDArray[np.float64], planes: Planes, n_jobs: int = 1) -> NDArray:
    counts = np.zeros((1 if planes is None else len(planes), blocks.core.n_counts), dtype=np.int64)
    _core.count_patterns(blocks.core, rows, planes, counts.reshape(-1), n_jobs, None)
    return counts


def expected_counts(blocks: Blocks, rows: NDArray[np.float64], planes: Planes) -> NDArray:
    ones = np.ones((1, len(rows)), dtype=np.uint32) if planes is None else planes
    counts = np.zeros((len(ones), blocks.core.n_counts), dtype=np.int64)
    for block in range(blocks.core.n_blocks):
        first = _core.describe_block(blocks.core, block)["first_count"]
        patterns = _core.patterns(blocks.core, rows, block)
        for plane, weights in zip(counts, ones, strict=True):
            np.add.at(plane, first + patterns.astype(np.int64), weights)
    return counts


@pytest.fixture(scope="module")
def model() -> Forest:
    return random_forest(np.random.default_rng(2), 5, n_trees=40, depth=6)


@pytest.mark.parametrize("n_rows", [1, 3, 64, 1023, 1024, 1025, 2500])
@pytest.mark.parametrize("n_planes", [0, 1, 3])
def test_patterns_are_counted(isa: str, model: Forest, n_rows: int, n_planes: int):
    blocks, rng = make_blocks(model), np.random.default_rng(n_rows)
    rows = rows_for(model, n_rows, rng)
    largest = np.iinfo(np.uint32).max
    planes = rng.integers(0, largest, (n_planes, n_rows), dtype=np.uint32, endpoint=True)
    given = planes if n_planes else None
    expected = expected_counts(blocks, rows, given)
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(counted(blocks, rows, given, n_jobs), expected)


def test_rows_beyond_one_chunk_of_the_core_are_counted(isa: str):
    model = random_forest(np.random.default_rng(4), 3, n_trees=2, depth=3)
    blocks = make_blocks(model)
    rows = rows_for(model, 70_000, np.random.default_rng(0))
    weights = np.arange(70_000, dtype=np.uint32)[None]
    np.testing.assert_array_equal(counted(blocks, rows, None), expected_counts(blocks, rows, None))
    found = counted(blocks, rows, weights)
    np.testing.assert_array_equal(found, expected_counts(blocks, rows, weights))


def test_counts_are_added_to_what_is_there(model: Forest):
    blocks = make_blocks(model)
    rows = rows_for(model, 50, np.random.default_rng(0))
    counts = counted(blocks, rows, None).reshape(-1)
    _core.count_patterns(blocks.core, rows, None, counts, 1, None)
    np.testing.assert_array_equal(counts, 2 * counted(blocks, rows, None)[0])


def test_probabilities_follow_from_the_counts(isa: str):
    """p_j(U) of every leaf and subset, from block counts, against a count of rows."""
    model = random_forest(np.random.default_rng(6), 4, n_trees=3, depth=5)
    blocks, rows = make_blocks(model), rows_for(model, 40, np.random.default_rng(1))
    counts = counted(blocks, rows, None)[0]
    for block in range(blocks.core.n_blocks):
        shape = _core.describe_block(blocks.core, block)
        patterns = np.arange(2 ** len(shape["tests"]))
        share = counts[shape["first_count"] + patterns] / len(rows)
        for leaf, clauses in shape["leaves"]:
            by_row = passes(model, rows, leaf)
            for chosen in product([False, True], repeat=len(clauses)):
                outside = [c for c, inside in zip(clauses, chosen, strict=True) if not inside]
                found = share[[all(p & n == w for _, n, w in outside) for p in patterns]].sum()
                expected = np.all([by_row[k] for k, _, _ in outside] or [[True] * 40], axis=0)
                assert found == pytest.approx(expected.mean(), abs=1e-15)


def expected_deep(model: Forest, rows: NDArray[np.float64], planes: NDArray, most: int) -> list:
    """Distinct masks of each deep leaf, with their sums of weights, as sorted lists."""
    in_blocks = masks_by_clauses(model, rows[:0])
    found = []
    for leaf in (n for n in np.flatnonzero(model.is_leaf) if n not in in_blocks):
        passing = np.array(list(passes(model, rows, leaf).values()))
        kept = (~passing).sum(axis=0) <= most
        number = passing.sum(axis=0)  # of features that pass: order does not matter to it
        totals = {
            tuple(column): planes[:, kept & (column == passing.T).all(axis=1)].sum(axis=1).tolist()
            for column in passing.T[kept]
        }
        assert all(number[kept] >= len(passing) - most)
        found.append(sorted((sum(mask), total) for mask, total in totals.items()))
    return sorted(found)


@pytest.mark.parametrize("most", [0, 1, 3, 64])
@pytest.mark.parametrize("n_planes", [1, 2])
def test_deep_leaves_count_distinct_masks(isa: str, most: int, n_planes: int):
    model, rng = path_forest(11, n_trees=3), np.random.default_rng(0)
    blocks, rows = make_blocks(model), rows_for(model, 200, rng)
    planes = rng.integers(0, 1 << 32, (n_planes, 200), dtype=np.uint32)
    for n_jobs in (1, 2):
        offsets, masks, counts = _core.count_deep(
            blocks.core, rows, planes, most, 10**6, n_jobs, None
        )
        ends = offsets.astype(int).tolist()
        totals = counts.reshape(n_planes, -1).T.tolist()
        found = []
        for start, stop in pairwise(ends):
            assert (np.diff(masks[start:stop].astype(object)) > 0).all()
            numbers = np.bitwise_count(masks[start:stop]).tolist()
            found.append(sorted(zip(numbers, totals[start:stop], strict=True)))
        assert sorted(found) == expected_deep(model, rows, planes, most)


def test_deep_counting_gives_up_beyond_its_limit():
    model = path_forest(11)
    blocks, rows = make_blocks(model), rows_for(model, 200, np.random.default_rng(0))
    assert _core.count_deep(blocks.core, rows, None, 64, 10, 1, None) is None
    offsets, masks, counts = _core.count_deep(blocks.core, rows, None, 64, 10**6, 1, None)
    assert _core.count_deep(blocks.core, rows, None, 64, len(masks), 1, None) is not None
    assert _core.count_deep(blocks.core, rows, None, 64, len(masks) - 1, 1, None) is None
    assert offsets[-1] == len(masks) == len(counts)


def test_fractional_weights_are_counted_without_rounding(model: Forest):
    rng = np.random.default_rng(0)
    rows = rows_for(model, 30, rng)
    weights = np.ldexp(rng.random(30), rng.integers(-200, 200, 30))
    measure = Empirical.nothing(make_blocks(model))
    measure = measure.updated(rows, weights, memory_limit=10**9)
    whole = sum(digit * Fraction(2) ** (32 * place) for place, digit in measure.totals.items())
    assert whole == sum(map(Fraction, weights.tolist()))
