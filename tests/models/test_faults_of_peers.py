"""Each of these is answered wrongly, or not at all, by another tool in wide use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastpd import Explainer, vanilla
from fastpd.testing import Cells

RNG = np.random.default_rng(11)


def check(ex: Explainer, background: Any, rows: Any, raw: Callable[[Any], Any]) -> None:
    """Hold predictions and SHAP values against the library's own predictions."""
    cells = Cells.of(background, rows)

    def predict(places: Any) -> Any:
        return np.asarray(raw(cells.decoded(places)), dtype=float)

    np.testing.assert_allclose(ex.predict(rows), raw(rows), atol=2e-6)
    expected = vanilla.shap(predict, cells.background, cells.rows)
    np.testing.assert_allclose(ex.shap(rows).values, expected, atol=5e-6)


def people(n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(40, 12, n),
            "city": pd.Categorical(rng.choice(list("abcdefgh"), n), categories=list("abcdefgh")),
            "hours": rng.normal(38, 9, n),
        }
    )


def target(table: Any) -> Any:
    return table["age"] / 10 + 4.0 * table["city"].isin(list("bdg")) - table["hours"] / 20


def test_categories_of_hist_gradient_boosting_off_by_whole_units():
    ensemble = pytest.importorskip("sklearn.ensemble")
    table = people(200, 0)
    model = ensemble.HistGradientBoostingRegressor(
        max_iter=8, min_samples_leaf=5, categorical_features="from_dtype"
    ).fit(table, target(table))
    background, rows = table[:25], people(8, 1)
    check(Explainer(model, background), background, rows, model.predict)


def test_categories_of_xgboost_refused():
    xgb = pytest.importorskip("xgboost")
    table = people(200, 2)
    model = xgb.XGBRegressor(n_estimators=6, max_depth=4, enable_categorical=True, n_jobs=1)
    model.fit(table, target(table))
    background, rows = table[:25], people(8, 3)
    check(Explainer(model, background), background, rows, model.predict)


def test_class_0_of_several_explained_without_a_word():
    xgb = pytest.importorskip("xgboost")
    X = RNG.normal(size=(200, 3))
    y = np.array(["low", "mid", "high"])[np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.5, 0.5])]
    labels, codes = np.unique(y, return_inverse=True)
    model = xgb.XGBClassifier(n_estimators=3, max_depth=3, n_jobs=1).fit(X, codes)

    def raw(rows: Any) -> Any:
        return model.predict(rows, output_margin=True)

    ex = Explainer(model, X[:25])
    assert ex.shap(X[:6]).values.shape == (6, 3, len(labels))
    assert ex.output_names == ("0", "1", "2")
    check(ex, X[:25], X[:6], raw)
    check(Explainer(model, X[:25], output=2), X[:25], X[:6], lambda rows: raw(rows)[:, 2])


def test_values_one_float32_step_from_a_threshold_sent_to_the_wrong_side():
    xgb = pytest.importorskip("xgboost")
    X = RNG.normal(size=(100, 2)).astype(np.float32)
    model = xgb.XGBRegressor(n_estimators=2, max_depth=2, n_jobs=1).fit(X, X[:, 0] + X[:, 1] ** 2)
    splits = np.array(model.get_booster().trees_to_dataframe()["Split"].dropna(), np.float32)
    at = splits.astype(np.float64)
    below = np.nextafter(splits, np.float32(-np.inf)).astype(np.float64)
    between = (at + below) / 2  # a float64 that XGBoost rounds to one of its neighbours
    values = np.concatenate([at, below, between, np.nextafter(at, -np.inf)])
    rows = np.column_stack([values, values[::-1]])
    check(Explainer(model, X[:25].astype(float)), X[:25].astype(float), rows, model.predict)


def test_early_stopping_ignored():
    xgb = pytest.importorskip("xgboost")
    X = RNG.normal(size=(300, 3))
    y = X[:, 0] + RNG.normal(size=300)
    model = xgb.XGBRegressor(
        n_estimators=60, max_depth=3, learning_rate=0.5, early_stopping_rounds=3, n_jobs=1
    ).fit(X[:150], y[:150], eval_set=[(X[150:], y[150:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    check(Explainer(model, X[:25]), X[:25], X[:6], model.predict)


@pytest.mark.parametrize("missing", ["zero_as_missing", "use_missing=false", "nan"])
def test_missing_values_of_lightgbm_read_wrong(missing: str):
    lgb = pytest.importorskip("lightgbm")
    X = RNG.normal(size=(300, 3))
    X[RNG.random(X.shape) < 0.2] = 0.0
    if missing == "nan":
        X[RNG.random(X.shape) < 0.2] = np.nan
    y = np.where(X[:, 0] == 0, 3.0, np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 1], nan=-2.0)
    options = {"zero_as_missing": missing == "zero_as_missing"}
    options |= {"use_missing": missing != "use_missing=false"}
    model = lgb.LGBMRegressor(
        n_estimators=5, num_leaves=6, min_child_samples=5, n_jobs=1, verbose=-1, **options
    ).fit(X, y)
    edges = [[0.0, 1e-36, -1e-36], [1e-34, -0.0, np.nan], [np.nan, -1e-34, 0.0]]
    rows = np.concatenate([X[:5], edges])
    check(
        Explainer(model, X[:25]), X[:25], rows, lambda cells: model.predict(cells, raw_score=True)
    )
