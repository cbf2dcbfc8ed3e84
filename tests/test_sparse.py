"""Sparse matrices: absent cells are zeros, or missing, or no such matrix is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from fastpd.errors import DataError
from fastpd.frames import Columns, as_rows

ZERO, MISSING = Columns(("a", "b"), absent="zero"), Columns(("a", "b"), absent="missing")
DENSE = np.array([[0.0, 2.0], [np.nan, 0.0], [3.0, 0.0]])
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr"]


def whole(data: Any, columns: Columns) -> Any:
    rows = as_rows(data, columns)
    return np.concatenate([rows.chunk(0, 2), rows.chunk(2, rows.n_rows)])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("maker", [scipy.sparse.coo_matrix, scipy.sparse.coo_array])
def test_absent_cells(kind: str, maker: Any):
    data = maker(DENSE).asformat(kind)
    np.testing.assert_array_equal(whole(data, ZERO), DENSE)
    expected = np.where(DENSE == 0, np.nan, DENSE)
    np.testing.assert_array_equal(whole(data, MISSING), expected)


def test_a_zero_that_is_held_stays_a_zero():
    data = scipy.sparse.csr_matrix(([0.0, 4.0], ([0, 1], [0, 1])), shape=(2, 2))
    np.testing.assert_array_equal(whole(data, MISSING), [[0, np.nan], [np.nan, 4]])


def test_a_cell_that_is_held_twice_is_a_sum_and_the_matrix_is_left_alone():
    data = scipy.sparse.csr_matrix(
        (np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2)
    )
    np.testing.assert_array_equal(whole(data, MISSING), [[np.nan, 3]])
    assert data.nnz == 2


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.int64])
def test_other_numbers(dtype: Any):
    data = scipy.sparse.csr_matrix(np.array([[0, 1]], dtype=dtype))
    np.testing.assert_array_equal(whole(data, ZERO), [[0, 1]])
    np.testing.assert_array_equal(whole(data, MISSING), [[np.nan, 1]])


@pytest.mark.parametrize(
    ("data", "columns", "said"),
    [
        (scipy.sparse.csr_matrix(DENSE), Columns(("a", "b")), r"does not take.*X\.toarray\(\)"),
        (scipy.sparse.csr_matrix((2, 3)), ZERO, "has 3 columns, but the model has 2"),
        (scipy.sparse.csr_matrix((2, 2), dtype=complex), ZERO, "sparse of dtype complex128"),
        (scipy.sparse.coo_array(np.ones(2)), ZERO, "has 1 dimensions"),
    ],
    ids=["refused", "width", "dtype", "one row"],
)
def test_refusals(data: Any, columns: Columns, said: str):
    with pytest.raises(DataError, match=said):
        as_rows(data, columns)


@pytest.mark.parametrize("columns", [ZERO, MISSING])
def test_whole_numbers_that_a_float_cannot_hold_are_not_rounded(columns: Columns):
    data = scipy.sparse.csr_matrix(np.array([[0, 2**53], [0, 2**53 + 1]]))
    assert as_rows(data, columns).chunk(0, 1)[0, 1] == 2**53
    with pytest.raises(DataError, match=r"9007199254740993 in column 'b'.* would round"):
        as_rows(data, columns).chunk(1, 2)


@pytest.mark.parametrize("index", [-1, 2, 1000])
@pytest.mark.parametrize(
    ("kind", "said"), [(scipy.sparse.csr_matrix, "column"), (scipy.sparse.csc_matrix, "row")]
)
def test_cells_outside_of_a_matrix_are_refused(kind: Any, said: str, index: int):
    data = kind(np.ones((2, 2)))
    data.indices[1] = index
    for columns in (ZERO, MISSING):
        with pytest.raises(DataError, match=f"a cell in {said} {index} of 2"):
            as_rows(data, columns)
