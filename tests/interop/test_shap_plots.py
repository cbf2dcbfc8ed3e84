"""SHAP values in the plots of shap itself, which are drawn here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import shap
import xgboost

from fastpd import Explainer, ShapValues
from fastpd.frames import Source

N = 60
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 3))
NUMBERS[3, 0] = np.nan
COLOURS = RNG.choice(["red", "green", "blue"], N)
MIXED = pd.DataFrame(
    {
        "age": NUMBERS[:, 0],
        "colour": pd.Categorical(COLOURS, categories=["red", "green", "blue", "never"]),
        "rooms": RNG.integers(1, 5, N),
        "old": RNG.random(N) < 0.5,
    },
    index=[f"house {k}" for k in range(N)],
)
MIXED.loc["house 5", "colour"] = None
TARGET = np.where(COLOURS == "red", 2.0, 0.0) + np.nan_to_num(NUMBERS[:, 0]) * MIXED["rooms"]


@pytest.fixture(scope="module")
def model() -> Any:
    return xgboost.XGBRegressor(n_estimators=8, max_depth=3, enable_categorical=True).fit(
        MIXED, TARGET
    )


@pytest.fixture(scope="module")
def mixed(model: Any) -> Explainer:
    return Explainer(model, MIXED)


@pytest.fixture(scope="module")
def classes() -> Explainer:
    fitted = xgboost.XGBClassifier(n_estimators=4, max_depth=2).fit(
        NUMBERS, np.searchsorted(np.unique(COLOURS), COLOURS)
    )
    return Explainer(fitted, pd.DataFrame(NUMBERS, columns=["a", "b", "c"]))


def drawn(explanation: Any, feature: str, other: str) -> None:
    """Draw one output by each of shap's plots that are asked for most, and all of them fully."""
    plots: list[Callable[[], Any]] = [
        lambda: shap.plots.beeswarm(explanation, show=False),
        lambda: shap.plots.bar(explanation, show=False),
        lambda: shap.plots.bar(explanation[5], show=False),
        lambda: shap.plots.waterfall(explanation[5], show=False),
        lambda: shap.plots.waterfall(explanation[3], show=False),
        lambda: shap.plots.scatter(explanation[:, feature], show=False),
        lambda: shap.plots.scatter(explanation[:, other], show=False),
        lambda: shap.plots.scatter(
            explanation[:, feature], color=explanation[:, other], show=False
        ),
        lambda: shap.plots.heatmap(explanation, show=False),
    ]
    for plot in plots:
        plot()
        plt.gcf().canvas.draw()
        plt.close("all")


def texts() -> list[str]:
    """Return all text of the figure that was drawn last."""
    plt.gcf().canvas.draw()
    return [one.get_text() for one in plt.gcf().findobj(mpl.text.Text) if one.get_text()]


class TestPlots:
    @pytest.mark.parametrize("table", [MIXED, pl.from_pandas(MIXED)], ids=["pandas", "polars"])
    def test_numbers_bools_and_labels(self, mixed: Explainer, table: Any):
        drawn(mixed.shap(table).to_shap(), "age", "colour")
        drawn(mixed.shap(table).to_shap(), "colour", "rooms")

    def test_arrays(self, classes: Explainer):
        drawn(classes.shap(NUMBERS).to_shap()[..., 0], "a", "b")

    @pytest.mark.parametrize("output", ["0", "2", 1])
    def test_several_outputs_one_by_one(self, classes: Explainer, output: str | int):
        phi = classes.shap(pd.DataFrame(NUMBERS, columns=["a", "b", "c"]))
        drawn(phi.to_shap()[:, :, output], "a", "b")

    def test_several_outputs_together(self, classes: Explainer):
        shap.plots.bar(classes.shap(NUMBERS).to_shap()[:, :, "1"].abs.mean(0), show=False)
        plt.gcf().canvas.draw()

    def test_groups(self, model: Any):
        ex = Explainer(model, MIXED, groups={"house": ["rooms", "old"]})
        for rows in (MIXED, pl.from_pandas(MIXED)):
            drawn(ex.shap(rows).to_shap(), "age", "colour")
            drawn(ex.shap(rows).to_shap(), "colour", "house")

    def test_components_shared_among_their_features(self, mixed: Explainer):
        phi = mixed.components(MIXED, 4).shap().to_shap()
        shap.plots.beeswarm(phi, show=False)
        shap.plots.waterfall(phi[0], show=False)
        plt.gcf().canvas.draw()


class TestWhatTheySay:
    def test_a_waterfall_has_the_values_as_they_were_given(self, mixed: Explainer):
        phi = mixed.shap(MIXED)
        shap.plots.waterfall(phi.to_shap()[0], show=False)
        found = texts()
        assert f"{COLOURS[0]} = colour" in found
        assert f"{MIXED['rooms'].iloc[0]} = rooms" in found
        total = phi.base_values + phi.values[0].sum()
        assert any(f"{total:.3f}".rstrip("0") in one for one in found)

    def test_a_missing_label_is_called_so(self, mixed: Explainer):
        shap.plots.waterfall(mixed.shap(MIXED).to_shap()[5], show=False)
        assert "missing = colour" in texts()

    def test_a_scatter_has_the_labels_of_the_categories(self, mixed: Explainer):
        shap.plots.scatter(mixed.shap(MIXED).to_shap()[:, "colour"], show=False)
        assert {"red", "green", "blue"} <= set(texts())
        assert "never" not in texts()

    def test_codes_stand_for_labels(self, mixed: Explainer):
        given = mixed.shap(MIXED).to_shap()
        codes = {"blue": 0.0, "green": 1.0, "red": 2.0}
        expected = [codes.get(one, np.nan) for one in MIXED["colour"].astype(object)]
        np.testing.assert_array_equal(given.data[:, 1], expected)
        np.testing.assert_array_equal(given.data[:, 3], MIXED["old"].astype(float))

    def test_groups_have_no_single_value(self, model: Any):
        ex = Explainer(model, MIXED, groups={"house": ["rooms", "old"]})
        shap.plots.waterfall(ex.shap(MIXED).to_shap()[0], show=False)
        assert "group = house" in texts()
        assert (ex.shap(MIXED).to_shap()[:, "house"].data == 0).all()

    def test_a_column_that_is_called_like_a_group_is_not_its_value(self, model: Any):
        ex = Explainer(model, MIXED, groups={"house": ["rooms", "old"]})
        given = ex.shap(MIXED.assign(house=7.0)).to_shap()
        assert (given[:, "house"].data == 0).all()
        np.testing.assert_array_equal(given[:, "age"].data, MIXED["age"])

    def test_groups_over_an_array_leave_the_other_columns(self):
        fitted = xgboost.XGBRegressor(n_estimators=2).fit(NUMBERS, NUMBERS[:, 1])
        ex = Explainer(fitted, NUMBERS, groups={"first": [0, 2]})
        given = ex.shap(NUMBERS).to_shap()
        np.testing.assert_array_equal(given.data[:, 1], NUMBERS[:, 1])
        assert (given.data[:, 0] == 0).all()

    def test_values_and_bases_are_those_of_the_answer(self, classes: Explainer):
        phi = classes.shap(NUMBERS)
        given = phi.to_shap()
        assert isinstance(given, shap.Explanation)
        np.testing.assert_array_equal(given[:, :, "1"].values, phi.values[:, :, 1])
        np.testing.assert_array_equal(given[:, :, "1"].base_values, np.full(N, phi.base_values[1]))
        assert list(given.feature_names) == list(phi.feature_names)


@pytest.mark.parametrize(
    ("cells", "codes", "labels"),
    [
        (pd.array([1, None], dtype="Int64"), [1.0, np.nan], None),
        (pd.array([True, None], dtype="boolean"), [1.0, np.nan], None),
        (np.array(["b", "a"], dtype=object), [1.0, 0.0], ["b", "a"]),
        (np.array(["b", None], dtype=object), [0.0, np.nan], ["b", "missing"]),
        (np.array(["b", np.nan], dtype=object), [0.0, np.nan], ["b", "missing"]),
        (np.array([2.0, None], dtype=object), [2.0, np.nan], None),
        (np.array([3, "x"], dtype=object), [0.0, 1.0], ["3", "x"]),
        (pd.array(["b", pd.NA], dtype="string"), [0.0, np.nan], ["b", "missing"]),
        (pd.Categorical(["b", "a"], categories=["b", "a"]), [1.0, 0.0], ["b", "a"]),
        (pd.Categorical(["b", "a"], ["c", "b", "a"], ordered=True), [0.0, 1.0], ["b", "a"]),
    ],
)
def test_cells_of_any_kind(cells: Any, codes: list[float], labels: list[str] | None):
    table = pd.DataFrame({"x": cells})
    phi = ShapValues(np.zeros((2, 1)), 0.0, table, ("x",), ("y",), "identity", Source())
    given = phi.to_shap()
    np.testing.assert_array_equal(given.data[:, 0], codes)
    shown = None if given.display_data is None else list(given.display_data[:, 0])
    assert shown == labels
