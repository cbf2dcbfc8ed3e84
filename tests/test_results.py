"""Answers: columns by name, step functions, and what follows from them."""

from __future__ import annotations

import copy
import pickle
import sys
import time
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fastpd import DataError, Explainer, FeatureError, MissingPackageError, OptionError
from fastpd.results import Importance
from oracles import Split, forest, path_forest, random_forest, rows_for

# sex alone, age with sex, nothing joins height to either; shoe is in no tree.
NAMES = ("age", "sex", "height", "shoe")
MODEL = forest(
    [
        Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0)),
        Split(2, 0.25, 1.0, Split(2, 0.75, 2.0, 4.0), missing="right"),
    ],
    4,
    names=NAMES,
)
BACKGROUND = np.array([[0, 0, 0, 0], [0, 1, 0.5, 0], [1, 0, 0.5, 0], [1, 1.0, 1.0, 0]])
ROWS = np.array([[1, 1, 0, 0], [0, 1, 1.0, 0], [0, 0, 0.5, 9], [1, 0, np.nan, 0]])
SEVERAL = random_forest(np.random.default_rng(0), 3, outputs="vector")


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, BACKGROUND, precision="double")


@pytest.fixture(scope="module")
def several() -> Explainer:
    return Explainer(SEVERAL, np.zeros((2, 3)), precision="double")


class TestDecomposition:
    def test_sets_are_named_in_any_order_or_by_index(self, ex: Explainer):
        parts = ex.components(ROWS)
        for key in (
            ("age", "sex"),
            ("sex", "age"),
            (0, 1),
            ["sex", 0],
            {"age", "sex"},
            (np.int8(1), 0),
        ):
            np.testing.assert_array_equal(parts[key], [2.0, -2.0, 2.0, -2.0])
        for key in ("age", ("age",), 0, (0,)):
            np.testing.assert_array_equal(parts[key], [2.0, -2.0, -2.0, 2.0])

    def test_it_is_a_mapping_of_what_is_not_zero_everywhere(self, ex: Explainer):
        parts = ex.components(ROWS, max_order=2)
        assert list(parts) == [("age",), ("sex",), ("height",), ("age", "sex")]
        assert parts.names == tuple(parts)
        assert len(parts) == 4
        assert parts.array.shape == (4, 4)
        for at, (names, column) in enumerate(parts.items()):
            np.testing.assert_array_equal(column, parts.array[:, at])
            np.testing.assert_array_equal(column, parts[names])
        assert ("sex", "age") in parts
        assert ("age", "height") not in parts
        assert "weight" not in parts
        assert parts.get("weight", "none") == "none"

    @pytest.mark.parametrize("absent", ["shoe", ("age", "height"), ("shoe", "sex")])
    def test_components_that_no_tree_has_are_zero(self, ex: Explainer, absent: Any):
        np.testing.assert_array_equal(ex.components(ROWS)[absent], np.zeros(4), strict=True)

    def test_absent_components_have_the_shape_and_type_of_the_others(self, several: Explainer):
        model = random_forest(np.random.default_rng(1), 9, 1, 1, outputs="vector", stop=0)
        parts = Explainer(model, np.zeros((1, 9))).components(np.zeros((2, 9)), dtype="float32")
        assert parts[0, 1].shape == (2, 3)
        assert parts[0, 1].dtype == np.float32

    @pytest.mark.parametrize(
        ("key", "words"),
        [
            ("agee", ("'agee'", "age, sex, height, shoe", "Did you mean 'age'?")),
            (("sex", "hight"), ("'hight'", "Did you mean 'height'?")),
            (4, ("4", "0 to 3")),
            (-1, ("-1", "0 to 3")),
            (True, ("True",)),
            (1.0, ("1.0",)),
            (None, ("None",)),
            ((), ("no features", "expected_value")),
            (("age", "age"), ("twice",)),
            (("age", 0), ("twice",)),
            (("age", "sex", "height"), ("3 features", "sets of 1 to 2", "higher order")),
        ],
    )
    def test_other_keys_are_refused(self, ex: Explainer, key: Any, words: tuple[str, ...]):
        with pytest.raises(FeatureError) as caught:
            ex.components(ROWS)[key]
        for word in words:
            assert word in str(caught.value)

    def test_intercept_components_and_remainder_are_the_prediction(self, ex: Explainer):
        whole, mains = ex.components(ROWS, 2), ex.components(ROWS, 1)
        assert whole.intercept == ex.expected_value == 2.0 + 2.25
        np.testing.assert_allclose(whole.remainder, 0, atol=1e-12)
        np.testing.assert_allclose(mains.remainder, whole["age", "sex"], atol=1e-12)
        assert whole.discrepancy == pytest.approx(0, abs=1e-12)
        assert mains.discrepancy == pytest.approx(np.abs(whole["age", "sex"]).mean())
        assert (whole.complete, mains.complete) == (True, False)

    def test_complete_is_about_the_longest_path(self):
        ex = Explainer(path_forest(3), np.zeros((2, 3)))
        assert [ex.components(np.zeros((1, 3)), n).complete for n in (1, 2, 3, 4)] == [0, 0, 1, 1]

    def test_a_complete_one_has_the_shap_values(self, ex: Explainer, several: Explainer):
        for one, rows in ((ex, ROWS), (several, rows_for(SEVERAL, 9, np.random.default_rng(0)))):
            shared, direct = one.components(rows, 4).shap(), one.shap(rows)
            np.testing.assert_allclose(shared.values, direct.values, atol=1e-12)
            np.testing.assert_array_equal(shared.base_values, direct.base_values)
            assert shared.feature_names == direct.feature_names
            assert shared.output_names == direct.output_names

    def test_an_incomplete_one_has_none(self, ex: Explainer):
        with pytest.raises(OptionError, match=r"max_order = 1.*Explainer\.shap"):
            ex.components(ROWS, 1).shap()

    def test_importance_is_the_mean_size(self, ex: Explainer):
        importance = ex.components(ROWS).importance()
        assert importance["age", "sex"] == 2.0
        assert importance["height"] == np.abs(ex.components(ROWS)["height"]).mean()
        np.testing.assert_allclose(importance.scores, ex.importance(ROWS).scores, atol=1e-12)

    def test_it_is_compared_as_an_object(self, ex: Explainer):
        one, other = ex.components(ROWS), ex.components(ROWS)
        assert one == one
        assert one != other
        assert len({one, other}) == 2

    def test_repr(self, ex: Explainer):
        assert repr(ex.components(ROWS)) == (
            "<Decomposition: 4 components up to order 2 of 4 rows, complete, identity scale>"
        )
        assert "with a remainder" in repr(ex.components(ROWS, 1))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
class TestCopies:
    @pytest.mark.parametrize("rows", [ROWS, pd.DataFrame(ROWS, columns=list(NAMES))])
    def test_of_decompositions_have_remainders_and_cells(
        self, ex: Explainer, copied: Any, rows: Any
    ):
        parts = ex.components(rows, max_order=1)
        found = copied(parts)
        np.testing.assert_array_equal(found.remainder, parts.remainder)
        np.testing.assert_array_equal(found["age"], parts["age"])
        assert [found.cells(row) for row in range(4)] == [parts.cells(row) for row in range(4)]

    def test_of_shap_values_taken_apart_have_the_numbers_of_rows(self, ex: Explainer, copied: Any):
        parts = ex.shap_parts("age", ROWS)
        found = copied(parts)
        np.testing.assert_array_equal(found.numbers("sex"), ROWS[:, 1])
        np.testing.assert_array_equal(found.shap, parts.shap)


class TestInteractions:
    def test_columns_go_by_name(self, ex: Explainer):
        pairs = ex.interactions(ROWS, 2, "STII")
        np.testing.assert_allclose(pairs["sex", "age"], [2.0, -2.0, 2.0, -2.0], atol=1e-12)
        np.testing.assert_array_equal(pairs["age", "height"], np.zeros(4))
        assert (pairs.index, pairs.max_order, pairs.base_values) == ("STII", 2, 4.25)
        assert repr(pairs) == (
            "<Interactions: STII of 4 sets up to order 2, 4 rows, identity scale>"
        )

    @pytest.mark.parametrize("index", ["SII", "STII", "FSII", "BII", "Moebius"])
    def test_orders_beyond_the_longest_path_change_nothing(self, ex: Explainer, index: str):
        expected = ex.interactions(ROWS, 4, index)
        for order in (50, 10**12):
            found = ex.interactions(ROWS, order, index)
            assert found.max_order == order
            assert found.names == expected.names
            np.testing.assert_allclose(found.array, expected.array, atol=1e-12)
        assert ex.components(ROWS, 10**12).names == expected.names


class TestImportance:
    def test_the_largest_comes_first(self, ex: Explainer):
        found = ex.importance(ROWS)
        assert list(found.scores) == sorted(found.scores, reverse=True)
        assert dict(found) == dict(zip(found.names, found.scores.tolist(), strict=True))
        assert len(found) == 4

    def test_ties_keep_their_order(self, ex: Explainer):
        names = [one for one in ex.importance(ROWS).names if one != ("height",)]
        assert names == [("age",), ("sex",), ("age", "sex")]

    def test_several_outputs_are_sorted_by_their_mean(self, several: Explainer):
        found = several.importance(rows_for(SEVERAL, 20, np.random.default_rng(0)))
        overall = found.scores.mean(axis=1)
        assert (np.diff(overall) <= 0).all()
        np.testing.assert_array_equal(found[found.names[0]], found.scores[0])
        assert found.output_names == ("y0", "y1", "y2")

    def test_sets_are_named_in_any_order(self, ex: Explainer):
        found = ex.importance(ROWS)
        assert found["sex", "age"] == found["age", "sex"] == found[{"age", "sex"}]
        assert found["age"] == found[("age",)]

    @pytest.mark.parametrize("key", ["agee", ("age", "height"), 0, (0,), None, [["age"]], b"age"])
    def test_what_it_does_not_list_is_refused(self, ex: Explainer, key: Any):
        found = ex.importance(ROWS)
        with pytest.raises(FeatureError):
            found[key]
        assert key not in found
        assert found.get(key, 7.0) == 7.0

    def test_one_named_twice_is_not_listed(self, ex: Explainer):
        with pytest.raises(FeatureError, match=r"\('age', 'age'\) is not listed"):
            ex.importance(ROWS)["age", "age"]

    def test_thousands_are_found_at_once(self):
        names = [(f"x{k}",) for k in range(5000)]
        others: dict[str, Any] = {"link": "identity", "max_order": 1, "complete": True}
        found = Importance(names, np.arange(5000.0), ("y",), **others)
        began = time.process_time()
        assert dict(found) == {one: float(at) for at, one in enumerate(names)}
        assert time.process_time() - began < 1

    def test_the_nearest_name_is_told(self, ex: Explainer):
        with pytest.raises(FeatureError, match="Did you mean 'age'"):
            ex.importance(ROWS)["agee"]

    def test_repr_lists_the_largest(self, ex: Explainer):
        lines = repr(ex.importance(ROWS)).splitlines()
        assert lines[0].split() == ["mean", "|m_S|", "component"]
        assert lines[1].split() == ["2", "age"]
        assert "age x sex" in repr(ex.importance(ROWS))
        many = Explainer(path_forest(8), np.random.default_rng(0).normal(size=(9, 8))).importance()
        assert repr(many).splitlines()[-1] == f"... and {len(many) - 20} more"


class TestShapValues:
    def test_they_carry_what_they_explain(self, ex: Explainer, several: Explainer):
        phi = ex.shap(ROWS)
        assert phi.data is ROWS
        assert phi.feature_names == NAMES
        assert phi.base_values == ex.expected_value
        assert repr(phi) == "<ShapValues: 4 x 4 (rows x features...), identity scale>"
        assert several.shap(np.zeros((2, 3))).values.shape == (2, 3, 3)
        assert several.shap(np.zeros((2, 3))).base_values.shape == (3,)

    @pytest.mark.parametrize("one", [True, False], ids=["one output", "several outputs"])
    def test_shap_gets_what_its_plots_need(
        self, ex: Explainer, several: Explainer, one: bool, monkeypatch: pytest.MonkeyPatch
    ):
        fake = SimpleNamespace(Explanation=lambda **given: SimpleNamespace(**given))
        monkeypatch.setitem(sys.modules, "shap", fake)
        rows = ROWS if one else np.zeros((2, 3))
        phi = (ex if one else several).shap(rows)
        given = phi.to_shap()
        np.testing.assert_array_equal(given.values, phi.values)
        np.testing.assert_array_equal(given.data, rows)
        assert given.base_values.shape == phi.values.shape[:1] + phi.values.shape[2:]
        np.testing.assert_array_equal(given.base_values[0], phi.base_values)
        assert given.feature_names == list(phi.feature_names)
        assert given.output_names == (None if one else ["y0", "y1", "y2"])

    def test_shap_gets_rows_in_the_order_of_the_values(
        self, ex: Explainer, monkeypatch: pytest.MonkeyPatch
    ):
        fake = SimpleNamespace(Explanation=lambda **given: SimpleNamespace(**given))
        monkeypatch.setitem(sys.modules, "shap", fake)
        names = list(ex.feature_names)
        table = pd.DataFrame(ROWS, columns=names)
        other = table.assign(more="text")[["more", *reversed(names)]]
        np.testing.assert_array_equal(ex.shap(other).to_shap().data, ROWS)
        np.testing.assert_array_equal(ex.shap(pl.from_pandas(other)).to_shap().data, ROWS)

    def test_without_shap_the_message_says_what_to_install(
        self, ex: Explainer, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setitem(sys.modules, "shap", None)
        with pytest.raises(MissingPackageError, match=r"to_shap\(\) needs.*pip install shap"):
            ex.shap(ROWS).to_shap()


class TestEffect:
    def test_steps_begin_at_their_edges(self, ex: Explainer):
        effect = ex.effect("height")
        np.testing.assert_array_equal(effect.edges, [0.25, 0.75])
        np.testing.assert_array_equal(effect.levels, [3.0, 4.0, 6.0])
        assert effect.missing_level == 4.0
        below = np.nextafter(np.float32(0.25), np.float32(0))
        asked = [below, 0.25, 0.5, 0.75, -np.inf, np.inf, np.nan, 1e300]
        expected = [3.0, 4.0, 4.0, 6.0, 3.0, 6.0, 4.0, 6.0]
        np.testing.assert_array_equal(effect.pd(asked), expected)
        np.testing.assert_allclose(effect.component(asked), np.array(expected) - 4.25)

    def test_a_number_may_stand_for_missing(self):
        model = forest([Split(0, 0.5, 1.0, 2.0, missing="right")], 1, missing=-999.0)
        effect = Explainer(model, [[0.0]]).effect(0)
        np.testing.assert_array_equal(effect.pd([-999.0, np.nan, -998.0]), [2.0, 2.0, 1.0])

    def test_pairs_take_two_arrays_or_two_columns(self, ex: Explainer):
        effect = ex.effect("sex", "age")
        assert effect.features == ("sex", "age")
        np.testing.assert_array_equal(effect.levels, np.array([[0, 0], [0, 8]]) + 2.25)
        sex, age = np.array([0.0, 1.0, np.nan]), np.array([1.0, 1.0, 1.0])
        expected = np.array([0.0, 8.0, 0.0]) + 2.25
        np.testing.assert_array_equal(effect.pd(sex, age), expected)
        np.testing.assert_array_equal(effect.pd(np.column_stack([sex, age])), expected)
        np.testing.assert_array_equal(effect.pd(sex, 1.0), expected)
        component = ex.components([[1.0, 1.0, 0, 0]])["age", "sex"]
        np.testing.assert_allclose(effect.component(1.0, 1.0), component[0])
        turned = ex.effect("age", "sex")
        np.testing.assert_array_equal(turned.pd(age, sex), expected)
        np.testing.assert_array_equal(turned.pd_steps, effect.pd_steps.T)

    def test_features_that_nothing_tests_have_one_level(self, ex: Explainer):
        effect = ex.effect("shoe")
        assert len(effect.edges) == 0
        np.testing.assert_array_equal(effect.levels, [4.25])
        np.testing.assert_array_equal(effect.component([3.0, np.nan]), [0.0, 0.0])
        assert ex.effect("age", "height").component(1.0, 1.0) == 0.0
        assert ex.effect("age", "shoe").levels.shape == (2, 1)

    def test_any_pair_agrees_with_the_values_at_rows(self, ex: Explainer):
        rows = rows_for(MODEL, 50, np.random.default_rng(0))
        for pair in permutations(range(4), 2):
            found = ex.effect(*pair).pd(rows[:, list(pair)])
            np.testing.assert_allclose(found, ex.value(pair, rows), atol=1e-12)

    def test_several_outputs_come_last(self, several: Explainer):
        assert several.effect(0).levels.shape == (len(several.effect(0).edges) + 1, 3)
        assert several.effect(0, 1).pd([0.0, 1.0], [0.0, 1.0]).shape == (2, 3)

    def test_values_that_do_not_fit_together_are_refused(self, ex: Explainer):
        with pytest.raises(DataError, match=r"shapes \(2,\) and \(3,\)"):
            ex.effect("age", "sex").pd([0, 1], [0, 1, 2])
        with pytest.raises(DataError, match=r"0 arrays .* expected 1"):
            ex.effect("age").pd()

    def test_edges_belong_to_the_caller(self, ex: Explainer):
        ex.effect("height").edges[:] = 7.0
        np.testing.assert_array_equal(ex.effect("height").edges, [0.25, 0.75])

    def test_repr(self, ex: Explainer):
        assert repr(ex.effect("height")) == "<Effect of height: 3 steps, identity scale>"
        assert repr(ex.effect("age", "height")) == (
            "<Effect of age and height: 2 x 3 steps, identity scale>"
        )


def test_explainer_and_plan_say_what_they_hold(ex: Explainer):
    assert repr(ex) == "<Explainer of arrays: 2 trees, 4 features, 4 background rows>"
    text = str(ex.plan())
    assert text.startswith("2 trees, 6 leaves in ")
    assert "longest path 2 features" in text
    assert "any order" in text
