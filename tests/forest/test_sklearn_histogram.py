"""Histogram-based gradient boosting of scikit-learn, its labels and its sets of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import DataError, UnsupportedModelError
from fastpd.forest import Categories, import_model
from fastpd.forest.walk import predict

ensemble = pytest.importorskip("sklearn.ensemble")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(8)
X = np.column_stack([RNG.integers(0, 9, 160), RNG.normal(size=160), RNG.integers(0, 4, 160)])
X[RNG.random(X.shape) < 0.1] = np.nan
Y = np.nan_to_num(X[:, 1]) + 2.0 * np.isin(X[:, 0], [1, 2, 5]) - 1.0 * np.isnan(X[:, 0])
QUICK = {"max_iter": 5, "min_samples_leaf": 4, "max_leaf_nodes": 8}


def trained(**options: Any) -> Any:
    model = ensemble.HistGradientBoostingRegressor(
        **QUICK | {"categorical_features": [0, 2]} | options
    )
    return model.fit(X, Y)


def test_categories_stand_where_they_stand_in_the_table():
    model = ensemble.HistGradientBoostingRegressor(categorical_features=[2], **QUICK).fit(X, Y)
    forest = import_model(model)
    coded = np.unique(forest.feature[forest.splits.owner()[np.isfinite(forest.splits.low)]])
    assert [one is not None for one in forest.categories] == [False, False, True]
    assert set(coded.tolist()) <= {2}
    ex = Explainer(model, X[:20])
    np.testing.assert_allclose(ex.predict(X), model.predict(X), atol=1e-7)


def test_numbers_of_arrays_are_labels_and_not_codes():
    shifted = X.copy()
    shifted[:, 0] = 10 * shifted[:, 0] - 7.5
    model = ensemble.HistGradientBoostingRegressor(categorical_features=[0, 2], **QUICK)
    model.fit(shifted, Y)
    rows = shifted[:12].copy()
    rows[:4, 0] = [0.0, 1.0, 1e9, -7.5]
    np.testing.assert_allclose(
        Explainer(model, shifted[:20]).predict(rows), model.predict(rows), atol=1e-7
    )


@pytest.mark.parametrize("seed", range(8))
def test_any_set_of_codes_and_any_side_of_missing_values(seed: int):
    rng = np.random.default_rng(seed)
    model = trained()
    for (one,) in model._predictors:
        nodes = one.nodes.copy()
        for node in nodes[nodes["is_categorical"] != 0]:
            # Categories come first in the trees: there are 9 in one column and 4 in the other.
            n_codes = (9, 4)[node["feature_idx"]]
            # Of an empty set nothing goes left but, maybe, a missing value.
            codes = rng.integers(0, 2**n_codes) * (rng.random() < 0.7)
            one.raw_left_cat_bitsets[node["bitset_idx"], 0] = codes
        nodes["missing_go_to_left"] = rng.integers(0, 2, len(nodes))
        one.nodes = nodes
    rows = X.copy()
    rows[::5, 0] = 77.0  # never met
    np.testing.assert_allclose(
        Explainer(model, X[:20]).predict(rows), model.predict(rows), atol=1e-7
    )


def as_of_1_3() -> Any:
    """Return a model as scikit-learn 1.3 leaves it: rows go to the trees as they are."""
    order = X[:, [0, 2, 1]]
    model = ensemble.HistGradientBoostingRegressor(categorical_features=[0, 1], **QUICK)
    model.fit(order, Y)
    model._preprocessor = None
    return model


def test_codes_of_users_of_version_1_3():
    model = as_of_1_3()
    rows = X[:40, [0, 2, 1]].copy()
    rows[::3, 0] = [255.0, 9.0, 200.0, 0.0, 8.0] * 2 + [np.nan] * 4
    ex = Explainer(model, X[:20, [0, 2, 1]])
    np.testing.assert_allclose(ex.predict(rows), model.predict(rows), atol=1e-7)


@pytest.mark.parametrize("code", [-1.0, 256.0, 1.5])
def test_codes_that_version_1_3_would_change_are_refused(code: float):
    rows = np.array([[code, 0.0, 0.0]])
    with pytest.raises(DataError, match="not trained with"):
        Explainer(as_of_1_3(), X[:20, [0, 2, 1]]).predict(rows)


def test_a_null_of_polars_is_a_label_and_a_nan_is_none():
    pl = pytest.importorskip("polars")
    labels = RNG.choice(["a", "b", None], 160)
    table = pl.DataFrame({"x": X[:, 1], "c": labels.tolist()}, schema_overrides={"c": pl.String})
    y = Y + 3.0 * (labels == "a") - 4.0 * np.array([label is None for label in labels])
    model = ensemble.HistGradientBoostingRegressor(categorical_features=["c"], **QUICK)
    model.fit(table, y)
    assert import_model(model).categories[1] == Categories(
        ("a", "b"), null=2.0, nan=float("nan"), arrays="label", text_only=True
    )
    ex = Explainer(model, table[:20])
    np.testing.assert_allclose(ex.predict(table), model.predict(table), atol=1e-7)
    other = pd.DataFrame({"x": [0.0] * 3, "c": pd.Categorical(["a", None, "z"])})
    np.testing.assert_allclose(ex.predict(other), model.predict(other), atol=1e-7)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("wrap", [pd.DataFrame, pd.DataFrame.to_numpy])
def test_numbers_in_a_column_of_text_are_refused_as_by_scikit_learn(wrap: Any):
    table = pd.DataFrame({"x": X[:, 1], "c": np.where(X[:, 2] > 1, "a", "b")})
    model = ensemble.HistGradientBoostingRegressor(categorical_features=["c"], **QUICK)
    model.fit(table, Y)
    rows = wrap(pd.DataFrame({"x": [0.0, 1.0], "c": [1.0, 2.0]}))
    with pytest.raises((TypeError, ValueError)):
        model.predict(rows)
    with pytest.raises(
        DataError, match=r"'c' of X holds 1\.0, which the model was not trained with"
    ):
        Explainer(model, table[:20]).predict(rows)


def test_a_null_that_was_never_met_is_missing():
    pl = pytest.importorskip("polars")
    labels = np.where(X[:, 2] > 1, "a", "b").tolist()
    table = pl.DataFrame({"x": X[:, 1], "c": labels})
    model = ensemble.HistGradientBoostingRegressor(categorical_features=["c"], **QUICK)
    model.fit(table, Y)
    rows = pl.DataFrame({"x": [0.0, 1.0, None], "c": [None, "q", "a"]})
    found = Explainer(model, table[:20]).predict(rows)
    np.testing.assert_allclose(found, model.predict(rows), atol=1e-7)


def test_labels_that_are_bools_and_the_effect_by_label():
    table = pd.DataFrame({"x": X[:, 1], "c": pd.Categorical(X[:, 2] > 1)})
    model = ensemble.HistGradientBoostingRegressor(categorical_features="from_dtype", **QUICK)
    model.fit(table, Y + 2.0 * (X[:, 2] > 1))
    ex = Explainer(model, table[:20])
    np.testing.assert_allclose(ex.predict(table), model.predict(table), atol=1e-7)
    for label, level in ex.effect("c").by_label().items():
        replaced = table[:20].assign(c=pd.Categorical([bool(label)] * 20))
        np.testing.assert_allclose(level, model.predict(replaced).mean(), atol=1e-7)


def test_labels_of_other_kinds_are_refused():
    table = pd.DataFrame({"x": X[:, 1], "c": pd.cut(np.nan_to_num(X[:, 0]), 3)})
    model = ensemble.HistGradientBoostingRegressor(categorical_features="from_dtype", **QUICK)
    try:
        model.fit(table, Y)
    except (TypeError, ValueError):
        pytest.skip("this version does not train on intervals")
    with pytest.raises(UnsupportedModelError, match=r"column 'c', a Interval"):
        import_model(model)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "gamma"])
def test_losses(loss: str):
    options = {"quantile": 0.3} if loss == "quantile" else {}
    model = ensemble.HistGradientBoostingRegressor(loss=loss, **options, **QUICK)
    model.fit(X, np.exp(Y))
    forest = import_model(model)
    assert forest.link == ("log" if loss == "gamma" else "identity")
    raw = np.log(model.predict(X)) if loss == "gamma" else model.predict(X)
    np.testing.assert_allclose(predict(forest, X)[:, 0], raw, atol=1e-12)


def test_a_loss_of_an_unknown_link_is_refused():
    model = trained()
    model._loss = type("Loss", (), {"link": object()})()
    with pytest.raises(UnsupportedModelError, match="a loss of the link object"):
        import_model(model)
