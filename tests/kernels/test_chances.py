"""What other measures read off the counts, and off the leaves' paths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from test_patterns import passes

from fastpd import Forest, _core
from fastpd.blocks import Blocks, make_blocks
from fastpd.measures import Empirical
from oracles import inside, path_forest, random_forest, rows_for

MODELS = {
    "blocks": random_forest(np.random.default_rng(5), 4, n_trees=8, depth=5),
    "categories": random_forest(np.random.default_rng(6), 4, n_trees=6, depth=5, categories=7),
    "deep": path_forest(11, n_trees=2),
}


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys())
def model(request: pytest.FixtureRequest) -> Forest:
    return request.param


def clauses_of(blocks: Blocks) -> list[tuple[int, dict[int, int]]]:
    """Return every leaf's node, and where each of its players' clauses stands."""
    nodes, first, sizes, players = _core.leaves(blocks.core)
    return [
        (int(node), {int(players[at]): at for at in range(start, start + size)})
        for node, start, size in zip(nodes, first, sizes, strict=True)
    ]


def rows_and_weights(model: Forest) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(9)
    return rows_for(model, 150, rng), np.round(rng.exponential(size=150), 2)


def counted(blocks: Blocks, rows: NDArray[np.float64], weights: NDArray[np.float64]) -> Empirical:
    return Empirical.nothing(blocks).updated(rows, weights, memory_limit=10**9)


def test_every_leaf_has_a_clause_for_each_feature_on_its_path(model: Forest):
    rows, _ = rows_and_weights(model)
    found = clauses_of(make_blocks(model))
    assert sorted(node for node, _ in found) == np.flatnonzero(model.is_leaf).tolist()
    for node, places in found:
        assert set(places) == set(passes(model, rows[:1], node))


def test_weights_of_rows_that_pass_each_clause(model: Forest):
    rows, weights = rows_and_weights(model)
    blocks = make_blocks(model)
    measure = counted(blocks, rows, weights)
    found = _core.player_weights(blocks.core, measure.core()) / measure.scaled_total()
    for node, places in clauses_of(blocks):
        for player, passing in passes(model, rows, node).items():
            expected = weights[passing].sum() / weights.sum()
            np.testing.assert_allclose(found[places[player]], expected, rtol=1e-12)


def test_weights_of_rows_that_reach_each_leaf(model: Forest):
    rows, weights = rows_and_weights(model)
    blocks = make_blocks(model)
    measure = counted(blocks, rows, weights)
    found = _core.leaf_weights(blocks.core, measure.core()) / measure.scaled_total()
    for (node, _), share in zip(clauses_of(blocks), found, strict=True):
        masks = list(passes(model, rows, node).values())
        reached = np.all(masks, axis=0) if masks else np.ones(len(rows), bool)
        np.testing.assert_allclose(share, weights[reached].sum() / weights.sum(), rtol=1e-12)


@pytest.mark.parametrize("name", ["blocks", "categories"])
def test_sides_are_the_bins_that_pass(name: str):
    model = MODELS[name]
    blocks = make_blocks(model)
    for leaf, (node, _) in enumerate(clauses_of(blocks)):
        for column, _, missing, runs in _core.leaf_sides(blocks.core, leaf):
            feature = int(blocks.grid.feature[column])
            values = blocks.representatives(column)
            rows = np.zeros((len(values), model.n_features))
            rows[:, feature] = values
            bins = np.arange(len(values), dtype=float)
            low, high = np.array(runs, dtype=float).reshape(-1, 2).T
            expected = passes(model, rows, node)[feature]
            found = inside(bins, low, high) if len(runs) else np.zeros(len(bins), bool)
            found[0] = missing
            np.testing.assert_array_equal(found, expected)


def test_a_measure_without_counts_has_none_to_read():
    blocks = make_blocks(MODELS["blocks"])
    measure = _core.Measure.independent(np.ones(len(_core.leaves(blocks.core)[3])))
    with pytest.raises(ValueError, match="no counts"):
        _core.player_weights(blocks.core, measure)
