"""Effects of three features, and where the background supports an effect."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, MemoryLimitError, measures, vanilla
from oracles import Floats, Split, forest, oracle, path_forest, random_forest, rows_for, spread

MODELS: dict[str, dict[str, Any]] = {
    "one output": {},
    "several outputs": {"outputs": "vector"},
    "a missing number": {"missing": 0.0},
    "categories": {"categories": 4},
}


@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("precision", ["fast", "double"])
def test_effects_of_three_features(options: dict[str, Any], precision: str):
    rng = np.random.default_rng(3)
    model = random_forest(rng, 4, n_trees=6, depth=5, stop=0.05, **options)
    background, rows = rows_for(model, 30, rng), rows_for(model, 20, rng)
    weights = rng.random(30)
    ex = Explainer(model, background, weights=weights, precision=precision)
    parts = vanilla.components(oracle(model), background, rows, weights=weights)
    pd = vanilla.value(oracle(model), background, rows, (0, 2, 3), weights)
    close = 1e-12 * spread(model, rows)
    for order in permutations((0, 2, 3)):
        effect = ex.effect(*order)
        at = [rows[:, k] for k in order]
        np.testing.assert_allclose(effect.component(*at), parts[0, 2, 3], atol=close)
        np.testing.assert_allclose(effect.pd(*at), pd, atol=close)
        np.testing.assert_array_equal(effect.pd(rows[:, order]), effect.pd(*at))
    assert np.abs(parts[0, 2, 3]).max() > 0


def test_three_features_of_which_no_tree_tests_one():
    ex = Explainer(path_forest(4), np.zeros((3, 4)))
    assert ex.effect(0, 1, 2).component_steps.any()
    model = replace(forest([Split(0, 0.5, Split(1, 0.5, 0.0, 3.0), 1.0)], 3))
    rows = np.random.default_rng(0).normal(size=(9, 3))
    effect = Explainer(model, rows).effect(2, 1, 0)
    assert effect.levels.shape == (1, 2, 2)
    assert not effect.component_steps.any()
    expected = vanilla.value(oracle(model), rows, rows, (0, 1, 2))
    np.testing.assert_allclose(effect.pd(rows[:, ::-1]), expected, atol=1e-12)


def test_three_features_on_the_probability_scale():
    rng = np.random.default_rng(4)
    model = replace(random_forest(rng, 3, n_trees=3, depth=3), link="logit")
    rows = rows_for(model, 12, rng)

    def probability(given: Any) -> Floats:
        return 1 / (1 + np.exp(-oracle(model)(given)))

    effect = Explainer(model, rows).effect(0, 1, 2, scale="probability")
    expected = vanilla.components(probability, rows, rows)[0, 1, 2]
    np.testing.assert_allclose(effect.component(rows), expected, atol=1e-13)


def test_three_features_by_another_measure():
    model = random_forest(np.random.default_rng(5), 3, n_trees=4, depth=4)
    rows = rows_for(model, 9, np.random.default_rng(6))
    ex = Explainer(model, measure=measures.Product(rows), precision="double")
    found = ex.effect(0, 1, 2).pd(rows)
    np.testing.assert_allclose(found, ex.value((0, 1, 2), rows), atol=1e-12)


def test_too_many_cells_are_refused_with_the_numbers():
    model = forest([Split(k, float(t), 0.0, 1.0) for k in range(3) for t in range(50)], 3)
    ex = Explainer(model, np.zeros((1, 3)), memory_limit="1MB")
    assert ex.effect(0, 1).levels.shape == (51, 51)
    with pytest.raises(MemoryLimitError, match=r"52 x 52 x 52 steps, 2,249,728 bytes.*1,000,000"):
        ex.effect(0, 1, 2)


class TestSupport:
    MODEL = forest([Split(0, 20.0, 0.0, Split(0, 60.0, 1.0, Split(1, 0.5, 0.0, 2.0)))], 3)
    ROWS = np.array([[10, 0, 0], [30, 0, 0], [30, 1, 0], [np.nan, 1.0, 0]])

    def test_is_the_share_of_each_step(self):
        effect = Explainer(self.MODEL, self.ROWS).effect(0)
        np.testing.assert_array_equal(effect.support, [0.25, 0.25, 0.5, 0])

    def test_is_that_of_weights(self):
        ex = Explainer(self.MODEL, self.ROWS[:3], weights=[1, 2, 5])
        np.testing.assert_array_equal(ex.effect(0).support, [0, 0.125, 0.875, 0])

    def test_of_several_features_is_that_of_cells(self):
        effect = Explainer(self.MODEL, self.ROWS).effect(1, 0)
        expected = np.zeros((3, 4))
        expected[1, 1] = expected[1, 2] = expected[2, 2] = expected[2, 0] = 0.25
        np.testing.assert_array_equal(effect.support, expected)

    def test_does_not_depend_on_batches(self):
        ex = Explainer(self.MODEL, self.ROWS[:1])
        ex.update(self.ROWS[1:])
        np.testing.assert_array_equal(ex.effect(0).support, [0.25, 0.25, 0.5, 0])

    def test_is_unknown_where_no_rows_are(self):
        gaussian = measures.Gaussian(np.zeros(3), np.eye(3))
        assert Explainer(self.MODEL, measure=gaussian).effect(0).support is None
        many = np.zeros((200_000, 3))
        small = Explainer(self.MODEL, many, memory_limit="1MB")
        assert small.effect(0).support is None
        assert Explainer(self.MODEL, self.ROWS).effect(2).support is None
        assert Explainer(self.MODEL, self.ROWS).effect(0, 2).support is None

    def test_of_a_measure_that_was_made_of_rows(self):
        ex = Explainer(self.MODEL, measure=measures.Product(self.ROWS))
        np.testing.assert_array_equal(ex.effect(0).support, [0.25, 0.25, 0.5, 0])

    def test_of_labels(self):
        model = random_forest(np.random.default_rng(0), 3, categories=4)
        rows = np.array([[0, 0, 0], [1, 0, 0], [1.0, 0, 0]])
        effect = Explainer(model, rows).effect(0)
        assert effect.support is not None
        assert effect.support.sum() == pytest.approx(1)
        np.testing.assert_allclose(
            effect.support[effect.axes[0].steps_of_numbers(np.array([1.0]))], 2 / 3
        )
