"""Each picture of an effect beside the kept one, which was looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from made_effects import ale_of, effect_of, errors_of, ice_of, labels, numbers
from matplotlib import pyplot
from pictures import fixed_axes, picture

from fastpd.plots import plot_ale, plot_effect, plot_ice

AGE, SHOE = numbers(), numbers("shoe", 9, 1.5, 36)
COLOUR = labels()


def beside(*, left: float = 0.15) -> Any:
    """Return axes with room at the right for what stands beside them."""
    return fixed_axes(left=left, right=0.72)


@picture
def test_curve_with_a_band_and_missing_values():
    effect = effect_of(AGE)
    return plot_effect(effect, errors=errors_of(effect), ax=fixed_axes(right=0.85)).figure


@picture
def test_component_of_numbers():
    return plot_effect(effect_of(AGE, missing=0), component=True, ax=fixed_axes()).figure


@picture
def test_curve_with_a_local_effect():
    return plot_effect(effect_of(AGE, missing=0), ale=ale_of(AGE), ax=fixed_axes()).figure


@picture
def test_labels_from_the_mean():
    effect = effect_of(COLOUR)
    return plot_effect(effect, errors=errors_of(effect), ax=fixed_axes(left=0.45, right=0.9)).figure


@picture
def test_component_of_labels_of_which_some_are_left_out():
    effect = effect_of(labels("kind", *(f"kind {k}" for k in range(9))))
    return plot_effect(effect, component=True, most=4, ax=fixed_axes(right=0.9)).figure


@picture
def test_map():
    return plot_effect(effect_of(AGE, SHOE), component=True, ax=fixed_axes()).figure


@picture
def test_map_of_partial_dependence():
    return plot_effect(effect_of(AGE, SHOE), ax=fixed_axes()).figure


@picture
def test_lines():
    return plot_effect(effect_of(COLOUR, AGE), most=3, ax=beside()).figure


@picture
def test_tiles():
    sizes = labels("size", "small", "large", "huge")
    ax = fixed_axes(left=0.4)
    return plot_effect(effect_of(sizes, COLOUR), component=True, ax=ax).figure


def panels(n: int) -> Any:
    """Return axes side by side, at places of their own."""
    figure = pyplot.figure(figsize=(8, 3))
    width = 0.8 / n
    return np.array(
        [figure.add_axes((0.08 + k * width, 0.2, width - 0.06, 0.65)) for k in range(n)]
    )


@picture
def test_maps_by_a_third_feature():
    effect = effect_of(AGE, SHOE, labels("size", "small", "large"))
    return plot_effect(effect, component=True, ax=panels(2))[0].figure


@picture
def test_lines_by_a_third_feature():
    effect = effect_of(AGE, labels("size", "small", "large"), SHOE)
    return plot_effect(effect, most=3, ax=panels(3))[0].figure


@picture
def test_curves_of_rows():
    return plot_ice(ice_of(AGE), most=15, ax=fixed_axes()).figure


@picture
def test_centred_curves_of_rows():
    return plot_ice(ice_of(AGE).centred(52.0), ax=fixed_axes()).figure


@picture
def test_curves_of_rows_by_label():
    return plot_ice(ice_of(COLOUR), ax=fixed_axes(left=0.45)).figure


@picture
def test_local_effect():
    return plot_ale(ale_of(AGE), ax=fixed_axes()).figure
