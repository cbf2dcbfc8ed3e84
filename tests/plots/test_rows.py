"""Curves of single rows, and local effects alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_effects import ale_of, ice_of, labels, numbers

from fastpd import Explainer, OptionError
from oracles import random_forest


def lines_of(ax: Any) -> Any:
    (collection,) = ax.collections
    return collection.get_segments()


def notes_of(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def test_every_curve_is_drawn_with_its_steps():
    ice = ice_of(numbers(), 5)
    lines = lines_of(ice.plot())
    assert len(lines) == 5
    shown = {tuple(line[::2, 1].round(12)) for line in lines}
    n = len(lines[0]) // 2
    assert shown == {tuple(levels[:n].round(12)) for levels in ice.levels}


def test_a_choice_of_curves_spans_them_and_is_said():
    ice = ice_of(numbers(), 1001)
    ax = ice.plot(most=11)
    means = sorted(line[::2, 1].mean() for line in lines_of(ax))
    n = len(lines_of(ax)[0]) // 2
    known = np.sort(ice.levels[:, :n].mean(axis=1))
    np.testing.assert_allclose(means, known[::100])
    assert "11 of 1,001 curves, evenly spaced by mean level" in notes_of(ax)
    assert "40 curves" in notes_of(ice_of(numbers()).plot())


def test_the_partial_dependence_lies_over_them():
    ice = ice_of(numbers(), 5)
    drawn = ice.plot().patches[-1].get_data().values
    np.testing.assert_array_equal(drawn, ice.pd_steps[1 : len(drawn) + 1])


def test_centred_curves_say_where_they_are_zero():
    ice = ice_of(numbers())
    assert ice.plot().get_ylabel() == "prediction of a row, log-odds"
    assert ice.centred().plot().get_ylabel() == "change from the lowest value, log-odds"
    assert ice.centred(30).plot().get_ylabel() == "change from 30, log-odds"


def test_labels_have_a_mark_for_each_row():
    ice = ice_of(labels("colour", "red", "green"), 7)
    ax = ice.plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["red", "green", "missing"]
    marks, _, pd, *_ = ax.get_lines()
    np.testing.assert_allclose(np.sort(marks.get_xdata()), np.sort(ice.steps[:, [1, 2, 0]].ravel()))
    np.testing.assert_array_equal(pd.get_xdata(), ice.pd_steps[[1, 2, 0]])


def test_no_rows_leave_the_partial_dependence():
    model = random_forest(np.random.default_rng(0), 2)
    ice = Explainer(model, np.zeros((3, 2))).ice(0, np.zeros((0, 2)))
    ax = ice.plot()
    ax.figure.canvas.draw()
    assert "0 curves" in notes_of(ax)


def test_a_local_effect_is_drawn_between_its_ends():
    ale = ale_of(numbers())
    ax = ale.plot()
    (steps,) = ax.patches
    values = steps.get_data().values
    low, high = ale.axis.steps_of_numbers(ale.ends[[0, -1]])
    np.testing.assert_array_equal(values[~np.isnan(values)], ale.steps[low : high + 1])
    np.testing.assert_array_equal(ax.get_lines()[-1].get_xdata(), ale.ends)
    assert "20 of 500 rows have no value and are left out" in notes_of(ax)
    assert ax.get_ylabel() == "accumulated local effect, log-odds"


def test_one_of_the_background_has_ends_that_are_steps():
    model = random_forest(np.random.default_rng(0), 2)
    rows = np.random.default_rng(1).normal(size=(50, 2))
    ax = Explainer(model, rows).ale(0).plot()
    ax.figure.canvas.draw()
    assert np.isfinite(ax.get_lines()[-1].get_xdata()).all()


def test_several_outputs_are_refused():
    model = random_forest(np.random.default_rng(0), 2, outputs="vector")
    rows = np.random.default_rng(1).normal(size=(50, 2))
    ex = Explainer(model, rows)
    for curves in (ex.ice(0, rows), ex.ale(0)):
        with pytest.raises(OptionError, match=r"3 outputs.*output=0"):
            curves.plot()


def test_a_number_of_curves_is_a_whole_number():
    with pytest.raises(OptionError, match="most is 0"):
        replace(ice_of(numbers())).plot(most=0)
