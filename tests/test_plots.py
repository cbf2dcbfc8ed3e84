"""Pictures show the true steps: every edge, every level, the missing value."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import fastpd
from fastpd import Explainer, MissingPackageError, OptionError
from fastpd.forest import Categories, IntervalSplits, code_intervals
from oracles import Split, forest, random_forest

NAMES = ("age", "sex", "shoe")
STEPS = Split(0, 20.0, 1.0, Split(0, 60.0, 2.0, 4.0), missing="right")
MODEL = forest([STEPS, Split(0, 40.0, 0.0, Split(1, 0.5, 0.0, 8.0))], 3, names=NAMES)
BACKGROUND = np.array([[10, 0, 0], [30, 1, 0], [50, 0, 0], [70, 1.0, 0]])


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, BACKGROUND)


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[Any]:
    """Draw without a screen, and leave no figure behind."""
    mpl.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def stairs_of(ax: Any) -> tuple[Any, Any]:
    (patch,) = ax.patches
    values, edges, _ = patch.get_data()
    return values, edges


@pytest.mark.parametrize("component", [False, True])
def test_a_line_has_the_levels_between_the_edges(ex: Explainer, component: bool):
    effect = ex.effect("age")
    values, edges = stairs_of(effect.plot(component=component))
    np.testing.assert_array_equal(edges[1:-1], [20.0, 40.0, 60.0])
    assert edges[0] < 20
    assert edges[-1] > 60
    at = np.array([10.0, 30.0, 50.0, 70.0])
    np.testing.assert_array_equal(values, effect.component(at) if component else effect.pd(at))


def test_a_missing_value_has_a_line_of_its_own_where_it_differs(ex: Explainer):
    ax = ex.effect("age").plot()
    (line,) = ax.get_lines()
    np.testing.assert_array_equal(line.get_ydata(), [ex.effect("age").missing_level] * 2)
    assert [text.get_text() for text in ax.texts] == ["missing"]
    as_first = Explainer(forest([Split(0, 0.5, 1.0, 2.0, missing="left")], 1), [[0.0]])
    assert not as_first.effect(0).plot().get_lines()


def test_a_feature_that_nothing_tests_is_one_flat_step(ex: Explainer):
    values, edges = stairs_of(ex.effect("shoe").plot())
    np.testing.assert_array_equal(values, [ex.expected_value])
    assert edges[0] < edges[-1]


@pytest.mark.parametrize("pair", [("age", "sex"), ("sex", "age"), ("age", "shoe")])
def test_a_map_has_a_cell_for_every_pair_of_steps(ex: Explainer, pair: tuple[str, str]):
    effect = ex.effect(*pair)
    ax = effect.plot()
    (mesh,) = ax.collections
    np.testing.assert_array_equal(mesh.get_array(), effect.levels.T)
    corners = mesh.get_coordinates()
    for axis, shown in enumerate((corners[0, :, 0], corners[:, 0, 1])):
        if len(effect.edges[axis]):
            np.testing.assert_array_equal(shown[1:-1], effect.edges[axis])
    assert (ax.get_xlabel(), ax.get_ylabel()) == pair
    ax.figure.canvas.draw()


def test_colours_of_a_map_have_zero_in_the_middle(ex: Explainer):
    (mesh,) = ex.effect("age", "sex").plot(component=True).collections
    low, high = mesh.get_clim()
    assert low == -high < 0


def test_it_draws_on_the_axes_given(ex: Explainer, pyplot: Any):
    _, ax = pyplot.subplots()
    assert ex.effect("age").plot(ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1
    assert ex.effect("age").plot() is not ax


def test_labels_name_the_feature_and_the_scale(ex: Explainer):
    ax = ex.effect("age").plot(component=True)
    assert ax.get_xlabel() == "age"
    assert ax.get_ylabel() == "$m$ of age, prediction"
    assert ex.effect("age").plot().get_ylabel() == "$v$ of age, prediction"


def test_thresholds_of_any_size_can_be_drawn():
    model = forest([Split(0, 3e38, 1.0, 2.0), Split(0, -3e38, 1.0, 2.0)], 1)
    ax = Explainer(model, [[0.0]]).effect(0).plot()
    ax.figure.canvas.draw()
    assert np.isfinite(stairs_of(ax)[1]).all()


def test_several_outputs_are_refused_with_the_way_out():
    model = random_forest(np.random.default_rng(0), 3, outputs="vector")
    several = Explainer(model, np.zeros((1, 3)))
    for features in ((0,), (0, 1)):
        with pytest.raises(OptionError, match=r"3 outputs.*output=0"):
            several.effect(*features).plot()
    assert fastpd.Explainer(model, np.zeros((1, 3)), output=0).effect(0).plot().patches


def test_without_matplotlib_the_message_says_what_to_install(
    ex: Explainer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match=r"plot\(\) needs.*pip install matplotlib"):
        ex.effect("age").plot()


class TestLabels:
    COLOURS = Categories(("red", "green", "blue"))
    MODEL = replace(
        forest([Split(0, 0.0, 1.0, Split(1, 5.0, 2.0, 3.0))], 2, names=("colour", "age")),
        splits=IntervalSplits.from_mapping({0: code_intervals([1])}),
        categories=(COLOURS, None),
    )
    ex = Explainer(MODEL, np.array([[0.0, 1.0], [1.0, 9.0], [2.0, 9.0]]))

    def test_a_level_is_drawn_for_each(self):
        effect = self.ex.effect("colour")
        ax = effect.plot()
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["red", "green", "blue"]
        (levels,) = ax.collections
        heights = [segment[0, 1] for segment in levels.get_segments()]
        np.testing.assert_array_equal(heights, effect.pd(["red", "green", "blue"]))
        assert effect.by_label() == dict(zip(("red", "green", "blue"), heights, strict=True))

    def test_a_map_names_them(self):
        ax = self.ex.effect("age", "colour").plot()
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["red", "green", "blue"]
        cells = ax.collections[0].get_array()
        expected = self.ex.effect("age", "colour").pd(
            np.array([[0.0], [9.0]]), [self.COLOURS.labels]
        )
        np.testing.assert_array_equal(cells, expected.T)

    def test_long_ones_are_turned(self):
        names = tuple(name * 9 for name in self.COLOURS.labels)
        model = replace(self.MODEL, categories=(Categories(names), None))
        ax = Explainer(model, np.zeros((1, 2))).effect("colour").plot()
        assert {tick.get_rotation() for tick in ax.get_xticklabels()} == {90.0}

    def test_effects_are_asked_for_labels_or_codes(self):
        effect = self.ex.effect("colour")
        codes = effect.pd(np.array([1, 0, np.nan]))
        np.testing.assert_array_equal(effect.pd(["green", "red", None]), codes)
        np.testing.assert_array_equal(
            effect.pd(pd.Series(["green", "red"], dtype="category")), codes[:2]
        )
        assert effect.pd("green").shape == ()
        with pytest.raises(OptionError, match="no effect of one feature with labels"):
            self.ex.effect("age").by_label()


class TestBands:
    def test_surround_the_steps(self, ex: Explainer):
        effect, errors = ex.effect("age"), ex.standard_errors(2).effect("age")
        band, line = effect.plot(errors=2 * errors).patches
        np.testing.assert_allclose(band.get_data().values, effect.levels + 2 * errors.levels)
        np.testing.assert_allclose(band.get_data().baseline, effect.levels - 2 * errors.levels)
        np.testing.assert_allclose(line.get_data().values, effect.levels)
        assert line.axes.get_ylim()[0] < (effect.levels - 2 * errors.levels).min()

    def test_of_another_effect_are_refused(self, ex: Explainer):
        errors = ex.standard_errors(2).effect("sex")
        with pytest.raises(OptionError, match="errors are those of sex for the effect of age"):
            ex.effect("age").plot(errors=errors)
