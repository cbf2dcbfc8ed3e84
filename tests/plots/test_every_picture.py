"""What holds for every picture: it keeps to its axes, bears any name, and is drawn soon."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from made import HOSTILE, large
from matplotlib import pyplot

from fastpd import Explainer, MissingPackageError
from oracles import random_forest, rows_for

PICTURES: dict[str, Callable[..., Any]] = {
    "effect": lambda ex, rows, ax=None: ex.effect(0).plot(ax=ax),
    "pair": lambda ex, rows, ax=None: ex.effect(0, 1).plot(ax=ax),
    "importance": lambda ex, rows, ax=None: ex.importance(rows).plot(ax=ax),
    "orders": lambda ex, rows, ax=None: ex.importance(rows).plot_orders(ax=ax),
    "network": lambda ex, rows, ax=None: ex.importance(rows).plot_network(ax=ax),
    "waterfall": lambda ex, rows, ax=None: ex.components(rows[:5]).plot(0, ax=ax),
    "missed": lambda ex, rows, ax=None: ex.components(rows[:5]).plot_missed(ax=ax),
}
ONE_AXES = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


def draw_parts(ex: Explainer, rows: Any, ax: Any = None) -> Any:
    return ex.shap_parts(0, rows).plot(ax=ax)


EVERY = pytest.mark.parametrize("draw", [*PICTURES.values(), draw_parts], ids=[*PICTURES, "parts"])


@ONE_AXES
def test_it_draws_on_the_axes_given_and_nowhere_else(draw: Callable[..., Any]):
    explainer, rows = large()
    figure, (left, right) = pyplot.subplots(1, 2)
    assert draw(explainer, rows, right) is right
    assert pyplot.get_fignums() == [figure.number]
    assert not left.has_data()


@EVERY
def test_settings_and_other_figures_stay_as_they_are(draw: Callable[..., Any]):
    explainer, rows = large()
    before, other = dict(mpl.rcParams), pyplot.figure()
    np.ravel(draw(explainer, rows))[0].figure.canvas.draw()
    assert dict(mpl.rcParams) == before
    assert pyplot.fignum_exists(other.number)
    assert len(pyplot.get_fignums()) == 2


@EVERY
def test_hostile_names_are_drawn_as_text(draw: Callable[..., Any]):
    explainer, rows = large()
    names = tuple(f"{name}{i}" for i, name in enumerate((HOSTILE * 2)[:15]))
    named = Explainer(replace(explainer._blocks.forest, feature_names=names), rows)
    figure = np.ravel(draw(named, rows))[0].figure
    figure.canvas.draw()
    texts = [one for one in figure.findobj(mpl.text.Text) if one.get_text()]
    assert max(len(line) for one in texts for line in one.get_text().split("\n")) < 130
    mathematics = [one.get_text() for one in texts if one._preprocess_math(one.get_text())[1]]
    assert all(text.startswith(("$v$ of", "$m$ of")) for text in mathematics)


@EVERY
def test_long_names_stay_on_the_paper(draw: Callable[..., Any]):
    explainer, rows = large()
    names = tuple(f"attacking_heading_accuracy_at_{i}" for i in range(15))
    named = Explainer(replace(explainer._blocks.forest, feature_names=names), rows)
    figure = np.ravel(draw(named, 1000 * rows))[0].figure
    figure.canvas.draw()
    paper = figure.bbox.padded(1)
    written = [one for one in figure.findobj(mpl.text.Text) if "attacking" in one.get_text()]
    for text in written:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0, text
        assert box.x1 <= paper.x1, text


@EVERY
def test_text_is_seen_on_dark_paper(draw: Callable[..., Any]):
    explainer, rows = large()
    with pyplot.style.context("dark_background"):
        figure = np.ravel(draw(explainer, rows))[0].figure
        said = [one for one in figure.findobj(mpl.text.Text) if one.get_text()]
        assert not {mpl.colors.to_hex(one.get_color()) for one in said} & {"#000000"}


@EVERY
def test_without_matplotlib_it_says_what_to_install(
    draw: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    explainer, rows = large()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match="pip install matplotlib"):
        draw(explainer, rows)


def test_a_thousand_trees_are_drawn_soon():
    rng = np.random.default_rng(0)
    model = random_forest(rng, 12, n_trees=1000, depth=4)
    rows = rows_for(model, 2000, rng)
    explainer = Explainer(model, rows)
    for draw in PICTURES.values():
        draw(explainer, rows)  # tables are compiled once
    took = {}
    for name, draw in {**PICTURES, "parts": draw_parts}.items():
        start = time.process_time()
        np.ravel(draw(explainer, rows))[0].figure.canvas.draw()
        took[name] = time.process_time() - start
    assert max(took.values()) < 3, took
