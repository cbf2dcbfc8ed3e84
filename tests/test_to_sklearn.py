"""Effects in the keys and displays of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.inspection import PartialDependenceDisplay, partial_dependence

from fastpd import Explainer, FeatureError, OptionError
from fastpd.forest import Categories
from oracles import Split, forest, random_forest

ROWS = np.random.default_rng(0).normal(size=(40, 3))
SEVERAL = random_forest(np.random.default_rng(0), 3, outputs="vector")


@pytest.fixture(autouse=True)
def _screenless() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def labelled(n: int) -> Explainer:
    """Return an explainer of `n` features with labels, and one without."""
    trees = [Split(k, 0.5, 1.0, Split((k + 1) % (n + 1), 1.5, 2.0, 4.0)) for k in range(n)]
    model = forest(trees, n + 1)
    colours = Categories(("red", "blue", "green"))
    model = replace(model, categories=(*[colours] * n, None))
    return Explainer(model, np.zeros((2, n + 1)), precision="double")


class TestKeys:
    @pytest.mark.parametrize("features", [(0,), (0, 2), (2, 1)])
    def test_averages_are_those_of_scikit_learn_at_the_same_points(self, features: tuple[int, ...]):
        model = GradientBoostingRegressor(n_estimators=5, max_depth=2, random_state=0)
        model.fit(ROWS, ROWS[:, 0] * ROWS[:, 1] + ROWS[:, 2])
        found = Explainer(model, ROWS).effect(*features).to_sklearn()
        expected = partial_dependence(
            model,
            ROWS,
            list(features),
            custom_values=dict(zip(features, found.grid_values, strict=True)),
            method="brute",
        )
        assert set(found) <= set(expected)
        assert found.average.shape == expected.average.shape
        np.testing.assert_allclose(found.average, expected.average, atol=1e-7)

    @pytest.mark.parametrize("comparison", ["float32", "float64"])
    def test_points_are_on_both_sides_of_each_edge(self, comparison: str):
        model = random_forest(np.random.default_rng(3), 3, comparison=comparison)
        effect = Explainer(model, ROWS, precision="double").effect(0)
        points, average = effect.to_sklearn().grid_values[0], effect.to_sklearn().average[0]
        assert (np.diff(points) >= 0).all()
        assert set(effect.edges) <= set(points)
        np.testing.assert_array_equal(average, effect.pd(points))
        # Lines between points are level but at the edges, where they have next to no width.
        jumps = np.flatnonzero(np.diff(average))
        widths = np.diff(points)[jumps]
        assert (widths <= 2e-7 * np.maximum(1, np.abs(points[jumps]))).all()

    def test_several_outputs_come_first(self):
        effect = Explainer(SEVERAL, ROWS).effect("x0", "x1")
        found = effect.to_sklearn()
        assert found.average.shape == (3, *map(len, found.grid_values))
        mesh = np.meshgrid(*found.grid_values, indexing="ij")
        np.testing.assert_array_equal(np.moveaxis(found.average, 0, -1), effect.pd(*mesh))

    def test_curves_are_individual(self):
        rows = ROWS[:5]
        curves = Explainer(SEVERAL, ROWS).ice("x0", rows)
        found = curves.to_sklearn()
        assert found.individual.shape == (3, 5, len(found.grid_values[0]))
        values = np.moveaxis(curves.at(found.grid_values[0]), -1, 0)
        np.testing.assert_array_equal(found.individual, values)
        display = PartialDependenceDisplay(
            [found],
            features=[(0,)],
            feature_names=["x0"],
            target_idx=1,
            deciles={},
            kind="both",
            subsample=None,
        ).plot()
        display.figure_.canvas.draw()
        assert display.lines_.shape[-1] == 6

    def test_labels_are_the_grid_of_categories(self):
        effect = labelled(1).effect("x0")
        found = effect.to_sklearn()
        assert list(found.grid_values[0]) == ["red", "blue", "green"]
        np.testing.assert_array_equal(found.average[0], list(effect.by_label().values()))

    def test_a_number_for_missing_is_no_point_of_the_grid(self):
        model = forest([Split(0, -999.0, 1.0, 2.0, missing="left")], 1, missing=-999.0)
        found = Explainer(model, [[0.0]]).effect(0).to_sklearn()
        np.testing.assert_array_equal(found.average[0], [1.0, 1.0, 2.0, 2.0])

    def test_features_that_nothing_tests_are_level(self):
        found = Explainer(forest([3.0], 1), [[0.0]]).effect(0).to_sklearn()
        np.testing.assert_array_equal(found.average, [[3.0, 3.0]])


class TestDisplays:
    def test_a_line_has_the_steps(self):
        effect = Explainer(SEVERAL, ROWS).effect("x0")
        display = effect.display("y1")
        assert isinstance(display, PartialDependenceDisplay)
        line = display.lines_[0, 0]
        np.testing.assert_array_equal(line.get_ydata(), effect.pd(line.get_xdata())[:, 1])
        display.figure_.canvas.draw()

    def test_pairs_are_maps(self):
        effect = Explainer(random_forest(np.random.default_rng(0), 3), ROWS).effect("x0", "x1")
        display = effect.display()
        display.figure_.canvas.draw()
        assert display.axes_[0, 0].get_xlabel() == "x0"

    def test_labels_are_bars_and_tiles(self):
        one, two = labelled(1).effect("x0").display(), labelled(2).effect("x0", "x1").display()
        for display in (one, two):
            display.figure_.canvas.draw()
        assert [t.get_text() for t in one.axes_[0, 0].get_xticklabels()] == ["red", "blue", "green"]
        assert two.heatmaps_[0, 0] is not None

    def test_axes_may_be_given(self):
        _, ax = plt.subplots()
        display = labelled(1).effect("x1").display(ax=ax)
        assert display.figure_ is ax.figure

    def test_level_effects_have_room_around_them(self):
        ex = Explainer(forest([3.0], 2), np.zeros((1, 2)))
        for features in ((0,), (0, 1)):
            display = ex.effect(*features).display()
            display.figure_.canvas.draw()

    def test_what_scikit_learn_does_not_draw_is_refused(self):
        with pytest.raises(OptionError, match=r"Use plot\(\)"):
            labelled(1).effect("x0", "x1").display()

    @pytest.mark.parametrize("output", [None, "y7", 3, -1, True])
    def test_one_of_several_outputs_is_to_be_named(self, output: Any):
        with pytest.raises(FeatureError, match="'y0', 'y1', 'y2', or 0 to 2"):
            Explainer(SEVERAL, ROWS).effect("x0").display(output)
