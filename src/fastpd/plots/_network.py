"""Which features interact, as a network: no layout but a circle, so that it means nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported
from fastpd.options import check_count
from fastpd.plots._checks import need_one_output
from fastpd.plots._style import PRIMARY, SECONDARY, new_axes, one_scale, set_label, shown, written

if TYPE_CHECKING:
    from fastpd.results import Importance

__all__ = ["plot_network"]

_LARGEST_NODE, _WIDEST_LINE = 900.0, 9.0  # square points, points
_BEND = 0.45  # how far lines bend towards the middle


@dataclass(frozen=True)
class _Network:
    """Features in their order around the circle, and the strongest pairs of them."""

    features: list[str]
    sizes: NDArray[np.float64]  # main effects
    pairs: list[tuple[int, int]]  # positions of features, the strongest pair first
    strengths: NDArray[np.float64]
    n_left_out: int
    share_left_out: float


def plot_network(importance: Importance, *, top: int = 20, ax: Any = None) -> Any:
    """Draw features as dots and pair components as lines, and return the axes.

    The area of a dot is the importance of the main effect, the width of a line that of the pair;
    features without a line that is drawn are left out, and weaker pairs are counted below.

    Parameters
    ----------
    importance
        What `Explainer.importance` returns for ``max_order=2`` or more, of one output.
    top
        Pairs that are drawn, the strongest first.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> ranked = fastpd.Explainer(model, X).importance(X)
    >>> ax = fastpd.plots.plot_network(ranked, top=3)
    >>> len(ax.patches)
    3
    """
    top = check_count(top, "top", 1)
    need_one_output(importance.output_names, "importance")
    network = _network(importance, top)
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(network.features)) / len(network.features)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    ax = new_axes(ax, (7.6, 5.2))
    _draw_lines(network, places, ax)
    areas = _LARGEST_NODE * network.sizes / (network.sizes.max() or 1.0)
    ax.scatter(*places.T, s=np.maximum(areas, 12), color=PRIMARY, zorder=3)
    for feature, area, place in zip(network.features, areas, places, strict=True):
        _name(shown(feature, 24), place, float(np.sqrt(max(area, 12) / np.pi)), ax)
    # Names at both sides need the room.
    ax.set(xlim=(-2.1, 2.1), ylim=(-1.25, 1.25), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)
    ax.set_xlabel(_legend(importance, network), fontsize="small")
    return ax


def _network(importance: Importance, top: int) -> _Network:
    names, scores = importance.names, importance.scores
    pairs = [(one, float(score)) for one, score in zip(names, scores, strict=True) if len(one) == 2]
    if not pairs:
        raise OptionError(
            f"the importance, up to order {importance.max_order}, lists no pairs of features; "
            "expected that of a model with interactions, for max_order = 2 or more."
        )
    drawn, left_out = pairs[:top], pairs[top:]
    mains = {one[0]: float(size) for one, size in zip(names, scores, strict=True) if len(one) == 1}
    features = _around([one for one, _ in drawn])
    at = {feature: place for place, feature in enumerate(features)}
    total = sum(score for _, score in pairs)
    return _Network(
        features,
        np.array([mains.get(feature, 0.0) for feature in features]),
        [(at[one[0]], at[one[1]]) for one, _ in drawn],
        np.array([score for _, score in drawn]),
        len(left_out),
        sum(score for _, score in left_out) / (total or 1.0),
    )


def _around(pairs: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the features in an order that puts partners side by side, strong pairs first."""
    waiting = list(dict.fromkeys(name for pair in pairs for name in pair))
    order = [waiting.pop(0)]
    while waiting:
        partners = (name for pair in pairs if order[-1] in pair for name in pair if name in waiting)
        chosen = next(partners, waiting[0])
        waiting.remove(chosen)
        order.append(chosen)
    return order


def _draw_lines(network: _Network, places: NDArray[np.float64], ax: Any) -> None:
    path, patches = imported("matplotlib.path", "plot()"), imported("matplotlib.patches", "plot()")
    widest = network.strengths.max() or 1.0
    for (a, b), strength in zip(network.pairs, network.strengths, strict=True):
        bend = (places[a] + places[b]) / 2 * (1 - _BEND)
        share = float(strength / widest)
        curve = path.Path([places[a], bend, places[b]], [1, 3, 3])  # a quadratic Bezier curve
        ax.add_patch(
            patches.PathPatch(
                curve,
                facecolor="none",
                edgecolor=SECONDARY,
                linewidth=max(_WIDEST_LINE * share, 0.6),
                alpha=0.35 + 0.65 * share,
                capstyle="round",
            )
        )


def _name(name: str, place: NDArray[np.float64], radius: float, ax: Any) -> None:
    """Write the name of a feature outside of its dot, whose radius is in points."""
    x, y = place
    ax.annotate(
        name,
        (x, y),
        xytext=((radius + 4) * x, (radius + 4) * y),
        textcoords="offset points",
        ha="center" if abs(x) < 0.2 else "left" if x > 0 else "right",
        va="center" if abs(x) >= 0.2 else "bottom" if y > 0 else "top",
        fontsize="small",
    )


def _legend(importance: Importance, network: _Network) -> str:
    """Return what the largest dot and the widest line stand for, and what is not drawn."""
    largest = int(network.sizes.argmax())
    widest = network.pairs[0]
    size, strength = written([network.sizes[largest], network.strengths[0]])
    pair = set_label([network.features[at] for at in widest])
    lines = [
        f"mean |component|, {one_scale(importance.link)}",
        f"largest dot: {shown(network.features[largest])} {size}; widest line: {pair} {strength}",
    ]
    if network.n_left_out:
        share = f"{network.share_left_out:.0%} of the importance of all pairs"
        lines.append(f"{network.n_left_out} weaker pairs are not drawn: {share}")
    return "\n".join(lines)
