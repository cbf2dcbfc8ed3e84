"""Every query equals brute force over all feature sets, relative to the range of the prediction."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastpd
from fastpd import vanilla
from oracles import (
    Floats,
    Split,
    edge_values,
    forest,
    oracle,
    predict_forest,
    random_forest,
    rows_for,
    spread,
)

INDICES = ("SII", "STII", "FSII", "BII", "Moebius")
PROMISE = {"fast": 1e-7, "double": 1e-12}
AIM = {"fast": 1e-8, "double": 1e-12}


@dataclass(frozen=True)
class Case:
    """A forest, its background and rows to explain."""

    forest: fastpd.Forest
    background: Floats
    rows: Floats
    weights: Floats | None

    def explainer(self, precision: str, **options: Any) -> fastpd.Explainer:
        return fastpd.Explainer(
            self.forest, self.background, weights=self.weights, precision=precision, **options
        )

    def brute(self, query: Any, *args: Any) -> Any:
        given = (oracle(self.forest), self.background, self.rows)
        return query(*given, *args, weights=self.weights)

    def error(self, found: NDArray[Any], expected: NDArray[Any]) -> float:
        assert found.shape == expected.shape
        size = spread(self.forest, self.background, self.rows)
        return float(np.abs(found - expected).max(initial=0.0)) / size


def case(
    seed: int, d: int, *, weighted: bool = False, n: int = 25, m: int = 12, **options: Any
) -> Case:
    """Rows to explain are background rows, fresh ones, and ones full of edge values."""
    rng = np.random.default_rng(seed)
    model = random_forest(rng, d, **options)
    background = rows_for(model, n, rng)
    fresh = rows_for(model, m, rng, edges=False)
    edges = rng.choice(edge_values(model), size=(m, d))
    rows = np.concatenate([background[: m // 2], fresh, edges])
    return Case(model, background, rows, rng.exponential(size=n) if weighted else None)


CASES = {
    "one feature": case(0, 1),
    "two features": case(1, 2, depth=3),
    "weights": case(2, 3, weighted=True),
    "float64": case(3, 4, comparison="float64"),
    "missing number": case(4, 4, missing=-0.5, weighted=True),
    "outputs by tree": case(5, 3, outputs="scalar", n_trees=7),
    "outputs in leaves": case(6, 3, outputs="vector", weighted=True),
    "deep and unbalanced": case(7, 5, depth=12, n_trees=3, stop=0.45),
    "eight on a path": case(8, 8, depth=8, n_trees=3, stop=0.1, n=20, m=5),
    "deep leaves": case(9, 9, depth=12, n_trees=2, stop=0.2, n=15, m=4),
    "one background row": case(10, 4, n=1),
    "categories": case(11, 4, categories=6, weighted=True),
    "categories among deep leaves": case(
        12, 9, depth=12, n_trees=2, stop=0.3, n=6, m=2, categories=5
    ),
    "many categories": case(13, 3, categories=300, comparison="float64", n=60),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys(), scope="module")
def given(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture(params=["fast", "double"])
def precision(request: pytest.FixtureRequest) -> str:
    return request.param


def subsets(d: int, largest: int) -> list[tuple[int, ...]]:
    return [s for size in range(largest + 1) for s in combinations(range(d), size)]


def test_a_tree_of_three_nodes_by_hand():
    model = forest([Split(1, 0.5, 1.0, 3.0, missing="right")], 2, names=("unused", "age"))
    ex = fastpd.Explainer(model, np.array([[9.0, 0.0], [9.0, 0.25], [9.0, 0.5], [9.0, np.nan]]))
    just_below = np.nextafter(np.float32(0.5), np.float32(0))
    rows = np.array([[0, just_below], [0, 0.5], [0, np.nan], [0, np.inf], [0, -np.inf]])
    prediction = np.array([1.0, 3.0, 3.0, 3.0, 1.0])
    assert ex.expected_value == 2.0
    np.testing.assert_array_equal(ex.predict(rows), prediction)
    np.testing.assert_allclose(ex.shap(rows).values[:, 1], prediction - 2, atol=1e-8)
    assert not ex.shap(rows).values[:, 0].any()
    assert ex.components(rows).names == (("age",),)
    np.testing.assert_array_equal(ex.effect("age").edges, [0.5])
    np.testing.assert_array_equal(ex.effect("age").levels, [1.0, 3.0])
    assert ex.effect("age").missing_level == 3.0


def test_an_interaction_of_two_features_by_hand():
    both = Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0))
    ex = fastpd.Explainer(forest([both], 2), np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]))
    rows = np.array([[1.0, 1.0], [0.0, 1.0]])
    parts = ex.components(rows, 2)
    assert parts.intercept == 2.0
    np.testing.assert_array_equal(parts["x0"], [2.0, -2.0])
    np.testing.assert_array_equal(parts["x1"], [2.0, 2.0])
    np.testing.assert_array_equal(parts["x0", "x1"], [2.0, -2.0])
    np.testing.assert_allclose(ex.shap(rows).values, [[3, 3], [-3, 1]], atol=1e-7)


def test_a_split_that_its_path_contradicts_is_passed_by_missing_values_only():
    inner = Split(0, 2.0, 100.0, 1.0, missing="left")  # its left side: only missing values
    model = forest([Split(0, 3.0, 0.0, inner, missing="right")], 1)
    ex = fastpd.Explainer(model, [[0.0], [4.0]])
    rows = [[0.0], [2.5], [3.5], [np.nan]]
    np.testing.assert_array_equal(ex.predict(rows), [0, 0, 1, 100])
    np.testing.assert_allclose(ex.value("x0", rows), [0, 0, 1, 100], atol=1e-6)


def test_values_are_compared_in_float32_only_where_the_model_does():
    just_below = np.nextafter(0.5, 0.0)  # rounds up to the threshold
    for comparison, expected in (("float32", 2.0), ("float64", 1.0)):
        model = forest([Split(0, 0.5, 1.0, 2.0)], 1, comparison=comparison)
        ex = fastpd.Explainer(model, [[0.0]])
        assert ex.predict([[just_below]]) == expected
        assert ex.effect(0).pd([just_below]) == expected


@pytest.mark.parametrize("n_unused", [1, 5000])
def test_features_that_no_tree_tests_may_come_last(n_unused: int, precision: str):
    model = forest([Split(0, 0.5, 0.0, Split(1, 0.5, 1.0, 5.0))], 2 + n_unused)
    rows = np.zeros((4, 2 + n_unused))
    rows[:, :2] = [[0, 0], [0, 1], [1, 0], [1, 1]]
    ex = fastpd.Explainer(model, rows, precision=precision)
    found = ex.shap(rows).values
    assert not found[:, 2:].any()
    expected = vanilla.shap(
        oracle(replace(model, feature_names=("a", "b"))), rows[:, :2], rows[:, :2]
    )
    np.testing.assert_allclose(found[:, :2], expected, atol=1e-8)
    np.testing.assert_array_equal(ex.value([(2,), ()], rows), np.full((4, 2), ex.expected_value))


@pytest.mark.parametrize("trees", [[], [2.0], [2.0, -1.0]], ids=len)
def test_a_model_that_splits_nothing(trees: list[float], precision: str):
    model, rows = forest(trees, 3, base=[0.5]), np.random.default_rng(0).normal(size=(7, 3))
    if not trees:
        model = replace(model, value=np.empty((0, 1)))
    ex = fastpd.Explainer(model, rows, precision=precision)
    np.testing.assert_array_equal(ex.predict(rows), 0.5 + sum(trees))
    np.testing.assert_array_equal(ex.value([(), (0,), (1, 2)], rows), 0.5 + sum(trees))
    assert not ex.shap(rows).values.any()
    parts = ex.components(rows, 2)
    assert parts.names == ()
    assert parts.complete
    assert not parts["x0", "x2"].any()
    assert not parts.remainder.any()
    assert not parts.shap().values.any()
    assert ex.interactions(rows).array.shape == (7, 0)
    assert len(ex.importance()) == 0
    np.testing.assert_array_equal(ex.effect(0, 1).pd([0.0], [np.nan]), 0.5 + sum(trees))


def test_no_sets_give_no_columns(given: Case):
    found = given.explainer("fast").value([], given.rows)
    assert found.shape[:2] == (len(given.rows), 0)


@pytest.mark.parametrize("index", INDICES)
def test_indices_of_higher_orders_than_there_are_components(index: str):
    some = CASES["two features"]
    ex = some.explainer("double")
    expected = some.brute(vanilla.interactions, 2, index)
    for order in (3, 10**3, 2**40):
        found = ex.interactions(some.rows, order, index)
        assert found.max_order == order
        for pair in ((0,), (0, 1)):
            wanted = (
                expected[pair] if index not in ("STII", "FSII") else ex.components(some.rows)[pair]
            )
            assert some.error(found[pair], wanted) <= 1e-12
    assert ex.components(some.rows, 2**40).names == ex.components(some.rows, 2).names


def test_importance_over_the_background_where_a_threshold_counts_as_missing():
    for missing in (0.0, -math.inf, math.inf):
        both = [Split(0, 0.0, 1.0, 2.0), Split(0, 1.0, 1.0, 5.0, missing="right")]
        model = forest(both, 1, missing=missing)
        rows = np.array([[-np.inf], [-1.0], [0.0], [0.5], [2.0], [np.inf], [np.nan]])
        ex = fastpd.Explainer(model, rows)
        assert ex.importance()["x0"] == pytest.approx(ex.importance(rows)["x0"], rel=1e-14)


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**-500, 2.0**1018])
def test_weights_of_any_size(scale: float):
    some = case(12, 3)
    weights = np.random.default_rng(0).integers(0, 9, len(some.background)).astype(np.float64)
    plain = replace(some, weights=weights).explainer("fast")
    scaled = replace(some, weights=weights * scale).explainer("fast")
    scaled.update(some.background, np.zeros(len(weights)))
    assert scaled.expected_value == plain.expected_value
    np.testing.assert_array_equal(scaled.shap(some.rows).values, plain.shap(some.rows).values)
    np.testing.assert_allclose(scaled.importance().scores, plain.importance().scores, rtol=1e-14)


def test_predict(given: Case):
    found = given.explainer("fast").predict(given.rows)
    assert given.error(found, predict_forest(given.forest, given.rows)) <= 1e-15


def test_expected_value(given: Case):
    found = np.asarray(given.explainer("fast").expected_value)
    assert given.error(found, given.brute(vanilla.value, ())[0]) <= 1e-13


def test_value(given: Case, precision: str):
    brute = given.brute(vanilla.values)
    sets = list(brute)
    found = given.explainer(precision).value(sets, given.rows)
    assert given.error(found, np.stack([brute[s] for s in sets], axis=1)) <= PROMISE[precision]


def test_value_of_one_set_has_no_axis_of_sets(given: Case):
    ex = given.explainer("double")
    assert given.error(ex.value((0,), given.rows), given.brute(vanilla.value, (0,))) <= 1e-12
    assert given.error(ex.value((), given.rows), given.brute(vanilla.value, ())) <= 1e-12


def test_shap(given: Case, precision: str):
    answer = given.explainer(precision).shap(given.rows)
    assert given.error(answer.values, given.brute(vanilla.shap)) <= AIM[precision]


@pytest.mark.parametrize("order", [1, 2, 3, 9])
def test_components(given: Case, precision: str, order: int):
    brute = given.brute(vanilla.components)
    parts = given.explainer(precision).components(given.rows, max_order=order)
    for subset in subsets(given.forest.n_features, min(order, given.forest.n_features))[1:]:
        assert given.error(parts[subset], brute[subset]) <= PROMISE[precision], subset
    low = sum(part for subset, part in brute.items() if len(subset) <= order)
    rest = predict_forest(given.forest, given.rows) - low
    assert given.error(parts.remainder, rest) <= PROMISE[precision]
    assert parts.complete or order < given.forest.n_features


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("index", INDICES)
def test_interactions(given: Case, precision: str, index: str, order: int):
    order = min(order, given.forest.n_features)
    brute = given.brute(vanilla.interactions, order, index)
    found = given.explainer(precision).interactions(given.rows, order=order, index=index)
    for subset, expected in brute.items():
        assert given.error(found[subset], expected) <= PROMISE[precision], subset


def test_effect_of_one_feature(given: Case):
    ex, feature = given.explainer("fast"), given.forest.n_features - 1
    at = given.rows[:, feature]
    effect = ex.effect(feature)
    assert given.error(effect.pd(at), given.brute(vanilla.value, (feature,))) <= 1e-12
    component = given.brute(vanilla.components)[feature,]
    assert given.error(effect.component(at), component) <= 1e-12


@pytest.mark.parametrize("features", [(0, 1), (1, 0)])
def test_effect_of_two_features(given: Case, features: tuple[int, int]):
    if given.forest.n_features == 1:
        features = (0,)
    effect = given.explainer("fast").effect(*features)
    at = [given.rows[:, k] for k in features]
    pair = tuple(sorted(features))
    assert given.error(effect.pd(*at), given.brute(vanilla.value, pair)) <= 1e-12
    assert given.error(effect.component(*at), given.brute(vanilla.components)[pair]) <= 1e-12


def test_an_effect_jumps_exactly_at_its_edges():
    rng = np.random.default_rng(0)
    model = random_forest(rng, 3, n_trees=4, depth=4)
    background = rows_for(model, 30, rng)
    effect = fastpd.Explainer(model, background).effect("x1")
    assert effect.levels.shape == (len(effect.edges) + 1,)
    for side, levels in ((-np.inf, effect.levels[:-1]), (0, effect.levels[1:])):
        at = effect.edges.astype(np.float32)
        at = np.nextafter(at, np.float32(side)) if side else at
        np.testing.assert_array_equal(effect.pd(at), levels)
        rows = np.zeros((len(at), 3))
        rows[:, 1] = at
        brute = vanilla.value(oracle(model), background, rows, (1,))
        np.testing.assert_allclose(effect.pd(at), brute, atol=1e-12)


@pytest.mark.parametrize("order", [1, 3])
def test_importance(given: Case, precision: str, order: int):
    order = min(order, given.forest.n_features)
    found = given.explainer(precision).importance(given.rows, max_order=order)
    brute = given.brute(vanilla.components)
    for subset in subsets(given.forest.n_features, order)[1:]:
        names = tuple(given.forest.feature_names[k] for k in subset)
        expected = np.abs(brute[subset]).mean(axis=0)
        if names in found.names:
            assert given.error(np.asarray(found[names]), expected) <= PROMISE[precision]
        else:
            assert not expected.any()


def test_importance_over_the_background_weighs_its_rows(given: Case):
    found = given.explainer("double").importance(max_order=1)
    parts = vanilla.components(
        oracle(given.forest), given.background, given.background, given.weights, 1
    )
    for names, score in found.items():
        part = parts[given.forest.feature_names.index(names[0]),]
        expected = np.average(np.abs(part), axis=0, weights=given.weights)
        assert given.error(np.asarray(score), expected) <= 1e-12


def test_outputs_can_be_explained_one_at_a_time_or_summed():
    for outputs in ("scalar", "vector"):
        given = case(11, 3, outputs=outputs, n_trees=6)
        whole = given.explainer("double").shap(given.rows).values
        for output, name in enumerate(given.forest.output_names):
            one = given.explainer("double", output=name).shap(given.rows).values
            np.testing.assert_allclose(one, whole[:, :, output], atol=1e-12)
        total = given.explainer("double", output="sum").shap(given.rows).values
        np.testing.assert_allclose(total, whole.sum(axis=2), atol=1e-12)


def test_many_blocks_and_bins_stay_within_the_aim():
    rng = np.random.default_rng(12)
    model = random_forest(rng, 6, n_trees=150, depth=6, stop=0.05)
    background, rows = rows_for(model, 40, rng), rows_for(model, 10, rng)
    expected = vanilla.shap(oracle(model), background, rows)
    for precision, bound in AIM.items():
        ex = fastpd.Explainer(model, background, precision=precision)
        error = np.abs(ex.shap(rows).values - expected).max() / spread(model, background, rows)
        assert error <= bound


def test_no_sets_at_all_have_no_columns(given: Case):
    found = given.explainer("fast").value([], given.rows)
    assert found.shape[:2] == (len(given.rows), 0)


def test_features_after_the_last_one_that_is_tested_get_nothing():
    rows = np.zeros((3, 2000))
    for trees in ([5.0], [Split(1, 0.5, 1.0, 2.0)]):
        model = forest(trees, 2000)
        ex = fastpd.Explainer(model, rows)
        assert not ex.shap(rows).values[:, 2:].any()
        found = ex.value([(1999,), (1, 1999)], rows)
        np.testing.assert_allclose(found, predict_forest(model, rows)[:, None] * [1, 1], atol=1e-7)
        assert ex.components(rows).complete
        assert not ex.components(rows)[1999].any()
