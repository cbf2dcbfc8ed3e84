"""One feature that holds labels: a bar for each, under the caller's own names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_effects import effect_of, errors_of, labels

from fastpd import Effect, Explainer, OptionError
from fastpd.forest import Categories, IntervalSplits, code_intervals
from oracles import Split, forest

COLOURS = Categories(("red", "green", "blue"))
MODEL = replace(
    forest([Split(0, 0.0, 1.0, Split(1, 5.0, 2.0, 3.0))], 2, names=("colour", "age")),
    splits=IntervalSplits.from_mapping({0: code_intervals([1])}),
    categories=(COLOURS, None),
)
ROWS = np.array([[0.0, 1.0], [1.0, 9.0], [2.0, 9.0]])


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, ROWS)


def names_of(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_partial_dependence_is_measured_from_the_mean(ex: Explainer):
    effect = ex.effect("colour")
    ax = effect.plot()
    assert names_of(ax) == ["red", "green", "blue"]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    starts = [bar.get_x() for bar in ax.patches]
    np.testing.assert_allclose(ends, effect.pd(["red", "green", "blue"]))
    np.testing.assert_allclose(starts, ex.expected_value)
    (dots,) = ax.collections
    np.testing.assert_allclose(dots.get_offsets()[:, 0], ends)
    assert effect.by_label() == dict(zip(COLOURS.labels or (), ends, strict=True))


def test_a_component_is_measured_from_zero(ex: Explainer):
    effect = ex.effect("colour")
    ax = effect.plot(component=True)
    assert [bar.get_x() for bar in ax.patches] == [0, 0, 0]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, effect.component(["red", "green", "blue"]))


def test_the_first_label_is_at_the_top(ex: Explainer):
    low, high = ex.effect("colour").plot().get_ylim()
    assert low > high


def test_shares_of_the_background_stand_beside(ex: Explainer):
    ax = ex.effect("colour").plot()
    assert [text.get_text() for text in ax.texts][:3] == ["33%"] * 3


def test_labels_that_the_model_holds_together_have_their_share_as_a_bound():
    axis = labels("colour", "red", "green", "blue", "white")
    axis = replace(axis, edges=np.array([0.5, 1.5]))
    share = np.array([0, 0.2, 0.3, 0.5])
    effect = Effect((axis,), np.arange(4.0), np.arange(4.0) - 1, ("y",), "identity", support=share)
    texts = [text.get_text() for text in effect.plot().texts]
    assert texts[:4] == ["20%", "30%", "≤50%", "≤50%"]
    ax = effect.plot(most=3)
    assert names_of(ax) == ["green", "blue", "white", "1 other"]
    assert [text.get_text() for text in ax.texts][3] == "20%"
    other = replace(effect, support=np.array([0, 0.3, 0.5, 0.2]))
    assert [text.get_text() for text in other.plot(most=3).texts][3] == "≥0%"


def test_a_missing_label_has_a_bar_of_its_own():
    rows = np.array([[0.0, 1.0], [np.nan, 9.0], [2.0, 9.0], [np.nan, 0]])
    effect = Explainer(MODEL, rows).effect("colour")
    ax = effect.plot()
    assert names_of(ax) == ["red", "green", "blue", "missing"]
    last = ax.patches[-1]
    assert last.get_x() + last.get_width() == pytest.approx(effect.missing_level)


def test_many_labels_show_those_with_most_background_and_say_so():
    names = tuple(f"kind {k}" for k in range(10_000))
    effect = effect_of(labels("kind", *names), missing=0)
    share = np.linspace(2, 1, 10_002)
    share[[0, -1]] = 0
    effect = replace(effect, support=share / share.sum())
    ax = effect.plot()
    assert names_of(ax) == [*(f"kind {k}" for k in range(30)), "9,970 others"]
    rest = ax.patches[-1]
    assert rest.get_x() == pytest.approx(effect.pd_steps[31:-1].min())
    assert rest.get_x() + rest.get_width() == pytest.approx(effect.pd_steps[31:-1].max())
    assert "others: from the lowest to the highest" in ax.texts[-1].get_text()
    assert len(names_of(effect.plot(most=3))) == 4


def test_without_a_background_the_largest_are_shown():
    names = tuple(f"kind {k}" for k in range(9))
    effect = effect_of(labels("kind", *names), known=False)
    size = np.abs(effect.component_steps[1:-1])
    largest = sorted(np.argsort(-size)[:4])
    assert names_of(effect.plot(most=4))[:4] == [names[k] for k in largest]


def test_errors_are_drawn_across_the_ends():
    effect = effect_of(labels(), missing=0)
    errors = errors_of(effect)
    ax = effect.plot(errors=errors)
    (lines,) = (one for one in ax.collections if hasattr(one, "get_segments"))
    ends = np.array([segment[:, 0] for segment in lines.get_segments()])
    levels, half = effect.pd_steps[1:-1], errors.pd_steps[1:-1]
    np.testing.assert_allclose(ends, np.column_stack([levels - half, levels + half]))


def test_rare_labels_are_faded():
    effect = effect_of(labels(), missing=0)
    effect = replace(effect, support=np.array([0, 0.01, 0.4, 0.4, 0.19, 0]))
    rare, *others = effect.plot().patches
    assert rare.get_alpha() < 0.5
    assert {bar.get_alpha() for bar in others} == {1.0}


HOSTILE = ("$\\frac{1}{2$", "two\nlines", "<script>alert(1)</script>", "x" * 500, "", "missing")


def test_hostile_labels_are_drawn_as_they_are():
    ax = effect_of(labels("$a_b$", *HOSTILE)).plot()
    ax.figure.canvas.draw()
    assert max(len(name) for name in names_of(ax)) < 50
    effect_of(labels("$a_b$", *HOSTILE), labels("\n", *HOSTILE)).plot().figure.canvas.draw()


@pytest.mark.parametrize("most", [0, -1, 2.5, "all"])
def test_a_number_of_labels_is_a_whole_number(ex: Explainer, most: Any):
    with pytest.raises(OptionError, match="most is"):
        ex.effect("colour").plot(most=most)


def test_effects_are_asked_for_labels_or_codes(ex: Explainer):
    effect = ex.effect("colour")
    codes = effect.pd(np.array([1, 0, np.nan]))
    np.testing.assert_array_equal(effect.pd(["green", "red", None]), codes)
    np.testing.assert_array_equal(
        effect.pd(pd.Series(["green", "red"], dtype="category")), codes[:2]
    )
    assert effect.pd("green").shape == ()
    with pytest.raises(OptionError, match="no effect of one feature with labels"):
        ex.effect("age").by_label()
