"""SHAP values of one feature are its main effect, half of each pair, a third of each triple."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, FeatureError, OptionError, ShapParts, vanilla
from oracles import Split, forest, predict_forest, random_forest, rows_for

RNG = np.random.default_rng(3)
MODEL = random_forest(RNG, 5, n_trees=12, depth=4)
ROWS = rows_for(MODEL, 60, RNG)
BACKGROUND = rows_for(MODEL, 40, RNG)
EX = Explainer(MODEL, BACKGROUND)


def check_sum(parts: ShapParts) -> None:
    np.testing.assert_allclose(parts.main + parts.pairs.sum(1) + parts.higher, parts.shap)


@pytest.mark.parametrize("feature", range(5))
def test_parts_are_those_of_brute_force(feature: int):
    parts = EX.shap_parts(feature, ROWS)
    whole = vanilla.components(lambda rows: predict_forest(MODEL, rows), BACKGROUND, ROWS)
    with_it = {one: column for one, column in whole.items() if feature in one}
    shap = sum(column / len(one) for one, column in with_it.items())
    np.testing.assert_allclose(parts.shap, shap, atol=1e-7)
    np.testing.assert_allclose(parts.main, with_it[(feature,)], atol=1e-7)
    for name, column in zip(parts.partners, parts.pairs.T, strict=True):
        pair = tuple(sorted((feature, EX.feature_names.index(name))))
        np.testing.assert_allclose(column, with_it[pair] / 2, atol=1e-7)
    higher = sum(column / len(one) for one, column in with_it.items() if len(one) > 2)
    np.testing.assert_allclose(parts.higher, higher, atol=1e-6)
    check_sum(parts)


def test_the_effect_is_the_main_effect():
    parts = EX.shap_parts("x2", ROWS)
    np.testing.assert_allclose(parts.effect.component(ROWS[:, 2]), parts.main, atol=1e-7)
    np.testing.assert_array_equal(parts.numbers("x2"), ROWS[:, 2])
    np.testing.assert_array_equal(parts.numbers("x4"), ROWS[:, 4])


def test_shares_are_ranked_and_add_up_with_what_is_higher():
    parts = EX.shap_parts("x0", ROWS)
    shares = list(parts.shares.values())
    assert shares == sorted(shares, reverse=True)
    spread = parts.shap - parts.main
    higher = np.cov(parts.higher, spread, bias=True)[0, 1] / spread.var()
    assert sum(shares) + higher == pytest.approx(1)


def test_only_partners_that_a_tree_joins_are_listed():
    model = forest([Split(0, 0.0, Split(1, 0.0, 1.0, 2.0), 4.0), Split(2, 0.0, 0.0, 1.0)], 4)
    ex = Explainer(model, [[-1.0, -1.0, 1.0, 0.0], [1.0, 1.0, -1.0, 0.0]])
    rows = np.array([[-1.0, 1.0, 1.0, 0.0]])
    assert ex.shap_parts(0, rows).partners == ("x1",)
    for alone in (2, 3):
        parts = ex.shap_parts(alone, rows)
        assert parts.partners == ()
        assert parts.shares == {}
        np.testing.assert_array_equal(parts.shap, parts.main)
    assert (ex.shap_parts(3, rows).shap == 0).all()


def test_a_group_is_a_partner_without_values():
    ex = Explainer(MODEL, BACKGROUND, groups={"both": ["x3", "x4"]})
    parts = ex.shap_parts("x0", ROWS)
    assert "both" in parts.partners
    assert "both" not in parts.axes
    check_sum(parts)
    np.testing.assert_allclose(parts.shap, ex.shap(ROWS).values[:, 0])
    with pytest.raises(FeatureError, match="'both' is neither 'x0' nor a single column"):
        parts.numbers("both")
    with pytest.raises(OptionError, match="'both' is a group"):
        ex.shap_parts("both", ROWS)


def test_no_rows_have_no_parts():
    parts = EX.shap_parts("x0", ROWS[:0])
    assert parts.shap.shape == (0,)
    assert set(parts.shares.values()) <= {0.0}


@pytest.mark.parametrize("feature", ["age", 5, -1, ("x0",)])
def test_an_unknown_feature_is_refused(feature: Any):
    with pytest.raises(FeatureError, match=r"unknown|out of range|expected a name"):
        EX.shap_parts(feature, ROWS)


def test_several_outputs_are_refused_with_the_way_out():
    model = random_forest(np.random.default_rng(0), 3, outputs="vector")
    with pytest.raises(OptionError, match=r"3 outputs.*output=0"):
        Explainer(model, np.zeros((2, 3))).shap_parts(0, np.zeros((2, 3)))
    one = Explainer(model, np.zeros((2, 3)), output=0)
    check_sum(one.shap_parts(0, np.ones((2, 3))))
