"""Ensembles of scikit-learn: sums of models, in one precision and on one scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import ModelError, UnsupportedModelError
from fastpd.forest import IntervalSplits, import_model
from fastpd.forest.importers.sklearn.combining import Part, combined, of_float32_rows
from fastpd.forest.walk import predict
from oracles import Split, forest

pytest.importorskip("sklearn")

from sklearn import ensemble, model_selection, multioutput, tree

RNG = np.random.default_rng(4)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] + (X[:, 1] > 0) * X[:, 2]
LABELS = np.array(["low", "mid", "top"])[np.digitize(Y, [0.0, 0.7])]
ROWS = X[:9]

LARGEST = float(np.finfo(np.float32).max)
POINTS = [0.0, 0.1, -0.1, 1.0, -1.0, 2**24 + 2, 1e-45, -1e-45, 1e-310, LARGEST, -LARGEST]


def around(point: float) -> Any:
    """Return numbers close to a point in both precisions, and far from it."""
    near = np.float32(point)
    with np.errstate(all="ignore"):
        below, above = (np.nextafter(near, np.float32(way)) for way in (-np.inf, 9))
    singles = [near, below, above]
    doubles = np.array([point, *singles, 0.0, -0.0, 5.0, -5.0, np.nan], np.float64)
    middles = (doubles[:3, None] / 2 + doubles[None, :4] / 2).ravel()
    values = np.concatenate([doubles, middles, [2.0**128 - 2.0**103, -(2.0**128), np.inf, -np.inf]])
    return np.concatenate([values, np.nextafter(values, 1e308), np.nextafter(values, -1e308)])


@pytest.mark.parametrize("point", POINTS)
def test_rounding_to_float32_is_in_the_thresholds_of_float64(point: float):
    single = forest([Split(0, float(np.float32(point)), 1.0, 2.0)], 1)
    double = forest([Split(0, 0.5, 0.0, 0.0)], 1, comparison="float64")
    both = combined([Part(single), Part(double)], double)
    rows = around(point)[:, None]
    assert both.comparison == "float64"
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(predict(both, rows), predict(single, rows))


@pytest.mark.parametrize("point", POINTS)
def test_thresholds_of_float64_on_rows_in_float32(point: float):
    double = forest([Split(0, point, 1.0, 2.0)], 1, comparison="float64")
    with np.errstate(over="ignore"):
        rows = around(point)[:, None].astype(np.float32)
    single = of_float32_rows(double)
    assert single.comparison == "float32"
    np.testing.assert_array_equal(predict(single, rows), predict(double, rows.astype(float)))


def test_a_threshold_beyond_float32_is_refused_for_rows_in_float32():
    with pytest.raises(UnsupportedModelError, match="only float64 can tell apart"):
        of_float32_rows(forest([Split(0, 1e300, 1.0, 2.0)], 1, comparison="float64"))


def test_intervals_are_moved_with_their_nodes():
    coded = forest([Split(0, 0.5, 1.0, 2.0)], 2)
    splits = IntervalSplits.from_mapping({0: [(-np.inf, 1.0), (3.0, np.inf)]})
    coded = replace(coded, splits=splits)
    plain = forest([Split(1, 0.25, 10.0, 20.0)], 2, comparison="float64")
    both = combined([Part(plain, 0.5), Part(coded, 2.0)], plain)
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.25], [np.inf, 1.0], [-np.inf, 1.0]])
    expected = 0.5 * predict(plain, rows) + 2.0 * predict(coded, rows)
    np.testing.assert_array_equal(predict(both, rows), expected)


def test_parts_of_some_columns_and_outputs():
    wide = forest([Split(0, 0.0, (1.0, 2.0), (3.0, 4.0))], 1, n_outputs=2)
    thin = forest([Split(0, 0.0, 5.0, 6.0), 0.5], 2, n_outputs=2, tree_output=[0, 1])
    whole = forest([Split(0, 0.0, (0.0,) * 3, (1.0,) * 3)], 3, n_outputs=3)
    parts = [
        Part(wide, 1.0, np.array([2]), np.array([0, 2])),
        Part(thin, 10.0, np.array([1, 0]), np.array([1, 2])),
    ]
    found = predict(combined(parts, whole), [[9.0, -1.0, -1.0], [9.0, 1.0, 1.0]])
    np.testing.assert_array_equal(found, [[1, 50, 7], [3, 60, 9]])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"missing": 0.0}, "different numbers count as missing"),
        ({"preparation": object()}, "pipeline that prepares rows for one"),
    ],
)
def test_parts_that_read_rows_otherwise_are_refused(changes: Any, why: str):
    one = forest([Split(0, 0.0, 1.0, 2.0)], 1)
    with pytest.raises(UnsupportedModelError, match=why):
        combined([Part(one), Part(replace(one, **changes))], one)


def test_models_that_do_not_read_categories_alike_are_refused():
    codes = X.copy()
    codes[:, 2] = RNG.integers(0, 4, len(X))
    boosted = ensemble.HistGradientBoostingRegressor(max_iter=2, categorical_features=[2])
    models = [("a", boosted), ("b", tree.DecisionTreeRegressor(max_depth=2))]
    with pytest.raises(UnsupportedModelError, match="do not read column 'f2' alike"):
        import_model(ensemble.VotingRegressor(models).fit(codes, Y))


def test_models_that_read_categories_alike_are_added_up():
    codes = X.copy()
    codes[:, 2] = RNG.integers(0, 4, len(X)) * 1.5
    boosted = ensemble.HistGradientBoostingRegressor(
        max_iter=3, min_samples_leaf=5, categorical_features=[2]
    )
    later = ensemble.HistGradientBoostingRegressor(max_iter=2, categorical_features=[2])
    y = Y + 3.0 * (codes[:, 2] == 1.5)
    model = ensemble.VotingRegressor([("a", boosted), ("b", later)]).fit(codes, y)
    ex = Explainer(model, codes[:20])
    np.testing.assert_allclose(ex.predict(codes), model.predict(codes), atol=1e-7)


def test_a_model_inside_that_is_no_sum_of_trees_is_named():
    linear = pytest.importorskip("sklearn.linear_model").LinearRegression()
    models = [("a", tree.DecisionTreeRegressor()), ("b", linear)]
    with pytest.raises(UnsupportedModelError, match=r"Model 1 of .*A LinearRegression was given"):
        import_model(ensemble.VotingRegressor(models).fit(X, Y))


def test_a_mean_of_exponentials_is_refused():
    counts = ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=2)
    model = ensemble.BaggingRegressor(counts, n_estimators=2).fit(X, np.exp(Y))
    with pytest.raises(UnsupportedModelError, match="their link is 'log'"):
        import_model(model)


def test_bags_of_ensembles_of_several_targets():
    model = ensemble.BaggingRegressor(
        ensemble.RandomForestRegressor(2, max_depth=3), n_estimators=3, random_state=0
    ).fit(X, np.column_stack([Y, -Y]))
    found = import_model(model)
    assert found.output_names == ("y0", "y1")
    np.testing.assert_allclose(predict(found, ROWS), model.predict(ROWS))


def test_thresholds_of_classes_leave_probabilities_as_they_are():
    kind = getattr(model_selection, "FixedThresholdClassifier", None)
    if kind is None:
        pytest.skip("scikit-learn 1.5 or newer")
    model = kind(tree.DecisionTreeClassifier(max_depth=3), threshold=0.9).fit(X, Y > 0)
    np.testing.assert_allclose(predict(import_model(model), ROWS), model.predict_proba(ROWS))


def test_a_frozen_estimator():
    frozen = pytest.importorskip("sklearn.frozen")
    model = frozen.FrozenEstimator(tree.DecisionTreeRegressor(max_depth=3).fit(X, Y))
    np.testing.assert_allclose(predict(import_model(model), ROWS)[:, 0], model.predict(ROWS))


def test_rounds_of_the_best_model_of_a_search():
    boosted = ensemble.GradientBoostingRegressor(n_estimators=6, random_state=0)
    search = model_selection.GridSearchCV(boosted, {"max_depth": [1, 2]}, cv=2).fit(X, Y)
    found = predict(import_model(search, iteration_range=(0, 2)), ROWS)[:, 0]
    np.testing.assert_allclose(found, list(search.best_estimator_.staged_predict(ROWS))[1])


def test_a_search_that_kept_no_model_is_refused():
    search = model_selection.GridSearchCV(
        tree.DecisionTreeRegressor(), {"max_depth": [1, 2]}, cv=2, refit=False
    ).fit(X, Y)
    with pytest.raises(ModelError, match="refit=True"):
        import_model(search)


def test_targets_of_other_scales_are_refused():
    counts = ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=2)
    model = multioutput.MultiOutputRegressor(counts).fit(X, np.exp(np.column_stack([Y, Y])))
    with pytest.raises(UnsupportedModelError, match=r"Model 0 of .*no sum of trees"):
        import_model(model)


@pytest.mark.parametrize(
    "options", [{}, {"max_samples": 1}, {"max_samples": 2}, {"max_features": 2}]
)
def test_scores_of_an_isolation_forest_follow_from_path_lengths(options: Any):
    model = ensemble.IsolationForest(n_estimators=5, random_state=0, **options).fit(X)
    found = import_model(model)
    assert found.output_names == ("path_length",)
    n = model.max_samples_
    constant = {1: 0.0, 2: 1.0, 120: 2 * (np.log(119) + np.euler_gamma) - 2 * 119 / 120}[n]
    scores = -(2.0 ** -(predict(found, ROWS)[:, 0] / constant)) if constant else np.full(9, -0.5)
    np.testing.assert_allclose(scores, model.score_samples(ROWS), rtol=1e-12)
