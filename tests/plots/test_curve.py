"""One feature that holds numbers: every edge, every level, the background, what is missing."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_effects import ale_of, effect_of, errors_of, numbers
from matplotlib import pyplot

from fastpd import Explainer, MissingPackageError, OptionError
from fastpd.forest import Categories
from fastpd.plots._spans import span_of
from fastpd.plots._support import percent, scarce
from oracles import Split, forest, random_forest

NAMES = ("age", "sex", "shoe")
STEPS = Split(0, 20.0, 1.0, Split(0, 60.0, 2.0, 4.0), missing="right")
MODEL = forest([STEPS, Split(0, 40.0, 0.0, Split(1, 0.5, 0.0, 8.0))], 3, names=NAMES)
BACKGROUND = np.array([[10, 0, 0], [30, 1, 0], [50, 0, 0], [70, 1.0, 0]])


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, BACKGROUND)


def steps_of(ax: Any) -> list[tuple[Any, Any]]:
    """Return levels and edges of every line of steps."""
    drawn = [patch.get_data() for patch in ax.patches if not patch.get_fill()]
    return [(data.values, data.edges) for data in drawn]


def notes_of(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts)


@pytest.mark.parametrize("component", [False, True])
def test_a_line_has_the_levels_between_the_edges(ex: Explainer, component: bool):
    effect = ex.effect("age")
    ((values, edges),) = steps_of(effect.plot(component=component))
    np.testing.assert_array_equal(edges[1:-1], [20.0, 40.0, 60.0])
    assert edges[0] < 20
    assert edges[-1] > 60
    at = np.array([10.0, 30.0, 50.0, 70.0])
    np.testing.assert_array_equal(values, effect.component(at) if component else effect.pd(at))


def test_a_missing_value_stands_apart_where_the_background_has_some():
    rows = np.vstack([BACKGROUND, BACKGROUND])
    rows[:2, 0] = np.nan
    effect = Explainer(MODEL, rows).effect("age")
    ax = effect.plot()
    (dash,) = (line for line in ax.get_lines() if len(line.get_xdata()) == 2)
    np.testing.assert_array_equal(dash.get_ydata(), [effect.missing_level] * 2)
    assert min(dash.get_xdata()) > 1  # right of the picture
    assert "missing\n25%" in notes_of(ax)


def test_a_missing_value_that_the_background_has_not_is_not_drawn(ex: Explainer):
    assert "missing" not in notes_of(ex.effect("age").plot())


def test_without_a_background_a_missing_value_is_drawn_where_it_differs(ex: Explainer):
    unknown = replace(ex.effect("age"), support=None)
    assert "missing" in notes_of(unknown.plot())
    left = forest([Split(0, 0.5, 1.0, 2.0, missing="left")], 1)
    as_first = replace(Explainer(left, [[0.0]]).effect(0), support=None)
    assert not as_first.plot().get_lines()


def test_a_feature_that_nothing_tests_is_one_flat_step(ex: Explainer):
    ((values, edges),) = steps_of(ex.effect("shoe").plot())
    np.testing.assert_array_equal(values, [ex.expected_value])
    assert edges[0] < edges[-1]


def test_it_draws_on_the_axes_given(ex: Explainer):
    _, ax = pyplot.subplots()
    assert ex.effect("age").plot(ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1
    assert ex.effect("age").plot() is not ax


def test_labels_name_the_feature_and_the_scale(ex: Explainer):
    ax = ex.effect("age").plot(component=True)
    assert ax.get_xlabel() == "age"
    assert ax.get_ylabel() == "component, prediction"
    assert ex.effect("age").plot().get_ylabel() == "partial dependence, prediction"


def test_there_is_no_room_for_zero_where_levels_are_far_from_it():
    effect = effect_of(numbers(), missing=0)
    far = replace(effect, pd_steps=effect.pd_steps + 100)
    low, high = far.plot().get_ylim()
    assert low > 95
    assert high > far.levels.max()
    low, high = far.plot(errors=errors_of(far)).get_ylim()
    assert 95 < low < far.levels.min()


def test_categories_without_labels_are_named_as_codes():
    codes = replace(numbers("kind"), categories=Categories(None))
    assert effect_of(codes).plot().get_xlabel() == "kind (codes of categories)"


def test_thresholds_of_any_size_can_be_drawn():
    model = forest([Split(0, 3e38, 1.0, 2.0), Split(0, -3e38, 1.0, 2.0)], 1)
    ax = Explainer(model, [[0.0]]).effect(0).plot()
    ax.figure.canvas.draw()
    ((_, edges),) = steps_of(ax)
    assert np.isfinite(edges).all()
    assert len(edges) == 4


def test_several_outputs_are_refused_with_the_way_out():
    model = random_forest(np.random.default_rng(0), 3, outputs="vector")
    several = Explainer(model, np.zeros((1, 3)))
    for features in ((0,), (0, 1), (0, 1, 2)):
        with pytest.raises(OptionError, match=r"3 outputs.*output=0"):
            several.effect(*features).plot()
    assert Explainer(model, np.zeros((1, 3)), output=0).effect(0).plot().patches


def test_without_matplotlib_the_message_says_what_to_install(
    ex: Explainer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match=r"plot\(\) needs.*pip install matplotlib"):
        ex.effect("age").plot()


class TestBands:
    def test_surround_the_steps(self, ex: Explainer):
        effect, errors = ex.effect("age"), ex.standard_errors(2).effect("age")
        ax = effect.plot(errors=2 * errors)
        band = ax.patches[0].get_data()
        np.testing.assert_allclose(band.values, effect.levels + 2 * errors.levels)
        np.testing.assert_allclose(band.baseline, effect.levels - 2 * errors.levels)
        assert ax.get_ylim()[0] < (effect.levels - 2 * errors.levels).min()

    def test_surround_a_missing_value_too(self):
        effect = effect_of(numbers())
        errors = errors_of(effect)
        lines = effect.plot(errors=errors).get_lines()
        expected = effect.missing_level + errors.missing_level * np.array([-1, 1])
        assert any(np.allclose(line.get_ydata(), expected) for line in lines)

    def test_of_another_effect_are_refused(self, ex: Explainer):
        errors = ex.standard_errors(2).effect("sex")
        with pytest.raises(OptionError, match="errors are those of sex for the effect of age"):
            ex.effect("age").plot(errors=errors)


class TestSupport:
    def test_a_curve_fades_where_little_background_is_near(self):
        effect = effect_of(numbers())
        (whole, _), (bold, _) = steps_of(effect.plot())
        few = scarce(effect.support, [span_of(effect.axes[0], effect.support)])
        assert few is not None
        assert 0 < few.sum() < len(few)
        np.testing.assert_array_equal(np.isnan(bold), few)
        np.testing.assert_array_equal(bold[~few], whole[~few])
        assert not np.isnan(whole).any()

    def test_where_it_is_unknown_nothing_fades(self):
        ax = effect_of(numbers(), known=False).plot()
        assert len(steps_of(ax)) == 1
        assert not any(patch.get_fill() for patch in ax.patches)
        assert "faded" not in notes_of(ax)

    def test_what_is_near_is_a_tenth_of_the_width(self):
        axis = numbers(n_edges=99, step=1.0, start=1.0)
        share = np.zeros(101)
        share[[30, 70]] = 0.5
        few = scarce(share, [span_of(axis, None)])
        assert few is not None
        near = np.flatnonzero(~few) + 1
        width = span_of(axis, None).range
        assert set(near) == {*range(26, 36), *range(66, 76)} - {35, 75} | set(near) & {
            25,
            35,
            65,
            75,
        }
        assert 0.08 * width < (near < 50).sum() < 0.12 * width

    def test_the_histogram_has_the_shares_of_the_background(self):
        effect = effect_of(numbers(), missing=0)
        (histogram,) = (patch for patch in effect.plot().patches if patch.get_fill())
        heights, edges, _ = histogram.get_data()
        assert effect.support is not None
        upto = np.append(0, np.cumsum(effect.support[1:]))
        shown = span_of(effect.axes[0], effect.support)
        known = np.interp(edges, shown.edges, upto[: len(shown.edges)])
        share = np.diff(known) / np.diff(known).max()
        tall = share > 0.1
        np.testing.assert_allclose(heights[tall] / heights.max(), share[tall], rtol=1e-9)
        # However few the rows, their column is seen; where there are none is none.
        np.testing.assert_array_equal(heights > 0, share > 0)
        assert heights[heights > 0].min() > 0.05 * heights.max()

    def test_steps_far_from_all_background_are_left_out_and_counted(self):
        axis = replace(numbers(), edges=np.array([20.0, 30, 40, 50, 52, 180, 900]))
        share = np.array([0, 0.2, 0.2, 0.2, 0.2, 0.2, 0, 0, 0])
        effect = replace(effect_of(axis), support=share)
        ax = effect.plot()
        (_, edges), *_ = steps_of(ax)
        np.testing.assert_array_equal(edges[1:-1], [20, 30, 40, 50, 52])
        assert "2 steps beyond the background not drawn" in notes_of(ax)

    def test_shares_are_written_short(self):
        assert [percent(one) for one in (0, 0.001, 0.07, 1)] == ["0%", "<1%", "7%", "100%"]


class TestLocalEffects:
    def test_lie_around_the_mean_of_the_curve(self):
        axis = numbers()
        effect, ale = effect_of(axis, missing=0), ale_of(axis)
        ax = effect.plot(ale=ale)
        (_, _), (_, _), (drawn, _) = steps_of(ax)
        mean = np.average(effect.levels, weights=effect.support[1:])
        inside = ~np.isnan(drawn)
        np.testing.assert_allclose(drawn[inside], (ale.levels + mean)[: len(drawn)][inside])
        # Nothing is said beyond the rows.
        steps = np.flatnonzero(inside) + 1
        assert list(axis.steps_of_numbers(ale.ends[[0, -1]])) == [steps[0], steps[-1]]
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert names == ["partial dependence", "accumulated local effect"]

    def test_of_something_else_are_refused(self, ex: Explainer):
        age, sex = ex.effect("age"), ex.ale("sex", BACKGROUND)
        with pytest.raises(OptionError, match="ale is that of sex on the identity scale, for"):
            age.plot(ale=sex)
        with pytest.raises(OptionError, match="of age and sex on the identity scale"):
            ex.effect("age", "sex").plot(ale=ex.ale("age"))
        other = Explainer(forest([STEPS], 3, names=NAMES), BACKGROUND)
        with pytest.raises(OptionError, match="another model"):
            age.plot(ale=other.ale("age"))
