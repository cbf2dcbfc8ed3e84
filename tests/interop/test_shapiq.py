"""Interaction indices in shapiq: its own numbers, and its plots."""

from __future__ import annotations

import sys
import warnings
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import shapiq

from fastpd import Explainer, FeatureError, MissingPackageError, vanilla
from oracles import oracle, random_forest, rows_for

RNG = np.random.default_rng(1)
MODEL = random_forest(RNG, 4)
BACKGROUND = rows_for(MODEL, 9, RNG)
ROWS = rows_for(MODEL, 3, RNG)
SEVERAL = random_forest(RNG, 4, outputs="vector")


def exact(row: Any, index: str, order: int) -> Any:
    """Return what shapiq computes itself, of the game of partial dependence functions."""
    sets = [one for size in range(5) for one in combinations(range(4), size)]
    worth = {one: vanilla.value(oracle(MODEL), BACKGROUND, row[None], one)[0] for one in sets}

    def game(coalitions: Any) -> Any:
        return np.array([worth[tuple(np.flatnonzero(one).tolist())] for one in coalitions])

    return shapiq.ExactComputer(game, n_players=4)(index, order=order)


@pytest.mark.parametrize("index", ["SII", "STII", "FSII", "BII", "Moebius"])
def test_values_are_those_of_shapiq(index: str):
    order = 4 if index == "Moebius" else 2
    ex = Explainer(MODEL, BACKGROUND, precision="double")
    found = ex.interactions(ROWS, order, index).to_shapiq()
    assert len(found) == 3
    for row, one in zip(ROWS, found, strict=True):
        assert isinstance(one, shapiq.InteractionValues)
        assert (one.index, one.max_order, one.n_players, one.estimated) == (index, order, 4, False)
        assert one.baseline_value == pytest.approx(ex.expected_value)
        expected = exact(row, index, order)
        for size in range(1, order + 1):
            for players in combinations(range(4), size):
                assert one[players] == pytest.approx(expected[players], abs=1e-9)


def test_efficient_indices_add_up_to_the_prediction():
    ex = Explainer(MODEL, BACKGROUND, precision="double")
    for index in ("STII", "FSII", "Moebius"):
        totals = [one.values.sum() for one in ex.interactions(ROWS, 4, index).to_shapiq()]
        np.testing.assert_allclose(totals, ex.predict(ROWS))


def test_one_of_several_outputs_is_named():
    ex = Explainer(SEVERAL, BACKGROUND)
    pairs = ex.interactions(ROWS)
    found = pairs.to_shapiq("y1")[2]
    assert found[pairs.feature_names.index("x0"), 1] == pairs["x0", "x1"][2, 1]
    assert found.baseline_value == ex.expected_value[1]
    with pytest.raises(FeatureError, match="output is None; expected one of 'y0'"):
        pairs.to_shapiq()


@pytest.mark.parametrize("plot", ["plot_network", "plot_force", "plot_waterfall", "plot_upset"])
def test_its_plots_draw_them(plot: str):
    pairs = Explainer(MODEL, BACKGROUND).interactions(ROWS, 2, "FSII")
    given = pairs.to_shapiq()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(given, plot)(show=False, feature_names=list(pairs.feature_names))
        plt.gcf().canvas.draw()


def test_without_shapiq_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "shapiq", None)
    with pytest.raises(MissingPackageError, match="pip install shapiq"):
        Explainer(MODEL, BACKGROUND).interactions(ROWS).to_shapiq()
