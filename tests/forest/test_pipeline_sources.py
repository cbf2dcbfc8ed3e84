"""The column that each column comes from is read off fitted transformers, and is the right one."""

# The imports below the skips need what the skips ask for.
# ruff: noqa: E402

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_regression,
)
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
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

from fastpd.forest.importers.sklearn._sources import Source, sources_after

N = 60
MIX = None


def numbers() -> Any:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.normal(size=N).round(2) for name in "abc"})


def gappy() -> Any:
    table = numbers()
    for k, name in enumerate("ac"):
        table.loc[table.index % 7 == k, name] = np.nan
    table.insert(1, "empty", np.nan)
    return table


def labels() -> Any:
    rng = np.random.default_rng(1)
    counts = {"a": "xyz", "b": "uv", "c": "pqrst"}
    shares = {"a": None, "b": None, "c": [0.4, 0.4, 0.1, 0.05, 0.05]}
    columns = {k: rng.choice(list(of), N, p=shares[k]) for k, of in counts.items()}
    return pd.DataFrame(columns)


def mixed() -> Any:
    return pd.concat([numbers()[["a", "b"]], labels()[["c"]]], axis=1)


def target(table: Any) -> Any:
    return np.arange(len(table)) % 3


def dense(made: Any) -> Any:
    return made.toarray() if hasattr(made, "toarray") else np.asarray(made)


def same_cells(one: Any, other: Any) -> Any:
    return (one == other) | ((one != one) & (other != other))


def claimed(step: Any, table: Any) -> list[Source]:
    """Fit a step, and hold what is claimed of it against what changes in what it makes."""
    step = step.fit(table, target(table))
    before = dense(step.transform(table))
    sources = sources_after(
        step, [Source(k, same=True) for k in range(table.shape[1])], before.shape[1]
    )
    assert sources is not None
    assert len(sources) == before.shape[1]
    rng = np.random.default_rng(2)
    for place, name in enumerate(table.columns):
        shuffled = table.copy()
        shuffled[name] = rng.permutation(table[name].to_numpy())
        kept = same_cells(before, dense(step.transform(shuffled))).all(axis=0)
        for source, same in zip(sources, kept, strict=True):
            assert same or source.column in (MIX, place), (step, place, sources)
    for k, source in enumerate(sources):
        if source.same:
            assert same_cells(before[:, k], table.iloc[:, source.column].to_numpy()).all()
    return sources


def owners(step: Any, table: Any) -> list[int | None]:
    return [source.column for source in claimed(step, table)]


EACH = [
    Binarizer(),
    MaxAbsScaler(),
    MinMaxScaler(),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=10),
    RobustScaler(),
    StandardScaler(),
    KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
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
        KBinsDiscretizer([2, 4, 3], quantile_method="averaged_inverted_cdf"),
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


CHOICES: dict[str, Any] = {
    "names": ["b", "a"],
    "positions": [1, 0],
    "an array": np.array([0, 1]),
    "an index": pd.Index(["a", "b"]),
    "from the end": [-2, -3],
    "a slice": slice(0, 2),
    "a slice from the end": slice(-3, -1),
    "a slice of names": slice("a", "b"),
    "an open slice of names": slice(None, "b"),
    "a mask": [True, True, False],
    "a callable": make_column_selector(dtype_include=float),
}


@pytest.mark.parametrize("remainder", ["drop", "passthrough", OrdinalEncoder()], ids=str)
@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES.keys())
def test_columns_of_a_column_transformer(choice: Any, remainder: Any):
    step = ColumnTransformer(
        [("nothing", StandardScaler(), []), ("scaled", StandardScaler(), choice)],
        remainder=remainder,
    )
    table = mixed()
    if remainder == "passthrough":
        table["c"] = np.arange(N) % 4
    found = owners(step, table)
    assert sorted(found[:2]) == [0, 1]
    assert found[2:] == ([] if remainder == "drop" else [2])


def test_columns_of_an_array_are_chosen_by_position():
    table = numbers()
    parts = [("last", "passthrough", [-1]), ("scaled", StandardScaler(), slice(1, None))]
    step = ColumnTransformer(parts)
    step.fit(table.to_numpy())
    found = sources_after(step, [Source(k, same=True) for k in range(3)], 3)
    assert found == [Source(2, same=True), Source(1), Source(2)]


def test_a_column_may_be_used_twice_and_text_as_one_column():
    table = mixed()
    step = ColumnTransformer(
        [
            ("words", CountVectorizer(analyzer="char"), "c"),
            ("labels", OneHotEncoder(sparse_output=False), ["c"]),
            ("reduced", make_pipeline(OneHotEncoder(sparse_output=False), PCA(2)), ["c"]),
            ("all", PCA(1), ["a", "b"]),
            ("same", "passthrough", ["b"]),
        ],
        sparse_threshold=0,
    )
    assert owners(step, table) == [2] * 5 + [2] * 5 + [2] * 2 + [MIX] + [1]


def test_weights_change_values():
    step = ColumnTransformer([("a", "passthrough", ["a"]), ("b", "passthrough", ["b"])])
    assert [s.same for s in claimed(step, numbers())] == [True, True]
    step.set_params(transformer_weights={"a": 2.0})
    assert [s.same for s in claimed(step, numbers())] == [False, True]
    union = FeatureUnion([("a", "passthrough")], transformer_weights={"a": 3.0})
    assert [s.same for s in claimed(union, numbers())] == [False] * 3


def test_unions_and_pipelines_within_each_other():
    union = make_union(
        "passthrough", StandardScaler(), make_pipeline("passthrough", MinMaxScaler())
    )
    assert owners(union, numbers()) == [0, 1, 2] * 3
    union.set_params(standardscaler="drop")
    assert owners(union, numbers()) == [0, 1, 2] * 2
    columns = ColumnTransformer([("a", union, ["c", "a"])], remainder="passthrough")
    step = Pipeline([("first", columns), ("chosen", SelectKBest(f_regression, k=3))])
    kept = step.fit(numbers(), target(numbers()))[-1].get_support(indices=True)
    chosen = [[2, 0, 2, 0, 1][k] for k in kept]
    assert owners(step, numbers()) == chosen


def test_mixed_columns_that_a_later_step_drops_do_no_harm():
    first = ColumnTransformer([("pca", PCA(1), ["a", "b"])], remainder="passthrough")
    step = make_pipeline(first, ColumnTransformer([("last", "passthrough", [-1])]))
    assert owners(step, numbers()) == [2]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_steps_that_hand_on_frames(kind: str):
    pytest.importorskip(kind)
    columns = ColumnTransformer(
        [("labels", OneHotEncoder(sparse_output=False), ["c"]), ("scaled", MinMaxScaler(), ["b"])],
        remainder="passthrough",
    )
    last = ColumnTransformer(
        [("some", StandardScaler(), ["remainder__a", "labels__c_p"])], remainder="drop"
    )
    step = make_pipeline(columns, last).set_output(transform=kind)
    assert owners(step, mixed()) == [0, 2]


def test_nothing_is_claimed_where_a_step_makes_another_number_of_columns():
    step = StandardScaler().fit(numbers())
    given = [Source(0, same=True), Source(1), Source(2)]
    assert sources_after(step, given, 4) == [Source(MIX)] * 4
    assert sources_after(step, given[:2], 2) == [Source(MIX)] * 2


class Silent:
    """A transformer that does not say what it makes."""

    def fit(self, X: Any, y: Any = None) -> Silent:
        return self

    def transform(self, X: Any) -> Any:
        return X


def test_a_step_of_unknown_width_leaves_all_open():
    given = [Source(0), Source(1)]
    assert sources_after(Silent(), given) is None
    assert sources_after(Silent(), given, 3) == [Source(MIX)] * 3
    union = FeatureUnion([("silent", Silent()), ("same", "passthrough")])
    assert sources_after(union, given, 4) == [Source(MIX)] * 4
