"""Effects of one, two or three features, each drawn as its features ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.options import check_count
from fastpd.plots._bars import MOST_BARS, bars_size, draw_bars
from fastpd.plots._checks import need_one_output
from fastpd.plots._curve import Values, draw_curve
from fastpd.plots._pairs import draw_pair, limits_of, pair_of, pair_size
from fastpd.plots._panels import draw_panels
from fastpd.plots._style import new_axes, one_scale

if TYPE_CHECKING:
    from fastpd.results import Ale, Effect

__all__ = ["plot_effect"]


def plot_effect(
    effect: Effect,
    *,
    component: bool = False,
    errors: Effect | None = None,
    ale: Ale | None = None,
    most: int | None = None,
    ax: Any = None,
) -> Any:
    """Draw an effect as the steps that it is, and return the axes.

    One feature that holds numbers is a line of steps over a histogram of the background. Labels
    have bars: from zero for a component, from v_0 for partial dependence. The level of a missing
    value stands apart. Two features are a map on the exact grid, a line for each label, or tiles
    with numbers; three are such pictures side by side. Where little of the background is near, all
    of these fade.

    Parameters
    ----------
    effect
        Effect of one, two or three features.
    component
        Draw the component m_S instead of the partial dependence function v_S.
    errors
        Half the width of a band around the steps of one feature.
    ale
        The accumulated local effect of the same feature, drawn as a second line around the mean of
        the first.
    most
        Draw no more labels (or pictures side by side) than these: those with most background. By
        default 30 bars, 7 lines, 16 by 16 tiles, 6 pictures.
    ax
        Axes to draw on, for three features an array of them; new ones if None.

    Examples
    --------
    >>> explainer = fastpd.Explainer(model, X)
    >>> ax = fastpd.plots.plot_effect(explainer.effect("x0"), ale=explainer.ale("x0"))
    """
    values = _values(effect, errors, component=component)
    number = None if most is None else check_count(most, "most", 1)
    if ale is not None:
        _check_ale(effect, ale)
    if len(effect.axes) == 3:
        return draw_panels(effect, values, number, ax)
    labels = effect.axes[0].labels
    if len(effect.axes) == 2:
        pair = pair_of(effect.axes[0], effect.axes[1], values, number)
        ax = new_axes(ax, pair_size(pair))
        draw_pair(pair, limits_of(pair), ax)
    elif labels is not None:
        ax = new_axes(ax, bars_size(len(labels), number or MOST_BARS))
        draw_bars(effect, values, number or MOST_BARS, ax)
    else:
        ax = new_axes(ax)
        draw_curve(effect, values, ale, ax)
    return ax


def _values(effect: Effect, errors: Effect | None, *, component: bool) -> Values:
    steps = effect.component_steps if component else effect.pd_steps
    need_one_output(effect.output_names, "effect")
    first = (0,) * steps.ndim
    origin = 0.0 if component else float((effect.pd_steps - effect.component_steps)[first])
    what = "component" if component else "partial dependence"
    widths = None if errors is None else _widths(effect, errors, component=component)
    label = f"{what}, {one_scale(effect.link)}"
    return Values(steps, component, origin, widths, effect.support, label)


def _widths(effect: Effect, errors: Effect, *, component: bool) -> NDArray[np.float64]:
    """Return half the width of the band on every step, and refuse one of another effect."""
    widths = errors.component_steps if component else errors.pd_steps
    if len(effect.axes) > 1 or effect.features != errors.features:
        raise OptionError(
            f"errors are those of {' and '.join(errors.features)} for the effect of "
            f"{' and '.join(effect.features)}; expected those of the same single feature."
        )
    return widths


def _check_ale(effect: Effect, ale: Ale) -> None:
    """Refuse a local effect of something else, or on another scale."""
    if effect.features != (ale.feature,) or effect.link != ale.link:
        raise OptionError(
            f"ale is that of {ale.feature} on the {ale.link} scale, for the effect of "
            f"{' and '.join(effect.features)} on the {effect.link} scale; expected that of the "
            "same single feature and scale."
        )
    if not np.array_equal(effect.axes[0].edges, ale.edges):
        raise OptionError("ale is that of another model; expected one on the effect's own steps.")
