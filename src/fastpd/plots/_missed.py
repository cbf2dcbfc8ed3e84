"""What a model cut at some order misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastpd.plots._checks import need_one_output
from fastpd.plots._style import NEUTRAL, PALE, dress, new_axes, one_scale, order_colour, written

if TYPE_CHECKING:
    from fastpd.results import Decomposition

__all__ = ["plot_missed"]


def plot_missed(parts: Decomposition, *, ax: Any = None) -> Any:
    """Draw what the components up to each order leave of the predictions, and return the axes.

    Parameters
    ----------
    parts
        What `Explainer.components` returns, of one output; its ``max_order`` is the last bar.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> parts = fastpd.Explainer(model, X).components(X, max_order=3)
    >>> ax = fastpd.plots.plot_missed(parts)
    >>> bool(ax.patches[0].get_height() == parts.missed[0])
    True
    """
    need_one_output(parts.output_names, "decomposition")
    missed = parts.missed
    orders = np.arange(len(missed))
    ax = new_axes(ax, (5.2, 3.6))
    colours = [PALE, *(order_colour(order) for order in orders[1:])]
    bars = ax.bar(orders, missed, color=colours, width=0.7)
    start = missed[0] or 1.0
    texts = [
        f"{text}\n{share:.1%}" for text, share in zip(written(missed), missed / start, strict=True)
    ]
    ax.bar_label(bars, texts, padding=2, fontsize="small")
    ax.set_xticks(orders, ["mean only", *map(str, orders[1:])])
    ax.set_ylim(0, 1.2 * start)
    ax.set_xlabel("components up to this order (max_order)")
    ax.set_ylabel(f"mean |what is missed|, {one_scale(parts.link)}")
    if parts.complete:
        ax.axhline(0, color=NEUTRAL, linewidth=0.8)
    dress(ax, grid="y")
    return ax
