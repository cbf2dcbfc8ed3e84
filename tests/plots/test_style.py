"""The shared look: names that cannot harm a picture, and colours that anyone can tell apart."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from made import HOSTILE
from matplotlib import pyplot
from pictures import fixed_axes, picture

from fastpd import MissingPackageError, OptionError
from fastpd.plots import _style
from fastpd.plots._style import new_axes, set_label, shown


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_drawn_on_one_line_and_as_it_is(name: str):
    figure = pyplot.figure()
    text = figure.text(0, 0.5, shown(name))
    drawn, is_mathematics = text._preprocess_math(text.get_text())
    assert not is_mathematics
    assert 0 < len(drawn) <= 36
    assert drawn == " ".join(name.replace("\a", " ").split()) or "…" in drawn or not name.strip()
    figure.canvas.draw()


def test_long_names_keep_both_ends():
    assert shown("begin" + "x" * 500 + "end", most=12) == "beginx…xxend"
    assert len(shown("x" * 37)) == len(shown("x" * 36)) == 36
    assert set_label(("a" * 99, "b" * 99)).split()[::2] == [
        "a" * 9 + "…" + "a" * 8,
        "b" * 9 + "…" + "b" * 8,
    ]


# Machado, Oliveira and Fernandes (2009): what is seen without red, and without green, receptors.
SEEN = {
    "all": np.eye(3),
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def lab(colour: str, seen: Any) -> Any:
    """Return lightness and the two axes of hue of CIELAB."""
    rgb = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.asarray(seen) @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_colours_are_told_apart_by_anyone(seen: Any):
    used = [lab(colour, seen) for colour in (*_style.ORDERS, _style.NEUTRAL)]
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(used) for b in used[:i]]
    assert min(gaps) > 20


def test_orders_are_told_apart_on_a_grey_print():
    lightness = sorted(lab(colour, np.eye(3))[0] for colour in _style.ORDERS)
    assert min(np.diff(lightness)) > 12
    assert max(lightness) < 85


def test_axes_are_those_given_or_new():
    _, ax = pyplot.subplots()
    assert new_axes(ax) is ax
    assert new_axes(None) is not ax


@pytest.mark.parametrize(
    ("ax", "said"),
    [
        (np.array([1, 2]), r"ax is of type ndarray.*Pass one of them, such as axes\[0\]"),
        ("left", "ax is of type str; expected the axes of matplotlib"),
    ],
)
def test_other_things_than_axes_are_refused(ax: Any, said: str):
    with pytest.raises(OptionError, match=said):
        new_axes(ax)


def test_a_figure_is_refused():
    with pytest.raises(OptionError, match="ax is of type Figure"):
        new_axes(pyplot.figure())


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match="pip install matplotlib"):
        new_axes(None)


@picture
def test_palette():
    ax = fixed_axes((4, 3), left=0.4)
    colours = (*_style.ORDERS, _style.MISSING, _style.NEUTRAL, _style.PALE)
    ax.barh(range(len(colours)), range(1, len(colours) + 1), color=colours)
    ax.set_yticks(range(len(colours)), [shown(name, 20) for name in HOSTILE[: len(colours)]])
    _style.dress(ax, grid="x")
    return ax.figure
