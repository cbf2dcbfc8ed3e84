"""Where every column of the model is made from one of the user's, the user's are the players."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, Forest, MergeError, OptionError, vanilla
from fastpd.blocks import make_players
from oracles import Floats, oracle, random_forest

NAMES = ("age", "id", "sex", "size")


@dataclass(frozen=True)
class Steps:
    """Six columns of four: the last twice, the first bent and bare, none of the second.

    The last of the six is made from the third of the four or from the first, as `owner` says.
    """

    columns: tuple[str, ...] = NAMES
    owner: tuple[int, ...] | None = (3, 0, 2, 0, 3, 2)
    unchanged: frozenset[int] = frozenset({2})

    def apply(self, table: Any) -> Floats:
        age, _, sex, size = np.asarray(table, dtype=float).T
        last = np.sign(age) if self.owner and self.owner[-1] == 0 else 1 - sex
        return np.stack([size, np.abs(age), sex, age, -size, last], axis=1)

    def same_as(self, other: Any) -> bool:
        return self == other


def prepared(steps: Steps, **settings: Any) -> Forest:
    forest = random_forest(np.random.default_rng(1), 6, n_trees=8, **settings)
    return replace(forest, preparation=steps)


def tables() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(32, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X[:24], X[24:]


@pytest.fixture(params=[{}, {"outputs": "vector"}, {"depth": 8, "stop": 0.05}], scope="module")
def model(request: pytest.FixtureRequest) -> Forest:
    return prepared(Steps(), **request.param)


def predict(model: Forest) -> Any:
    steps = model.preparation
    assert steps is not None
    return lambda table: oracle(model)(steps.apply(table))


CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-10}


def test_every_query_is_that_of_the_users_table(model: Forest):
    background, rows = tables()
    ex = Explainer(model, background, precision="double")
    assert ex.feature_names == NAMES
    whole = predict(model)
    np.testing.assert_allclose(ex.predict(rows), whole(rows), **CLOSE)
    for k in range(5):
        for one in combinations(range(4), k):
            expected = vanilla.value(whole, background, rows, one)
            np.testing.assert_allclose(ex.value(one, rows), expected, **CLOSE)
    expected = vanilla.shap(whole, background, rows)
    np.testing.assert_allclose(ex.shap(rows).values, expected, **CLOSE)
    assert not ex.shap(rows).values[:, 1].any(), "nothing is made of the second column"
    parts = ex.components(rows, 4)
    for players, part in vanilla.components(whole, background, rows).items():
        if players:
            np.testing.assert_allclose(parts[players], part, **CLOSE)
    pairs = ex.interactions(rows, 2, "FSII")
    for players, part in vanilla.interactions(whole, background, rows, 2, "FSII").items():
        np.testing.assert_allclose(pairs[players], part, **CLOSE)
    scores = ex.importance(rows, 1)
    for name, k in (("age", 0), ("size", 3)):
        expected = vanilla.importance(whole, background, rows)[(k,)]
        np.testing.assert_allclose(scores[name], expected, **CLOSE)
    assert str(ex.plan())


def test_probabilities():
    background, rows = tables()
    model = replace(prepared(Steps()), link="logit")
    ex, raw = Explainer(model, background), predict(model)
    for one in [(0,), (1,), (0, 3)]:
        found = ex.value(one, rows, scale="probability")
        expected = vanilla.value(lambda X: 1 / (1 + np.exp(-raw(X))), background, rows, one)
        np.testing.assert_allclose(found, expected, atol=1e-7)
    steady = ex.effect("id", scale="probability")
    np.testing.assert_allclose(steady.pd([3.0]), ex.value((), rows, scale="probability")[0])


def test_groups_are_groups_of_the_users_columns(model: Forest):
    background, rows = tables()
    groups = {"both": ["size", "age"], "number": ["id"]}
    ex = Explainer(model, background, groups=groups, precision="double")
    assert ex.feature_names == ("both", "number", "sex")
    found = ex.value([("both",), ("both", "number"), ("sex",)], rows)
    for k, columns in enumerate([(0, 3), (0, 1, 3), (2,)]):
        expected = vanilla.value(predict(model), background, rows, columns)
        np.testing.assert_allclose(found[:, k], expected, **CLOSE)
    with pytest.raises(KeyError, match="no column of the model"):
        Explainer(model, background, groups={"both": ["x0"]})


def test_a_background_in_batches(model: Forest):
    background, rows = tables()
    whole = Explainer(model, background)
    first, second = Explainer(model, background[:10]), Explainer(model, iter([background[10:]]))
    first.merge(second)
    np.testing.assert_array_equal(first.shap(rows).values, whole.shap(rows).values)
    other = replace(model, preparation=Steps(("a", "b", "c", "d")))
    with pytest.raises(MergeError, match="different models"):
        first.merge(Explainer(other, background))


def test_only_columns_that_reach_the_model_as_they_are_have_effects_on_steps():
    model = prepared(replace(Steps(), owner=(3, 0, 2, 0, 3, 0)))
    background, rows = tables()
    ex = Explainer(model, background, precision="double")
    effect = ex.effect("sex")
    np.testing.assert_allclose(effect.pd(rows[:, 2]), ex.value("sex", rows), **CLOSE)
    nothing = ex.effect("id", "sex")
    assert not nothing.component_steps.any()
    np.testing.assert_allclose(nothing.pd(0.0, rows[:, 2]), ex.value("sex", rows), **CLOSE)
    for name in ("age", "size"):
        with pytest.raises(OptionError, match=rf"'{name}' is changed by steps.*value\('{name}', X"):
            ex.effect("sex", name)
    for steps in (Steps(), replace(Steps(), unchanged=frozenset())):
        other = Explainer(replace(model, preparation=steps), background)
        with pytest.raises(OptionError, match="'sex' is changed by steps"):
            other.effect("sex")
    grouped = Explainer(model, background, groups={"pair": ["id", "sex"]})
    with pytest.raises(OptionError, match="'pair' is a group of columns"):
        grouped.effect("pair")


def test_where_columns_are_mixed_the_players_are_the_models_columns():
    model = prepared(replace(Steps(), owner=None))
    background, rows = tables()
    ex = Explainer(model, background, precision="double")
    assert ex.feature_names == model.feature_names
    made, points = Steps().apply(background), Steps().apply(rows)
    phi = ex.shap(rows)
    np.testing.assert_allclose(phi.values, vanilla.shap(oracle(model), made, points), **CLOSE)
    np.testing.assert_array_equal(phi.data, points)
    effect = ex.effect("x1")
    np.testing.assert_allclose(effect.pd(points[:, 1]), ex.value("x1", rows), **CLOSE)


def test_the_data_of_shap_values_are_the_users():
    background, rows = tables()
    assert Explainer(prepared(Steps()), background).shap(rows).data is rows


def test_groups_that_are_alike_in_the_model_may_differ_in_the_table():
    model = prepared(Steps())
    one, other = (make_players(model, groups) for groups in (None, {"id": ["id"]}))
    assert one.same_as(other)
    assert not one.same_as(make_players(model, {"age": ["age", "id"]}))
    assert make_players(model, {"age": ["age", "id"]}).is_group(0)
