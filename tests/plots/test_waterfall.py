"""The bars of a row lead from the mean to its prediction, whatever is pooled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from made import MODEL, ROWS, large, small
from pictures import fixed_axes, picture

from fastpd import Decomposition, Explainer, FastPDError, OptionError
from fastpd.plots import plot_missed, plot_waterfall
from oracles import Split, forest, random_forest


@pytest.fixture(scope="module")
def parts() -> Decomposition:
    return small().components(ROWS, max_order=3)


def labels(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def check_adds_up(ax: Any, start: float, end: float) -> None:
    at = start
    for bar in ax.patches:
        assert bar.get_x() == pytest.approx(at, abs=1e-9)
        at += bar.get_width()
    assert at == pytest.approx(end, abs=1e-7)
    (ends,) = ax.get_lines()
    np.testing.assert_allclose(ends.get_xdata(), [start, end], atol=1e-7)


@pytest.mark.parametrize("top", [1, 3, 100])
@pytest.mark.parametrize("max_order", [1, 2, 5])
def test_bars_add_up_to_the_prediction(top: int, max_order: int):
    explainer, rows = large()
    parts = explainer.components(rows[:5], max_order)
    predictions = explainer.predict(rows[:5])
    for row in range(5):
        ax = plot_waterfall(parts, row, top=top)
        check_adds_up(ax, parts.intercept, predictions[row])
        assert any("beyond order" in label for label in labels(ax)) != parts.complete


def test_main_effects_come_before_pairs_and_values_stand_beside_names(parts: Decomposition):
    said = labels(parts.plot(0))
    assert said[0].startswith("mean prediction")
    assert said[1] == "age = 1.5"
    assert r"price in \$ = −0.25" in said
    assert "sex = missing" in said
    assert [one.count("×") for one in said[1:-1]] == sorted(one.count("×") for one in said[1:-1])
    assert said[-1].startswith("prediction")


def test_a_value_that_no_bar_above_tells_stands_in_the_pair():
    tree = Split(0, 0.0, Split(1, 0.0, 1.0, -1.0), Split(1, 0.0, -1.0, 1.0))
    rows = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 2.5]])
    parts = Explainer(forest([tree], 2, names=("age", "sex")), rows).components(rows)
    said = labels(parts.plot(3))
    assert said[1:-1] == ["age × sex (age = 1, sex = 2.5)"]


def test_what_is_small_is_pooled_by_order_and_counted(parts: Decomposition):
    said = labels(parts.plot(0, top=1))
    assert said[2:5] == ["2 other main effects", "3 other pairs", "1 other triple"]


def test_what_cells_say():
    table = pd.DataFrame(ROWS, columns=MODEL.feature_names)[list(reversed(MODEL.feature_names))]
    expected = {"age": 1.5, "price in $": -0.25, "sex": None}
    for rows in (ROWS, table):
        cells = small().components(rows).cells(0)
        assert tuple(cells) == MODEL.feature_names
        assert {name: cells[name] for name in expected} == expected


def test_groups_have_no_value():
    explainer = Explainer(MODEL, ROWS, groups={"both": ["age", "sex"]})
    parts = explainer.components(ROWS)
    assert "both" not in parts.cells(0)
    assert "both" in labels(parts.plot(0))


def test_a_row_counts_from_either_end(parts: Decomposition):
    assert labels(parts.plot(-1)) == labels(parts.plot(len(ROWS) - 1))


@pytest.mark.parametrize("row", [200, -201, 1.0, "first", None, True])
def test_a_row_that_is_not_there_is_refused(parts: Decomposition, row: Any):
    with pytest.raises(OptionError, match=r"row is .*one of the 200 rows.*0 to 199"):
        parts.plot(row)


def test_without_rows_there_is_nothing_to_draw():
    none = small().components(ROWS[:0])
    with pytest.raises(OptionError, match="one of the 0 rows"):
        none.plot(0)
    with pytest.raises(OptionError, match="there are no rows"):
        none.plot_missed()


def test_several_outputs_are_refused_with_the_way_out():
    model = random_forest(np.random.default_rng(0), 3, outputs="vector")
    several = Explainer(model, np.zeros((2, 3))).components(np.zeros((2, 3)))
    for draw in (several.plot_missed, lambda: several.plot(0)):
        with pytest.raises(FastPDError, match=r"the decomposition has 3 outputs.*output=0"):
            draw()


def test_a_constant_model_has_no_bars():
    parts = Explainer(forest([1.0], 1), [[0.0]]).components([[0.0]])
    ax = parts.plot(0)
    assert labels(ax) == ["mean prediction 1.00", "prediction 1.00"]
    assert not ax.patches


def test_what_each_order_misses_is_the_discrepancy_at_that_order():
    explainer, rows = large()
    parts = explainer.components(rows, max_order=4)
    base = explainer.predict(rows) - parts.intercept
    expected = [np.abs(base).mean()]
    expected += [explainer.components(rows, max_order=one).discrepancy for one in (1, 2, 3, 4)]
    np.testing.assert_allclose(parts.missed, expected, atol=1e-7)
    heights = [bar.get_height() for bar in plot_missed(parts).patches]
    np.testing.assert_array_equal(heights, parts.missed)


def test_a_complete_decomposition_misses_nothing(parts: Decomposition):
    assert parts.complete
    assert parts.missed[-1] == pytest.approx(0, abs=1e-9)


@picture
def test_waterfall(parts: Decomposition):
    return parts.plot(0, top=4, ax=fixed_axes((6, 3.4), left=0.4)).figure


@picture
def test_waterfall_with_a_remainder():
    explainer, rows = large()
    parts = explainer.components(rows[:1], max_order=2)
    return parts.plot(0, top=8, ax=fixed_axes((6, 4), left=0.4)).figure


@picture
def test_missed():
    explainer, rows = large()
    return explainer.components(rows, max_order=4).plot_missed(ax=fixed_axes((4.4, 3.2))).figure
