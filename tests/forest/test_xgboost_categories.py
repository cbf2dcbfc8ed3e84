"""Splits by categories: which codes go right, and which labels are known."""

import json
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost as xgb
from hand_made import MODELS

from fastpd import Explainer
from fastpd.errors import DataError, ModelMismatchError, UnsupportedModelError
from fastpd.forest import Categories, import_model
from fastpd.forest.check import tolerance
from fastpd.forest.importers.xgboost import rewrite
from fastpd.forest.importers.xgboost.sets import CodeSets
from fastpd.forest.walk import predict

RNG = np.random.default_rng(3)
VERSIONS = ["1.7.6", "2.0.3", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.4.1"]
NAMES = ["sets.json", "sets.ubj", "one-each.json", "some-of-both.ubj", "pruned.json"]
LETTERS = RNG.choice(list("abcde"), 200)
NUMBERS = RNG.normal(size=200)
LABEL = 3.0 * np.isin(LETTERS, ["b", "d"]) + (LETTERS == "a") + 0.1 * NUMBERS
CODES = CodeSets(*(np.array(part) for part in ([0, 4], [3, 1], [0, 2, 3, 1])))


def frame(letters, order="edcba"):
    x = NUMBERS[: len(letters)]
    return pd.DataFrame({"x": x, "city": pd.Categorical(letters, categories=list(order))})


def wrapper(table, label=LABEL, **options):
    given = {"n_estimators": 3, "max_depth": 3, "n_jobs": 1, "max_cat_to_onehot": 1, **options}
    return xgb.XGBRegressor(enable_categorical=True, **given).fit(table, label)


def archived(frozen, version, name):
    return frozen(f"{version}-categories", name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_frozen_file_sends_every_code_where_its_version_did(frozen, version, name):
    margins = json.loads(archived(frozen, version, "margins.json").read_text())[name]
    rows = np.loadtxt(MODELS / "category_rows.csv", delimiter=",")
    forest = import_model(archived(frozen, version, name))
    assert len(forest.splits) >= 9
    assert np.all(np.abs(predict(forest, rows) - np.array(margins)) <= tolerance(forest))


def test_a_code_of_the_set_goes_right_and_whatever_else_left():
    splits = dict(CODES.splits())
    inf = float("inf")
    assert splits == {0: [(-inf, 0), (1, 2), (4, inf)], 4: [(-inf, 1), (2, inf)]}
    assert len(CodeSets.none().splits()) == 0


@pytest.mark.parametrize("goes_left", [True, False])
@pytest.mark.parametrize("suffix", ["json", "ubj"])
def test_odd_codes_go_where_the_library_sends_them(goes_left, suffix):
    codes = RNG.integers(0, 40, 300).astype(np.float32)
    label = np.sin(codes)
    # In the set, so on the right, are the codes of low labels.
    label[codes == 0] = 1.0 if goes_left else -1.0
    X = np.where(codes == 0, np.nan, codes)[:, None]
    data = xgb.DMatrix(X, label, feature_types=["c"], nthread=1)
    booster = xgb.train({"max_depth": 1, "max_cat_to_onehot": 1, "nthread": 1}, data, 2)
    forest = import_model(booster)
    assert forest.default_left[0] == goes_left
    odd = [*range(70), 0.5, 2.999, -0.0, -0.5, -1, 2**24 - 1, 2**24, 1e30, np.nan, np.inf, -np.inf]
    rows = np.array(odd, np.float32)[:, None]
    expected = booster.inplace_predict(rows, predict_type="margin")
    assert np.all(np.abs(predict(forest, rows)[:, 0] - expected) <= tolerance(forest))
    again = xgb.Booster()
    again.load_model(bytearray(booster.save_raw(suffix)))
    for name in ("feature", "left", "value", "default_left"):
        np.testing.assert_array_equal(getattr(import_model(again), name), getattr(forest, name))
    assert import_model(again).splits.same_as(forest.splits)


VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:2])
UNLABELLED = Categories(None)
TABLES = {
    "pandas": frame,
    "pandas int": lambda letters: pd.DataFrame(
        {
            "x": NUMBERS[: len(letters)],
            "city": pd.Categorical([ord(one) for one in letters], categories=range(101, 96, -1)),
        }
    ),
    "polars enum": lambda letters: pl.DataFrame(
        {"x": NUMBERS[: len(letters)], "city": pl.Series(letters, dtype=pl.Enum(list("edcba")))}
    ),
    "arrow": lambda letters: pa.table(
        {"x": NUMBERS[: len(letters)], "city": pa.array(letters).dictionary_encode()}
    ),
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("suffix", ["json", "ubj"])
def test_labels_are_read_from_the_model_itself(make, suffix, tmp_path):
    model = wrapper(make(LETTERS.tolist()))
    path = tmp_path / f"model.{suffix}"
    model.save_model(path)
    for given in (model, path):
        number, labels = import_model(given).categories
        assert number is None
        assert labels is not None
        assert labels.unseen is None
        assert sorted(map(str, labels.labels)) in ([*"abcde"], ["100", "101", "97", "98", "99"])
    rows = make(list("ecbda"))
    expected = model.predict(rows, output_margin=True)
    np.testing.assert_allclose(Explainer(model, rows).predict(rows), expected, atol=1e-6)


def test_labels_numbered_otherwise_in_a_table_are_mapped_by_what_they_say():
    model = wrapper(frame(LETTERS))
    ex = Explainer(model, frame(LETTERS[:20]))
    rows = frame(list("abc"), order="cab")
    np.testing.assert_allclose(ex.predict(rows), model.predict(rows), atol=1e-6)
    text = pd.DataFrame({"x": NUMBERS[:3], "city": list("abc")})
    np.testing.assert_array_equal(ex.predict(text), ex.predict(rows))
    lost = frame(["a", None, "b"], order="cab")
    np.testing.assert_allclose(ex.predict(lost), model.predict(lost), atol=1e-6)


@pytest.mark.parametrize("unseen", ["z", 5])
def test_a_label_that_was_not_met_is_refused_even_where_the_library_takes_another_one(unseen):
    text = isinstance(unseen, str)
    letters = LETTERS if text else np.char.encode(LETTERS).view(np.uint8).astype(int)
    table = pd.DataFrame({"x": NUMBERS, "city": pd.Categorical(letters)})
    model = wrapper(table)
    rows = pd.DataFrame({"x": [0.0], "city": pd.Categorical([unseen])})
    # Versions before 3.4 take a number that they did not meet for another one.
    if text or VERSION >= (3, 4):
        with pytest.raises(xgb.core.XGBoostError, match="not in the training set"):
            model.predict(rows)
    else:
        model.predict(rows)
    with pytest.raises(DataError, match="was not trained with"):
        Explainer(model, table[:5]).predict(rows)


@pytest.mark.parametrize("letters", [["é", "éa", "a"], ["日本", "", "z"]])
def test_labels_that_the_library_may_have_cut_wrong_are_not_trusted(letters):
    table = pd.DataFrame({"city": pd.Categorical(RNG.choice(letters, 200), categories=letters)})
    model = wrapper(table, (table["city"] == letters[1]) * 3.0)
    assert import_model(model).categories == (Categories(None, unseen=None),)
    ex = Explainer(model, table[:5].assign(city=table["city"][:5].cat.codes))
    with pytest.raises(DataError, match="keeps only the codes"):
        ex.predict(table)
    told = Explainer(model, table[:5], categories={"city": letters})
    np.testing.assert_allclose(told.predict(table), model.predict(table), atol=1e-6)


@pytest.mark.parametrize("missing", [0.0, 4.0])
def test_a_number_for_missing_that_is_a_code_makes_predictions_hang_on_the_order(missing):
    model = wrapper(frame(LETTERS), missing=missing)
    with pytest.raises(UnsupportedModelError, match=r"also the code of the category '[ea]' of 'ci"):
        import_model(model)


@pytest.mark.parametrize("missing", [5.0, 0.5, -1.0])
def test_a_number_for_missing_that_is_no_code_leaves_labels_alone(missing):
    model = wrapper(frame(LETTERS), missing=missing)
    rows = frame(list("abcde"), order="abcde")
    found = Explainer(model, rows).predict(rows)
    np.testing.assert_allclose(found, model.predict(rows), atol=1e-6)


def test_codes_of_arrays_and_slices_have_no_labels():
    X = np.column_stack([NUMBERS, RNG.integers(0, 5, 200)])
    model = wrapper(X, X[:, 1] % 3, feature_types=["q", "c"])
    assert import_model(model).categories == (None, UNLABELLED)
    sliced = import_model(wrapper(frame(LETTERS)).get_booster()[1:3])
    kept = VERSION >= (3, 4)  # a slice of older versions has lost its labels
    assert sliced.categories[1] == (Categories(tuple("edcba"), unseen=None) if kept else UNLABELLED)


def test_a_column_without_a_type_that_is_split_by_codes_has_categories():
    X = RNG.integers(0, 5, (200, 2)).astype(float)
    booster = xgb.train(
        {"max_depth": 3, "nthread": 1},
        xgb.DMatrix(X, X[:, 1] % 3, feature_types=["q", "c"], nthread=1),
        2,
    )
    booster.feature_types = None
    assert import_model(booster).categories == (None, Categories(None))


def test_a_model_of_numbers_has_no_categories_and_takes_absent_cells_as_missing():
    forest = import_model(wrapper(NUMBERS[:, None], NUMBERS))
    assert forest.categories == ()
    assert forest.absent == "missing"


@pytest.mark.parametrize("from_file", [True, False])
def test_categories_that_were_misread_are_found_out(monkeypatch, tmp_path, from_file):
    model = wrapper(frame(LETTERS))
    path = tmp_path / "model.ubj"
    model.save_model(path)
    real = CodeSets.splits

    def wrong(sets):
        return real(CodeSets(sets.node, sets.sizes, sets.codes + 1))

    monkeypatch.setattr(CodeSets, "splits", wrong)
    with pytest.raises(ModelMismatchError, match="was not read as it predicts"):
        import_model(path if from_file else model)


def test_sets_of_trees_are_written_anew_as_they_were_read(frozen, monkeypatch):
    path = archived(frozen, "3.2.0", "sets.ubj")
    kept = []
    real = rewrite.ubjson.dumps
    monkeypatch.setattr(rewrite.ubjson, "dumps", lambda value: kept.append(value) or real(value))
    forest = import_model(path)
    again = xgb.Booster()
    again.load_model(bytearray(real(kept[0])))
    assert import_model(again).splits.same_as(forest.splits)


def test_sets_too_large_for_the_library_to_hold_are_refused(frozen, monkeypatch):
    monkeypatch.setattr(rewrite, "MAX_BITS", 100)
    with pytest.raises(UnsupportedModelError, match="load it with XGBoost"):
        import_model(archived(frozen, "3.2.0", "sets.ubj"))


def test_a_thousand_trees_of_categories_are_read_quickly():
    X = RNG.integers(0, 60, (1000, 4)).astype(float)
    data = xgb.DMatrix(X, np.sin(X).sum(axis=1), feature_types=["c"] * 4, nthread=1)
    booster = xgb.train({"max_depth": 4, "eta": 0.05, "nthread": 1}, data, 1000)
    start = time.perf_counter()
    forest = import_model(booster)
    assert time.perf_counter() - start < 0.5
    assert forest.n_trees == 1000
    assert len(forest.splits) > 2000


def test_leaves_that_pruning_made_of_splits_by_categories_keep_no_set(frozen):
    path = archived(frozen, "3.2.0", "pruned.json")
    forest = import_model(path)
    assert not np.any(forest.is_leaf[forest.splits.node])
    assert np.all(np.isfinite(forest.threshold))
