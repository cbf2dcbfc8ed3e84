"""The stand-in for shap.TreeExplainer, against shap itself."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import shap
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import fastpd
from fastpd import MissingPackageError, OptionError, TreeExplainer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3)).astype(np.float32).astype(np.float64)
Y = X[:, 0] * X[:, 1] + X[:, 2]
TWO = (Y > 0).astype(int)
THREE = np.digitize(Y, [-0.5, 0.5])
MODELS: dict[str, Callable[[], Any]] = {
    "xgboost": lambda: xgboost.XGBRegressor(n_estimators=4, max_depth=3).fit(X, Y),
    "xgboost, two classes": lambda: xgboost.XGBClassifier(n_estimators=4).fit(X, TWO),
    "xgboost, three classes": lambda: xgboost.XGBClassifier(n_estimators=3).fit(X, THREE),
    "lightgbm": lambda: lightgbm.LGBMRegressor(n_estimators=4, verbose=-1).fit(X, Y),
    "lightgbm, two classes": lambda: lightgbm.LGBMClassifier(n_estimators=4, verbose=-1).fit(
        X, TWO
    ),
    "lightgbm, three classes": lambda: lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(
        X, THREE
    ),
    "forest": lambda: RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, Y),
    "forest, two classes": lambda: RandomForestClassifier(4, max_depth=3, random_state=0).fit(
        X, TWO
    ),
    "extra trees, three classes": lambda: ExtraTreesClassifier(4, max_depth=3, random_state=0).fit(
        X, THREE
    ),
    "boosting": lambda: GradientBoostingRegressor(n_estimators=4).fit(X, Y),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=3).fit(X, THREE),
}
DATA = {"a background": X[:40], "paths": None}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param]()


def theirs(*given: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shap.TreeExplainer(*given, **options)


def asked(explainer: Any, call: str, rows: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(explainer, call)(rows)


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
class TestAgainstShap:
    def test_values_and_their_shapes(self, model: Any, data: Any):
        ours, other = TreeExplainer(model, data), theirs(model, data)
        found, expected = ours.shap_values(X[:9]), asked(other, "shap_values", X[:9])
        assert isinstance(found, np.ndarray)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_interactions_and_their_shapes(self, model: Any, data: Any):
        ours = TreeExplainer(model, data)
        found = ours.shap_interaction_values(X[:9])
        expected = asked(theirs(model, data), "shap_interaction_values", X[:9])
        assert found.shape == expected.shape
        if data is None:  # with a background shap answers zeros
            np.testing.assert_allclose(found, expected, atol=2e-6)
        np.testing.assert_array_equal(found, np.swapaxes(found, 1, 2))
        np.testing.assert_allclose(found.sum(axis=2), ours.shap_values(X[:9]), atol=1e-6)

    def test_explanations(self, model: Any, data: Any):
        table = pd.DataFrame(X[:9], columns=["a", "b", "c"])
        found = TreeExplainer(model, data)(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = theirs(model, data)(table)
        assert isinstance(found, shap.Explanation)
        assert found.shape == expected.shape
        assert list(found.feature_names) == list(expected.feature_names)
        assert found.base_values.shape == expected.base_values.shape
        np.testing.assert_allclose(found.values, expected.values, atol=1e-6)
        np.testing.assert_array_equal(found.data, expected.data)
        if data is None:
            np.testing.assert_allclose(found.base_values, expected.base_values, atol=1e-6)


class TestCalls:
    def test_one_row_gives_an_axis_less(self):
        model = MODELS["forest, two classes"]()
        ours, other = TreeExplainer(model, X[:40]), theirs(model, X[:40])
        for call in ("shap_values", "shap_interaction_values"):
            found = getattr(ours, call)(X[0])
            assert found.shape == np.shape(getattr(other, call)(X[0]))
            np.testing.assert_array_equal(found, getattr(ours, call)(X[:1])[0])
        np.testing.assert_array_equal(ours.shap_values(pd.Series(X[0])), ours.shap_values(X[0]))

    def test_cells_of_one_row_of_a_table_are_found_by_name(self):
        frame = pd.DataFrame(
            {
                "height": [1.5, np.nan, 1.9, 1.7],
                "city": pd.Categorical(["Bern", "Rome", None, "Rome"]),
                "age": [30, 50, 20, 40],
            }
        )
        target = frame["age"] + 10 * (frame["city"] == "Rome")
        model = xgboost.XGBRegressor(n_estimators=4, enable_categorical=True).fit(frame, target)
        explainer = TreeExplainer(model, frame)
        expected = explainer.shap_values(frame)
        for row in range(len(frame)):
            turned = frame.iloc[row][["age", "height", "city"]]
            np.testing.assert_array_equal(explainer.shap_values(turned), expected[row])
            np.testing.assert_array_equal(explainer(turned).values, expected[row])

    def test_paths_may_count_the_rows_that_are_given(self):
        model = MODELS["forest"]()
        how = {"feature_perturbation": "tree_path_dependent"}
        ours, other = TreeExplainer(model, X, **how), theirs(model, X, **how)
        assert ours.feature_perturbation == "tree_path_dependent"
        np.testing.assert_allclose(ours.shap_values(X[:9]), other.shap_values(X[:9]), atol=1e-7)

    def test_calls_that_spell_out_the_defaults(self):
        model = MODELS["xgboost"]()
        ours = TreeExplainer(model, X[:40], "raw", "interventional", ["a", "b", "c"])
        found = ours.shap_values(X[:5], None, None, False, check_additivity=False)
        np.testing.assert_array_equal(found, TreeExplainer(model, X[:40]).shap_values(X[:5]))
        assert list(ours(X[:5]).feature_names) == ["a", "b", "c"]
        assert ours(X[:5], interactions=True).shape == (5, 3, 3)
        assert "interventional" in repr(ours)

    def test_frames_of_other_libraries(self):
        model = MODELS["xgboost"]()
        table = pl.DataFrame(X, schema=["a", "b", "c"])
        found = TreeExplainer(model, table).shap_values(table)
        np.testing.assert_array_equal(found, TreeExplainer(model, X).shap_values(X))

    def test_settings_go_to_the_explainer(self):
        ours = TreeExplainer(MODELS["xgboost"](), X, weights=np.arange(90.0), n_jobs=1)
        expected = fastpd.Explainer(MODELS["xgboost"](), X, weights=np.arange(90.0))
        np.testing.assert_array_equal(ours.shap_values(X), expected.shap(X).values)
        assert ours.explainer.effect(0).levels.shape == expected.effect(0).levels.shape

    @pytest.mark.parametrize("output", [None, "1"])
    def test_shap_draws_what_it_returns(self, output: str | None):
        model = MODELS["xgboost" if output is None else "xgboost, three classes"]()
        given = TreeExplainer(model, X)(pd.DataFrame(X, columns=["a", "b", "c"]))
        one = given if output is None else given[:, :, output]
        for plot in (
            lambda: shap.plots.beeswarm(one, show=False),
            lambda: shap.plots.bar(one, show=False),
            lambda: shap.plots.waterfall(one[0], show=False),
            lambda: shap.plots.scatter(one[:, "a"], color=one, show=False),
        ):
            plot()
            plt.gcf().canvas.draw()
            plt.close("all")


class TestWhereShapIsOtherwise:
    def test_the_whole_background_counts(self):
        rows = RNG.normal(size=(400, 3))
        model = MODELS["forest"]()
        found = TreeExplainer(model, rows)
        expected = fastpd.vanilla.shap(model.predict, rows, X[:2])
        np.testing.assert_allclose(found.shap_values(X[:2]), expected, atol=1e-6)
        assert found.expected_value == pytest.approx(model.predict(rows).mean())
        assert theirs(model, rows).data.shape[0] == 100

    def test_interactions_with_a_background_are_not_zero(self):
        model = MODELS["forest"]()
        found = TreeExplainer(model, X[:40]).shap_interaction_values(X[:2])
        pairs = fastpd.vanilla.interactions(model.predict, X[:40], X[:2], 2, "SII")
        phi = fastpd.vanilla.shap(model.predict, X[:40], X[:2])
        for first, second in ((0, 1), (0, 2), (1, 2)):
            half = pairs[first, second] / 2
            np.testing.assert_allclose(found[:, first, second], half, atol=1e-7)
        np.testing.assert_allclose(found.sum(axis=2), phi, atol=1e-7)
        assert not theirs(model, X[:40]).shap_interaction_values(X[:2]).any()

    def test_the_expected_value_is_the_mean_prediction(self, model: Any):
        ours = TreeExplainer(model, X[:40])
        phi = ours.explainer.predict(X[:40])
        np.testing.assert_allclose(ours.expected_value, phi.mean(axis=0), atol=1e-6)
        if isinstance(model, xgboost.XGBModel):
            raw = model.predict(X[:40], output_margin=True)
            np.testing.assert_allclose(ours.expected_value, raw.mean(axis=0), atol=1e-6)

    def test_categories_are_answered_with_a_background(self):
        colours = RNG.choice(["red", "green", "blue"], 90)
        table = pd.DataFrame({"x": X[:, 0], "colour": pd.Categorical(colours)})
        target = X[:, 0] * (colours == "red")
        model = xgboost.XGBRegressor(n_estimators=4, max_depth=3, enable_categorical=True).fit(
            table, target
        )
        ours = TreeExplainer(model, table)
        total = ours.shap_values(table).sum(axis=1) + ours.expected_value
        np.testing.assert_allclose(total, model.predict(table), atol=1e-5)
        assert ours.expected_value == pytest.approx(model.predict(table).mean(), abs=1e-5)


class TestRefusals:
    @pytest.mark.parametrize("output", ["log_loss", "probability", "predict_proba", None])
    def test_other_scales(self, output: Any):
        with pytest.raises(OptionError, match=r"model_output is .*expected 'raw'"):
            TreeExplainer(MODELS["xgboost"](), X, model_output=output)

    def test_approximations(self):
        ours = TreeExplainer(MODELS["xgboost"]())
        for call in (ours.shap_values, ours):
            with pytest.raises(OptionError, match="nothing is approximated"):
                call(X, approximate=True)
        with pytest.raises(OptionError, match="nothing is approximated"):
            TreeExplainer(MODELS["xgboost"](), approximate=True)

    def test_fewer_trees(self):
        ours = TreeExplainer(MODELS["xgboost"]())
        for call in (ours.shap_values, ours.shap_interaction_values):
            with pytest.raises(OptionError, match=r"iteration_range=\(0, rounds\)"):
                call(X, tree_limit=2)
        fewer = TreeExplainer(MODELS["xgboost"](), iteration_range=(0, 2))
        expected = theirs(MODELS["xgboost"]()).shap_values(X, tree_limit=2)
        np.testing.assert_allclose(fewer.shap_values(X), expected, atol=1e-6)

    def test_a_background_that_is_not_there(self):
        with pytest.raises(OptionError, match="no background"):
            TreeExplainer(MODELS["xgboost"](), feature_perturbation="interventional")
        with pytest.raises(OptionError, match="feature_perturbation is 'other'"):
            TreeExplainer(MODELS["xgboost"](), feature_perturbation="other")

    @pytest.mark.parametrize("names", [["a"], "abc", 3, [0, 1, 2]])
    def test_names_that_are_not_those_of_the_features(self, names: Any):
        with pytest.raises(OptionError, match="expected a list of 3 names"):
            TreeExplainer(MODELS["xgboost"](), feature_names=names)

    def test_links(self):
        with pytest.raises(OptionError, match="link"):
            TreeExplainer(MODELS["xgboost"](), link="logit")

    def test_explanations_need_shap(self, monkeypatch: pytest.MonkeyPatch):
        ours = TreeExplainer(MODELS["xgboost"]())
        monkeypatch.setitem(sys.modules, "shap", None)
        assert ours.shap_values(X).shape == (90, 3)
        with pytest.raises(MissingPackageError, match="pip install shap"):
            ours(X)
