"""Bars and networks of components show every number, and count what they leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made import large, small
from pictures import fixed_axes, picture

from fastpd import Explainer, Importance, OptionError
from fastpd.plots import plot_importance, plot_network, plot_orders
from oracles import forest, random_forest


@pytest.fixture(scope="module")
def ranked() -> Importance:
    return small().importance(max_order=3)


def widths(ax: Any) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def labels(side: Any) -> list[str]:
    return [tick.get_text() for tick in side.get_ticklabels()]


def test_a_bar_for_each_component(ranked: Importance):
    ax = ranked.plot()
    assert widths(ax) == list(ranked.scores)
    assert len(widths(ax)) == 7
    assert set(labels(ax.yaxis)) >= {"age", "age × sex", r"age × price in \$ × sex"}


def test_the_others_are_summed_in_a_bar_of_their_own(ranked: Importance):
    ax = ranked.plot(top=3)
    assert widths(ax) == [*ranked.scores[:3], ranked.scores[3:].sum()]
    assert labels(ax.yaxis)[-1] == "4 others, summed"
    assert labels(ranked.plot(top=6).yaxis)[-1] == "1 other"


def test_colours_are_the_order_and_the_legend_says_so(ranked: Importance):
    ax = ranked.plot()
    colours = {}
    for names, bar in zip(ranked.names, ax.patches, strict=True):
        colours.setdefault(len(names), set()).add(bar.get_facecolor())
    assert [len(one) for one in colours.values()] == [1, 1, 1]
    assert len(set.union(*colours.values())) == 3
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == ["main effects", "pairs", "triples"]


def test_the_label_says_scale_and_order(ranked: Importance):
    assert ranked.plot().get_xlabel() == "mean |component|, prediction"
    assert small().importance(max_order=2).plot().get_xlabel().endswith("(up to order 2)")


def test_shares_of_the_orders_add_up(ranked: Importance):
    ax = ranked.plot_orders()
    assert sum(widths(ax)) == pytest.approx(1)
    mains = [score for names, score in ranked.items() if len(names) == 1]
    assert widths(ax)[0] == pytest.approx(sum(mains) / ranked.scores.sum())
    assert labels(ax.yaxis) == ["3 main effects", "3 pairs", "1 triple"]


def test_lines_of_the_network_are_the_strongest_pairs():
    explainer, rows = large()
    ranked = explainer.importance(rows)
    pairs = [one for one in ranked.names if len(one) == 2]
    ax = ranked.plot_network(top=10)
    strengths = np.array([ranked[one] for one in pairs[:10]])
    drawn = np.array([line.get_linewidth() for line in ax.patches])
    np.testing.assert_allclose(drawn / drawn[0], strengths / strengths[0])
    left_out = sum(ranked[one] for one in pairs[10:]) / sum(ranked[one] for one in pairs)
    said = ax.get_xlabel()
    assert f"{len(pairs) - 10} weaker pairs are not drawn: {left_out:.0%}" in said


def test_dots_of_the_network_are_main_effects():
    ranked = small().importance()
    ax = plot_network(ranked)
    names = [text.get_text().replace("\\", "") for text in ax.texts]
    areas = ax.collections[0].get_sizes()
    mains = np.array([ranked[name] for name in names])
    np.testing.assert_allclose(areas / areas.max(), np.maximum(mains / mains.max(), 12 / 900))
    assert "not drawn" not in ax.get_xlabel()


def test_several_outputs_are_refused_with_the_way_out():
    model = random_forest(np.random.default_rng(0), 3, outputs="vector")
    ranked = Explainer(model, np.zeros((2, 3))).importance()
    for draw in (plot_importance, plot_orders, plot_network):
        with pytest.raises(OptionError, match=r"the importance has 3 outputs.*output=0"):
            draw(ranked)


def test_nothing_to_draw_is_said():
    constant = Explainer(forest([1.0], 1), [[0.0]]).importance()
    for draw in (plot_importance, plot_orders):
        with pytest.raises(OptionError, match="lists no components"):
            draw(constant)
    with pytest.raises(OptionError, match="up to order 1, lists no pairs"):
        plot_network(small().importance(max_order=1))


@pytest.mark.parametrize("top", [0, -1, 2.5, "all"])
def test_how_many_is_a_number(ranked: Importance, top: Any):
    for draw in (ranked.plot, ranked.plot_network):
        with pytest.raises(OptionError, match=r"top is .* whole number of at least 1"):
            draw(top=top)


@picture
def test_importance_bars(ranked: Importance):
    return ranked.plot(top=5, ax=fixed_axes((6, 3), left=0.4)).figure


@picture
def test_importance_by_order(ranked: Importance):
    return ranked.plot_orders(ax=fixed_axes((5, 3), left=0.3)).figure


@picture
def test_network():
    explainer, rows = large()
    return explainer.importance(rows).plot_network(top=12, ax=fixed_axes((5, 4.4))).figure
