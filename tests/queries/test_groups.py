"""Several columns may be one feature, in every query."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, FastPDError, Forest, MergeError, vanilla
from oracles import Floats, Split, forest, oracle, path_forest, predict_forest, random_forest
from oracles import rows_for as drawn_rows

GROUPS = {"place": ["x0", "x3"]}
PLAYERS = ((0, 3), (1,), (2,), (4,))  # columns of each, in the order of their first ones
Values = dict[tuple[int, ...], Floats]


@pytest.fixture(
    params=[{}, {"categories": 4}, {"outputs": "vector"}, {"depth": 8, "stop": 0.05}],
    ids=["plain", "categories", "outputs", "deep"],
    scope="module",
)
def model(request: pytest.FixtureRequest) -> Forest:
    return random_forest(np.random.default_rng(3), 5, n_trees=6, **request.param)


@pytest.fixture(scope="module")
def rows(model: Forest) -> Floats:
    return drawn_rows(model, 25, np.random.default_rng(4))


@pytest.fixture(scope="module")
def by_players(model: Forest, rows: Floats) -> Values:
    """v_S for every set of players, by brute force over their columns."""
    sets = chain.from_iterable(combinations(range(len(PLAYERS)), k) for k in range(5))

    def value(players: tuple[int, ...]) -> Floats:
        columns = [column for player in players for column in PLAYERS[player]]
        return vanilla.value(oracle(model), rows, rows[:6], columns)

    return {players: value(players) for players in sets}


def shapley(by_players: Values) -> Floats:
    n = len(PLAYERS)
    columns = []
    for k in range(n):
        others = [s for s in by_players if k not in s]
        gain = [by_players[tuple(sorted((*s, k)))] - by_players[s] for s in others]
        weight = [1 / (n * comb(n - 1, len(s))) for s in others]
        columns.append(sum(w * g for w, g in zip(weight, gain, strict=True)))
    return np.stack(columns, axis=1)


def moebius(by_players: Values, players: tuple[int, ...]) -> Floats:
    parts = chain.from_iterable(combinations(players, k) for k in range(len(players) + 1))
    return sum((-1) ** (len(players) - len(part)) * by_players[part] for part in parts)


@pytest.mark.parametrize("precision", ["fast", "double"])
def test_a_group_is_one_feature_in_every_query(
    model: Forest, rows: Floats, by_players: Values, precision: str
):
    ex = Explainer(model, rows, groups=GROUPS, precision=precision)
    close: dict[str, Any] = {"rtol": 0, "atol": 1e-6 if precision == "fast" else 1e-11}
    assert ex.feature_names == ("place", "x1", "x2", "x4")
    np.testing.assert_allclose(ex.shap(rows[:6]).values, shapley(by_players), **close)
    parts, pairs = ex.components(rows[:6], 4), ex.interactions(rows[:6], 2, "Moebius")
    for players in (s for s in by_players if s):
        expected = moebius(by_players, players)
        np.testing.assert_allclose(parts[players], expected, **close)
        if len(players) <= 2:
            np.testing.assert_allclose(pairs[players], expected, **close)
    found = ex.value([("place",), ("place", "x2"), ()], rows[:6])
    for column, players in enumerate([(0,), (0, 2), ()]):
        np.testing.assert_allclose(found[:, column], by_players[players], **close)
    scores = ex.importance(rows[:6], 1)
    sizes = np.abs(moebius(by_players, (0,))).mean(axis=0)
    np.testing.assert_allclose(scores["place"], sizes, **close)
    np.testing.assert_allclose(ex.predict(rows), predict_forest(model, rows), **close)


def test_groups_shorten_the_paths_of_deep_leaves():
    model = path_forest(12)
    rows = drawn_rows(model, 12, np.random.default_rng(0))
    ex = Explainer(model, rows, groups={"many": range(2, 12)}, precision="double")
    assert ex.plan().largest_path == 3
    found = ex.value([("many",), ("x0", "many")], rows[:3])
    for column, columns in enumerate([range(2, 12), [0, *range(2, 12)]]):
        expected = vanilla.value(oracle(model), rows, rows[:3], columns)
        np.testing.assert_allclose(found[:, column], expected, atol=1e-11)


def test_a_group_of_which_one_column_is_tested():
    model = forest([Split(1, 0.5, 1.0, 3.0)], 3)
    ex = Explainer(model, np.zeros((2, 3)), groups={"both": ["x0", "x1"]})
    assert ex.components(np.ones((1, 3)), 1).names == (("both",),)
    np.testing.assert_allclose(ex.shap(np.ones((1, 3))).values, [[2.0, 0.0]])


TWO = forest([Split(0, 0.5, 1.0, Split(1, 0.5, 2.0, 4.0))], 3, names=("age", "street", "zip"))

REFUSED: dict[str, tuple[Any, str]] = {
    "no mapping": (["street", "zip"], "expected a mapping"),
    "a text": ({"address": "street"}, "expected a list of its columns"),
    "nothing": ({"address": []}, "at least one"),
    "an unknown column": ({"address": ["street", "zap"]}, "Did you mean 'zip'?"),
    "an index too large": ({"address": [3]}, "no column of the model"),
    "a column in two groups": ({"a": ["zip"], "b": ["zip"]}, "one group, once"),
    "a column twice": ({"a": ["zip", 2]}, "one group, once"),
    "the name of another column": ({"age": ["street", "zip"]}, "choose another"),
    "a name that is no text": ({3: ["street", "zip"]}, "expected a text"),
}


@pytest.mark.parametrize(("groups", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_are_no_groups_is_refused(groups: Any, message: str):
    with pytest.raises(FastPDError, match=message.replace("?", r"\?")):
        Explainer(TWO, np.zeros((2, 3)), groups=groups)


def refused(work: Callable[[], Any], message: str) -> None:
    with pytest.raises(FastPDError, match=message):
        work()


def test_columns_of_a_group_are_no_features_of_their_own():
    ex = Explainer(TWO, np.zeros((2, 3)), groups={"address": ["street", "zip"]})
    refused(lambda: ex.value("zip", np.zeros((1, 3))), "unknown feature 'zip'; the model has age")
    refused(lambda: ex.effect("address"), r"group of columns.* value\('address', X\)")


def test_a_single_column_may_be_renamed_by_a_group():
    ex = Explainer(TWO, np.zeros((2, 3)), groups={"years": ["age"]})
    assert ex.feature_names == ("years", "street", "zip")
    np.testing.assert_array_equal(ex.effect("years").edges, [0.5])


def test_explainers_of_other_groups_do_not_merge():
    one, other = (Explainer(TWO, np.zeros((2, 3)), groups=g) for g in (None, {"a": [1, 2]}))
    with pytest.raises(MergeError, match="different groups"):
        one.merge(other)
