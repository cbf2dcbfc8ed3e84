"""Leaves with more features on their path than a table has bits are as exact, or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import fastpd
from fastpd import Explainer, Forest, MemoryLimitError, vanilla
from oracles import (
    Floats,
    Split,
    Tree,
    forest,
    oracle,
    path_forest,
    predict_forest,
    random_forest,
    rows_for,
    spread,
)

INDICES = ("SII", "STII", "FSII", "BII", "Moebius")
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-11}


@dataclass(frozen=True)
class Case:
    """A forest with deep leaves, its background and rows."""

    forest: Forest
    background: Floats
    rows: Floats
    weights: Floats | None = None

    def explainer(self, precision: str = "double", **options: Any) -> Explainer:
        options = {"precision": precision, "weights": self.weights} | options
        return Explainer(self.forest, self.background, **options)


def case(model: Forest, *, weighted: bool = False, n: int = 12, m: int = 3) -> Case:
    rng = np.random.default_rng(7)
    background, rows = rows_for(model, n, rng), rows_for(model, m, rng)
    return Case(model, background, rows, rng.exponential(size=n) if weighted else None)


def mixed(n_features: int) -> Forest:
    """Deep chains among shallow trees of the same features."""
    deep = path_forest(n_features, n_trees=2, seed=3)
    shallow = random_forest(np.random.default_rng(0), n_features, n_trees=3, depth=3)
    parts = [deep, shallow]
    shift = [0, len(deep.feature)]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def moved(name: str) -> Any:
        arrays = (getattr(part, name) for part in parts)
        return np.concatenate(
            [
                np.where(a < 0, -1, a + by).astype(np.int32)
                for a, by in zip(arrays, shift, strict=True)
            ]
        )

    names = ("feature", "threshold", "default_left", "value", "cover", "tree_output")
    return replace(
        deep,
        **{name: joined(name) for name in names},
        **{name: moved(name) for name in ("left", "right", "roots")},
    )


CASES = {
    "nine": case(path_forest(9, n_trees=2), n=20, m=4),
    "weights": case(path_forest(10), weighted=True),
    "with shallow trees": case(mixed(9), weighted=True, n=15),
    "missing number": case(replace(path_forest(9, seed=5), missing=0.3)),
    "float64": case(replace(path_forest(9, seed=6), comparison="float64")),
    "twelve": case(path_forest(12, seed=2), n=6, m=2),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys(), scope="module")
def given(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture(scope="module")
def parts(given: Case) -> dict[tuple[int, ...], Floats]:
    """All 2**d components by brute force."""
    return vanilla.components(oracle(given.forest), given.background, given.rows, given.weights)


@pytest.fixture(params=["fast", "double"])
def precision(request: pytest.FixtureRequest) -> str:
    return request.param


def bound(given: Case, precision: str) -> float:
    size = spread(given.forest, given.background, given.rows)
    return size * {"fast": 1e-7, "double": 1e-12}[precision]


def test_the_cases_are_deep(given: Case):
    plan = given.explainer().plan()
    assert plan.n_deep_leaves > 0
    assert plan.largest_path > 8
    assert plan.deep_order is None


def test_shap(given: Case, parts: dict[tuple[int, ...], Floats], precision: str):
    d = given.forest.n_features
    expected = [sum(m / len(s) for s, m in parts.items() if k in s) for k in range(d)]
    found = given.explainer(precision).shap(given.rows).values
    assert np.abs(found - np.transpose(expected)).max() <= bound(given, precision)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_components(given: Case, parts: dict[tuple[int, ...], Floats], precision: str, order: int):
    found = given.explainer(precision).components(given.rows, order)
    for subset, expected in parts.items():
        if 1 <= len(subset) <= order:
            assert np.abs(found[subset] - expected).max() <= bound(given, precision)


def test_the_complete_decomposition(given: Case, parts: dict[tuple[int, ...], Floats]):
    found = given.explainer().components(given.rows, given.forest.n_features)
    assert found.complete
    for subset, expected in parts.items():
        if subset:
            assert np.abs(found[subset] - expected).max() <= bound(given, "double")


@pytest.mark.parametrize("index", INDICES)
def test_interactions(given: Case, index: str, precision: str):
    if given.forest.n_features > 10:
        index = "SII"
    given_to = (oracle(given.forest), given.background, given.rows)
    expected = vanilla.interactions(*given_to, 2, index, given.weights)
    found = given.explainer(precision).interactions(given.rows, 2, index)
    for subset, column in expected.items():
        assert np.abs(found[subset] - column).max() <= bound(given, precision)


def test_values(given: Case, parts: dict[tuple[int, ...], Floats], precision: str):
    d = given.forest.n_features
    sets = [(), (0,), (1, d - 1), tuple(range(1, d)), tuple(range(0, d, 2)), tuple(range(d))]
    found = given.explainer(precision).value(sets, given.rows)
    for column, chosen in enumerate(sets):
        expected = sum(m for s, m in parts.items() if set(s) <= set(chosen))
        assert np.abs(found[:, column] - expected).max() <= bound(given, precision)


def test_effects_and_expected_value(given: Case, parts: dict[tuple[int, ...], Floats]):
    ex = given.explainer()
    assert abs(ex.expected_value - parts[()][0]) <= bound(given, "double")
    pair = ex.effect(2, 0).component(given.rows[:, 2], given.rows[:, 0])
    assert np.abs(pair - parts[0, 2]).max() <= bound(given, "double")


def test_batches_and_merges_equal_the_whole(given: Case):
    weights = given.weights
    one, two = slice(0, 5), slice(5, None)
    halves = [
        Explainer(
            given.forest,
            given.background[half],
            weights=None if weights is None else weights[half],
            precision="double",
        )
        for half in (two, one)
    ]
    halves[0].merge(halves[1])
    batched = Explainer(given.forest, precision="double")
    for half in (one, two):
        batched.update(given.background[half], None if weights is None else weights[half])
    expected = given.explainer().shap(given.rows).values
    for ex in (halves[0], batched):
        np.testing.assert_array_equal(ex.shap(given.rows).values, expected)


@pytest.fixture(scope="module")
def tight() -> Case:
    return case(path_forest(14, n_trees=12), n=1500, m=4)


LIMIT = 400_000


def test_little_memory_leaves_low_orders_exact(tight: Case):
    ex, free = tight.explainer(memory_limit=LIMIT), tight.explainer()
    order = ex.plan().deep_order
    assert order in (1, 2, 3, 4)
    assert free.plan().deep_order is None
    for k in range(1, order + 1):
        found = ex.components(tight.rows, max_order=k)
        np.testing.assert_allclose(found.array, free.components(tight.rows, k).array, **CLOSE)
    small = [(i,) for i in range(14)] + list(combinations(range(4), min(order, 2)))
    expected = free.value(small, tight.rows)
    np.testing.assert_allclose(ex.value(small, tight.rows), expected, **CLOSE)
    np.testing.assert_allclose(ex.predict(tight.rows), predict_forest(tight.forest, tight.rows))


def test_what_little_memory_cannot_answer_is_refused_with_the_numbers(tight: Case):
    ex = tight.explainer(memory_limit=LIMIT)
    order = ex.plan().deep_order
    numbers = rf"order 14 .* {LIMIT:,} bytes .* order {order} only.*raise memory_limit"
    with pytest.raises(MemoryLimitError, match=numbers):
        ex.shap(tight.rows)
    with pytest.raises(MemoryLimitError, match=numbers):
        ex.interactions(tight.rows, 2)
    with pytest.raises(MemoryLimitError, match=rf"max_order={order}"):
        ex.components(tight.rows, max_order=order + 1)
    with pytest.raises(MemoryLimitError, match="order 14"):
        ex.value(tuple(range(14)), tight.rows)


def test_counts_that_fit_for_no_order_are_refused(tight: Case):
    with pytest.raises(MemoryLimitError, match=r"more than 8 .* memory_limit = 2,000 bytes"):
        tight.explainer(memory_limit=2000)


def test_little_memory_merges_as_the_whole(tight: Case):
    whole = tight.explainer(memory_limit=LIMIT)
    batched = Explainer(tight.forest, precision="double", memory_limit=LIMIT)
    for part in np.array_split(tight.background, 4):
        batched.update(part)
    assert batched.plan().deep_order == whole.plan().deep_order
    order = whole.plan().deep_order
    found, expected = (ex.components(tight.rows, order).array for ex in (batched, whole))
    np.testing.assert_array_equal(found, expected)


def test_sixty_four_features_on_a_path_are_exact_at_low_order():
    given = case(path_forest(64), n=10, m=3)
    found = given.explainer().components(given.rows, 2)
    given_to = (oracle(given.forest), given.background, given.rows)
    expected = vanilla.components(*given_to, given.weights, 1)
    for k in range(64):
        np.testing.assert_allclose(found[k], expected[k,], **CLOSE)


def test_more_than_sixty_four_features_on_a_path_are_refused():
    with pytest.raises(fastpd.UnsupportedModelError, match=r"65 different features; at most 64"):
        Explainer(path_forest(65), np.zeros((2, 65)))


def test_a_chain_of_five_thousand_nodes():
    rng = np.random.default_rng(0)
    node: Tree = 0.0
    for i in range(5000):
        sides = (node, rng.normal()) if i % 2 else (rng.normal(), node)
        node = Split(i % 6, float(rng.normal()), *sides, "left" if i % 3 else "right")
    model = forest([node], 6)
    rows = rows_for(model, 30, rng)
    ex = Explainer(model, rows, precision="double")
    np.testing.assert_array_equal(ex.predict(rows), predict_forest(model, rows))
    expected = vanilla.shap(oracle(model), rows, rows[:2])
    np.testing.assert_allclose(ex.shap(rows[:2]).values, expected, **CLOSE)
