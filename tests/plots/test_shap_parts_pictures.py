"""SHAP values are drawn for every row, beside the steps and the pair that they mix."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made import ROWS, large, small
from matplotlib import pyplot
from pictures import picture

from fastpd import Explainer, FeatureError, OptionError, ShapParts
from fastpd.forest import Categories, IntervalSplits, code_intervals
from fastpd.plots import plot_shap_parts
from oracles import Split, forest

COLOURS = Categories(("red", "green", "$ blue $"))
TREES = [
    Split(0, 0.0, Split(1, 5.0, 1.0, -2.0), Split(1, 7.0, 2.0, 3.0)),
    Split(1, 6.0, 0.0, Split(2, 0.0, 0.0, 1.0)),
]
LABELLED = forest(TREES, 3, names=("colour", "age", "size"))
LABELLED = replace(
    LABELLED,
    splits=IntervalSplits.from_mapping({0: code_intervals([1])}),
    categories=(COLOURS, None, None),
)


def labelled_rows() -> np.ndarray:
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.integers(0, 3, 90), rng.integers(0, 10, 90), rng.normal(size=90)])
    rows[::10, 0] = np.nan
    rows[5::10, 1] = np.nan
    return rows


@pytest.fixture(scope="module")
def parts() -> ShapParts:
    return small().shap_parts("age", ROWS)


def dots(ax: Any) -> Any:
    return np.concatenate([one.get_offsets() for one in ax.collections if len(one.get_offsets())])


def test_every_row_has_a_dot_at_its_value(parts: ShapParts):
    upper, _ = parts.plot()
    np.testing.assert_array_equal(dots(upper), np.column_stack([ROWS[:, 0], parts.shap]))


def test_the_steps_are_the_main_effect_over_the_values_that_occur(parts: ShapParts):
    upper, _ = parts.plot()
    (steps,) = upper.patches
    levels, edges, _ = steps.get_data()
    np.testing.assert_array_equal(edges, [ROWS[:, 0].min(), 0, 1, ROWS[:, 0].max()])
    np.testing.assert_array_equal(levels, parts.effect.component([-1.0, 0.5, 2.0]))


def test_the_lower_picture_is_half_of_the_pair(parts: ShapParts):
    for partner in parts.partners:
        _, lower = parts.plot(partner=partner)
        drawn = dots(lower)
        half = parts.pairs[:, parts.partners.index(partner)]
        assert sorted(drawn[:, 1]) == sorted(half)
        assert "half of age × " in lower.get_ylabel()


def test_shares_of_the_spread_are_told():
    explainer, rows = large()
    parts = explainer.shap_parts("x0", rows)
    _, lower = parts.plot()
    said = lower.get_title(loc="left").replace("\n", " ")
    for name, share in list(parts.shares.items())[:3]:
        assert f"× {name} {share:.0%}" in said
    others = sum(list(parts.shares.values())[3:])
    assert f"{len(parts.partners) - 3} other pairs {others:.0%}" in said
    assert f"three and more features {1 - sum(parts.shares.values()):.0%}" in said


def test_labels_have_places_of_their_own_and_missing_ones_too():
    rows = labelled_rows()
    parts = Explainer(LABELLED, rows).shap_parts("colour", rows)
    upper, lower = parts.plot()
    names = [tick.get_text() for tick in lower.get_xticklabels()]
    assert names == ["red", "green", r"\$ blue \$", "missing"]
    place = np.where(np.isnan(rows[:, 0]), 3, rows[:, 0])
    drawn = upper.collections[0].get_offsets()
    np.testing.assert_array_equal(np.round(drawn[:, 0]), place)
    np.testing.assert_array_equal(drawn[:, 1], parts.shap)


def test_missing_numbers_stand_on_the_right():
    rows = labelled_rows()
    upper, lower = Explainer(LABELLED, rows).shap_parts("age", rows).plot()
    drawn = upper.collections[0].get_offsets()[:, 0]
    missing = np.isnan(rows[:, 1])
    assert drawn[missing].min() > drawn[~missing].max() == 9
    assert [text.get_text() for text in lower.texts] == ["missing"]
    assert lower.get_legend().get_title().get_text() == "colour"


def test_a_group_as_partner_has_one_colour():
    explainer, rows = large()
    grouped = Explainer(explainer._blocks.forest, rows, groups={"both": ["x1", "x2"]})
    _, lower = grouped.shap_parts("x0", rows).plot(partner="both")
    assert lower.get_legend() is None
    assert len(dots(lower)) == len(rows)


def test_without_interactions_it_says_so():
    model = forest([Split(0, 0.0, 1.0, 2.0)], 2)
    rows = np.array([[-1.0, 0.0], [1.0, 0.0]])
    for feature in (0, 1):
        upper, lower = Explainer(model, rows).shap_parts(feature, rows).plot()
        assert "no interactions" in lower.get_title(loc="left")
        upper.figure.canvas.draw()


def test_one_row_can_be_drawn(parts: ShapParts):
    for row in (ROWS[:1], np.full((1, 5), np.nan), np.array([[np.inf, -np.inf, 0, 0, 0]])):
        upper, _ = small().shap_parts("age", row).plot()
        upper.figure.canvas.draw()
        assert np.isfinite(dots(upper)).all()


def test_no_rows_are_refused():
    with pytest.raises(OptionError, match="there are no rows"):
        small().shap_parts("age", ROWS[:0]).plot()


def test_an_unknown_partner_is_refused(parts: ShapParts):
    with pytest.raises(FeatureError, match=r"partner is 'shoe'.*those that have one are: "):
        parts.plot(partner="shoe")


def test_it_draws_on_two_axes(parts: ShapParts):
    _, both = pyplot.subplots(2, 1)
    drawn = plot_shap_parts(parts, ax=both)
    assert list(drawn) == list(both)
    assert drawn[0].get_xlim() == drawn[1].get_xlim()
    with pytest.raises(OptionError, match="ax holds 1 axes; expected two"):
        plot_shap_parts(parts, ax=both[0])
    with pytest.raises(OptionError, match="ax is of type str"):
        plot_shap_parts(parts, ax=["a", "b"])


def fixed_pair(right: float) -> Any:
    figure = pyplot.figure(figsize=(5, 4.6))
    lower = figure.add_axes((0.15, 0.12, right - 0.15, 0.28))
    return [figure.add_axes((0.15, 0.53, right - 0.15, 0.42)), lower]


@picture
def test_shap_parts_of_a_number():
    rows = labelled_rows()
    parts = Explainer(LABELLED, rows).shap_parts("age", rows)
    return parts.plot(ax=fixed_pair(0.8))[0].figure


@picture
def test_shap_parts_of_labels():
    rows = labelled_rows()
    parts = Explainer(LABELLED, rows).shap_parts("colour", rows)
    return parts.plot(ax=fixed_pair(0.82))[0].figure
