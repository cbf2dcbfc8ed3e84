"""Two and three features: cells, lines, tiles, and pictures side by side."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xgboost
from made_effects import effect_of, labels, numbers
from matplotlib import pyplot

from fastpd import Explainer, OptionError
from oracles import Split, forest

NAMES = ("age", "sex", "shoe")
STEPS = Split(0, 20.0, 1.0, Split(0, 60.0, 2.0, 4.0), missing="right")
MODEL = forest([STEPS, Split(0, 40.0, 0.0, Split(1, 0.5, 0.0, 8.0))], 3, names=NAMES)
BACKGROUND = np.array([[10, 0, 0], [30, 1, 0], [50, 0, 0], [70, 1.0, 0]])


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, BACKGROUND)


def notes_of(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts)


class TestMaps:
    @pytest.mark.parametrize("pair", [("age", "sex"), ("sex", "age"), ("age", "shoe")])
    def test_have_a_cell_for_every_pair_of_steps(self, ex: Explainer, pair: tuple[str, str]):
        effect = ex.effect(*pair)
        ax = effect.plot()
        mesh = ax.collections[0]
        np.testing.assert_array_equal(mesh.get_array(), effect.levels.T)
        corners = mesh.get_coordinates()
        for axis, shown in enumerate((corners[0, :, 0], corners[:, 0, 1])):
            if len(effect.edges[axis]):
                np.testing.assert_array_equal(shown[1:-1], effect.edges[axis])
        assert (ax.get_xlabel(), ax.get_ylabel()) == pair
        ax.figure.canvas.draw()

    def test_of_components_have_zero_in_the_middle(self, ex: Explainer):
        low, high = ex.effect("age", "sex").plot(component=True).collections[0].get_clim()
        assert low == -high < 0

    def test_are_grey_where_little_background_is_near(self):
        effect = effect_of(numbers(), numbers("shoe", 9), missing=0)
        mesh, veil = effect.plot().collections
        covered = ~np.isnan(np.ma.filled(veil.get_array(), np.nan))
        assert 0 < covered.sum() < covered.size
        assert effect.support is not None
        empty = effect.support[1:, 1:].T == 0
        assert (effect.support[1:, 1:].T[covered] < 0.01).all()
        assert covered[empty].mean() > 0.5
        # Colours are for what is left.
        left = effect.levels.T[~covered]
        assert mesh.get_clim() == (left.min(), left.max())

    def test_say_how_much_is_missing(self):
        assert "missing values (17%) not shown" in notes_of(
            effect_of(numbers(), numbers("shoe", 9), missing=0.1).plot()
        )

    def test_of_a_million_cells_are_quick(self):
        effect = effect_of(numbers(n_edges=1000), numbers("shoe", 1000))
        begin = time.process_time()
        effect.plot(component=True).figure.canvas.draw()
        assert time.process_time() - begin < 4


class TestLines:
    @pytest.mark.parametrize("turned", [False, True])
    def test_there_is_one_for_each_label(self, turned: bool):
        axes = (numbers(), labels("colour", "red", "green"))
        effect = effect_of(*(axes[::-1] if turned else axes), missing=0)
        ax = effect.plot()
        steps = effect.pd_steps.T if turned else effect.pd_steps
        drawn = [patch.get_data().values for patch in ax.patches]
        whole = [one for one in drawn if not np.isnan(one).any()]
        for k in (1, 2):
            assert any(np.array_equal(one, steps[1 : len(one) + 1, k]) for one in whole)
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["red", "green"]
        assert ax.get_legend().get_title().get_text() == "colour"
        assert ax.get_xlabel() == "age"

    def test_names_in_the_legend_are_as_given(self):
        ax = effect_of(numbers(), labels("price", "_low", "$x$", "5 $"), missing=0).plot()
        ax.figure.canvas.draw()
        said = [text.get_text() for text in ax.get_legend().get_texts()]
        assert said == [" _low", r"\$x\$", r"5 \$"]  # matplotlib draws no backslash before "$"

    def test_beyond_seven_the_others_are_a_band(self):
        names = [f"kind {k}" for k in range(20)]
        ax = effect_of(numbers(), labels("kind", *names), missing=0).plot()
        said = [text.get_text() for text in ax.get_legend().get_texts()]
        assert len(said) == 8
        assert "13 others, lowest to highest" in said

    def test_one_is_that_of_missing_labels(self):
        ax = effect_of(numbers(), labels("colour", "red", "green")).plot()
        said = [text.get_text() for text in ax.get_legend().get_texts()]
        assert said == ["red", "green", "missing"]
        assert "missing values" in notes_of(ax)


class TestTiles:
    def test_have_the_labels_and_the_numbers(self):
        sizes, colours = labels("size", "S", "L"), labels("colour", "red", "green", "blue")
        effect = effect_of(sizes, colours, missing=0)
        ax = effect.plot()
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["S", "L"]
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["red", "green", "blue"]
        written = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
        cells = effect.pd_steps[1:3, 1:4]
        for (i, j), value in np.ndenumerate(cells):
            assert float(written[i, j]) == pytest.approx(value, abs=0.01)
        np.testing.assert_array_equal(ax.collections[0].get_array(), cells.T)

    def test_of_many_labels_are_those_with_most_background(self):
        names = [f"kind {k}" for k in range(1000)]
        effect = effect_of(labels("one", *names), labels("other", *names), missing=0)
        ax = effect.plot()
        assert len(ax.get_xticklabels()) == len(ax.get_yticklabels()) == 16
        assert "16 of 1,000 labels of one" in notes_of(ax)
        assert len(effect.plot(most=4).get_xticklabels()) == 4

    def test_long_labels_are_turned(self):
        sizes = labels("size", *(name * 9 for name in ("small", "large")))
        ax = effect_of(sizes, labels()).plot()
        assert {tick.get_rotation() for tick in ax.get_xticklabels()} == {90.0}


class TestPanels:
    def test_there_is_one_for_each_label_of_the_third(self):
        effect = effect_of(numbers(), numbers("shoe", 9), labels("size", "S", "L"), missing=0)
        places = effect.plot(component=True)
        assert [place.get_title(loc="left") for place in places] == ["size: S", "size: L"]
        scales = {place.collections[0].get_clim() for place in places}
        assert len(scales) == 1
        for place, step in zip(places, (1, 2), strict=True):
            cells = place.collections[0].get_array()
            expected = effect.component_steps[1:, 1:, step].T
            np.testing.assert_array_equal(cells, expected[: cells.shape[0], : cells.shape[1]])

    def test_of_many_steps_there_are_four_at_quantiles_of_the_background(self):
        effect = effect_of(numbers(), labels("size", "S", "L"), numbers("shoe", 9, 1, 36))
        places = effect.plot()
        titles = [place.get_title(loc="left") for place in places]
        assert all("shoe <" in title for title in titles)
        assert 2 <= len(titles) <= 4
        said = places[0].figure.get_supxlabel()
        assert f"{len(titles)} of 10 steps of shoe, at quantiles of the background" in said
        assert len({place.get_ylim() for place in places}) == 1

    def test_of_few_steps_all_are_drawn(self):
        effect = effect_of(numbers(), numbers("shoe", 9), numbers("rooms", 2, 1, 3), known=False)
        titles = [place.get_title(loc="left") for place in effect.plot()]
        assert titles == ["rooms < 3", "3 ≤ rooms < 4", "rooms ≥ 4"]

    def test_axes_may_be_given(self):
        effect = effect_of(numbers(), numbers("shoe", 9), labels("size", "S", "L"), missing=0)
        _, axes = pyplot.subplots(1, 3)
        places = effect.plot(ax=axes)
        assert list(places) == list(axes[:2])
        with pytest.raises(OptionError, match=r"ax has 1 axes.*takes 2 here"):
            effect.plot(ax=axes[0])
        assert list(effect.plot(ax=axes[0], most=1)) == [axes[0]]

    def test_of_a_model(self):
        rng = np.random.default_rng(0)
        rows = rng.integers(0, 4, size=(80, 3)).astype(float)
        model = forest([Split(0, 1.5, 0.0, Split(1, 0.5, 1.0, Split(2, 2.5, 3.0, 7.0)))], 3)
        places = Explainer(model, rows).effect(0, 1, 2).plot(component=True)
        assert len(places) == 2
        places[0].figure.canvas.draw()


def test_pictures_of_a_thousand_trees_take_less_than_a_second():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 6)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2])
    model = xgboost.XGBRegressor(n_estimators=1000, max_depth=6, learning_rate=0.05).fit(X, y)
    ex = Explainer(model, X)

    def seconds(draw: Any) -> float:
        begin = time.process_time()
        np.ravel(draw())[0].figure.canvas.draw()
        return time.process_time() - begin

    seconds(lambda: ex.effect(0).plot())  # what matplotlib reads when it first draws
    pictures = {
        "curve": lambda: ex.effect(1).plot(),
        "map": lambda: ex.effect(0, 1).plot(component=True),
        "curves of rows": lambda: ex.ice(2, X[:100]).plot(),
    }
    assert {name: took for name, draw in pictures.items() if (took := seconds(draw)) > 3} == {}


def test_a_map_of_unknown_support_has_no_veil():
    ax = replace(effect_of(numbers(), numbers("shoe", 9)), support=None).plot()
    assert len(ax.collections) == 1
