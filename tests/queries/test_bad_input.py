"""What cannot be answered is refused: what was given, what was expected, the way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastpd
from fastpd import (
    BackgroundError,
    DataError,
    Explainer,
    FeatureError,
    MemoryLimitError,
    MergeError,
    OptionError,
    UnsupportedModelError,
    WeightError,
)
from fastpd.forest import IntervalSplits
from oracles import Split, forest

MODEL = forest(
    [Split(0, 0.5, 1.0, 2.0), Split(1, 0.5, Split(0, 0.2, 1.0, 5.0), 3.0)], 2, names=("age", "sex")
)
TWO = replace(
    MODEL, base=np.zeros(2), tree_output=np.array([0, 1], np.int32), output_names=("y", "z")
)
X = np.random.default_rng(0).random((20, 2))
ONES = np.ones(20)


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, X)


def says(error: type[Exception], *words: str, run: Callable[[], Any]) -> None:
    """Check the kind of an error and what its message must carry."""
    assert issubclass(error, fastpd.FastPDError)
    with pytest.raises(error) as caught:
        run()
    for word in words:
        assert word in str(caught.value)


OPTIONS = [
    *({"n_jobs": n} for n in (0, -2, 1.5, True, "2", ONES)),
    *({"precision": p} for p in ("single", "FAST", None, 1, ONES)),
    *({"memory_limit": m} for m in (0, -1, 0.5, "lots", "0GB", "0.1B", "1e9", None, True, [])),
    *({"memory_limit": m} for m in (float("nan"), float("inf"))),
    *({"progress": p} for p in (3, "bar", [], 0)),
    *({"output": o} for o in (1, -1, "y1", True, 1.0, ONES)),
]
WAYS_OUT = {
    "n_jobs": "None for all cores",
    "precision": "'double'",
    "memory_limit": "'500MB'",
    "progress": "True, False, or a function",
    "output": "'sum'",
}


@pytest.mark.parametrize("option", OPTIONS, ids=str)
def test_options_outside_what_they_may_be(option: dict[str, Any]):
    ((name, given),) = option.items()
    says(OptionError, name, repr(given), WAYS_OUT[name], run=lambda: Explainer(MODEL, X, **option))


def test_an_unknown_output_comes_with_the_nearest_name():
    says(OptionError, "Did you mean 'y0'?", run=lambda: Explainer(MODEL, X, output="y"))


def test_an_output_that_may_be_either_of_two_is_refused():
    named = replace(TWO, output_names=("1", "0"))
    says(
        OptionError,
        "output of index 1, which is '0'",
        "called '1'",
        run=lambda: Explainer(named, output=1),
    )
    assert Explainer(named, output="1").output_names == ("1",)
    summed = replace(TWO, output_names=("sum", "rest"))
    says(OptionError, "sum of all outputs", run=lambda: Explainer(summed, output="sum"))
    assert Explainer(summed, output=0).output_names == ("sum",)


@pytest.mark.parametrize(
    "limit",
    [
        10**9,
        "1GB",
        "0.5 GiB",
        "100000",
        np.int64(10**6),
        1e9,
        1e300,
        10**30,
        f"{10**30} TB",
    ],
)
def test_memory_may_be_given_in_bytes_or_as_text(limit: Any):
    assert Explainer(MODEL, X, memory_limit=limit).plan().memory_limit >= 10**5


@pytest.mark.parametrize("model", [3, None, "x", object()], ids=repr)
def test_models_of_unknown_kind(model: Any):
    with pytest.raises(fastpd.ModelError):
        Explainer(model, X)
    if not isinstance(model, str):
        says(UnsupportedModelError, type(model).__name__, "XGB", run=lambda: Explainer(model, X))


def test_a_class_is_not_one_of_its_objects(ex: Explainer):
    unfit = (UnsupportedModelError, "class Forest itself", "Make one")
    says(*unfit, run=lambda: Explainer(fastpd.Forest, X))
    says(DataError, "background is the class DataFrame", run=lambda: Explainer(MODEL, pd.DataFrame))
    says(DataError, "X is the class ndarray", run=lambda: ex.shap(np.ndarray))


def test_threads_beyond_all_reason_change_nothing(ex: Explainer):
    many = Explainer(MODEL, X, n_jobs=2**40)
    np.testing.assert_array_equal(many.shap(X).values, ex.shap(X).values)


@pytest.mark.parametrize("query", ["shap", "predict", "components", "interactions", "importance"])
def test_rows_that_are_none(ex: Explainer, query: str):
    ask = getattr(ex, query)
    says(DataError, "X", "1 columns", "2 features", "'age'", run=lambda: ask(X[:, :1]))
    says(DataError, "3 columns", "exactly those", run=lambda: ask(np.zeros((2, 3))))
    says(DataError, "1 dimensions", "X[None, :]", run=lambda: ask(X[0]))
    says(DataError, "'age' holds 'young'", run=lambda: ask([["young", "f"]]))
    says(DataError, "holds '1'", "array of floats", run=lambda: ask([["1", "2"]]))
    says(DataError, "complex128", "expected float", run=lambda: ask(X + 0j))
    says(DataError, "dict", "DataFrame", run=lambda: ask({"age": [1.0]}))
    says(DataError, "generator of batches", "one table", run=lambda: ask(row for row in X))
    says(DataError, "str", "2-D array", run=lambda: ask("people.csv"))
    says(DataError, "holds None", "as NaN", run=lambda: ask([[1.0, None]]))
    objects = pd.DataFrame({"age": ["old", 3], "sex": [0, 1]}, dtype=object)
    says(DataError, "'age'", "object", "expected numbers", run=lambda: ask(objects))
    if query != "importance":
        says(DataError, "NoneType", "2-D array", run=lambda: ask(None))


def test_value_checks_its_rows(ex: Explainer):
    says(DataError, "1 columns", run=lambda: ex.value("age", X[:, :1]))


def test_tables_go_by_name(ex: Explainer):
    table = pd.DataFrame(X, columns=["age", "sex"])
    np.testing.assert_array_equal(ex.predict(table[["sex", "age"]]), ex.predict(X))
    wrong = table.rename(columns={"age": "aged"})
    says(DataError, "'age'", "Did you mean 'aged'?", run=lambda: ex.predict(wrong))
    text = table.assign(age="old")
    says(DataError, "'age'", "'old'", run=lambda: ex.shap(text))


def test_numbers_that_a_float_cannot_hold_are_not_rounded(ex: Explainer):
    says(DataError, "9007199254740993", "round", run=lambda: ex.shap(np.full((1, 2), 2**53 + 1)))


def test_backgrounds_without_rows():
    says(BackgroundError, "no rows", "at least one", run=lambda: Explainer(MODEL, X[:0]))
    says(BackgroundError, "no rows", run=lambda: Explainer(MODEL, iter([])))
    says(BackgroundError, "no rows", run=lambda: Explainer(MODEL, X).update(X[:0]))
    says(DataError, "background", "3 columns", run=lambda: Explainer(MODEL, np.zeros((3, 3))))


ASKS: dict[str, Callable[[Explainer], Any]] = {
    "expected_value": lambda ex: ex.expected_value,
    "predict": lambda ex: ex.predict(X),
    "value": lambda ex: ex.value("age", X),
    "shap": lambda ex: ex.shap(X),
    "components": lambda ex: ex.components(X),
    "interactions": lambda ex: ex.interactions(X),
    "effect": lambda ex: ex.effect("age"),
    "importance": lambda ex: ex.importance(),
    "plan": lambda ex: ex.plan(),
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS.keys())
def test_questions_before_there_is_a_background(ask: Callable[[Explainer], Any]):
    says(BackgroundError, "no background yet", "update(rows)", run=lambda: ask(Explainer(MODEL)))


BAD_WEIGHTS = {
    "negative": (np.append(-1.0, ONES[1:]), "weight -1.0 of row 0", "give them weight 0"),
    "NaN": (np.append(ONES[1:], np.nan), "weight nan of row 19", ">= 0"),
    "infinite": (np.full(20, np.inf), "weight inf of row 0", "20 of 20"),
    "masked": (np.ma.masked_equal(ONES, 1), "weights are a masked array", "without a weight"),
    "all zero": (0 * ONES, "all weights are zero", "at least one positive"),
    "too few": (ONES[:3], "(3,)", "expected (20,)"),
    "a matrix": (ONES[None], "(1, 20)", "expected (20,)"),
    "one number": (1.0, "()", "expected (20,)"),
    "text": (["1"] * 20, "['1'", "one number for each background row"),
    "complex": (ONES + 1j, "one number for each background row"),
    "objects": ([None] * 20, "None", "one number for each background row"),
}


@pytest.mark.parametrize("bad", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS.keys())
def test_weights_that_are_none(bad: tuple[Any, ...]):
    weights, *words = bad
    says(WeightError, *words, run=lambda: Explainer(MODEL, X, weights=weights))
    if "all weights are zero" in words:
        return
    says(WeightError, *words, run=lambda: Explainer(MODEL, X).update(X, weights))


def test_weights_come_as_the_background_does():
    says(WeightError, "without a background", run=lambda: Explainer(MODEL, weights=ONES))
    one = Explainer
    says(WeightError, "in batches too", run=lambda: one(MODEL, iter([X]), weights=ONES))
    says(WeightError, "batches", run=lambda: one(MODEL, iter([X, X]), weights=iter([ONES])))
    says(WeightError, "one number", run=lambda: one(MODEL, X, weights=iter([ONES])))


def test_a_refused_update_leaves_the_explainer_as_it_was():
    ex = Explainer(MODEL, X)
    before = ex.shap(X).values
    for background, weights in ((X[:, :1], None), (X, -ONES), (iter([X, X[:, :1]]), None)):
        with pytest.raises(fastpd.FastPDError):
            ex.update(background, weights)
    assert ex.n_background == 20
    np.testing.assert_array_equal(ex.shap(X).values, before)


BAD_FEATURES = {
    "unknown": ("agee", "'agee'", "age, sex", "Did you mean 'age'?"),
    "unknown in a set": (("sex", "agee"), "'agee'", "Did you mean 'age'?"),
    "beyond the last": ((5,), "5", "2 features, 0 to 1"),
    "negative": ((-1,), "-1", "0 to 1"),
    "bool": ((True,), "bool", "a name or an index"),
    "float": ((1.0,), "float", "a name or an index"),
    "none": (None, "None", "('age', 'sex')"),
    "bytes": (b"age", "bytes", "('age', 'sex')"),
    "a mapping": ({"age": 1}, "dict", "('age', 'sex')"),
    "a generator": ((name for name in ("age",)), "generator", "('age', 'sex')"),
    "the rows": (X, "ndarray", "a name or an index"),
    "an array of no dimensions": (np.array(0), "ndarray", "('age', 'sex')"),
    "twice": (("age", "age"), "'age' stands twice", "once"),
    "twice by name and index": ((0, "age"), "'age' stands twice"),
}


@pytest.mark.parametrize("bad", BAD_FEATURES.values(), ids=BAD_FEATURES.keys())
def test_feature_sets_that_the_model_has_not(ex: Explainer, bad: tuple[Any, ...]):
    features, *words = bad
    says(FeatureError, *words, run=lambda: ex.value(features, X))
    says(FeatureError, *words, run=lambda: ex.value([("age",), features], X))


def test_effects_are_of_one_to_three_features(ex: Explainer):
    says(OptionError, "0 features", "effect('age')", run=lambda: ex.effect())
    says(OptionError, "4 features", "two or three", run=lambda: ex.effect("age", "sex", 0, 1))
    says(FeatureError, "twice", run=lambda: ex.effect("age", "age"))
    says(FeatureError, "Did you mean 'age'?", run=lambda: ex.effect("ag"))
    says(FeatureError, "tuple", run=lambda: ex.effect(("age", "sex")))


def test_effects_are_asked_for_numbers_alone(ex: Explainer):
    says(DataError, "'age'", "old", "expected numbers", run=lambda: ex.effect("age").pd("old"))
    for wrong in ("1.5", ["1", "2"], [None], [[1], [1, 2]], np.ma.array([1.0], mask=[True]), [1j]):
        run = lambda wrong=wrong: ex.effect("age").pd(wrong)  # noqa: E731
        says(DataError, "'age'", "expected numbers", "NaN for missing", run=run)
    pair = ex.effect("age", "sex")
    says(DataError, "1 arrays", "expected 2", run=lambda: pair.pd([1.0]))
    says(DataError, "('age', 'sex')", "expected numbers", run=lambda: pair.pd([[1], [1, 2]]))
    says(DataError, "(2,) and (3,)", "broadcast", run=lambda: pair.pd([1, 2], [1, 2, 3]))


@pytest.mark.parametrize("order", [0, -1, 1.5, True, "2", None])
def test_orders_are_whole_numbers_from_one(ex: Explainer, order: Any):
    asks = (ex.components, lambda rows, n: ex.importance(rows, n), ex.interactions)
    for ask in asks:
        says(OptionError, "order", repr(order), "at least 1", run=lambda ask=ask: ask(X, order))


@pytest.mark.parametrize("index", ["sii", "XII", None, 3, np.array(["SII", "BII"])], ids=str)
def test_unknown_indices(ex: Explainer, index: Any):
    run = lambda: ex.interactions(X, 2, index)  # noqa: E731
    says(OptionError, repr(index), "SII, STII, FSII, BII, Moebius", run=run)


def test_an_unknown_index_comes_with_the_nearest_name(ex: Explainer):
    says(OptionError, "Did you mean 'FSII'?", run=lambda: ex.interactions(X, 2, "FSI"))


@pytest.mark.parametrize("dtype", ["float16", int, "i4", bool, np.complex128, ">f4", "x", X])
def test_answers_are_float64_or_float32(ex: Explainer, dtype: Any):
    for ask in (ex.shap, ex.components, ex.interactions, lambda x, **o: ex.value("age", x, **o)):
        run = lambda ask=ask: ask(X, dtype=dtype)  # noqa: E731
        says(OptionError, "dtype", "'float64' or 'float32'", run=run)


def test_importance_needs_rows(ex: Explainer):
    says(OptionError, "no rows", "at least one", run=lambda: ex.importance(X[:0]))
    says(OptionError, "no rows", "at least one", run=ex.components(X[:0]).importance)
    tight = Explainer(MODEL, X, memory_limit=1000)
    says(MemoryLimitError, "too large", "memory_limit", run=lambda: tight.importance())


def other(**changes: Any) -> Explainer:
    return Explainer(replace(MODEL, **changes), X)


@pytest.mark.parametrize("intervals", [{}, {0: [(0.0, 0.5)]}], ids=["none", "one"])
def test_explainers_of_equal_models_merge(intervals: dict[int, list[tuple[float, float]]]):
    one, two = (other(splits=IntervalSplits.from_mapping(intervals)) for _ in range(2))
    expected = two.expected_value
    one.merge(two)
    assert (one.n_background, one.expected_value) == (40, expected)


def test_explainers_of_other_models_do_not_merge():
    ex = Explainer(MODEL, X)
    says(MergeError, "str", "Explainer", run=lambda: ex.merge("other"))
    for changed in (
        other(threshold=MODEL.threshold + 0.1 * ~MODEL.is_leaf),
        other(value=2 * MODEL.value),
        other(base=MODEL.base + 1),
        other(default_left=~MODEL.default_left),
        other(feature_names=("age", "height")),
        other(missing=0.25),
        other(comparison="float64"),
        other(link="logit"),
        other(splits=IntervalSplits.from_mapping({0: [(0.0, 0.5)]})),
    ):
        says(MergeError, "different models", run=lambda changed=changed: ex.merge(changed))
    assert ex.n_background == 20


def test_models_whose_trees_add_to_other_outputs_do_not_merge():
    trees = [Split(0, 0.5, 1.0, 2.0), Split(1, 0.5, 1.0, 2.0)]
    one, swapped = (
        Explainer(forest(trees, 2, n_outputs=2, tree_output=to), X) for to in ([0, 1], [1, 0])
    )
    says(MergeError, "different models", run=lambda: one.merge(swapped))


def test_explainers_of_one_model_merge_wherever_it_was_read():
    ex = Explainer(MODEL, X)
    ex.merge(other(source="a file", cover=2 * MODEL.cover, missing=float("nan")))
    assert ex.n_background == 40


def test_answers_refuse_sets_that_they_do_not_hold(ex: Explainer):
    parts = ex.components(X, max_order=1)
    says(FeatureError, "2 features", "higher order", run=lambda: parts["age", "sex"])
    says(FeatureError, "Did you mean 'age'?", run=lambda: parts["agee"])
    says(FeatureError, "-1", run=lambda: parts[-1])
    says(FeatureError, "twice", run=lambda: ex.components(X)["age", "age"])
    says(OptionError, "max_order = 1", "Explainer.shap", run=parts.shap)


def test_an_instruction_set_that_there_is_not(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FASTPD_ISA", "mmx")
    says(OptionError, "FASTPD_ISA is mmx", "portable", "unset", run=lambda: Explainer(MODEL, X))


def test_more_threads_than_there_can_be():
    ex = Explainer(MODEL, X, n_jobs=2**70)
    np.testing.assert_array_equal(ex.shap(X).values, Explainer(MODEL, X).shap(X).values)


def test_a_table_that_named_the_features_goes_on_naming_them():
    table = pd.DataFrame(X, columns=["age", "sex"])
    ex = Explainer(replace(MODEL, feature_names=("f0", "f1")), table)
    np.testing.assert_array_equal(ex.predict(table[["sex", "age"]]), ex.predict(X))
    wrong = table.rename(columns={"age": "aged"})
    says(DataError, "'age'", "Did you mean 'aged'?", run=lambda: ex.predict(wrong))


def test_errors_of_features_read_as_they_were_written(ex: Explainer):
    with pytest.raises(KeyError) as caught:
        ex.value("agee", X)
    assert str(caught.value).startswith("unknown feature 'agee'")
