"""Labels that a model knows by their hashes, and statistics of them that stand for a split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from catboost_made import cells, ctr_model, raw, trained

from fastpd import Explainer, OptionError
from fastpd.errors import DataError, ModelFileError, UnsupportedModelError
from fastpd.forest import HashedCategories, import_model
from fastpd.forest._text_hash import text_hash, text_with_hash
from fastpd.forest.importers.catboost.ctrs import table_key
from fastpd.frames import Columns, as_rows, column_values

KNOWN = HashedCategories(
    unseen=9.0,
    codes={text_hash(text): float(code) for code, text in enumerate(["red", "5", "1", "0", "-2"])},
)


def codes(table: Any) -> list[Any]:
    rows = as_rows(table, Columns(("a",), categories=(KNOWN,)))
    return rows.chunk(0, rows.n_rows)[:, 0].tolist()


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, 0x2F90404F), (1, 3489901818), (5, 2452793224), (8, 4270775063), (16, 2150978241)],
)
def test_hashes_of_short_texts_do_not_change(size: int, expected: int):
    assert text_hash("abcdefghijklmnop"[:size]) == expected


@pytest.mark.parametrize("size", [0, 1, 3, 4, 8, 9, 16, 17, 32, 33, 64, 65, 128, 200])
def test_hashes_are_those_of_catboost(size: int):
    pytest.importorskip("catboost")
    text = ("é" * 200).encode()[: size - size % 2].decode() + "x" * (size % 2)
    rows = np.array([[text], ["another"], ["third"]] * 20, dtype=object)
    model = trained(rows, [3.0, 0.0, -0.1] * 20, [0], depth=1, one_hot_max_size=3)
    (known,) = import_model(model).categories
    # A split singles the label out by the hash that CatBoost made of it.
    assert isinstance(known, HashedCategories)
    assert known.knows(text)


@pytest.mark.parametrize("wanted", [0, 1, 759035679, 2**31, 2**32 - 1])
def test_a_text_is_found_for_any_hash(wanted: int):
    text = text_with_hash(wanted)
    assert text_hash(text) == wanted
    assert text.isprintable()


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": ["red", "5", "blue"]}),
        pd.DataFrame({"a": ["red", "5", "blue"]}, dtype="category"),
        pd.DataFrame({"a": ["red", 5, "blue"]}, dtype=object),
        pl.DataFrame({"a": ["red", "5", "blue"]}),
        np.array([["red"], ["5"], ["blue"]]),
        np.array([["red"], [5], ["blue"]], dtype=object),
        [["red"], [5], ["blue"]],
    ],
)
def test_text_is_read_from_any_table(table: Any):
    assert codes(table) == [0.0, 1.0, 9.0]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [5, -2, 7]}),
        pd.DataFrame({"a": pd.Series([5, -2, 7], dtype="category")}),
        pd.DataFrame({"a": pd.Series([5, -2, 7], dtype="Int64")}),
        pl.DataFrame({"a": [5, -2, 7]}),
        np.array([[5], [-2], [7]], dtype=np.int8),
        [[5], [-2], [7]],
    ],
)
def test_whole_numbers_are_labels_by_their_digits(table: Any):
    assert codes(table) == [1.0, 4.0, 9.0]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [True, False]}),
        pd.DataFrame({"a": pd.Series([True, False], dtype="category")}),
        pl.DataFrame({"a": [True, False]}),
        np.array([[True], [False]]),
        np.array([[np.True_], [False]], dtype=object),
        [[True], [False]],
    ],
)
def test_bools_are_the_labels_1_and_0(table: Any):
    assert codes(table) == [2.0, 3.0]


def test_a_list_of_text_and_bools_keeps_their_types():
    # NumPy alone would make the text "True" of True.
    assert codes([[True], ["red"]]) == [2.0, 0.0]
    np.testing.assert_array_equal(column_values([True, "red"], "a", KNOWN), [2.0, 0.0])


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [5.0, 1.0]}),
        pd.DataFrame({"a": pd.Series([5, 5.0], dtype=object)}),
        pd.DataFrame({"a": pd.Series([1.5], dtype="category")}),
        pl.DataFrame({"a": [5.0]}),
        np.array([[5.0]]),
        [[5.0]],
    ],
)
def test_floats_are_no_labels(table: Any):
    with pytest.raises(DataError, match=r"a float, .* expected text or a whole number"):
        codes(table)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": ["red", None]}),
        pd.DataFrame({"a": pd.Series(["red", None], dtype="category")}),
        pl.DataFrame({"a": ["red", None]}),
        np.array([["red"], [np.nan]], dtype=object),
        [[None]],
    ],
)
def test_a_label_must_not_be_missing(table: Any):
    with pytest.raises(DataError, match="lacks a label"):
        codes(table)


def test_labels_cannot_be_named_for_hashes():
    pytest.importorskip("catboost")
    rows, target = cells()
    with pytest.raises(OptionError, match="labels already"):
        Explainer(trained(rows, target, [0]), rows, categories={"f0": ["red"]})


def test_effects_are_asked_for_by_label():
    pytest.importorskip("catboost")
    rows, target = cells()
    model = trained(rows, target, [0])
    effect = Explainer(model, rows).effect("f0")
    for label in ["label 0", "label 4", "never seen"]:
        mixed = rows.copy()
        mixed[:, 0] = label
        np.testing.assert_allclose(effect.pd([label]), raw(model, mixed).mean(), atol=1e-12)


KEYS = {label: str(table_key(text_hash(label) - (text_hash(label) >> 31 << 32))) for label in "abc"}


@pytest.mark.parametrize(
    ("kind", "counts", "of_ctr"),
    [
        # Values by (good + 0.5) / (all + 1): 0.1, 0.9 and 0.5 for labels not in the table.
        ("Borders", {"a": [4, 0], "b": [0, 4]}, {}),
        ("Borders", {"a": [3, 1, 0], "b": [0, 1, 3]}, {"target_border_idx": 1}),
        ("Buckets", {"a": [0, 4], "b": [4, 0]}, {}),
        ("BinarizedTargetMeanValue", {"a": [0, 4], "b": [4, 4]}, {}),
        ("FloatTargetMeanValue", {"a": [-3, 4], "b": [9, 4]}, {}),
        # By (count + 0.5) / (10 + 1).
        ("Counter", {"a": [1], "b": [9]}, {}),
        ("FeatureFreq", {"a": [1], "b": [9]}, {}),
        # Shifted and scaled: 0.1, 0.9 and 0.5 become 1.2, 2.8 and 2.
        ("Borders", {"a": [4, 0], "b": [0, 4]}, {"shift": 0.5, "scale": 2, "borders": [1.9, 2.5]}),
    ],
)
def test_ctrs_split_labels_as_catboost_does(tmp_path: Any, kind: str, counts: Any, of_ctr: Any):
    catboost = pytest.importorskip("catboost")
    table = [entry for label, row in counts.items() for entry in (KEYS[label], *row)]
    stride = 1 + len(next(iter(counts.values())))
    path = ctr_model(tmp_path / "model.json", kind, table, stride, **of_ctr)
    ex = Explainer(path, [["a"], ["b"]])
    rows = [["a"], ["b"], ["c"], ["never seen"]]
    model = catboost.CatBoost().load_model(str(path), format="json")
    expected = model.predict(catboost.Pool(rows, cat_features=[0]))
    np.testing.assert_array_equal(ex.predict(rows), expected)
    assert expected[0] != expected[1]


def test_labels_that_no_split_tells_apart_share_a_code(tmp_path: Any):
    table = [KEYS["a"], 4, 0, KEYS["b"], 0, 4, KEYS["c"], 0, 9]
    known = import_model(ctr_model(tmp_path / "m.json", "Borders", table, 3)).categories[0]
    assert isinstance(known, HashedCategories)
    assert known.code("b") == known.code("c") == known.code("never seen") == known.unseen
    assert known.code("a") != known.code("b")


@pytest.mark.parametrize(
    ("table", "stride", "of_ctr"),
    [
        ([KEYS["a"], 4, 0, KEYS["a"], 0, 4], 3, {}),
        ([KEYS["a"], -4, 0], 3, {}),
        ([KEYS["a"], 4], 2, {}),
        ([KEYS["a"], 4, 0], 2, {}),
        ([KEYS["a"], 4, 0], 0, {}),
        ([KEYS["a"], 2**31, 2**31], 3, {}),
        (["x", 4, 0], 3, {}),
        ([str(2**64), 4, 0], 3, {}),
        (["9" * 5000, 4, 0], 3, {}),
        ([KEYS["a"], 4, 0], 3, {"borders": [0.4, 0.4]}),
        ([KEYS["a"], 4, 0], 3, {"borders": [1e39]}),
        ([KEYS["a"], 4, 0], 3, {"prior_numerator": 1e400}),
        ([KEYS["a"], 4, 0], 3, {"prior_numerator": None}),
        ([KEYS["a"], 4, 0], 3, {"target_border_idx": 1}),
        ([KEYS["a"], 4, 0], 3, {"target_border_idx": -1}),
        ([KEYS["a"], 4, 0], 3, {"ctr_type": "Counter"}),
    ],
)
def test_damaged_ctrs_are_refused(tmp_path: Any, table: Any, stride: int, of_ctr: Any):
    with pytest.raises(ModelFileError):
        import_model(ctr_model(tmp_path / "model.json", "Borders", table, stride, **of_ctr))


def test_sums_that_catboost_would_round_are_refused(tmp_path: Any):
    table = [KEYS["a"], 2.5, 4]
    with pytest.raises(UnsupportedModelError, match="no whole numbers"):
        import_model(ctr_model(tmp_path / "m.json", "BinarizedTargetMeanValue", table, 3))
