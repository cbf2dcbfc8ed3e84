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
