"""Tables, effects and the walk of trees: right to the last digit, and alike on every machine."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastpd
from fastpd import Forest, _core, vanilla
from fastpd.blocks import Blocks, make_blocks
from fastpd.measures import Empirical
from fastpd.queries._features import encode
from oracles import (
    Floats,
    leaf_values,
    oracle,
    path_forest,
    predict_forest,
    random_forest,
    rows_for,
    spread,
)

SHAPES = {
    "shallow": {"depth": 3, "n_trees": 20},
    "deep": {"n_features": 5, "depth": 7, "n_trees": 8, "stop": 0.05},
    "more blocks than a group has": {"n_features": 3, "depth": 5, "n_trees": 120},
    "outputs": {"depth": 4, "outputs": "scalar", "comparison": "float64"},
    "vectors": {"depth": 4, "outputs": "vector"},
    "categories": {"depth": 5, "categories": 12},
    "many categories": {"depth": 4, "categories": 300, "comparison": "float64"},
}


@pytest.fixture(params=SHAPES.values(), ids=SHAPES.keys(), scope="module")
def model(request: pytest.FixtureRequest) -> Forest:
    return random_forest(np.random.default_rng(8), **request.param)


def measured(blocks: Blocks, rows: Floats) -> _core.Measure:
    nothing = Empirical.nothing(blocks)
    return nothing.updated(rows, None, memory_limit=10**9).core()


def looked_up(
    blocks: Blocks, background: _core.Measure, sets: list[Any], rows: Floats, fixed: bool
) -> Floats:
    """Return v_S of the first output through tables: (sets, rows)."""
    values = leaf_values(blocks.forest, 0)
    query = _core.Query.value()
    base = float(blocks.forest.base[0])
    tables = _core.compile_tables(
        blocks.core, background, values, base, query, *encode(sets), fixed, 1, None
    )
    assert tables.n_columns == len(sets)
    out = np.full((len(sets), len(rows)), np.nan)
    _core.evaluate_tables(blocks.core, tables, rows, out, 1, None)
    return out


def sets_of(model: Forest) -> list[tuple[int, ...]]:
    d = model.n_features
    return [one for size in range(d + 1) for one in combinations(range(d), size)]


@pytest.mark.parametrize("fixed", [True, False])
def test_tables_hold_the_partial_dependence(isa: str, model: Forest, fixed: bool):
    rng = np.random.default_rng(0)
    background, rows = rows_for(model, 30, rng), rows_for(model, 40, rng)
    blocks, sets = make_blocks(model), sets_of(model)
    found = looked_up(blocks, measured(blocks, background), sets, rows, fixed)
    size = spread(model, background, rows)
    for one, column in zip(sets, found, strict=True):
        expected = vanilla.value(oracle(model), background, rows, one)
        expected = expected if model.n_outputs == 1 else expected[:, 0]
        assert np.abs(column - expected).max() <= size * (1e-7 if fixed else 1e-12)


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 511, 513, 4097])
def test_any_number_of_rows_goes_through_tables(isa: str, n_rows: int):
    rng = np.random.default_rng(n_rows)
    model = random_forest(rng, 3, depth=4)
    ex = fastpd.Explainer(model, rows_for(model, 20, rng))
    rows = rows_for(model, n_rows, rng)
    everything = ex.value((0, 1, 2), rows)
    assert everything.shape == (n_rows,)
    np.testing.assert_allclose(everything, predict_forest(model, rows), atol=1e-7)


def test_fixed_point_sums_do_not_overflow(isa: str):
    """All leaves at the largest value of one sign: partial sums are as large as they get."""
    rng = np.random.default_rng(0)
    model = random_forest(rng, 3, n_trees=300, depth=3)
    values = np.where(model.is_leaf[:, None], 1e6, 0.0)
    for sign in (1, -1):
        same = Forest(**{**vars(model), "value": sign * values})
        rows = rows_for(same, 50, rng)
        ex = fastpd.Explainer(same, rows)
        expected = predict_forest(same, rows)
        np.testing.assert_allclose(ex.value((0, 1, 2), rows), expected, rtol=1e-8)


def test_the_walk_of_trees_adds_leaves_in_order(isa: str, model: Forest):
    rng = np.random.default_rng(1)
    rows = rows_for(model, 1500, rng)
    ex = fastpd.Explainer(model, rows[:1])
    np.testing.assert_array_equal(ex.predict(rows), predict_forest(model, rows))


def test_grids_of_main_effects_and_pairs_are_components_on_bins(isa: str, model: Forest):
    rng = np.random.default_rng(2)
    background = rows_for(model, 30, rng)
    blocks = make_blocks(model)
    low = _core.low_order(blocks.core, measured(blocks, background), leaf_values(model, 0), 1, None)
    first, second = 0, 1
    mains = _core.main_effects(blocks.core, low, np.array([first, second], dtype=np.int32))
    n = blocks.grid.n_bins.tolist()
    grids = np.empty(n[first] * n[second])
    ends = np.array([0, len(grids)], dtype=np.int64)
    pair = np.array([first, second], dtype=np.int32)
    _core.pair_effects(blocks.core, low, pair, ends, grids, np.ones(1), 1, None)
    fixed, step = np.empty(len(grids), dtype=np.int32), np.empty(1)
    _core.pair_effects(blocks.core, low, pair, ends, fixed, step, 1, None)
    a, b = (blocks.grid.representatives(column) for column in pair)
    rows = np.zeros((len(a) * len(b), model.n_features))
    features = tuple(blocks.grid.feature[pair].tolist())
    rows[:, features] = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2)
    parts = vanilla.components(oracle(model), background, rows, None, 2)
    parts = {s: p if model.n_outputs == 1 else p[:, 0] for s, p in parts.items()}
    np.testing.assert_allclose(grids, parts[features], atol=1e-12)
    np.testing.assert_allclose(fixed * step, grids, rtol=0, atol=np.abs(grids).max() * 2**-31)
    by_first = parts[features[:1]].reshape(len(a), len(b))[:, 0]
    by_second = parts[features[1:]].reshape(len(a), len(b))[0]
    np.testing.assert_allclose(mains, np.concatenate([by_first, by_second]), atol=1e-12)


@pytest.mark.parametrize("lanes", [(100, 300), (300, 100), (300, 70_000), (70_000, 2)])
def test_effects_are_looked_up_in_lanes_of_any_width(isa: str, lanes: tuple[int, int]):
    rng = np.random.default_rng(3)
    model = two_grids(*lanes)
    background, rows = rng.random((50, 2)), rng.random((200, 2))
    ex = fastpd.Explainer(model, background, n_jobs=1)
    parts = ex.components(rows, max_order=2)
    expected = vanilla.components(lambda x: two_grids_by_hand(x, *lanes), background, rows[:5])
    for names, subset in ((("x0",), (0,)), (("x1",), (1,)), (("x0", "x1"), (0, 1))):
        np.testing.assert_allclose(parts[names][:5], expected[subset], atol=1e-10)
    np.testing.assert_allclose(parts.remainder, 0, atol=1e-10)


def two_grids(first: int, second: int) -> Forest:
    """One tree that joins two features, and stumps that fill their grids with thresholds."""
    n = first + second
    feature = np.concatenate([[0, -1, 1, -1, -1], np.tile([0, -1, -1], first)])
    feature = np.concatenate([feature, np.tile([1, -1, -1], second)]).astype(np.int32)
    roots = np.concatenate([[0], 5 + 3 * np.arange(n)]).astype(np.int32)
    left, right = np.full((2, len(feature)), -1, dtype=np.int32)
    left[roots], right[roots] = roots + 1, roots + 2
    left[2], right[2] = 3, 4
    threshold = np.zeros(len(feature))
    threshold[[0, 2]] = 0.5
    threshold[roots[1:]] = np.concatenate([(np.arange(m) + 1) / (m + 1) for m in (first, second)])
    value = np.zeros((len(feature), 1))
    value[[1, 3, 4], 0] = 1.0, 2.0, 4.0
    value[roots[1:] + 1, 0] = 1.0 / n
    return Forest(
        feature=feature,
        threshold=threshold,
        left=left,
        right=right,
        default_left=np.ones(len(feature), dtype=bool),
        value=value,
        cover=np.ones(len(feature)),
        roots=roots,
        tree_output=np.zeros(len(roots), dtype=np.int32),
        base=np.zeros(1),
        feature_names=("x0", "x1"),
        output_names=("y",),
        comparison="float64",
    )


def two_grids_by_hand(x: Floats, first: int, second: int) -> Floats:
    steps = np.zeros(len(x))
    for column, n in enumerate((first, second)):
        thresholds = (np.arange(n) + 1) / (n + 1)
        steps += n - np.searchsorted(thresholds, x[:, column], side="right")
    joined = np.where(x[:, 0] < 0.5, 1.0, np.where(x[:, 1] < 0.5, 2.0, 4.0))
    return joined + steps / (first + second)


def answers(model: Forest, rows: Floats) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {"prediction": np.empty(0)}
    for precision in ("fast", "double"):
        ex = fastpd.Explainer(model, rows[:30], precision=precision, weights=np.arange(1.0, 31.0))
        found["prediction"] = ex.predict(rows)
        found[f"shap {precision}"] = ex.shap(rows).values
        found[f"float32 {precision}"] = ex.shap(rows, dtype=np.float32).values
        found[f"components {precision}"] = ex.components(rows, 3).array
        found[f"value {precision}"] = ex.value([(), (0,), (0, 2)], rows)
        found[f"pairs {precision}"] = ex.interactions(rows, 2, "FSII").array
        found[f"importance {precision}"] = ex.importance(max_order=2).scores
    return found


def test_every_instruction_set_gives_the_bits_of_the_portable_one(
    isa: str, model: Forest, monkeypatch: pytest.MonkeyPatch
):
    for each in (model, path_forest(10, n_trees=2)):
        rows = rows_for(each, 700, np.random.default_rng(4))
        found = answers(each, rows)
        monkeypatch.setenv("FASTPD_ISA", "portable")
        for name, expected in answers(each, rows).items():
            np.testing.assert_array_equal(found[name], expected, name)
        monkeypatch.setenv("FASTPD_ISA", isa)


def test_an_unknown_instruction_set_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FASTPD_ISA", "mmx")
    with pytest.raises(ValueError, match=r"FASTPD_ISA is mmx; .* portable"):
        _core.isa_in_use()
