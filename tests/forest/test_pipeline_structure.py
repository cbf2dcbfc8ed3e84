"""Sources of columns are followed through transformers that are made of others."""

# The imports below the skips need what the skips ask for.
# ruff: noqa: E402

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")

from claims import MIX, N, claimed, mixed, numbers, owners, target
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import (
    SelectKBest,
    f_regression,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from fastpd.forest.importers.sklearn._sources import Source, sources_after

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
