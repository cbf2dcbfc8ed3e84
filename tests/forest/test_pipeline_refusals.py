"""Pipelines and tables that cannot be explained exactly, with the reason and the way out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from some_pipelines import columns, fitted, people, trees

from fastpd import Explainer
from fastpd.errors import DataError, ModelError, UnsupportedModelError
from fastpd.forest.importers.sklearn.pipeline import from_pipeline


class Doubling(Pipeline):
    """A pipeline of a user's own, which does not predict as scikit-learn's do."""

    def predict(self, X: Any, **params: Any) -> Any:
        return 2 * super().predict(X, **params)


class Untold:
    """A transformer that does not say what it was fitted with."""

    def fit(self, X: Any, y: Any = None) -> Untold:
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X)


class Stuck(StandardScaler):
    """A transformer that nobody can copy."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("cannot copy a connection")


NUMBERS = people()[["age", "wealth"]]
REFUSED: dict[str, tuple[Any, str]] = {
    "nothing fitted": (lambda: make_pipeline(columns(), trees()), "not fitted"),
    "a step not fitted": (
        lambda: make_pipeline(StandardScaler(), trees().fit(NUMBERS, NUMBERS["age"])),
        "step 'standardscaler' .* is not fitted. Call `fit` of the pipeline first",
    ),
    "no model": (
        lambda: make_pipeline(columns()).fit(people()),
        "last step 'columntransformer' .* is a ColumnTransformer, which predicts nothing",
    ),
    "no model but passthrough": (
        lambda: make_pipeline(columns(), "passthrough").fit(people()),
        "last step 'passthrough' .* is 'passthrough', which predicts nothing",
    ),
    "no trees": (
        lambda: fitted(columns(), LinearRegression()),
        "last step 'linearregression' .* cannot be explained. A LinearRegression",
    ),
    "a changed target": (
        lambda: fitted(columns(), TransformedTargetRegressor(trees())),
        "cannot be explained",
    ),
    "a class of its own": (
        lambda: Doubling(fitted(columns(), trees()).steps),
        r"give sklearn.pipeline.Pipeline\(pipeline.steps\)",
    ),
    "steps within the last step": (
        lambda: fitted(StandardScaler(), fitted(PCA(2), trees(), table=NUMBERS), table=NUMBERS),
        "itself a pipeline with steps before its model; put all steps into one",
    ),
    "unknown columns": (
        lambda: fitted(Untold(), trees(), table=NUMBERS),
        r"first step 'untold' .* does not say .* Explainer\(pipeline\[-1\]",
    ),
    "a step that cannot be copied": (
        lambda: fitted(Stuck(), trees(), table=NUMBERS),
        "cannot be copied: cannot copy a connection",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_explained_says_why(make: Any, message: str):
    with pytest.raises(ModelError, match=message):
        Explainer(make(), people())


def test_a_step_without_transform_and_no_steps_at_all():
    class Nothing:
        pass

    with pytest.raises(UnsupportedModelError, match="without `transform`"):
        from_pipeline(Pipeline([("a", Nothing()), ("b", trees().fit(NUMBERS, NUMBERS["age"]))]))
    with pytest.raises(ModelError, match="has no steps"):
        from_pipeline(without_steps())


def without_steps() -> Any:
    pipeline = Pipeline([("model", trees())])
    pipeline.steps = []
    return pipeline


def test_what_a_step_refuses_is_an_error_of_the_data():
    ex = Explainer(fitted(columns(), trees()), people())
    with pytest.raises(DataError, match=r"X did not go through the steps.*unknown categories"):
        ex.predict(people().assign(town="Genf"))
    with pytest.raises(DataError, match="X lacks 1 of the model's 3 columns: 'town'"):
        ex.predict(people().drop(columns="town"))


class Shortening(FunctionTransformer):
    """A step that loses rows."""

    def transform(self, X: Any) -> Any:
        return super().transform(X)[1:]


def test_a_step_must_make_a_row_of_each():
    pipeline = make_pipeline(Shortening().fit(NUMBERS), trees().fit(NUMBERS, NUMBERS["age"]))
    with pytest.raises(DataError, match="made 119 rows of 120 rows of background"):
        Explainer(pipeline, NUMBERS)
