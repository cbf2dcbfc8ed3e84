"""Pipelines: the forest is that of the last step, and the steps before it make its columns."""

from __future__ import annotations

import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

from scipy.sparse import csr_matrix
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler
from some_pipelines import columns, fitted, people, response, trees

from fastpd import Explainer, MergeError
from fastpd.forest import import_model
from fastpd.forest.importers.sklearn.pipeline import from_pipeline


def test_the_forest_is_that_of_the_last_step():
    pipeline = fitted(columns(remainder="passthrough"), trees())
    forest, alone = import_model(pipeline), import_model(pipeline[-1])
    np.testing.assert_array_equal(forest.threshold, alone.threshold)
    assert forest.feature_names == (
        "town__town_Bern",
        "town__town_Chur",
        "age__age",
        "remainder__wealth",
    )
    assert forest.source == f"{alone.source} in a pipeline"
    steps = forest.preparation
    assert steps is not None
    assert (steps.columns, steps.owner) == (("age", "town", "wealth"), (1, 1, 0, 2))
    assert steps.unchanged == {3}
    np.testing.assert_array_equal(steps.apply(people()), pipeline[:-1].transform(people()))


def test_columns_of_an_array_get_numbers():
    table = people()[["age", "wealth"]].to_numpy()
    pipeline = fitted(StandardScaler(), trees(), table=table)
    forest = from_pipeline(pipeline)
    assert forest.preparation is not None
    assert forest.preparation.columns == ("f0", "f1")
    ex = Explainer(pipeline, table)
    expected = pipeline.predict(table)
    np.testing.assert_allclose(ex.predict(table), expected)
    np.testing.assert_allclose(ex.predict(people()[["age", "wealth"]]), expected)


def test_mixed_columns_are_told_by_the_names_that_the_steps_give():
    numbers = people()[["age", "wealth"]]
    forest = from_pipeline(fitted(StandardScaler(), PCA(2), trees(), table=numbers))
    assert forest.feature_names == ("pca0", "pca1")
    assert forest.preparation is not None
    assert forest.preparation.owner is None
    reversed_ = FunctionTransformer(lambda table: np.asarray(table)[:, ::-1])
    assert from_pipeline(fitted(reversed_, trees(), table=numbers)).feature_names == ("f0", "f1")


@pytest.mark.parametrize("steps", [[], ["passthrough"], [None, "passthrough"]])
def test_without_steps_there_is_nothing_to_prepare(steps: list[Any]):
    pipeline = fitted(*steps, trees(), table=people()[["age", "wealth"]])
    forest = from_pipeline(pipeline)
    assert forest.preparation is None
    assert forest.feature_names == ("age", "wealth")


def test_a_cache_of_fitted_steps_changes_nothing(tmp_path: Any):
    pipeline = fitted(columns(), trees(), memory=str(tmp_path))
    ex = Explainer(pipeline, people())
    np.testing.assert_allclose(ex.predict(people()), pipeline.predict(people()))


def test_a_search_over_pipelines():
    search = GridSearchCV(
        make_pipeline(columns(), trees()), {"randomforestregressor__max_depth": [2, 3]}, cv=2
    ).fit(people(), response(people()))
    ex = Explainer(search, people())
    assert ex.feature_names == ("age", "town", "wealth")
    np.testing.assert_allclose(ex.predict(people()), search.predict(people()))


def test_a_later_fit_does_not_change_what_was_read():
    pipeline = fitted(columns(remainder="passthrough"), trees())
    ex, before = Explainer(pipeline, people()), pipeline.predict(people())
    doubled = people().assign(age=people()["age"] * 2)
    pipeline.fit(doubled, response(people()))
    np.testing.assert_allclose(ex.predict(people()), before)


def test_sparse_tables_hand_zeros_to_trees_of_scikit_learn():
    pipeline = fitted(columns(remainder="passthrough", sparse_threshold=1.0), trees())
    assert pipeline[0].sparse_output_
    ex = Explainer(pipeline, people())
    np.testing.assert_allclose(ex.predict(people()), pipeline.predict(people()))
    assert ex.effect("wealth").pd([0.0]).shape == (1,)


def test_absent_cells_of_sparse_tables_are_missing_to_xgboost():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBRegressor(n_estimators=5, max_depth=3, n_jobs=1)
    pipeline = fitted(columns(remainder="passthrough", sparse_threshold=1.0), model)
    made = pipeline[:-1].transform(people()).toarray()
    expected = pipeline.predict(people())
    assert not np.array_equal(expected, model.predict(made)), "as zeros they are something else"
    assert np.array_equal(expected, model.predict(np.where(made == 0, np.nan, made)))
    ex = Explainer(pipeline, people())
    np.testing.assert_allclose(ex.predict(people()), expected, atol=1e-6)
    # A zero is missing there, and other numbers are as they are.
    with pytest.raises(ValueError, match="'wealth' is changed by steps"):
        ex.effect("wealth")


def test_sparse_tables_of_the_user_go_through_the_steps():
    xgboost = pytest.importorskip("xgboost")
    dense = people()[["age", "wealth"]].to_numpy().astype(float)
    dense[::3] = 0.0
    table = csr_matrix(dense)
    model = xgboost.XGBRegressor(n_estimators=5, max_depth=3, n_jobs=1)
    pipeline = fitted(MaxAbsScaler(), model, table=table)
    ex = Explainer(pipeline, table)
    np.testing.assert_allclose(ex.predict(table), pipeline.predict(table), atol=1e-6)
    np.testing.assert_allclose(ex.predict(dense), pipeline.predict(dense), atol=1e-6)
    assert not np.array_equal(ex.predict(table), ex.predict(dense))


def test_bools_beside_floats_are_numbers():
    table = people().drop(columns="town").assign(rich=people()["wealth"] > 0)
    same = ColumnTransformer([("same", "passthrough", ["rich", "wealth"])], remainder="drop")
    pipeline = fitted(same, trees(), table=table)
    assert pipeline[:-1].transform(table).dtype == object
    ex = Explainer(pipeline, table)
    np.testing.assert_allclose(ex.predict(table), pipeline.predict(table))


def test_explainers_of_one_pipeline_merge_and_those_of_others_do_not():
    pipeline = fitted(columns(remainder="passthrough"), trees())
    whole, half = Explainer(pipeline, people()), Explainer(pipeline, people()[:60])
    half.merge(Explainer(pickle.loads(pickle.dumps(pipeline)), people()[60:]))
    np.testing.assert_array_equal(half.shap(people()).values, whole.shap(people()).values)
    pipeline[0].named_transformers_["age"].mean_ += 1.0
    with pytest.raises(MergeError, match="different models"):
        half.merge(Explainer(pipeline, people()))
    alone = Explainer(pipeline[-1], pipeline[:-1].transform(people()))
    with pytest.raises(MergeError, match="different models"):
        half.merge(alone)


def test_a_step_that_cannot_be_written_down_is_equal_to_none():
    numbers = people()[["age", "wealth"]]
    pipeline = fitted(FunctionTransformer(lambda table: table * 2), trees(), table=numbers)
    ex = Explainer(pipeline, numbers)
    np.testing.assert_allclose(ex.predict(numbers), pipeline.predict(numbers))
    with pytest.raises(MergeError, match="different models"):
        ex.merge(Explainer(pipeline, numbers))


class Sampler:
    """Of imblearn: it changes the rows to train on, and does nothing to those to predict."""

    def fit_resample(self, X: Any, y: Any) -> Any:
        return X, y


def test_samplers_of_imblearn_do_nothing(monkeypatch: pytest.MonkeyPatch):
    kind = type("Pipeline", (Pipeline,), {"__module__": "imblearn.pipeline"})
    module = types.ModuleType("imblearn.pipeline")
    module.Pipeline = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "imblearn.pipeline", module)
    plain = fitted(columns(), trees())
    sampled = kind([plain.steps[0], ("sampler", Sampler()), plain.steps[1]])
    one, other = from_pipeline(sampled), from_pipeline(plain)
    assert one.preparation is not None
    assert one.preparation.same_as(other.preparation)


def test_what_a_model_with_rounds_is_asked_for_goes_on_to_it():
    xgboost = pytest.importorskip("xgboost")
    pipeline = fitted(columns(), xgboost.XGBRegressor(n_estimators=5, n_jobs=1))
    assert from_pipeline(pipeline, iteration_range=(0, 2)).n_trees == 2
