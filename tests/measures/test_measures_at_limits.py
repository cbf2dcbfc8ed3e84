"""Measures where float64, float32 or numerical integration end, and what is refused beyond."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, ModelError, OptionError
from fastpd.measures import Gaussian, Path, Product
from oracles import Split, forest, random_forest, rows_for


class TestGaussian:
    scipy = pytest.importorskip("scipy")

    @pytest.mark.parametrize(
        ("mean", "scale", "threshold"),
        [(1e9, 40.0, 1e9), (2.0**24, 0.5, 2.0**24 + 2), (1e38, 1e31, 1e38), (0.0, 1e-45, 1e-45)],
    )
    def test_values_are_rounded_as_trees_round_them(
        self, mean: float, scale: float, threshold: float
    ):
        at = np.float32(threshold)
        model = forest([Split(0, float(at), 0.0, 1.0)], 1)
        ex = Explainer(model, measure=Gaussian([mean], [[scale**2]]), precision="double")
        middle = (float(at) + float(np.nextafter(at, np.float32(-np.inf)))) / 2
        expected = 0.5 * math.erfc((middle - mean) / scale / math.sqrt(2))
        np.testing.assert_allclose(ex.expected_value, expected, atol=1e-12)

    def test_the_largest_float32_begins_half_a_step_below(self):
        largest = float(np.finfo(np.float32).max)
        model = forest([Split(0, largest, 0.0, 1.0)], 1)
        step = 2.0**104
        ex = Explainer(model, measure=Gaussian([largest], [[step**2]]), precision="double")
        np.testing.assert_allclose(ex.expected_value, 0.5 * math.erfc(-0.5 / math.sqrt(2)))

    def test_values_of_float64_are_not_rounded(self):
        model = forest([Split(0, 1e9, 0.0, 1.0)], 1, comparison="float64")
        ex = Explainer(model, measure=Gaussian([1e9], [[1600.0]]), precision="double")
        assert ex.expected_value == pytest.approx(0.5, abs=1e-14)

    def test_corners_whose_product_underflows(self):
        from fastpd.measures._boxes import BoxProbability

        cov = np.array([[1.0, 0.5], [0.5, 1.0]])
        tiny = 1e-200
        box = {0: [(-np.inf, -tiny)], 1: [(-np.inf, tiny)]}
        found = BoxProbability(np.zeros(2), cov, 1e-5).of(box)
        np.testing.assert_allclose(found, 0.25 + np.arcsin(0.5) / (2 * np.pi), rtol=1e-14)

    def test_units_of_columns_do_not_matter(self):
        model = forest([Split(0, 0.0, Split(1, 0.0, 1.0, 2.0), Split(1, 0.0, 4.0, 8.0))], 2)
        correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
        expected = Explainer(model, measure=Gaussian([0, 0], correlation)).expected_value
        for units in ([1e-9, 1e9], [1e-18, 1e-18], [1e15, 1e15]):
            cov = correlation * np.outer(units, units)
            found = Explainer(model, measure=Gaussian([0, 0], cov)).expected_value
            np.testing.assert_allclose(found, expected, atol=1e-9)

    @pytest.mark.parametrize(
        ("mean", "cov", "said"),
        [
            ([np.nan, 0.0], np.eye(2), "mean of Gaussian holds what is no finite number"),
            ([0.0, 0.0], [[1e-10, 5e-11], [1e-11, 1e-10]], "not symmetric"),
            ([0.0, 0.0], np.diag([1.0, 0.0]), "positive definite"),
            ([0.0, 0.0], np.diag([1.0, np.inf]), "positive definite"),
        ],
    )
    def test_parameters_are_checked(self, mean: Any, cov: Any, said: str):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 2)
        with pytest.raises(OptionError, match=said):
            Explainer(model, measure=Gaussian(mean, cov))

    @pytest.mark.parametrize("tolerance", [0, -1.0, np.nan, np.inf, "1e-5", None, True])
    def test_tolerance_is_checked(self, tolerance: Any):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 1)
        with pytest.raises(OptionError, match="expected a number between 0 and 1"):
            Explainer(model, measure=Gaussian([0.0], [[1.0]], tolerance=tolerance))

    def test_a_tolerance_out_of_reach_is_refused(self):
        model = forest([Split(0, 0.5, Split(1, 0.2, Split(2, 0.1, 8.0, 0.0), 0.0), 0.0)], 3)
        near = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
        with pytest.raises(OptionError, match=r"more than tolerance=1e-14 allows. Raise"):
            Explainer(model, measure=Gaussian(np.zeros(3), near, tolerance=1e-14))

    def test_pipelines_are_refused(self):
        pytest.importorskip("sklearn")
        from sklearn.ensemble import RandomForestRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X = np.random.default_rng(0).normal(50, 100, size=(80, 2))
        model = RandomForestRegressor(2, max_depth=2, random_state=0)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, X[:, 0])
        measure = Gaussian([50.0, 50.0], np.eye(2) * 1e4)
        with pytest.raises(OptionError, match=r"Explainer\(pipeline\[-1\], measure"):
            Explainer(pipeline, measure=measure)
        assert Explainer(pipeline[-1], measure=Gaussian([0, 0], np.eye(2))).expected_value


@pytest.mark.parametrize("kind", [Path, Product, Gaussian])
def test_classes_of_measures_are_refused(kind: type):
    model = random_forest(np.random.default_rng(1))
    with pytest.raises(OptionError, match=f"the class {kind.__name__}; expected an instance"):
        Explainer(model, measure=kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [1e308, 1e-308, 5e-324])
def test_probabilities_of_huge_and_tiny_weights(weight: float):
    model = random_forest(np.random.default_rng(3), 3, 3)
    model = replace(model, link="logit")
    rows = rows_for(model, 40, np.random.default_rng(0))
    plain, weighted = (Explainer(model, rows, weights=w) for w in (None, np.full(40, weight)))
    for query in (
        lambda ex: ex.value(("x0",), rows, scale="probability"),
        lambda ex: ex.effect("x0", scale="probability").pd(rows[:, 0]),
        lambda ex: np.array(list(ex.importance().values())),
    ):
        np.testing.assert_allclose(query(weighted), query(plain), rtol=1e-12)


class TestCovers:
    @pytest.mark.parametrize(
        "covers",
        [(1.0, 1.0, 1.0), (100.0, 30.0, 40.0), (0.0, 3.0, 7.0), (1.79e308, 1.5e308, 0.5e308)],
        ids=str,
    )
    def test_that_do_not_add_up_are_no_counts(self, covers: tuple[float, ...]):
        model = replace(forest([Split(0, 0.5, 1.0, 2.0)], 1), cover=np.array(covers))
        with pytest.raises(ModelError, match=r"no counts.*Count rows instead: Path\(data\)"):
            Explainer(model, measure=Path())

    def test_of_onnx_converters_are_refused(self):
        pytest.importorskip("onnx")
        skl2onnx = pytest.importorskip("skl2onnx")
        from sklearn.ensemble import RandomForestRegressor

        X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
        model = RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, X[:, 0])
        with pytest.raises(ModelError, match="no counts"):
            Explainer(skl2onnx.to_onnx(model, X[:1]), measure=Path())
