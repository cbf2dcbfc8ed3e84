"""Trees, forests and boosted trees of scikit-learn are read as they predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import ModelError, ModelMismatchError, OptionError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.importers.sklearn.trees import read_trees, thresholds_and_splits
from fastpd.forest.walk import predict

pytest.importorskip("sklearn")

from sklearn import ensemble, tree
from sklearn.dummy import DummyClassifier, DummyRegressor

RNG = np.random.default_rng(4)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] + (X[:, 1] > 0) * X[:, 2]
LABELS = np.array(["low", "mid", "top"])[np.digitize(Y, [0.0, 0.7])]
ROWS = X[:9]


def test_values_between_two_float32_numbers_go_where_rounding_puts_them():
    model = tree.DecisionTreeRegressor(random_state=0).fit(X, Y)
    nodes = model.tree_
    point = nodes.threshold[nodes.feature == 0][0]
    near = np.float32(point)
    steps = [np.nextafter(near, np.float32(way)) for way in (-np.inf, np.inf)]
    values = [point, float(near), *map(float, steps), (float(near) + float(steps[0])) / 2]
    rows = np.zeros((len(values), 3))
    rows[:, 0] = values
    np.testing.assert_array_equal(predict(import_model(model), rows)[:, 0], model.predict(rows))


def test_a_split_of_missing_values_alone():
    gaps = np.where(RNG.random((120, 1)) < 0.3, np.nan, 5.0)
    y = np.isnan(gaps[:, 0]) * 2.0
    model = tree.DecisionTreeRegressor().fit(gaps, y)
    assert model.tree_.threshold[0] == np.inf
    forest = import_model(model)
    assert len(forest.splits) == 1
    found = predict(forest, [[np.nan], [-np.inf], [3e38], [np.inf]])[:, 0]
    np.testing.assert_array_equal(found, [2, 0, 0, 0])


def test_a_split_at_the_largest_number_is_refused():
    largest = np.array([float(np.finfo(np.float32).max)])
    with pytest.raises(UnsupportedModelError, match="at the largest float32"):
        thresholds_and_splits(largest, np.array([True]), "float32", "a tree")


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_tree_of_one_leaf(criterion: str):
    model = tree.DecisionTreeRegressor(criterion=criterion).fit(X, np.full(len(X), 3.0))
    forest = import_model(model)
    assert forest.n_trees == 1
    np.testing.assert_array_equal(predict(forest, ROWS), np.full((9, 1), 3.0))


def test_a_classifier_that_met_one_class():
    forest = import_model(tree.DecisionTreeClassifier().fit(X, ["only"] * len(X)))
    assert forest.output_names == ("only",)
    np.testing.assert_array_equal(predict(forest, ROWS), np.ones((9, 1)))


def test_every_class_is_an_output():
    model = ensemble.RandomForestClassifier(3, random_state=0).fit(X, LABELS)
    ex = Explainer(model, X[:20])
    assert ex.output_names == ("low", "mid", "top")
    np.testing.assert_allclose(ex.predict(ROWS), model.predict_proba(ROWS), atol=1e-7)
    top = Explainer(model, X[:20], output="top")
    np.testing.assert_allclose(top.predict(ROWS), model.predict_proba(ROWS)[:, 2], atol=1e-7)
    mean = ex.value((), ROWS, scale="probability")
    np.testing.assert_allclose(mean[0], model.predict_proba(X[:20]).mean(axis=0), atol=1e-7)


def test_outputs_of_several_targets_are_named_after_both():
    y = np.column_stack([LABELS, (Y > 0).astype(int).astype(str)])
    forest = import_model(tree.DecisionTreeClassifier(max_depth=3).fit(X, y))
    assert forest.output_names == ("y0=low", "y0=mid", "y0=top", "y1=0", "y1=1")
    assert import_model(tree.DecisionTreeRegressor().fit(X, X)).output_names == ("y0", "y1", "y2")


def test_counts_of_classes_of_old_versions_become_shares():
    model = tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, LABELS)

    class Old:
        """A tree whose nodes hold weights of classes, and nothing about missing values."""

        def __getstate__(self) -> dict[str, Any]:
            state = model.tree_.__getstate__()
            kept = [n for n in state["nodes"].dtype.names if n != "missing_go_to_left"]
            weight = state["nodes"]["weighted_n_node_samples"]
            return {
                "nodes": state["nodes"][kept],
                "values": state["values"] * weight[:, None, None],
            }

    old = type("Estimator", (), {"tree_": Old()})
    from fastpd.forest.importers.sklearn.forests import _as_probabilities

    nodes, values = read_trees([old], "an old tree")
    assert not nodes.default_left.any()
    shares = _as_probabilities(values.value)
    np.testing.assert_allclose(shares, model.tree_.value, atol=1e-12)


def test_features_have_the_names_of_the_training_table():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = ensemble.ExtraTreesRegressor(3).fit(table, Y)
    ex = Explainer(model, table[:20])
    assert ex.feature_names == ("a", "b", "c")
    np.testing.assert_allclose(ex.predict(table[["c", "a", "b"]]), model.predict(table), atol=1e-7)


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        (tree.DecisionTreeRegressor(max_depth=2), True),
        (ensemble.RandomForestRegressor(2), True),
        (ensemble.GradientBoostingRegressor(n_estimators=2), False),
        (ensemble.BaggingRegressor(ensemble.GradientBoostingRegressor(n_estimators=1)), False),
        (ensemble.HistGradientBoostingRegressor(max_iter=2), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_missing_values_are_taken_where_scikit_learn_takes_them(model: Any, taken: bool):
    assert import_model(model.fit(X, Y)).takes_missing == taken


def test_subclasses_are_read_as_what_they_derive_from():
    class Mine(ensemble.RandomForestRegressor):
        """A forest under another name."""

    assert import_model(Mine(3).fit(X, Y)).n_trees == 3


def test_subclasses_that_predict_otherwise_are_refused():
    class Doubled(ensemble.RandomForestRegressor):
        def predict(self, X: Any) -> Any:
            return 2 * super().predict(X)

    with pytest.raises(ModelMismatchError, match="not read as it predicts"):
        import_model(Doubled(3).fit(X, Y))


@pytest.mark.parametrize(
    "model",
    [
        tree.DecisionTreeClassifier(),
        ensemble.GradientBoostingRegressor(),
        ensemble.HistGradientBoostingClassifier(),
        ensemble.IsolationForest(),
        ensemble.VotingRegressor([("a", tree.DecisionTreeRegressor())]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_that_are_not_fitted_are_refused(model: Any):
    with pytest.raises(ModelError, match=r"not fitted.*Call `fit` first"):
        import_model(model)


def test_rounds_are_refused_where_there_are_none():
    model = ensemble.RandomForestRegressor(3).fit(X, Y)
    with pytest.raises(OptionError, match="has no boosting rounds"):
        import_model(model, iteration_range=(0, 2))


@pytest.mark.parametrize("kind", ["GradientBoostingRegressor", "HistGradientBoostingRegressor"])
def test_rounds_in_the_middle(kind: str):
    model = getattr(ensemble, kind)(random_state=0).fit(X, Y)
    stages = list(model.staged_predict(ROWS))
    rounds = predict(import_model(model, iteration_range=(3, 7)), ROWS)[:, 0]
    before = predict(import_model(model, iteration_range=(0, 3)), ROWS)[:, 0]
    start = Explainer(import_model(model, iteration_range=(0, 1)), X[:5])._blocks.forest.base[0]
    np.testing.assert_allclose(before, stages[2], atol=1e-12)
    np.testing.assert_allclose(rounds, stages[6] - stages[2] + start, atol=1e-9)
    every = predict(import_model(model, iteration_range=(0, 0)), ROWS)[:, 0]
    np.testing.assert_allclose(every, stages[-1], atol=1e-12)


@pytest.mark.parametrize("asked", [(2, 2), (5, 3), (0, 101), (-1, 3), (1,), ("0", 2)])
def test_rounds_that_are_not_there_are_refused(asked: Any):
    model = ensemble.GradientBoostingRegressor(n_estimators=5).fit(X, Y)
    with pytest.raises(OptionError, match="iteration_range"):
        import_model(model, iteration_range=asked)


def test_half_the_log_odds_of_the_exponential_loss():
    model = ensemble.GradientBoostingClassifier(n_estimators=4, loss="exponential").fit(X, Y > 0)
    ex = Explainer(model, X[:20])
    np.testing.assert_allclose(ex.predict(ROWS), model.decision_function(ROWS), atol=1e-7)
    mean = ex.value((), ROWS[:1], scale="probability")[0]
    np.testing.assert_allclose(mean, model.predict_proba(X[:20])[:, 1].mean(), atol=1e-7)


@pytest.mark.parametrize(
    "init",
    [
        DummyClassifier(strategy="uniform"),
        DummyClassifier(strategy="most_frequent"),
        DummyClassifier(strategy="constant", constant=True),
        "zero",
        None,
    ],
)
def test_initial_models_that_are_constant(init: Any):
    model = ensemble.GradientBoostingClassifier(n_estimators=3, init=init).fit(X, Y > 0)
    found = predict(import_model(model), ROWS)[:, 0]
    np.testing.assert_allclose(found, model.decision_function(ROWS), atol=1e-12)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_losses_of_regression(loss: str):
    model = ensemble.GradientBoostingRegressor(n_estimators=3, loss=loss).fit(X, Y)
    np.testing.assert_allclose(predict(import_model(model), ROWS)[:, 0], model.predict(ROWS))


@pytest.mark.parametrize(
    ("init", "why"),
    [
        (DummyClassifier(strategy="stratified"), "log-odds of probabilities"),
        (ensemble.RandomForestClassifier(2), "log-odds of probabilities"),
    ],
)
def test_initial_classifiers_that_are_no_constant_are_refused(init: Any, why: str):
    model = ensemble.GradientBoostingClassifier(n_estimators=2, init=init).fit(X, Y > 0)
    with pytest.raises(UnsupportedModelError, match=why):
        import_model(model)


def test_an_initial_model_on_the_scale_of_logs_is_refused():
    init = ensemble.HistGradientBoostingRegressor(max_iter=2, loss="poisson")
    model = ensemble.GradientBoostingRegressor(n_estimators=2, init=init).fit(X, np.exp(Y))
    with pytest.raises(UnsupportedModelError, match="their link is 'log'"):
        import_model(model)


def test_constant_models_are_refused_as_they_have_no_trees():
    with pytest.raises(UnsupportedModelError, match="has no trees"):
        import_model(DummyRegressor().fit(X, Y))
