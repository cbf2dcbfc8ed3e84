"""The column that each column comes from is read off fitted transformers, and is the right one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("pandas")

from claims import MIX, claimed, gappy, labels, numbers, owners
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_regression,
)
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

EACH = [
    Binarizer(),
    MaxAbsScaler(),
    MinMaxScaler(),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=10),
    RobustScaler(),
    StandardScaler(),
    KBinsDiscretizer(3, encode="ordinal", strategy="uniform"),
    FunctionTransformer(),
    FunctionTransformer(np.exp),
    TargetEncoder(target_type="continuous", cv=3),
]


@pytest.mark.parametrize("step", EACH, ids=lambda step: type(step).__name__)
def test_a_column_for_each(step: Any):
    assert owners(step, numbers()) == [0, 1, 2]


SEVERAL: dict[str, tuple[Any, Any, list[int | None]]] = {
    "one hot": (OneHotEncoder(), labels, [0] * 3 + [1] * 2 + [2] * 5),
    "one hot, first dropped": (OneHotEncoder(drop="first"), labels, [0] * 2 + [1] + [2] * 4),
    "one hot, pairs dropped": (OneHotEncoder(drop="if_binary"), labels, [0] * 3 + [1] + [2] * 5),
    "one hot, rare together": (
        OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"),
        labels,
        [0] * 3 + [1] * 2 + [2] * 3,
    ),
    "one hot, rare together and first dropped": (
        OneHotEncoder(max_categories=3, drop="first", sparse_output=False),
        labels,
        [0] * 2 + [1] + [2] * 2,
    ),
    "one hot, rare together and one dropped": (
        OneHotEncoder(min_frequency=10, drop=["x", "u", "p"]),
        labels,
        [0] * 2 + [1] + [2] * 2,
    ),
    "ordinal": (OrdinalEncoder(), labels, [0, 1, 2]),
    "targets of three classes": (TargetEncoder(cv=3), labels, [0] * 3 + [1] * 3 + [2] * 3),
    "bins": (
        KBinsDiscretizer([2, 4, 3], strategy="uniform"),
        numbers,
        [0] * 2 + [1] * 4 + [2] * 3,
    ),
    "splines": (SplineTransformer(4, degree=2), numbers, [0] * 5 + [1] * 5 + [2] * 5),
    "splines without bias": (
        SplineTransformer(3, degree=1, include_bias=False),
        numbers,
        [0] * 2 + [1] * 2 + [2] * 2,
    ),
    "imputer": (SimpleImputer(), gappy, [0, 2, 3]),
    "imputer that keeps": (SimpleImputer(keep_empty_features=True), gappy, [0, 1, 2, 3]),
    "imputer with marks": (SimpleImputer(add_indicator=True), gappy, [0, 2, 3, 0, 1, 3]),
    "marks": (MissingIndicator(), gappy, [0, 1, 3]),
    "all marks": (MissingIndicator(features="all"), gappy, [0, 1, 2, 3]),
}


@pytest.mark.filterwarnings("ignore:Skipping features without")
@pytest.mark.parametrize(("step", "table", "expected"), SEVERAL.values(), ids=SEVERAL.keys())
def test_other_numbers_of_columns(step: Any, table: Any, expected: list[int | None]):
    assert owners(step, table()) == expected


@pytest.mark.filterwarnings("ignore:Skipping features without")
def test_an_empty_column_that_a_constant_may_fill():
    step = SimpleImputer(strategy="constant", fill_value=-1)
    stays = step.fit_transform(gappy()).shape[1] == 4  # in some versions of scikit-learn
    assert owners(step, gappy()) == ([0, 1, 2, 3] if stays else [0, 2, 3])


@pytest.mark.parametrize(
    "step",
    [
        SelectKBest(f_regression, k=2),
        SelectFromModel(ExtraTreesRegressor(3, random_state=0), threshold="median"),
        RFE(ExtraTreesRegressor(3, random_state=0), n_features_to_select=2),
        VarianceThreshold(numbers().var(ddof=0).min()),
    ],
    ids=lambda step: type(step).__name__,
)
def test_chosen_columns_keep_their_values(step: Any):
    found = claimed(step, numbers())
    assert len(found) == 2
    assert all(source.same and source.column is not None for source in found)


@pytest.mark.parametrize(
    "step",
    [
        PCA(3),
        PolynomialFeatures(2),
        Normalizer(),
        KNNImputer(),
        IterativeImputer(max_iter=1),
        FunctionTransformer(lambda table: np.asarray(table)[:, ::-1]),
        FunctionTransformer(np.exp, kw_args={"where": True}),
        FeatureUnion([("pca", PCA(1)), ("scaled", StandardScaler())]),
        make_pipeline(StandardScaler(), PCA(2)),
    ],
    ids=str,
)
def test_steps_that_may_mix_columns_own_up_to_it(step: Any):
    assert MIX in owners(step, numbers())


class Reversing(StandardScaler):
    """A class of a user's own may do anything."""

    def transform(self, X: Any, copy: Any = None) -> Any:
        return super().transform(X, copy)[:, ::-1]


def test_a_class_of_the_users_own_is_not_taken_for_its_base():
    assert owners(Reversing(), numbers()) == [MIX] * 3


@pytest.mark.parametrize("step", [PCA(1), Reversing(), PolynomialFeatures(3), KNNImputer()])
def test_whatever_is_made_of_one_column_comes_from_it(step: Any):
    found = claimed(step, numbers()[["b"]])
    assert {source.column for source in found} == {0}
    assert not any(source.same for source in found)
