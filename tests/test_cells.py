"""What the cells of a row say: as they were given, with labels for codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fastpd import Explainer
from fastpd.forest import Categories
from fastpd.frames import Columns, cells_of

COLOURS = Categories(("red", "blue"))
COLUMNS = Columns(("colour", "age"), categories=(COLOURS, None))
CELLS = {"colour": ["red", "blue", None], "age": [31.5, None, 7.0]}
EXPECTED = [
    {"colour": "red", "age": 31.5},
    {"colour": "blue", "age": None},
    {"colour": None, "age": 7.0},
]
TABLES = {
    "pandas": pd.DataFrame(CELLS).astype({"colour": "category"})[["age", "colour"]],
    "polars": pl.DataFrame(CELLS).with_columns(other=1),
    "pyarrow": pa.table(CELLS),
    "codes": np.array([[0, 31.5], [1, np.nan], [np.nan, 7.0]]),
    "objects": np.array([["red", 31.5], ["blue", None], [None, 7.0]], dtype=object),
    "lists": [["red", 31.5], ["blue", None], [None, 7.0]],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_says_the_same(table: Any):
    cells = cells_of(table, COLUMNS)
    assert [cells(row) for row in range(3)] == EXPECTED


def test_sparse_rows_have_zeros():
    columns = Columns(("a", "b"), absent="zero")
    assert cells_of(sparse.csr_array([[0.0, 2.0]]), columns)(0) == {"a": 0.0, "b": 2.0}


def test_a_code_that_no_label_has_is_a_number():
    cells = cells_of(np.array([[5.0, 1.0], [0.5, 1.0]]), COLUMNS)
    assert [cells(row)["colour"] for row in (0, 1)] == [5.0, 0.5]


def test_numbers_that_are_labels_themselves_are_no_codes():
    categories = Categories((7, 3), arrays="label")
    cells = cells_of(np.array([[3]]), Columns(("n",), categories=(categories,)))
    assert cells(0) == {"n": 3}


def test_of_a_pipeline_they_are_those_that_go_in():
    table = pd.DataFrame({"colour": ["red", "blue"] * 10, "age": np.arange(20.0)})
    steps = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]), remainder="passthrough"
    )
    forest = RandomForestRegressor(3, max_depth=2, random_state=0)
    model = make_pipeline(steps, forest).fit(table, table["age"])
    assert Explainer(model, table).components(table).cells(3) == {"colour": "blue", "age": 3.0}


def test_what_a_pipeline_mixes_has_none():
    X = np.random.default_rng(0).normal(size=(30, 3))
    forest = RandomForestRegressor(3, max_depth=2, random_state=0)
    model = make_pipeline(PCA(2), forest).fit(X, X[:, 0])
    assert Explainer(model, X).components(X).cells(0) == {}
