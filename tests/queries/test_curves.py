"""ICE curves are predictions, and accumulated local effects are the standard estimator's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xgboost

from fastpd import Explainer, Forest, MemoryLimitError, OptionError, WeightError, measures
from fastpd.forest import Categories
from oracles import Floats, Split, forest, predict_forest, random_forest, rows_for

Predict = Callable[[Floats], Floats]


def with_value(rows: Floats, feature: int, value: Any) -> Floats:
    moved = np.array(rows, dtype=float)
    moved[:, feature] = value
    return moved


def standard_ale(
    predict: Predict, rows: Floats, weights: Floats, feature: int, ends: Floats
) -> Floats:
    """The estimator of Apley and Zhu at the ends of the intervals, zero at the first of them."""
    x, total = rows[:, feature], np.zeros(predict(rows[:1]).shape[1:])
    found = [total]
    for low, high in pairwise(ends):
        inside = (x > low) & (x <= high) | (x == low) & (low == ends[0])
        change = predict(with_value(rows[inside], feature, high)) - predict(
            with_value(rows[inside], feature, low)
        )
        total = total + np.average(change, axis=0, weights=weights[inside])
        found.append(total)
    return np.array(found)


def smooth_rows(n: int, d: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d))
    return rows + rows[:, :1]


class TestIce:
    @pytest.mark.parametrize("outputs", ["one", "scalar", "vector"])
    @pytest.mark.parametrize("missing", [np.nan, 0.0])
    def test_is_the_prediction_with_the_value_put_in(self, outputs: str, missing: float):
        rng = np.random.default_rng(1)
        model = random_forest(rng, 4, n_trees=5, outputs=outputs, missing=missing)
        rows = rows_for(model, 15, rng)
        values = rows_for(model, 30, rng)[:, 2]
        curves = Explainer(model, rows[:5]).ice("x2", rows)
        expected = [predict_forest(model, with_value(rows, 2, one)) for one in values]
        np.testing.assert_allclose(curves.at(values), np.stack(expected, axis=1), atol=1e-12)
        assert curves.levels.shape[1] == len(curves.edges) + 1

    def test_its_mean_over_the_background_is_the_pd(self):
        model = random_forest(np.random.default_rng(2), 3)
        rows = smooth_rows(50, 3, 0)
        weights = np.random.default_rng(0).random(50)
        curves = Explainer(model, rows, weights=weights).ice(1, rows)
        mean = np.average(curves.steps, axis=0, weights=weights)
        np.testing.assert_allclose(mean, curves.pd_steps, atol=1e-12)

    def test_centred_curves_are_zero_at_their_anchor(self):
        model = random_forest(np.random.default_rng(2), 3)
        rows = smooth_rows(9, 3, 0)
        curves = Explainer(model, rows).ice(0, rows)
        low, middle = curves.centred(), curves.centred(0.3)
        np.testing.assert_array_equal(low.levels[:, 0], 0)
        np.testing.assert_array_equal(middle.at(0.3), 0)
        gap = curves.steps - middle.steps
        np.testing.assert_allclose(gap, np.broadcast_to(curves.at(0.3), gap.shape), atol=1e-12)
        assert middle.anchor == 0.3
        with pytest.raises(OptionError, match="one value of 'x0'"):
            curves.centred([1.0, 2.0])

    def test_on_the_probability_scale(self):
        model = replace(random_forest(np.random.default_rng(2), 3), link="logit")
        rows = smooth_rows(9, 3, 0)
        curves = Explainer(model, rows).ice(0, rows, scale="probability")
        raw = predict_forest(model, with_value(rows, 0, 0.7))
        np.testing.assert_allclose(curves.at(0.7)[:, 0], 1 / (1 + np.exp(-raw)), atol=1e-14)
        np.testing.assert_allclose(curves.steps.mean(axis=0), curves.pd_steps, atol=1e-14)
        assert curves.link == "probability"

    def test_of_labels(self):
        model = replace(
            random_forest(np.random.default_rng(0), 2, categories=3),
            categories=(Categories(("red", "green", "blue")), None),
        )
        rows = np.array([[0, 0.1], [2, -0.4]])
        curves = Explainer(model, rows).ice("x0", rows)
        expected = predict_forest(model, with_value(rows, 0, 1))
        np.testing.assert_allclose(curves.at(["green"])[:, 0], expected, atol=1e-12)
        assert (curves.centred().at("red") == 0).all()

    def test_of_a_feature_that_no_tree_tests_is_flat(self):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 2)
        curves = Explainer(model, np.zeros((1, 2))).ice(1, np.array([[0.0, 0], [1, 0]]))
        np.testing.assert_array_equal(curves.levels, [[1], [2]])

    def test_of_no_rows_and_of_many_chunks(self, monkeypatch: pytest.MonkeyPatch):
        model = random_forest(np.random.default_rng(2), 3)
        rows = smooth_rows(30, 3, 0)
        ex = Explainer(model, rows)
        whole = ex.ice(0, rows)
        monkeypatch.setattr("fastpd.queries._ice.CELLS", 100)
        np.testing.assert_array_equal(ex.ice(0, rows).steps, whole.steps)
        assert ex.ice(0, rows[:0]).steps.shape == (0, whole.steps.shape[1])

    def test_leaves_the_callers_rows_alone(self):
        model = random_forest(np.random.default_rng(2), 3)
        rows = smooth_rows(30, 3, 0)
        kept = rows.copy()
        ex = Explainer(model, rows)
        ex.ice(0, rows)
        ex.ale(0, rows)
        np.testing.assert_array_equal(rows, kept)

    def test_too_many_rows_are_refused_with_the_numbers(self):
        ex = Explainer(forest([Split(0, 0.5, 1.0, 2.0)], 1), [[0.0]], memory_limit="1MB")
        with pytest.raises(MemoryLimitError, match=r"100,000 rows on 3 steps .* 2,400,000 bytes"):
            ex.ice(0, np.zeros((100_000, 1)))

    def test_groups_are_refused(self):
        ex = Explainer(
            random_forest(np.random.default_rng(0), 3),
            np.zeros((2, 3)),
            groups={"both": ["x0", "x1"]},
        )
        with pytest.raises(OptionError, match="group of columns"):
            ex.ice("both", np.zeros((2, 3)))
        with pytest.raises(OptionError, match="group of columns"):
            ex.ale("both")


ALE_MODELS: dict[str, dict[str, Any]] = {
    "one output": {},
    "several outputs": {"outputs": "vector"},
    "float64": {"comparison": "float64"},
}


class TestAle:
    @pytest.mark.parametrize("options", ALE_MODELS.values(), ids=ALE_MODELS.keys())
    @pytest.mark.parametrize("intervals", [1, 2, 7, 40, 1000])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_is_the_standard_estimator_at_the_ends(
        self, options: dict[str, Any], intervals: int, weighted: bool
    ):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9, **options)
        rows = smooth_rows(200, 3, 1)
        weights = np.random.default_rng(3).random(200) if weighted else np.ones(200)
        ex = Explainer(model, rows)
        for feature in range(3):
            given = weights if weighted else None
            found = ex.ale(feature, rows, weights=given, intervals=intervals)
            assert 1 < len(found.ends) <= intervals + 1
            expected = standard_ale(
                lambda x: predict_forest(model, x), rows, weights, feature, found.ends
            )
            at = found.at(found.ends)
            np.testing.assert_allclose(at - at[0], expected, atol=1e-12)
            mean = np.average(found.at(rows[:, feature]), axis=0, weights=weights)
            np.testing.assert_allclose(mean, 0, atol=1e-12)

    def test_intervals_end_at_quantiles(self):
        rows = smooth_rows(101, 2, 5)
        found = Explainer(random_forest(np.random.default_rng(0), 2), rows).ale(
            1, rows, intervals=8
        )
        expected = np.quantile(rows[:, 1], np.linspace(0, 1, 9), method="inverted_cdf")
        np.testing.assert_array_equal(found.ends, expected)

    def test_a_jump_is_the_mean_over_the_rows_of_its_interval(self):
        # x0 jumps by 1 at 2.5, but by 10 where x1 is large.
        model = forest([Split(0, 2.5, 0.0, Split(1, 0.5, 1.0, 10.0)), Split(0, 7.5, 0.0, 1.0)], 2)
        x0 = np.arange(1.0, 11.0)
        rows = np.column_stack([x0, (x0 >= 4).astype(float)])
        found = Explainer(model, rows).ale(0, rows, intervals=3)
        np.testing.assert_array_equal(found.ends, [1, 4, 7, 10])
        # Of the rows 1 to 4 one has a large x1.
        first = (3 * 1 + 10) / 4
        levels = np.array([0, first, first + 1])
        mean = (2 * levels[0] + 5 * levels[1] + 3 * levels[2]) / 10
        np.testing.assert_allclose(found.levels, levels - mean, atol=1e-12)

    def test_of_the_background_is_that_of_rows_on_the_same_steps(self):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9)
        rows = smooth_rows(200, 3, 1)
        weights = np.random.default_rng(3).random(200)
        ex = Explainer(model, rows, weights=weights)
        found = ex.ale(0, intervals=10)
        predict = lambda x: predict_forest(model, x)  # noqa: E731
        # An end is a step, whose rows all lie in the interval up to it.
        last_of_step = np.array(
            [
                rows[found.axis.steps(rows[:, 0]) <= found.axis.steps(end), 0].max(initial=-9)
                for end in found.ends
            ]
        )
        last_of_step[0] = rows[:, 0].min()  # the first interval holds its lower end's step too
        at = found.at(found.ends)
        expected = standard_ale(predict, rows, weights, 0, last_of_step)
        np.testing.assert_allclose(at - at[0], expected, atol=1e-12)
        mean = np.average(found.at(rows[:, 0]), weights=weights)
        assert mean == pytest.approx(0, abs=1e-12)

    def test_missing_values_are_left_out_and_counted(self):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9)
        rows = smooth_rows(60, 3, 1)
        with_gaps = np.vstack([with_value(rows[:7], 1, np.nan), rows])
        ex = Explainer(model, rows)
        found, expected = ex.ale(1, with_gaps), ex.ale(1, rows)
        np.testing.assert_allclose(found.levels, expected.levels, atol=1e-12)
        assert (found.n_rows, found.n_missing) == (67, 7)
        assert np.isnan(found.at(np.nan))
        assert "7 without a value left out" in repr(found)

    def test_rows_of_no_weight_change_nothing(self):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9)
        rows, more = smooth_rows(60, 3, 1), 9 * smooth_rows(9, 3, 2)
        ex = Explainer(model, rows)
        weights = np.append(np.ones(60), np.zeros(9))
        found = ex.ale(0, np.vstack([rows, more]), weights=weights)
        np.testing.assert_allclose(found.levels, ex.ale(0, rows).levels, atol=1e-12)

    @pytest.mark.parametrize("size", [2.0**1023, 2.0**-1070])
    def test_weights_of_any_size_are_shares(self, size: float):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9)
        rows, weights = smooth_rows(60, 3, 1), np.tile([1.0, 0.5, 1.5], 20)
        ex = Explainer(model, rows)
        found, expected = (ex.ale(0, rows, weights=by * weights) for by in (size, 1.0))
        np.testing.assert_array_equal(found.levels, expected.levels)

    @pytest.mark.parametrize("intervals", [10**12, 10**400], ids=["many", "absurdly many"])
    def test_more_intervals_than_rows_end_at_each_of_their_values(self, intervals: int):
        model = random_forest(np.random.default_rng(1), 3, n_trees=9)
        rows = smooth_rows(60, 3, 1)
        found = Explainer(model, rows).ale(0, rows, intervals=intervals)
        np.testing.assert_array_equal(found.ends, np.unique(rows[:, 0]))

    def test_of_additive_models_is_the_component(self):
        trees = [Split(0, float(t), 0.0, t + 0.5) for t in range(-2, 3)]
        model = forest([*trees, Split(1, 0.2, 3.0, 1.0)], 2)
        rows = smooth_rows(400, 2, 1)
        ex = Explainer(model, rows)
        found, effect = ex.ale(0, rows), ex.effect(0)
        np.testing.assert_allclose(np.diff(found.levels), np.diff(effect.levels), atol=1e-12)

    def test_on_the_probability_scale(self):
        model = replace(random_forest(np.random.default_rng(2), 3), link="logit")
        rows = smooth_rows(90, 3, 0)
        found = Explainer(model, rows).ale(0, rows, scale="probability")

        def predict(x: Floats) -> Floats:
            return 1 / (1 + np.exp(-predict_forest(model, x)))

        at = found.at(found.ends)
        expected = standard_ale(predict, rows, np.ones(90), 0, found.ends)
        np.testing.assert_allclose(at - at[0], expected, atol=1e-13)
        assert found.link == "probability"

    def test_chunks_change_nothing_but_the_last_digits(self, monkeypatch: pytest.MonkeyPatch):
        model = random_forest(np.random.default_rng(2), 3)
        rows = smooth_rows(90, 3, 0)
        ex = Explainer(model, rows)
        whole = ex.ale(0)
        monkeypatch.setattr("fastpd.queries._ale.CELLS", 50)
        np.testing.assert_allclose(ex.ale(0).levels, whole.levels, atol=1e-12)

    @pytest.mark.parametrize("rows", [[[0.0, 1.0]], [[0.0, 1.0], [0.0, 2.0]]])
    def test_of_one_value_is_flat(self, rows: Any):
        found = Explainer(random_forest(np.random.default_rng(0), 2), rows).ale(0, np.array(rows))
        assert not found.levels.any()
        assert len(found.ends) == 1

    def test_of_a_feature_that_no_tree_tests_is_flat(self):
        ex = Explainer(forest([Split(0, 0.5, 1.0, 2.0)], 2), np.zeros((3, 2)))
        np.testing.assert_array_equal(ex.ale(1).levels, [0])

    def test_what_is_not_known_of_the_background_is_not_missing(self):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 2, missing=0.0)
        found = Explainer(model, np.ones((3, 2))).ale(1)
        np.testing.assert_array_equal(found.levels, [0])
        assert found.n_missing == 0

    def test_what_it_cannot_answer(self):
        model = random_forest(np.random.default_rng(0), 2)
        rows = smooth_rows(20, 2, 0)
        ex = Explainer(model, rows)
        with pytest.raises(OptionError, match="X has no rows"):
            ex.ale(0, rows[:0])
        with pytest.raises(OptionError, match="no row has a value of 'x0'"):
            ex.ale(0, with_value(rows, 0, np.nan))
        with pytest.raises(OptionError, match="intervals is 0"):
            ex.ale(0, intervals=0)
        with pytest.raises(WeightError, match="without X"):
            ex.ale(0, weights=np.ones(20))
        gaussian = Explainer(model, measure=measures.Gaussian(np.zeros(2), np.eye(2)))
        with pytest.raises(OptionError, match=r"no rows to average over.*ale\(feature, X\)"):
            gaussian.ale(0)
        assert gaussian.ale(0, rows).levels.any()

    def test_categories_have_no_order(self):
        model: Forest = replace(
            random_forest(np.random.default_rng(0), 2, categories=3),
            categories=(Categories(("red", "green", "blue")), None),
        )
        with pytest.raises(OptionError, match=r"'x0' is categorical.*effect\('x0'\)"):
            Explainer(model, np.zeros((2, 2))).ale("x0")


def test_tables_of_curves():
    model = random_forest(np.random.default_rng(1), 2, outputs="scalar")
    rows = pd.DataFrame(smooth_rows(4, 2, 0), columns=["x0", "x1"])
    ex = Explainer(model, rows)
    curves, local = ex.ice("x0", rows), ex.ale("x0", rows)
    frame = curves.to_frame()
    assert len(frame) == 4 * (len(curves.edges) + 2)
    third = frame[(frame["row"] == 2) & ~frame["missing"]]
    np.testing.assert_array_equal(third["prediction [y1]"], curves.levels[2, :, 1])
    np.testing.assert_array_equal(third["to"][:-1], curves.edges)
    table = local.to_frame()
    np.testing.assert_array_equal(table["from"][1:], local.edges)
    np.testing.assert_array_equal(table["ale [y0]"], local.levels[:, 0])
    assert type(local.to_frame("polars")).__module__.startswith("polars")


def test_curves_of_a_real_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5)).astype(np.float32)
    X[:, 1] += X[:, 0]
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
    model = xgboost.XGBRegressor(n_estimators=60, max_depth=4).fit(X, y)
    ex = Explainer(model, X)
    found = ex.ale(0, X)
    expected = standard_ale(
        lambda x: model.predict(x).astype(float), X, np.ones(len(X)), 0, found.ends
    )
    at = found.at(found.ends)
    np.testing.assert_allclose(at - at[0], expected, atol=1e-4)
    curves = ex.ice(0, X[:20])
    moved = X[:20].copy()
    moved[:, 0] = 0.25
    np.testing.assert_allclose(curves.at(0.25)[:, 0], model.predict(moved), atol=1e-4)
