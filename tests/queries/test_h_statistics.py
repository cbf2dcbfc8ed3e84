"""Friedman's H equals its definition, by brute force over centred partial dependence functions."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, FeatureError, MemoryLimitError, OptionError, vanilla
from fastpd.measures import Gaussian, Path, Product
from fastpd.queries import _passes
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
)

RNG = np.random.default_rng(5)
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "outputs by tree": {"outputs": "scalar", "n_trees": 7},
    "outputs in leaves": {"outputs": "vector"},
    "categories": {"categories": 5},
    "missing number": {"missing": -0.5},
}
Sets = dict[tuple[int, ...], Floats]


def grid_tree(values: dict[tuple[int, ...], float], levels: list[list[float]]) -> Tree:
    """Return a tree that has one leaf for each cell of a grid."""

    def below(feature: int, cell: tuple[int, ...]) -> Tree:
        if feature == len(levels):
            return values[cell]
        node = below(feature + 1, (*cell, len(levels[feature]) - 1))
        for at in range(len(levels[feature]) - 2, -1, -1):
            middle = (levels[feature][at] + levels[feature][at + 1]) / 2
            node = Split(feature, middle, below(feature + 1, (*cell, at)), node)
        return node

    return below(0, ())


def on_grid(function: Any, *levels: list[float], **options: Any) -> tuple[Explainer, Floats]:
    """Explain a function of a full grid of values, over that grid."""
    points = np.array(list(product(*levels)))
    cells = product(*(range(len(one)) for one in levels))
    values = dict(zip(cells, [function(*point) for point in points.tolist()], strict=True))
    model = forest([grid_tree(values, list(levels))], len(levels), comparison="float64")
    return Explainer(model, points, **options), points


def mean_square(values: Floats, weights: Floats | None) -> Floats:
    centred = values - np.average(values, axis=0, weights=weights)
    found: Floats = np.average(centred**2, axis=0, weights=weights)
    return found


def defined(v: Sets, one: tuple[int, ...], weights: Floats | None) -> tuple[Floats, Floats]:
    """Return numerator and denominator of H, from the definition."""
    full = max(v, key=len)
    if len(one) == 1:
        others = tuple(k for k in full if k not in one)
        return mean_square(v[full] - v[one] - v[others], weights), mean_square(v[full], weights)
    inside = [part for size in range(1, len(one) + 1) for part in combinations(one, size)]
    signed = [(-1) ** (len(one) - len(part)) * v[part] for part in inside]
    return mean_square(np.sum(signed, axis=0), weights), mean_square(v[one], weights)


def check(ex: Explainer, v: Sets, weights: Floats | None, X: Any = None, **close: Any) -> None:
    names = ex.feature_names
    for order in range(1, len(names) + 1):
        ranked = ex.h_statistic(order=order, X=X)
        overall = ranked.h2 if ranked.h2.ndim == 1 else ranked.h2.mean(axis=1)
        assert (np.diff(overall) <= 0).all()
        for one in combinations(range(len(names)), order):
            numerator, denominator = defined(v, one, weights)
            alone = ex.h_statistic(*one, X=X)
            np.testing.assert_allclose(alone.numerator[0], numerator, **close)
            np.testing.assert_allclose(alone.denominator[0], denominator, **close)
            named = tuple(names[k] for k in one)
            if named in ranked.names:
                at = ranked.names.index(named)
                np.testing.assert_allclose(ranked.h2[at], alone.h2[0], rtol=1e-9)
            else:
                np.testing.assert_allclose(numerator, 0, atol=1e-12)


def test_a_product_by_hand():
    ex, _ = on_grid(lambda a, b: a * b, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    for found in (ex.h_statistic("x0", "x1"), ex.h_statistic(order=2), ex.h_statistic()):
        np.testing.assert_allclose(found.h2, 1 / 13, rtol=1e-7)
        np.testing.assert_allclose(found.h, (1 / 13) ** 0.5, rtol=1e-7)
        np.testing.assert_allclose(found.strength, 2 / 3, rtol=1e-7)
    assert ex.h_statistic(order=2)["x1", "x0"] == ex.h_statistic(order=2).h[0]


def test_three_features_that_only_act_together():
    ex, _ = on_grid(lambda a, b, c: a * b * c, *[[-1.0, 1.0]] * 3)
    np.testing.assert_allclose(ex.h_statistic().h2, 1)
    np.testing.assert_allclose(ex.h_statistic(order=3).h2, 1)
    pairs = ex.h_statistic(order=2)
    assert len(pairs) == 3
    assert not pairs.h2.any()  # their joint effects are zero, and so are their interactions
    assert not pairs.denominator.any()


def test_an_additive_function_has_none():
    ex, _ = on_grid(lambda a, b: 3 * a - b, [0.0, 1.0, 5.0], [0.0, 1.0])
    assert not ex.h_statistic().h2.any()
    assert not ex.h_statistic(order=2).h2.any()
    assert ex.h_statistic().denominator.all()


def test_it_is_infinite_where_the_joint_effect_cancels():
    ex, _ = on_grid(lambda a, b: a * b + a, [-1.0, 1.0], [-1.0, 1.0])
    found = ex.h_statistic("x0", "x1", X=[[1.0, -1.0], [-1.0, -1.0]])
    assert found["x0", "x1"] == np.inf
    assert found.strength[0] == pytest.approx(1)


def test_one_row_has_no_spread():
    ex, points = on_grid(lambda a, b: a * b, [1.0, 2.0], [1.0, 3.0])
    for order in (1, 2):
        assert not ex.h_statistic(X=points[:1], order=order).h2.any()


def test_one_feature_and_features_in_no_tree():
    ex = Explainer(forest([Split(0, 0.5, 1.0, 2.0)], 1), [[0.0], [1.0]])
    assert ex.h_statistic()["x0"] == 0
    assert len(ex.h_statistic(order=2)) == 0
    wide = Explainer(forest([Split(0, 0.5, 1.0, 2.0)], 3), [[0.0, 0, 0], [1.0, 0, 0]])
    assert wide.h_statistic().names == (("x0",), ("x1",), ("x2",))
    for one in (("x2",), ("x1", "x2"), ("x0", "x1")):
        found = wide.h_statistic(*one)
        assert (found.names, found.h2.tolist()) == ((one,), [0.0])


def test_multiples_have_the_same_h_and_more_strength():
    tree = Split(0, 0.5, [0.0, 0.0], Split(1, 0.5, [0.0, 0.0], [8.0, 16.0]))
    ex = Explainer(forest([tree], 2, n_outputs=2), [[0, 0], [0, 1], [1, 0], [1, 1.0]])
    for order in (1, 2):
        found = ex.h_statistic(order=order)
        np.testing.assert_allclose(found.h2[:, 0], found.h2[:, 1])
        np.testing.assert_allclose(2 * found.strength[:, 0], found.strength[:, 1])


@pytest.mark.parametrize("precision", ["fast", "double"])
@pytest.mark.parametrize("name", CASES)
def test_it_is_what_brute_force_says(name: str, precision: str):
    rng = np.random.default_rng(2)
    model = random_forest(rng, 4, **CASES[name])
    background, rows = rows_for(model, 30, rng), rows_for(model, 17, rng)
    weights = rng.exponential(size=30)
    ex = Explainer(model, background, weights=weights, precision=precision)
    close = {"rtol": 1e-6, "atol": 1e-9} if precision == "fast" else {"rtol": 1e-9, "atol": 1e-12}
    v = vanilla.values(oracle(model), background, background, weights)
    check(ex, v, weights, **close)
    v = vanilla.values(oracle(model), background, rows, weights)
    check(ex, v, None, rows, **close)


def test_deep_leaves_are_as_exact():
    model = path_forest(9, n_trees=2)
    background = rows_for(model, 12, RNG)
    ex = Explainer(model, background, precision="double")
    v = vanilla.values(oracle(model), background, background)
    for one in [*combinations(range(9), 1), (0, 3), (2, 5, 7)]:
        numerator, denominator = defined(v, one, None)
        found = ex.h_statistic(*one)
        np.testing.assert_allclose(found.numerator[0], numerator, atol=1e-12)
        np.testing.assert_allclose(found.denominator[0], denominator, atol=1e-12)


def test_deep_leaves_beyond_memory_are_refused_in_words():
    model = path_forest(30, n_trees=2)
    ex = Explainer(model, rows_for(model, 4000, RNG), memory_limit=300_000)
    with pytest.raises(MemoryLimitError, match=r"H of one feature against all others.*300,000"):
        ex.h_statistic(X=rows_for(model, 5, RNG))


@pytest.mark.parametrize("kind", ["path", "product", "gaussian"])
def test_other_measures(kind: str):
    model = path_forest(3, n_trees=4)
    rows = RNG.normal(size=(300, 3))
    choices: dict[str, Any] = {
        "path": lambda: Path(rows),
        "product": lambda: Product(rows),
        "gaussian": lambda: Gaussian(np.zeros(3), np.eye(3)),
    }
    ex = Explainer(model, measure=choices[kind](), precision="double")
    sets = [one for size in range(4) for one in combinations(range(3), size)]
    v = {one: ex.value(one, rows) for one in sets}
    check(ex, v, None, rows, rtol=1e-9, atol=1e-12)
    if kind == "gaussian":
        with pytest.raises(OptionError, match=r"no rows to average over.*h_statistic\(X=X\)"):
            ex.h_statistic()


def test_a_group_is_one_feature():
    model = random_forest(np.random.default_rng(6), 4)
    background = rows_for(model, 25, RNG)
    ex = Explainer(model, background, groups={"ends": ["x0", "x3"]}, precision="double")
    columns = {0: (0, 3), 1: (1,), 2: (2,)}
    v = {
        one: vanilla.value(
            oracle(model), background, background, [c for k in one for c in columns[k]]
        )
        for size in range(4)
        for one in combinations(range(3), size)
    }
    check(ex, v, None, rtol=1e-9, atol=1e-12)


def test_runs_and_batches_change_nothing(monkeypatch: pytest.MonkeyPatch):
    model = random_forest(np.random.default_rng(8), 5, 8, depth=4, outputs="vector")
    background, weights = rows_for(model, 50, RNG), RNG.exponential(size=50)
    ex = Explainer(model, background, weights=weights, precision="double")
    asked: list[dict[str, Any]] = [{}, {"order": 2}, {"order": 3}, {"X": background, "order": 2}]
    whole = [ex.h_statistic(**one) for one in asked]
    importance, shares = ex.importance(max_order=3), ex.variance_shares()
    for name, small in (("_NUMBERS", 64), ("_FEWEST_ROWS", 7), ("_MOST_ROWS", 9)):
        monkeypatch.setattr(_passes, name, small)
    for one, before in zip(asked, whole, strict=True):
        after = ex.h_statistic(**one)
        assert after.names == before.names
        np.testing.assert_allclose(after.numerator, before.numerator, rtol=1e-9)
        np.testing.assert_allclose(after.denominator, before.denominator, rtol=1e-9)
    np.testing.assert_allclose(ex.importance(max_order=3).scores, importance.scores, rtol=1e-9)
    np.testing.assert_allclose(ex.variance_shares().share, shares.share, rtol=1e-9)
    np.testing.assert_allclose(ex.variance_shares().variance, shares.variance, rtol=1e-9)


def test_large_means_keep_the_digits_of_small_spreads():
    moments = _passes.Moments()
    values, weights = 1e8 + RNG.normal(size=(2, 40)), RNG.exponential(size=40)
    for start in range(0, 40, 7):
        moments.add(values[:, start : start + 7].copy(), weights[start : start + 7])
    expected = [np.cov(one, aweights=weights, ddof=0) for one in values]
    np.testing.assert_allclose(moments.variance, expected, rtol=1e-6)


def test_by_strength_sorts_anew():
    model = random_forest(np.random.default_rng(1), 4)
    ex = Explainer(model, rows_for(model, 40, RNG))
    found = ex.h_statistic(order=2)
    again = found.by_strength()
    assert set(again.names) == set(found.names)
    assert (np.diff(again.strength) <= 0).all()
    assert all(again[one] == found[one] for one in found)


def test_it_reads_well():
    ex, _ = on_grid(lambda a, b: a * b, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    lines = repr(ex.h_statistic(order=2)).splitlines()
    assert lines[0].split() == ["H", "H^2", "strength", "features"]
    assert lines[1].split() == ["0.2774", "0.076923", "0.66667", "x0", "x", "x1"]
    frame = ex.h_statistic().to_frame("polars")
    assert frame["H squared"].to_list() == pytest.approx([1 / 13] * 2)
    assert "x0 x x1" in ex.h_statistic(order=2)._repr_html_()


@pytest.mark.parametrize(
    ("features", "options", "error", "words"),
    [
        (("agee",), {}, FeatureError, "unknown feature 'agee'"),
        (("x0", "x0"), {}, FeatureError, "twice"),
        ((), {"order": 0}, OptionError, "order is 0"),
        ((), {"order": 1.5}, OptionError, r"order is 1\.5"),
        (("x0",), {"order": 2}, OptionError, "order is 2 but 1 feature"),
        ((), {"X": np.zeros((0, 2))}, OptionError, "X has no rows"),
    ],
)
def test_what_it_refuses(features: Any, options: Any, error: type[Exception], words: str):
    ex, _ = on_grid(lambda a, b: a * b, [1.0, 2.0], [1.0, 2.0])
    with pytest.raises(error, match=words):
        ex.h_statistic(*features, **options)


def test_the_helper_makes_the_function_it_says():
    ex, points = on_grid(lambda a, b: 10 * a + b, [1.0, 2.0, 4.0], [0.0, 3.0])
    expected = 10 * points[:, 0] + points[:, 1]
    np.testing.assert_array_equal(predict_forest(ex._blocks.forest, points), expected)
