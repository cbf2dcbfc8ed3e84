"""What must hold for every forest, background and weights, without an oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastpd
from fastpd import Forest
from fastpd.forest import IntervalSplits
from oracles import Floats, Split, forest, path_forest, random_forest, rows_for

INDICES = ("SII", "STII", "FSII", "BII", "Moebius")
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-11}


@dataclass(frozen=True)
class World:
    """All that an explanation depends on."""

    forest: Forest
    background: Floats
    weights: Floats | None
    rows: Floats

    def explainer(self, model: Forest | None = None, **options: Any) -> fastpd.Explainer:
        options = {"precision": "double", "weights": self.weights, "n_jobs": 1} | options
        return fastpd.Explainer(model or self.forest, self.background, **options)


@st.composite
def worlds(draw: st.DrawFn, deep: bool = True) -> World:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if deep and draw(st.integers(0, 5)) == 0:
        model = path_forest(9, n_trees=2, seed=draw(st.integers(0, 99)))
    else:
        model = random_forest(
            rng,
            draw(st.integers(1, 5)),
            n_trees=draw(st.integers(1, 6)),
            depth=draw(st.integers(1, 7)),
            outputs=draw(st.sampled_from(["one", "one", "scalar", "vector"])),
            comparison=draw(st.sampled_from(["float32", "float64"])),
            stop=draw(st.sampled_from([0.0, 0.2, 0.5])),
            categories=draw(st.sampled_from([0, 0, 3, 20])),
        )
    background = rows_for(model, draw(st.integers(1, 40)), rng)
    weights = {
        "none": None,
        "whole": rng.integers(0, 5, len(background)) + 1.0,
        "fractions": rng.exponential(size=len(background)),
        "far apart": np.ldexp(1.0, rng.integers(-150, 150, len(background))),
        "some zero": np.append(1.0, rng.integers(0, 2, len(background) - 1)),
    }[draw(st.sampled_from(["none", "whole", "fractions", "far apart", "some zero"]))]
    return World(model, background, weights, rows_for(model, 8, rng))


def every(strategy: st.SearchStrategy[World], examples: int = 30) -> Any:
    run = settings(max_examples=examples, deadline=None, derandomize=True, database=None)
    return lambda test: run(given(strategy)(test))


def state(ex: fastpd.Explainer, rows: Floats) -> list[Any]:
    """All that can be asked of an explainer."""
    return [
        ex.expected_value,
        ex.value([(), (0,)], rows),
        ex.shap(rows).values,
        ex.components(rows, 3).array,
        ex.interactions(rows, 2, "STII").array,
        ex.effect(0).pd_steps,
    ]


def assert_same_bits(one: list[Any], other: list[Any]) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@every(worlds())
def test_shap_values_add_up_to_the_prediction(world: World):
    for precision, atol in (("double", 1e-11), ("fast", 1e-6)):
        ex = world.explainer(precision=precision)
        total = ex.expected_value + ex.shap(world.rows).values.sum(axis=1)
        np.testing.assert_allclose(total, ex.predict(world.rows), rtol=0, atol=atol)


@every(worlds())
def test_components_add_up_to_the_prediction(world: World):
    ex = world.explainer()
    parts = ex.components(world.rows, max_order=world.forest.n_features)
    total = parts.intercept + parts.array.sum(axis=1)
    assert parts.complete
    np.testing.assert_allclose(total, ex.predict(world.rows), **CLOSE)
    np.testing.assert_allclose(parts.remainder, 0, **CLOSE)


@every(worlds())
def test_the_value_of_all_features_is_the_prediction(world: World):
    ex = world.explainer()
    full = tuple(range(world.forest.n_features))
    np.testing.assert_allclose(ex.value(full, world.rows), ex.predict(world.rows), **CLOSE)


@every(worlds(deep=False))
def test_features_that_no_tree_tests_get_nothing(world: World):
    d = world.forest.n_features
    moved = replace(
        world.forest,
        feature=np.where(world.forest.is_leaf, -1, world.forest.feature + 2).astype(np.int32),
        feature_names=tuple(f"x{i}" for i in range(d + 2)),
    )
    background, rows = (
        np.hstack([np.random.default_rng(0).normal(size=(len(x), 2)), x])
        for x in (world.background, world.rows)
    )
    ex = world.explainer()
    wide = World(moved, background, world.weights, rows).explainer()
    phi = wide.shap(rows).values
    assert not phi[:, :2].any()
    np.testing.assert_array_equal(phi[:, 2:], ex.shap(world.rows).values)
    assert not wide.components(rows, 2)[0, 2].any()
    assert not wide.interactions(rows, 2)[0, 2].any()
    np.testing.assert_allclose(wide.value((0, 1), rows), wide.value((), rows), **CLOSE)


@every(worlds(deep=False))
def test_features_that_play_the_same_part_get_the_same(world: World):
    """A copy of the forest tests other columns, which hold the same values."""
    d = world.forest.n_features
    copy = np.where(world.forest.is_leaf, -1, world.forest.feature + d).astype(np.int32)
    both = together(world.forest, replace(world.forest, feature=copy), 2 * d)
    background, rows = (np.hstack([x, x]) for x in (world.background, world.rows))
    phi = World(both, background, world.weights, rows).explainer().shap(rows).values
    np.testing.assert_allclose(phi[:, :d], phi[:, d:], **CLOSE)


@every(worlds())
def test_explanations_of_a_sum_of_forests_are_sums(world: World):
    other = random_forest(
        np.random.default_rng(1),
        world.forest.n_features,
        outputs="one" if world.forest.n_outputs == 1 else "scalar",
        comparison=world.forest.comparison,
    )
    if other.value.shape[1] != world.forest.value.shape[1]:
        return
    both = together(world.forest, other, world.forest.n_features)
    one, two, joined = (world.explainer(model) for model in (world.forest, other, both))
    rows = world.rows
    for ask in (
        lambda ex: ex.shap(rows).values,
        lambda ex: ex.value([(0,)], rows),
        lambda ex: ex.components(rows, 2)[0],
        lambda ex: np.asarray(ex.expected_value),
    ):
        np.testing.assert_allclose(ask(joined), ask(one) + ask(two), **CLOSE)


def together(one: Forest, two: Forest, n_features: int) -> Forest:
    """All trees of both forests, whose leaves are of one width."""
    shift = len(one.feature)

    def both(name: str, moved: int = 0) -> Any:
        second = getattr(two, name)
        second = (
            np.where(second < 0, second, second + moved).astype(second.dtype) if moved else second
        )
        return np.concatenate([getattr(one, name), second])

    return replace(
        one,
        **{n: both(n) for n in ("feature", "threshold", "default_left", "value", "cover")},
        **{n: both(n, shift) for n in ("left", "right", "roots")},
        tree_output=both("tree_output"),
        base=one.base + two.base,
        feature_names=tuple(f"x{i}" for i in range(n_features)),
        splits=IntervalSplits(
            np.concatenate([one.splits.node, two.splits.node + shift]).astype(np.int32),
            np.concatenate([one.splits.offsets, two.splits.offsets[1:] + len(one.splits.low)]),
            np.concatenate([one.splits.low, two.splits.low]),
            np.concatenate([one.splits.high, two.splits.high]),
        ),
    )


@every(worlds())
def test_weights_stand_for_repeated_rows(world: World):
    times = np.random.default_rng(0).integers(0, 4, len(world.background))
    times[0] += 1
    repeated = replace_background(world, np.repeat(world.background, times, axis=0))
    one = world.explainer(weights=times.astype(float))
    assert_same_bits(state(one, world.rows), state(repeated.explainer(), world.rows))


def replace_background(world: World, background: Floats) -> World:
    return World(world.forest, background, None, world.rows)


@every(worlds())
def test_only_the_ratio_of_weights_matters(world: World):
    weights = np.ones(len(world.background)) if world.weights is None else world.weights
    doubled = world.explainer(weights=2.0**20 * weights)
    expected = state(world.explainer(), world.rows)
    for found, other in zip(state(doubled, world.rows), expected, strict=True):
        np.testing.assert_allclose(found, other, **CLOSE)


@every(worlds())
def test_batches_and_merges_in_any_order_equal_the_whole(world: World):
    rng, n = np.random.default_rng(0), len(world.background)
    order = rng.permutation(n)
    parts = [part for part in np.split(order, sorted(rng.integers(0, n + 1, 2))) if len(part)]
    weights = world.weights
    batched = fastpd.Explainer(world.forest, precision="double", n_jobs=1)
    merged = []
    for part in parts:
        share = None if weights is None else weights[part]
        if share is not None and not share.any():
            share = None
        if weights is not None and share is None:
            return  # a part of weight zero alone is refused
        batched.update(world.background[part], share)
        background = world.background[part]
        merged.append(
            fastpd.Explainer(world.forest, background, weights=share, precision="double", n_jobs=1)
        )
    first, *others = merged[::-1]
    for other in others:
        first.merge(other)
    expected = state(world.explainer(), world.rows)
    assert batched.n_background == first.n_background == n
    assert_same_bits(state(batched, world.rows), expected)
    assert_same_bits(state(first, world.rows), expected)


@every(worlds())
def test_an_iterator_of_batches_equals_the_whole(world: World):
    cut = len(world.background) // 2 + 1
    batches = (part for part in (world.background[:cut], world.background[cut:]) if len(part))
    weights = world.weights
    shares = None
    if weights is not None:
        shares = (part for part in (weights[:cut], weights[cut:]) if len(part))
    ex = fastpd.Explainer(world.forest, batches, weights=shares, precision="double", n_jobs=1)
    assert_same_bits(state(ex, world.rows), state(world.explainer(), world.rows))


@every(worlds())
def test_shap_follows_from_the_complete_decomposition(world: World):
    ex = world.explainer()
    parts = ex.components(world.rows, max_order=world.forest.n_features)
    shared = parts.shap()
    np.testing.assert_allclose(shared.values, ex.shap(world.rows).values, **CLOSE)
    np.testing.assert_array_equal(shared.base_values, ex.shap(world.rows).base_values)


@every(worlds())
def test_the_moebius_index_is_the_components(world: World):
    ex, order = world.explainer(), min(3, world.forest.n_features)
    index = ex.interactions(world.rows, order, "Moebius")
    parts = ex.components(world.rows, order)
    assert set(index) == set(parts)
    for names in parts:
        np.testing.assert_allclose(index[names], parts[names], **CLOSE)


@every(worlds())
def test_indices_of_order_one_are_shap_values(world: World):
    ex = world.explainer()
    phi = ex.shap(world.rows).values
    for index in ("SII", "STII", "FSII"):
        single = ex.interactions(world.rows, 1, index)
        for k in range(world.forest.n_features):
            np.testing.assert_allclose(single[k], phi[:, k], **CLOSE)


def definition(index: str, small: int, large: int, order: int) -> float:
    """What the component of a set of `large` features gives to a subset of `small` of them."""
    extra = large - small
    if index == "BII":
        return 0.5**extra
    if index == "SII":
        return 1 / (extra + 1)
    if index == "STII":
        return 1 / comb(large, order) if small == order else float(extra == 0)
    if large <= order:
        return float(extra == 0)
    share = (-1) ** (order - small) * small / (order + small) * comb(order, small)
    return share * comb(large - 1, order) / comb(large + order - 1, order + small)


@every(worlds(deep=False), 15)
def test_indices_are_sums_of_components_by_their_definition(world: World):
    ex, d = world.explainer(), world.forest.n_features
    parts = ex.components(world.rows, max_order=d)
    for index in ("SII", "STII", "FSII", "BII"):
        for order in range(1, min(3, d) + 1):
            found = ex.interactions(world.rows, order, index)
            for size in range(1, order + 1):
                for subset in combinations(world.forest.feature_names, size):
                    total = sum(
                        definition(index, size, len(names), order) * column
                        for names, column in parts.items()
                        if set(subset) <= set(names)
                    )
                    np.testing.assert_allclose(found[subset], total, **CLOSE)


@every(worlds())
def test_taylor_and_faith_indices_add_up_to_the_prediction(world: World):
    ex = world.explainer()
    for index in ("STII", "FSII"):
        found = ex.interactions(world.rows, min(2, world.forest.n_features), index)
        total = found.base_values + found.array.sum(axis=1)
        np.testing.assert_allclose(total, ex.predict(world.rows), **CLOSE)


@every(worlds())
def test_the_order_of_features_in_a_set_does_not_matter(world: World):
    if world.forest.n_features < 3:
        return
    ex = world.explainer()
    np.testing.assert_array_equal(ex.value((2, 0), world.rows), ex.value((0, 2), world.rows))
    parts = ex.components(world.rows, 2)
    np.testing.assert_array_equal(parts["x2", "x0"], parts[0, 2])
    one, other = ex.effect(0, 2), ex.effect(2, 0)
    np.testing.assert_array_equal(one.component_steps, np.swapaxes(other.component_steps, 0, 1))


@every(worlds())
def test_adding_a_constant_to_every_leaf_changes_the_base_alone(world: World):
    leaf = world.forest.is_leaf[:, None]
    moved = replace(world.forest, value=np.where(leaf, world.forest.value + 1024.0, 0.0))
    one, other = world.explainer(), world.explainer(moved)
    np.testing.assert_allclose(
        other.shap(world.rows).values, one.shap(world.rows).values, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("index", INDICES)
def test_a_feature_alone_interacts_with_none(index: str):
    model = forest([Split(0, 0.0, 1.0, 2.0), Split(1, 0.0, 1.0, 3.0)], 2)
    ex = fastpd.Explainer(model, np.random.default_rng(0).normal(size=(9, 2)))
    found = ex.interactions(np.zeros((1, 2)), 2, index)
    assert ("x0", "x1") not in found
    assert not found["x0", "x1"].any()
