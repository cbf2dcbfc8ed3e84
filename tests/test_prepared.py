"""Tables that go through the first steps of a pipeline on their way to the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from fastpd.errors import DataError
from fastpd.frames import Columns, as_rows


@dataclass(frozen=True)
class Doubled:
    """Two columns for each of the user's: itself, and twice itself."""

    columns: tuple[str, ...] = ("a", "b")
    owner: tuple[int, ...] | None = (0, 1, 0, 1)
    unchanged: frozenset[int] = frozenset({0, 1})

    def apply(self, table: Any) -> Any:
        cells = table.toarray() if hasattr(table, "toarray") else np.asarray(table, dtype=float)
        assert 0 < len(cells) <= 2, "rows come in runs"
        return np.hstack([cells, 2 * cells])

    def same_as(self, other: Any) -> bool:
        return self == other


COLUMNS = Columns(("p", "q", "r", "s"), preparation=Doubled())
CELLS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        list,
        scipy.sparse.coo_matrix,
        lambda cells: pd.DataFrame(cells, columns=["a", "b"], index=[7, 7, 7]),
        lambda cells: pl.DataFrame({"b": cells[:, 1], "extra": ["x"] * 3, "a": cells[:, 0]}),
    ],
    ids=["array", "list", "sparse", "pandas", "polars"],
)
def test_runs_of_rows_are_prepared(make: Any):
    rows = as_rows(make(CELLS), COLUMNS)
    assert (rows.n_rows, rows.n_features) == (3, 4)
    parts = [rows.chunk(0, 2), rows.chunk(2, 3), rows.chunk(3, 3)]
    np.testing.assert_array_equal(np.concatenate(parts), np.hstack([CELLS, 2 * CELLS]))


def test_the_columns_are_the_users():
    with pytest.raises(DataError, match=r"X lacks 1 of the model's 2 columns: 'b'"):
        as_rows(pd.DataFrame({"a": [1.0]}), COLUMNS)
    with pytest.raises(DataError, match="has 3 columns, but the model has 2 features"):
        as_rows(np.ones((1, 3)), COLUMNS)
    with pytest.raises(DataError, match="1 dimensions"):
        as_rows(np.ones(3), COLUMNS)


def test_an_error_of_a_step_says_what_went_through_it():
    rows = as_rows(pd.DataFrame({"a": ["x"], "b": ["y"]}), COLUMNS, what="background")
    with pytest.raises(DataError, match=r"background did not go through the steps.*could not conv"):
        rows.chunk(0, 1)


@dataclass(frozen=True)
class Sparsely(Doubled):
    """The same as a sparse matrix, which holds no zeros."""

    def apply(self, table: Any) -> Any:
        return scipy.sparse.csr_matrix(super().apply(table))


@pytest.mark.parametrize(("absent", "cell"), [("zero", 0.0), ("missing", np.nan)])
def test_absent_cells_of_a_prepared_table_are_what_the_model_takes_them_for(
    absent: Any, cell: float
):
    columns = Columns(COLUMNS.names, preparation=Sparsely(), absent=absent)
    rows = as_rows(np.array([[1.0, 0.0]]), columns)
    np.testing.assert_array_equal(rows.chunk(0, 1), [[1.0, cell, 2.0, cell]])


def test_a_sparse_prepared_table_is_refused_where_the_model_takes_none():
    rows = as_rows(CELLS[:1], Columns(COLUMNS.names, preparation=Sparsely()))
    with pytest.raises(DataError, match=r"sparse csr_matrix of X.*sparse_output=False"):
        rows.chunk(0, 1)


@dataclass(frozen=True)
class Framed(Doubled):
    """The same as a frame, under other names than the model's."""

    width: int = 4

    def apply(self, table: Any) -> Any:
        return pd.DataFrame(super().apply(table), columns=list("wxyz")).iloc[:, : self.width]


def test_a_prepared_frame_goes_by_position():
    rows = as_rows(CELLS[:2], Columns(COLUMNS.names, preparation=Framed()))
    np.testing.assert_array_equal(rows.chunk(0, 2), np.hstack([CELLS[:2], 2 * CELLS[:2]]))
    short = as_rows(CELLS[:2], Columns(COLUMNS.names, preparation=Framed(width=3)))
    with pytest.raises(DataError, match="the prepared X has 3 columns, but the model has 4"):
        short.chunk(0, 2)


@dataclass(frozen=True)
class Loose(Doubled):
    """The same as an array of objects."""

    def apply(self, table: Any) -> Any:
        return np.asarray(table).astype(object)[:, [0, 1, 0, 1]]


def test_a_prepared_array_of_objects_holds_numbers():
    columns = Columns(COLUMNS.names, preparation=Loose())
    rows = as_rows(np.array([[True, 2.5]], dtype=object), columns)
    np.testing.assert_array_equal(rows.chunk(0, 1), [[1.0, 2.5, 1.0, 2.5]])
    with pytest.raises(DataError, match=r"did not go through the steps.*could not convert"):
        as_rows(np.array([["x", 2.5]], dtype=object), columns).chunk(0, 1)


def test_a_run_that_is_read_again_is_prepared_once():
    seen: list[int] = []

    @dataclass(frozen=True)
    class Counted(Doubled):
        def apply(self, table: Any) -> Any:
            seen.append(len(table))
            return super().apply(table)

    rows = as_rows(CELLS, Columns(COLUMNS.names, preparation=Counted()))
    for _ in range(3):
        rows.chunk(0, 2)
    rows.chunk(2, 3)
    assert seen == [2, 1]
