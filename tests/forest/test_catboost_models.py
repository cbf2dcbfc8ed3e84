"""Fitted CatBoost models become forests that predict the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from catboost_made import SETTINGS, cells, numbers, raw, trained

from fastpd import Explainer, ModelError, OptionError, vanilla
from fastpd.errors import DataError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.walk import predict

catboost = pytest.importorskip("catboost")


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(ModelError, match="not fitted"):
        import_model(catboost.CatBoostClassifier())


@pytest.mark.parametrize(
    ("loss", "link"),
    [
        ("RMSE", "identity"),
        ("Quantile:alpha=0.3", "identity"),
        ("Logloss", "logit"),
        ("CrossEntropy", "logit"),
        ("Poisson", "log"),
        ("Tweedie:variance_power=1.3", "log"),
        ("MultiClass", "softmax"),
        ("MultiClassOneVsAll", "logit"),
        ("QueryRMSE", "identity"),
    ],
)
def test_links_follow_the_loss(loss: str, link: str):
    rows, target = numbers()
    groups = np.arange(len(rows)) // 8
    pool = catboost.Pool(rows, (target > 0).astype(int), group_id=groups)
    model = catboost.CatBoost(SETTINGS | {"loss_function": loss}).fit(pool)
    assert import_model(model).link == link


def test_outputs_are_named_by_classes():
    rows, target = numbers()
    classes = np.array(["low", "mid", "high"])[np.digitize(target, [-0.5, 0.5])]
    model = catboost.CatBoostClassifier(**SETTINGS).fit(rows, classes)
    assert import_model(model).output_names == tuple(model.classes_) == ("high", "low", "mid")


def test_probabilities_are_those_of_catboost():
    rows, target = numbers()
    model = catboost.CatBoostClassifier(**SETTINGS).fit(rows, target > 0)
    means = Explainer(model, rows).value((0, 1, 2), rows[:5], scale="probability")
    np.testing.assert_allclose(means, model.predict_proba(rows[:5])[:, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("chosen", "start", "end"), [((0, 0), 0, 4), ((1, 3), 1, 3), ((2, 0), 2, 4), ((0, 1), 0, 1)]
)
def test_trees_count_as_in_a_prediction_of_some(chosen: Any, start: int, end: int):
    rows, target = numbers()
    model = trained(rows, target)
    forest = import_model(model, iteration_range=chosen)
    expected = model.predict(rows, ntree_start=start, ntree_end=end)
    np.testing.assert_allclose(predict(forest, rows)[:, 0], expected, atol=1e-14)


@pytest.mark.parametrize("chosen", [(0, 5), (2, 2), (3, 1), (-1, 2), (1,), "ab", (0.5, 2)])
def test_trees_that_are_not_there_are_refused(chosen: Any):
    rows, target = numbers()
    with pytest.raises(OptionError, match="iteration_range"):
        import_model(trained(rows, target), iteration_range=chosen)


def test_the_model_is_cut_back_to_its_best_iteration():
    rows, target = numbers()
    model = catboost.CatBoostRegressor(**SETTINGS | {"iterations": 50})
    model.fit(rows[20:], target[20:], eval_set=(rows[:20], target[::-1][:20]))
    assert model.tree_count_ == model.get_best_iteration() + 1 == import_model(model).n_trees < 50
    kept = catboost.CatBoostRegressor(**SETTINGS | {"iterations": 50, "use_best_model": False})
    kept.fit(rows[20:], target[20:], eval_set=(rows[:20], target[::-1][:20]))
    assert import_model(kept).n_trees == 50


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise", "Lossguide"])
def test_cover_is_the_weight_that_reached_a_node(policy: str):
    rows, target = numbers()
    forest = import_model(trained(rows, target, grow_policy=policy))
    np.testing.assert_array_equal(forest.cover[forest.roots], len(rows))
    inner = np.flatnonzero(~forest.is_leaf)
    below = forest.cover[forest.left[inner]] + forest.cover[forest.right[inner]]
    np.testing.assert_array_equal(forest.cover[inner], below)


def test_values_are_rounded_to_float32_before_they_are_compared():
    rows, target = numbers()
    model = trained(rows, target)
    forest = import_model(model)
    column = next(iter(k for k, borders in model.get_borders().items() if borders))
    border = np.float32(model.get_borders()[column][0])
    above = np.nextafter(border, np.float32(np.inf))
    steps = np.array([0.0, 0.4, 0.6, 1.0])
    probe = np.zeros((4, 3))
    probe[:, column] = float(border) + steps * (float(above) - float(border))
    np.testing.assert_allclose(predict(forest, probe)[:, 0], raw(model, probe), atol=1e-14)


def test_tables_go_by_name_where_catboost_asks_for_their_order():
    rows, target = numbers()
    table = pd.DataFrame(rows, columns=["a", "b", "c"])
    model = trained(table, target)
    ex = Explainer(model, table)
    assert ex.feature_names == ("a", "b", "c")
    turned = table[["c", "a", "b"]].assign(more="text")
    np.testing.assert_allclose(ex.predict(turned), raw(model, table), atol=1e-14)


def test_columns_without_names_go_by_position():
    rows, target = numbers()
    model = trained(rows, target)
    forest = import_model(model)
    assert not forest.named
    table = pd.DataFrame(rows, columns=["x", "y", "z"])
    assert Explainer(model, table).feature_names == ("x", "y", "z")


def test_columns_that_a_model_lost_are_not_asked_for_by_name():
    rows, target = numbers()
    table = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(b=0.0)
    model = trained(table, target)
    model.drop_unused_features()
    forest = import_model(model)
    assert forest.feature_names == ("a", "c")
    np.testing.assert_allclose(
        Explainer(model, table).predict(table[["c", "a"]]), raw(model, table), atol=1e-14
    )


def test_columns_without_names_keep_their_places_where_others_were_lost():
    rows, target = numbers()
    rows[:, 1] = 0.0
    model = trained(rows, target)
    model.drop_unused_features()
    assert import_model(model).n_features == 3
    np.testing.assert_allclose(Explainer(model, rows).predict(rows), raw(model, rows), atol=1e-14)


def test_absent_cells_of_a_sparse_matrix_are_zeros():
    sparse = pytest.importorskip("scipy.sparse")
    rows, target = numbers()
    rows[rows < 0] = 0.0
    rows[0, 0] = np.nan
    model = trained(rows, target)
    matrix = sparse.csr_matrix(rows)
    np.testing.assert_array_equal(raw(model, matrix), raw(model, rows))
    np.testing.assert_allclose(
        Explainer(model, matrix).predict(matrix), raw(model, rows), atol=1e-14
    )


def test_a_sparse_matrix_of_labels_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    rows, target = cells()
    with pytest.raises(DataError, match="sparse"):
        Explainer(trained(rows, target, [0]), sparse.csr_matrix(np.ones((3, 2))))


def test_splits_on_several_columns_are_refused_with_the_way_out():
    rng = np.random.default_rng(0)
    rows = rng.choice(list("abcdef"), (200, 2)).astype(object)
    target = (rows[:, 0] > "c") ^ (rows[:, 1] > "c")
    table = pd.DataFrame(rows, columns=["shape", "colour"])
    model = trained(table, target, [0, 1], max_ctr_complexity=2, iterations=20)
    with pytest.raises(UnsupportedModelError, match=r"'shape' and 'colour'.*max_ctr_complexity=1"):
        import_model(model)


def test_text_is_refused():
    rows = [[f"word{number % 3} and more"] for number in range(60)]
    pool = catboost.Pool(rows, np.arange(60) % 3, text_features=[0])
    with pytest.raises(UnsupportedModelError, match="of text"):
        import_model(catboost.CatBoost(SETTINGS).fit(pool))


def test_embeddings_are_refused():
    rows = np.random.default_rng(0).normal(size=(60, 1, 4))
    pool = catboost.Pool(
        [[row[0]] for row in rows], (rows[:, 0, 0] > 0).astype(int), embedding_features=[0]
    )
    model = catboost.CatBoost(SETTINGS | {"loss_function": "Logloss"}).fit(pool)
    with pytest.raises(UnsupportedModelError, match="embeddings"):
        import_model(model)


def test_a_model_with_thousands_of_labels_is_small():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 5000, (6000, 1)).astype(str).astype(object)
    target = rng.normal(size=6000)
    forest = import_model(trained(rows, target, [0], iterations=20, depth=4))
    assert forest.splits.nbytes < 100_000
    assert len(forest.categories[0].codes) > 3000


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
def test_missing_values_that_count_as_the_largest_are_split_from_all_numbers(policy: str):
    rows, _ = numbers()
    rows[::3, 0] = np.nan
    target = 3.0 * np.isnan(rows[:, 0]) + rows[:, 1]
    model = trained(rows, target, nan_mode="Max", grow_policy=policy)
    borders = model.get_borders()[0]
    largest = float(np.finfo(np.float32).max)
    assert borders[-1] == largest
    met = np.array([np.nan, np.inf, 1e39, largest, borders[0], -np.inf])
    points = np.column_stack([met, np.zeros((6, 2))])
    explainer = Explainer(model, rows)
    np.testing.assert_allclose(explainer.predict(points), raw(model, points), atol=1e-12)
    expected = vanilla.shap(lambda cells: raw(model, cells), rows, points)
    np.testing.assert_allclose(explainer.shap(points).values, expected, atol=1e-7)
    assert len(explainer.effect("f0").levels) == len(explainer.effect("f0").edges) + 1
