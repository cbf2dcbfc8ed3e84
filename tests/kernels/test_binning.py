"""Bins: 0 for a missing value, else one more than the number of thresholds at or below it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks, make_blocks
from oracles import EDGE_VALUES, Split, Tree, forest

KINDS = ("float32", "float64")
# One lane of 8 bits holds 256 bins, two of them for missing values and those below all thresholds.
SIZES = (1, 2, 3, 63, 64, 253, 254, 255, 256, 65533, 65534, 65535, 70000)


def chain(thresholds: NDArray[np.float64], kind: str, missing: float = math.nan) -> Blocks:
    """A tree for each threshold: nothing but a grid matters here."""
    trees: list[Tree] = [Split(0, float(t), 0.0, 1.0) for t in thresholds]
    return make_blocks(forest(trees, 1, comparison=kind, missing=missing))


def expected_bins(
    thresholds: NDArray[np.float64], values: NDArray[np.floating], kind: str
) -> NDArray[np.int64]:
    with np.errstate(over="ignore"):
        rounded = values.astype(kind)
    bins = np.searchsorted(thresholds.astype(kind), rounded, side="right") + 1
    return np.where(np.isnan(rounded), 0, bins)


def around(thresholds: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    at = thresholds.astype(kind)
    ends = (np.array(end, dtype=kind) for end in (-np.inf, np.inf))
    beside = [np.nextafter(at, end).astype(np.float64) for end in ends]
    halfway = at.astype(np.float64) * (1 + 2.0**-30)  # no float32: rounds to the threshold
    return np.concatenate([at, *beside, halfway, EDGE_VALUES, [1e300, -1e300]])


def bins_of(blocks: Blocks, values: NDArray[np.floating]) -> NDArray[np.int32]:
    return _core.bin_column(blocks.core, values.reshape(-1, 1), 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_bins_count_thresholds(isa: str, kind: str, size: int):
    thresholds = np.sort(np.random.default_rng(size).normal(size=2 * size).astype(np.float32))
    thresholds = np.unique(thresholds)[:size].astype(np.float64)
    blocks = chain(thresholds, kind)
    values = around(thresholds, kind)
    np.testing.assert_array_equal(bins_of(blocks, values), expected_bins(thresholds, values, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_may_be_zero_infinite_tiny_or_huge(isa: str, kind: str):
    thresholds = np.array([-np.inf, -1e38, -1e-45, 0.0, 1e-45, 1e-38, 1.0, 3e38, np.inf])
    thresholds = np.unique(thresholds.astype(np.float32).astype(np.float64))
    blocks, values = chain(thresholds, kind), around(thresholds, kind)
    np.testing.assert_array_equal(bins_of(blocks, values), expected_bins(thresholds, values, kind))


@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 63, 64, 65, 511, 512, 513, 1500])
def test_any_number_of_rows(isa: str, n_rows: int):
    rng = np.random.default_rng(n_rows)
    thresholds = np.array([-1.0, 0.0, 0.5])
    values = rng.normal(size=n_rows)
    found = bins_of(chain(thresholds, "float32"), values)
    np.testing.assert_array_equal(found, expected_bins(thresholds, values, "float32"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_can_stand_for_missing(isa: str, kind: str):
    blocks = chain(np.array([-1000.0, -999.0, 0.0]), kind, missing=-999.0)
    values = np.array([-999.0, np.nan, -999.5, -998.5, 0.0, -999.0])
    np.testing.assert_array_equal(bins_of(blocks, values), [0, 0, 2, 3, 4, 0])


def test_zero_as_missing_takes_both_zeros(isa: str):
    blocks = chain(np.array([-1.0, 1.0]), "float32", missing=0.0)
    np.testing.assert_array_equal(bins_of(blocks, np.array([0.0, -0.0, 1e-300, 0.5])), [0, 0, 0, 2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", KINDS)
def test_rows_may_have_any_strides(isa: str, kind: str, dtype: str):
    rng = np.random.default_rng(0)
    thresholds = np.array([-0.5, 0.0, 0.5])
    blocks = make_blocks(forest([Split(1, t, 0.0, 1.0) for t in thresholds], 2, comparison=kind))
    table = rng.normal(size=(300, 6)).astype(dtype)
    expected = expected_bins(thresholds, table[:, 3], kind)
    views = {
        "C": np.ascontiguousarray(table[:, 2:4]),
        "F": np.asfortranarray(table[:, 2:4]),
        "sliced": table[:, 2:4],
        "columns backwards": table[:, 3:1:-1][:, ::-1],
        "rows backwards": np.ascontiguousarray(table[::-1, 2:4])[::-1],
        "every other row": np.repeat(table[:, 2:4], 2, axis=0)[::2],
    }
    for name, view in views.items():
        np.testing.assert_array_equal(_core.bin_column(blocks.core, view, 0), expected, name)


def test_thresholds_that_are_one_in_float32_still_count_as_two():
    close = np.array([0.5, 0.5 + 1e-12])
    blocks = chain(close, "float32")
    np.testing.assert_array_equal(bins_of(blocks, np.array([0.4, 0.5, 0.6])), [1, 3, 3])
