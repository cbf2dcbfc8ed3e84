"""The quiet look that all pictures share.

Colours are told apart by people who see no red or no green, and by their lightness on a grey print.
Everything is set on the axes that are drawn on; matplotlib's own settings are left as they are, so
that fonts, and the colours of text and of the paper, stay the caller's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported

__all__ = [
    "DIVERGING",
    "MISSING",
    "NEUTRAL",
    "ORDERS",
    "PALE",
    "PRIMARY",
    "REST_HATCH",
    "SECONDARY",
    "SEQUENTIAL",
    "cell",
    "dress",
    "legend_name",
    "new_axes",
    "one_scale",
    "order_colour",
    "order_name",
    "set_label",
    "shown",
    "written",
]

PRIMARY = "#20639b"  # main effects, and whatever a picture is about
SECONDARY = "#e08e2b"  # interactions, and a second line
MISSING = "#b5541c"  # the level of a missing value
NEUTRAL = "#8a8a8a"  # rugs, histograms, leading lines
PALE = "#d2d2d2"  # what is pooled, and what lies outside the data
ORDERS = (PRIMARY, SECONDARY, "#9fcbe8", "#33234a")  # components of one, two, three, more features
REST_HATCH = "////"  # marks sums of many components, beside PALE

DIVERGING = "PuOr_r"  # signed values, with zero in the middle
SEQUENTIAL = "viridis"  # values of one sign; its lightness grows all along

Numbers: TypeAlias = Sequence[float] | NDArray[np.float64]

_NAME = 36  # characters of a name that are shown
_TIMES = " × "
_SCALES = {"identity": "prediction", "logit": "log-odds", "probability": "probability"}


def new_axes(ax: Any, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    """Return the axes to draw on: those given, or the only ones of a new figure."""
    if ax is None:
        pyplot = imported("matplotlib.pyplot", "plot()")
        return pyplot.subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "transAxes"):
        way_out = " Pass one of them, such as axes[0]." if hasattr(ax, "__len__") else ""
        raise OptionError(
            f"ax is of type {type(ax).__name__}; expected the axes of matplotlib.{way_out}"
        )
    return ax


def dress(ax: Any, *, grid: str | None = None) -> None:
    """Take away the frame that says nothing, and draw faint lines across the axis named."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")
    if grid is not None:
        ax.grid(visible=True, axis=grid, color=NEUTRAL, alpha=0.25, linewidth=0.6)
        ax.set_axisbelow(True)


def order_colour(order: int) -> str:
    """Return the colour of components of so many features."""
    return ORDERS[min(order, len(ORDERS)) - 1]


def order_name(order: int, count: int = 2) -> str:
    """Return what components of so many features are called."""
    known = {1: "main effect", 2: "pair", 3: "triple"}
    name = known.get(order)
    return f"of {order} features" if name is None else f"{name}{'' if count == 1 else 's'}"


def one_scale(link: str) -> str:
    """Return what the numbers of an answer are, for the label of an axis."""
    return _SCALES.get(link, f"{link} scale")


def shown(name: object, most: int = _NAME) -> str:
    r"""Return a name as it can be drawn: on one line, not too long, and never as mathematics.

    Examples
    --------
    >>> from fastpd.plots._style import shown
    >>> print(shown("price in $"))
    price in \$
    >>> shown("the name\nof a very, very long column", most=20)
    'the name o…ng column'
    """
    printable = "".join(one if one.isprintable() else " " for one in str(name))
    line = " ".join(printable.split()) or "(no name)"
    if len(line) > most:
        head = most // 2
        line = f"{line[:head]}…{line[head + 1 - most :]}"
    return line.replace("$", r"\$")


def legend_name(name: object, most: int) -> str:
    r"""Return a name, or what `shown` made of it, for a legend.

    Examples
    --------
    >>> from fastpd.plots._style import legend_name
    >>> legend_name("_other", 20)  # names with such a beginning get no place in a legend
    ' _other'
    """
    text = shown(str(name).replace(r"\$", "$"), most)
    return f" {text}" if text.startswith("_") else text


def set_label(names: Sequence[str], most: int = _NAME) -> str:
    """Return the names of a set of features, as they can be drawn.

    Examples
    --------
    >>> from fastpd.plots._style import set_label
    >>> set_label(("age", "sex"))
    'age × sex'
    """
    each = most if len(names) == 1 else max(most // len(names), 12)
    return _TIMES.join(shown(name, each) for name in names)


def cell(value: Any, most: int = _NAME) -> str:
    """Return the value of a feature in a row, as it can be drawn.

    Examples
    --------
    >>> from fastpd.plots._style import cell
    >>> cell(39.0), cell(2.718281828), cell("Male"), cell(None)
    ('39', '2.718', 'Male', 'missing')
    """
    if value is None:
        return "missing"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return shown(value, most)
    exact = value == int(value) and abs(value) < 1e7 if math.isfinite(value) else False
    return (f"{value:.0f}" if exact else f"{value:.4g}").replace("-", "−")


def written(numbers: Numbers, like: Numbers = (), *, signed: bool = False) -> list[str]:
    """Return numbers with as many decimals as show three digits of the largest.

    Parameters
    ----------
    numbers
        What to write.
    like
        Numbers that decide instead.
    signed
        Whether a plus is written.

    Examples
    --------
    >>> from fastpd.plots._style import written
    >>> written([0.5, 12.0]), written([0.5], like=[0.01]), written([2.0], signed=True)
    (['0.5', '12.0'], ['0.5000'], ['+2.00'])
    """
    largest = max((abs(one) for one in (like if len(like) else numbers)), default=0.0)
    decimals = max(0, 2 - math.floor(math.log10(largest))) if largest else 2
    sign = "+" if signed else ""
    if decimals > 6 or largest >= 1e7:
        texts = [f"{one:{sign}.3g}" for one in numbers]
    else:
        texts = [f"{one:{sign}.{decimals}f}" for one in numbers]
    return [text.replace("-", "−") for text in texts]
