"""Columns of labels become codes: by what they say, never by how a frame numbers them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fastpd import Explainer, FeatureError, OptionError
from fastpd.errors import DataError
from fastpd.forest import Categories, IntervalSplits, code_intervals
from fastpd.frames import Columns, as_rows
from oracles import Split, forest

COLOURS = Categories(("red", "green", "blue"))
SIZES = Categories((10, 20, 30))
CODES = Categories(None)


def read(data: Any, *categories: Categories | None) -> list[Any]:
    """Return the first column of a table whose columns are named a, b, ... in the model."""
    names = tuple("abc"[: len(categories)])
    rows = as_rows(data, Columns(names, categories=categories))
    return rows.chunk(0, rows.n_rows)[:, 0].tolist()


def pandas_category(labels: list[Any]) -> Any:
    # Numbered otherwise than in the model, and with a label that no row has.
    distinct = dict.fromkeys(label for label in reversed(labels) if label is not None)
    dtype = pd.CategoricalDtype([*distinct, type(labels[0])(99)])
    return pd.DataFrame({"a": pd.Series(labels, dtype=dtype)})


def polars_enum(labels: list[str]) -> Any:
    return pl.DataFrame({"a": pl.Series(labels, dtype=pl.Enum(["blue", "pink", "green", "red"]))})


TABLES = {
    "pandas category": pandas_category,
    "pandas text": lambda labels: pd.DataFrame({"a": labels}),
    "pandas objects": lambda labels: pd.DataFrame({"a": pd.Series(labels, dtype=object)}),
    "pandas string": lambda labels: pd.DataFrame({"a": pd.Series(labels, dtype="string")}),
    "pandas arrow": lambda labels: pa.table({"a": labels}).to_pandas(types_mapper=pd.ArrowDtype),
    "polars text": lambda labels: pl.DataFrame({"a": labels}),
    "polars categorical": lambda labels: pl.DataFrame(
        {"a": pl.Series(labels, dtype=pl.Categorical)}
    ),
    "polars enum": polars_enum,
    "arrow text": lambda labels: pa.table({"a": labels}),
    "arrow dictionary": lambda labels: pa.table({"a": pa.array(labels).dictionary_encode()}),
    "array of objects": lambda labels: np.array([labels], dtype=object).T,
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES.keys())
def test_text_is_mapped_by_what_it_says(make: Any):
    found = read(make(["blue", "red", None, "green"]), COLOURS)
    np.testing.assert_array_equal(found, [2, 0, np.nan, 1])


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES.keys())
def test_an_unseen_label_counts_as_the_library_says(make: Any):
    data = make(["red", "pink"])
    np.testing.assert_array_equal(read(data, COLOURS), [0, np.nan])
    assert read(data, replace(COLOURS, unseen=7.0)) == [0, 7]
    with pytest.raises(DataError, match=r"'a' of X holds 'pink'.* its labels are red, green, blue"):
        read(data, replace(COLOURS, unseen=None))


def test_a_missing_label_is_refused_where_the_library_refuses_it():
    with pytest.raises(DataError, match="lacks a label in some row"):
        read(pd.DataFrame({"a": ["red", None]}), replace(COLOURS, null=None))


def test_labels_that_are_numbers_are_mapped_too():
    found = read(pandas_category([20, 30, None, 40]), SIZES)
    np.testing.assert_array_equal(found, [1, 2, np.nan, np.nan])


def test_plain_numbers_are_labels_but_unknown_ones_could_be_codes():
    assert read(pd.DataFrame({"a": [30, 10]}), SIZES) == [2, 0]
    assert read(pl.DataFrame({"a": [30.0, 10.0]}), SIZES) == [2, 0]
    with pytest.raises(DataError, match=r"holds 0, which .* As a column of the dtype category"):
        read(pd.DataFrame({"a": [0, 1]}), SIZES)


def test_a_table_with_codes_instead_of_text_is_refused():
    with pytest.raises(DataError, match=r"'a' of X holds numbers; expected the labels.*'red'"):
        read(pd.DataFrame({"a": [0, 1]}), COLOURS)


def test_a_column_without_any_label_is_missing_whatever_its_type():
    np.testing.assert_array_equal(read(pd.DataFrame({"a": [np.nan] * 2}), COLOURS), [np.nan] * 2)
    empty = pl.DataFrame({"a": [None]}, schema={"a": pl.Float64})
    np.testing.assert_array_equal(read(empty, COLOURS), [np.nan])


def test_an_array_has_codes():
    assert read(np.array([[2.0], [0.0]]), COLOURS) == [2, 0]
    assert read(np.array([[2], [0]]), SIZES) == [2, 0]


def test_an_array_of_whole_numbers_has_labels_where_the_library_says_so():
    categories = replace(SIZES, arrays="label", unseen=-1.0)
    assert read(np.array([[20], [5]]), categories) == [1, -1]
    assert read(pd.DataFrame({"a": [20, 5]}), categories) == [1, -1]


def test_an_array_of_text_and_numbers():
    data = np.array([["red", 1.5], ["blue", None]], dtype=object)
    assert read(data, COLOURS, None) == [0, 2]
    flipped = data[:, ::-1]
    np.testing.assert_array_equal(read(flipped, None, COLOURS), [1.5, np.nan])
    with pytest.raises(DataError, match="Column 'b' of X holds 'red'; expected numbers"):
        read(flipped[:, [1, 1]], COLOURS, None)


@pytest.mark.parametrize("value", [pd.Timestamp("2020"), (1, 2), b"red"])
def test_other_labels_are_refused(value: Any):
    data = pd.DataFrame({"a": pd.Series([value], dtype="category")})
    with pytest.raises(DataError, match="expected a label: text, or a number"):
        read(data, COLOURS)


def test_numbers_as_categories_of_a_column_of_numbers_are_read_as_numbers():
    np.testing.assert_array_equal(read(pandas_category([20, None, 30]), None), [20, np.nan, 30])


def test_codes_without_labels_take_numbers_only():
    assert read(pd.DataFrame({"a": [2, 0]}), CODES) == [2, 0]
    with pytest.raises(DataError, match=r"keeps only the codes.*categories=\{'a': \[label of code"):
        read(pd.DataFrame({"a": ["red"]}), CODES)
    with pytest.raises(DataError, match="keeps only the codes"):
        read(pandas_category([1, 2]), CODES)


class TestLabelsFromTheUser:
    model = replace(
        forest([Split(0, 0.0, 1.0, 5.0)], 2, names=("colour", "b")),
        splits=IntervalSplits.from_mapping({0: code_intervals([1])}),
        categories=(CODES, None),
    )
    background = pd.DataFrame({"colour": ["red", "green"], "b": [0.0, 0.0]})

    def test_are_used(self):
        ex = Explainer(self.model, self.background, categories={"colour": ["red", "green"]})
        assert ex.predict(self.background).tolist() == [5, 1]
        with pytest.raises(DataError, match="'blue'"):
            ex.predict(self.background.replace("green", "blue"))

    @pytest.mark.parametrize(
        ("given", "error", "said"),
        [
            (["red"], OptionError, "is a list; expected a mapping"),
            ({"color": ["red"]}, FeatureError, "Did you mean 'colour'"),
            ({"b": ["red"]}, OptionError, "has no categories"),
            ({"colour": []}, OptionError, "expected a list of labels"),
            ({"colour": "red"}, OptionError, "expected a list of labels"),
            ({"colour": ["red", "red"]}, OptionError, "twice"),
            ({"colour": [["red"]]}, OptionError, "expected a list of labels"),
        ],
    )
    def test_are_checked(self, given: Any, error: Any, said: str):
        with pytest.raises(error, match=said):
            Explainer(self.model, self.background, categories=given)

    def test_do_not_replace_those_of_the_model(self):
        model = replace(self.model, categories=(COLOURS, None))
        with pytest.raises(OptionError, match="has labels already"):
            Explainer(model, self.background, categories={"colour": ["x", "y", "z"]})


def test_categories_are_the_same_whichever_nan_they_hold():
    one, other = (Categories(("red",), unseen=float("nan"), null=float("nan")) for _ in range(2))
    assert one == other == Categories(("red",))
    assert len({one, other}) == 1
    assert one != replace(other, unseen=0.0)
    assert one != replace(other, nan=0.0)


def test_a_nan_is_told_from_a_null_where_the_library_does_so():
    apart = replace(COLOURS, null=3.0, nan=float("nan"))
    objects = pd.DataFrame({"a": pd.Series(["red", None, float("nan")], dtype=object)})
    np.testing.assert_array_equal(read(objects, apart), [0, 3, np.nan])
    np.testing.assert_array_equal(read(objects, replace(COLOURS, null=3.0)), [0, 3, 3])
    category = pd.DataFrame({"a": pd.Categorical(["red", None])})
    np.testing.assert_array_equal(read(category, apart), [0, np.nan])
    np.testing.assert_array_equal(read(pl.DataFrame({"a": ["red", None]}), apart), [0, 3])


@pytest.mark.parametrize("dtype", [float, object])
def test_a_masked_array_is_refused_beside_labels_too(dtype: Any):
    data = np.ma.masked_array(np.ones((2, 1), dtype), [[True], [False]])
    for known in (None, Categories(("red", "blue"))):
        with pytest.raises(DataError, match="masked array"):
            read(data, known)
