"""The probability scale: means of transformed predictions, over every pair of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, Forest, MemoryLimitError, OptionError, vanilla
from oracles import Floats, Split, forest, predict_forest, random_forest, rows_for

Predict = Callable[[Floats], Floats]


def logit(raw: Floats) -> Floats:
    return 1 / (1 + np.exp(-raw))


def softmax(raw: Floats) -> Floats:
    powers = np.exp(raw)
    return powers / powers.sum(axis=1, keepdims=True)


MODELS: dict[str, tuple[dict[str, Any], str, Callable[[Floats], Floats]]] = {
    "two classes": ({}, "logit", logit),
    "categories": ({"categories": 5}, "logit", logit),
    "a missing number": ({"missing": 0.0}, "logit", logit),
    "one score a class, each its own": ({"outputs": "scalar"}, "logit", logit),
    "classes": ({"outputs": "scalar"}, "softmax", softmax),
    "a steeper curve": ({"outputs": "vector", "slope": 2.5}, "logit", lambda raw: logit(2.5 * raw)),
    "steeper classes": (
        {"outputs": "scalar", "slope": 0.5},
        "softmax",
        lambda raw: softmax(0.5 * raw),
    ),
    "classes in leaves": ({"outputs": "vector"}, "softmax", softmax),
}


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys(), scope="module")
def given(request: pytest.FixtureRequest) -> tuple[Forest, Predict, Floats]:
    options, link, transform = request.param
    rng = np.random.default_rng(1)
    shape = {name: value for name, value in options.items() if name != "slope"}
    model = replace(
        random_forest(rng, 3, n_trees=6, **shape), link=link, slope=options.get("slope", 1.0)
    )
    return model, lambda rows: transform(predict_forest(model, rows)), rows_for(model, 40, rng)


def test_values_are_means_of_probabilities(given: tuple[Forest, Predict, Floats]):
    model, predict, rows = given
    weights = np.arange(1.0, 41.0)
    ex = Explainer(model, rows, weights=weights)
    sets = [(), (0,), (1, 2), (0, 1, 2)]
    found = ex.value(sets, rows[:9], scale="probability")
    for column, subset in enumerate(sets):
        expected = vanilla.value(predict, rows, rows[:9], subset, weights)
        np.testing.assert_allclose(found[:, column], expected, rtol=0, atol=1e-14)


def test_effects_are_steps_of_probabilities(given: tuple[Forest, Predict, Floats]):
    model, predict, rows = given
    ex = Explainer(model, rows)
    parts = vanilla.components(predict, rows, rows[:9])
    one, two = ex.effect("x1", scale="probability"), ex.effect("x2", "x0", scale="probability")
    values = vanilla.value(predict, rows, rows[:9], (1,))
    np.testing.assert_allclose(one.pd(rows[:9, 1]), values, atol=1e-14)
    np.testing.assert_allclose(one.component(rows[:9, 1]), parts[1,], atol=1e-14)
    joint = two.component(rows[:9, 2], rows[:9, 0])
    np.testing.assert_allclose(joint, parts[0, 2], atol=1e-14)
    assert one.link == two.link == "probability"


def test_a_mean_is_the_same_bits_in_any_batch():
    rng = np.random.default_rng(2)
    model = replace(random_forest(rng, 4, n_trees=9), link="logit")
    background, rows = rows_for(model, 3000, rng), rows_for(model, 300, rng)
    ex = Explainer(model, background)
    whole = ex.value((0, 2), rows, scale="probability")
    apart = [Explainer(model, background, n_jobs=1).value((0, 2), part, scale="probability")
             for part in np.array_split(rows, 7)]  # fmt: skip
    np.testing.assert_array_equal(np.concatenate(apart), whole)


def test_probabilities_of_scores_far_from_zero():
    model = replace(forest([Split(0, 0.0, -1e4, 1e4)], 1), link="logit")
    found = Explainer(model, [[-1.0], [1.0]]).value((0,), [[-1.0], [1.0]], scale="probability")
    np.testing.assert_array_equal(found, [0.0, 1.0])


def test_the_cost_is_announced():
    model = replace(forest([Split(0, 0.0, -1.0, 1.0)], 1), link="logit")
    plan = Explainer(model, np.zeros((70, 1))).plan()
    assert plan.probability_predictions == 70
    assert "scale='probability' takes 70 predictions a row" in str(plan)


def test_models_without_probabilities_are_refused():
    rows = np.zeros((2, 1))
    plain = forest([Split(0, 0.0, -1.0, 1.0)], 1)
    with pytest.raises(OptionError, match="its link is 'identity'"):
        Explainer(plain, rows).value((0,), rows, scale="probability")
    model = replace(random_forest(np.random.default_rng(0), 1, outputs="vector"), link="softmax")
    with pytest.raises(OptionError, match="explain all outputs"):
        Explainer(model, rows, output=1).effect(0, scale="probability")
    with pytest.raises(OptionError, match=r"'probabilty'.* Did you mean 'probability'\?"):
        Explainer(plain, rows).effect(0, scale="probabilty")


def test_a_background_too_large_to_keep_is_refused():
    model = replace(forest([Split(0, 0.0, -1.0, 1.0)], 1), link="logit")
    ex = Explainer(model, np.zeros((5000, 1)), memory_limit="100KB")
    with pytest.raises(MemoryLimitError, match="Raise memory_limit"):
        ex.value((0,), [[1.0]], scale="probability")


def test_scores_that_are_probabilities_need_no_transformation():
    model = replace(random_forest(np.random.default_rng(0), 3), link="probability")
    rows = rows_for(model, 9, np.random.default_rng(1))
    ex = Explainer(model, rows)
    found = ex.value((0, 1), rows, scale="probability")
    np.testing.assert_array_equal(found, ex.value((0, 1), rows))
    assert ex.effect("x1", scale="probability").link == "probability"


def test_a_sum_of_scores_has_no_probability():
    model = replace(random_forest(np.random.default_rng(0), 1, outputs="vector"), link="logit")
    with pytest.raises(OptionError, match="its link is 'identity'"):
        Explainer(model, np.zeros((2, 1)), output="sum").value((), [[0.0]], scale="probability")
