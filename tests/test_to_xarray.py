"""Answers as arrays with labelled axes."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastpd import Explainer, FeatureError, MissingPackageError
from fastpd.forest import Categories
from oracles import Split, forest, random_forest

NAMES = ("age", "sex", "height")
MODEL = forest(
    [Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0)), Split(2, 0.25, 1.0, 2.0, missing="right")],
    3,
    names=NAMES,
)
ROWS = np.array([[0, 0, 0], [0, 1, 0.5], [1, 0, np.nan], [1, 1.0, 1.0]])
SEVERAL = replace(random_forest(np.random.default_rng(0), 3, outputs="vector"), feature_names=NAMES)


@pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["one output", "several outputs"])
class TestRows:
    def test_axes_have_names(self, model: Any):
        ex = Explainer(model, ROWS)
        table = pd.DataFrame(ROWS, columns=NAMES, index=list("dbca"))
        phi, parts, pairs = ex.shap(table), ex.components(table), ex.interactions(table)
        for answer, kind, values in (
            (phi, "feature", phi.values),
            (parts, "component", parts.array),
            (pairs, "features", pairs.array),
        ):
            found = answer.to_xarray()
            np.testing.assert_array_equal(found.values, values)
            assert found.dims == ("row", kind, "output")[: values.ndim]
            assert list(found.row.values) == list("dbca")
            assert found.attrs == {"scale": "identity"}
            if model is SEVERAL:
                assert list(found.output.values) == ["y0", "y1", "y2"]
        np.testing.assert_array_equal(phi.to_xarray().sel(row="c", feature="sex"), phi.values[2, 1])
        pair = parts.to_xarray().sel(component="age x sex")
        np.testing.assert_array_equal(pair, parts["age", "sex"])

    def test_what_values_start_from_is_there_too(self, model: Any):
        ex = Explainer(model, ROWS, precision="double")
        phi, parts = ex.shap(ROWS).to_xarray(), ex.components(ROWS, 3).to_xarray()
        np.testing.assert_allclose(phi.sum("feature") + phi.base_value, ex.predict(ROWS))
        np.testing.assert_allclose(parts.sum("component") + parts.intercept, ex.predict(ROWS))
        assert list(phi.row.values) == [0, 1, 2, 3]
        mains = parts.sel(component=parts.order == 1)
        assert list(mains.component.values) == list(NAMES)


class TestEffects:
    @pytest.mark.parametrize("comparison", ["float32", "float64"])
    def test_numbers_that_the_model_rounds_to_an_edge_are_above_it(self, comparison: str):
        tenths = (np.arange(-8, 9) / 10).astype(np.float32).astype(float).tolist()
        trees = [Split(0, edge, 0.0, float(k + 1)) for k, edge in enumerate(tenths)]
        model = forest(trees, 1, names=("age",), comparison=comparison)
        effect = Explainer(model, [[0.0]]).effect("age")
        found = effect.to_xarray()
        starts = found.age.values[1:]
        numbers = np.concatenate([np.arange(-9, 10) / 10, tenths, starts, np.nextafter(starts, -9)])
        at = found.sel(age=numbers, method="ffill")
        np.testing.assert_array_equal(at.pd, effect.pd(numbers))
        np.testing.assert_allclose(starts, effect.edges, rtol=1e-7, atol=1e-40)

    @pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["one output", "several outputs"])
    def test_the_step_of_any_number_is_found(self, model: Any):
        effect = Explainer(model, ROWS).effect("height")
        at = [-9.0, 0.0, 0.25, 0.5, 9.0]
        found = effect.to_xarray().sel(height=at, method="ffill")
        np.testing.assert_array_equal(found.pd, effect.pd(at))
        np.testing.assert_array_equal(found.component, effect.component(at))

    def test_pairs_have_two_axes(self):
        effect = Explainer(MODEL, ROWS).effect("sex", "age")
        found = effect.to_xarray()
        assert found.pd.dims == ("sex", "age")
        np.testing.assert_array_equal(found.pd, effect.levels)

    def test_categories_have_their_labels(self):
        model = forest([Split(0, 0.5, 1.0, 2.0), Split(1, 0.5, 0.0, 1.0)], 2, names=("c", "x"))
        model = replace(model, categories=(Categories(("red", "blue", "green")), None))
        found = Explainer(model, ROWS[:, :2]).effect("c", "x").to_xarray()
        assert list(found.c.values) == ["red", "blue", "green"]
        green = found.pd.sel(c="green").sel(x=[-1.0, 0.5], method="ffill")
        np.testing.assert_array_equal(green, [2.0, 3.0])

    @pytest.mark.parametrize("name", ["pd", "component", "output"])
    def test_features_that_are_called_like_a_part_are_refused(self, name: str):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 1, names=[name])
        with pytest.raises(FeatureError, match=f"{name!r} is called"):
            Explainer(model, [[0.0]]).effect(name).to_xarray()


def test_without_xarray_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    ex = Explainer(MODEL, ROWS)
    for answer in (ex.shap(ROWS), ex.effect("age")):
        with pytest.raises(MissingPackageError, match="pip install xarray"):
            answer.to_xarray()
