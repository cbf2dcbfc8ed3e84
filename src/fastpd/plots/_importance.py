"""Bars of the components that matter, one by one and by the number of their features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastpd.options import check_count
from fastpd.plots._checks import need_components, need_one_output
from fastpd.plots._style import (
    NEUTRAL,
    PALE,
    REST_HATCH,
    dress,
    new_axes,
    one_scale,
    order_colour,
    order_name,
    set_label,
    written,
)

if TYPE_CHECKING:
    from fastpd.results import Importance

__all__ = ["plot_importance", "plot_orders"]

_ROW = 0.27  # inches that a bar takes


def plot_importance(importance: Importance, *, top: int = 15, ax: Any = None) -> Any:
    """Draw the most important components as bars, coloured by their order, and return the axes.

    Those that are not drawn one by one are summed in a last bar.

    Parameters
    ----------
    importance
        What `Explainer.importance` returns, of one output.
    top
        Components that have a bar of their own.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> ranked = fastpd.Explainer(model, X).importance(X)
    >>> ax = fastpd.plots.plot_importance(ranked, top=5)
    >>> len(ax.patches)
    6
    """
    top = check_count(top, "top", 1)
    need_one_output(importance.output_names, "importance")
    need_components(importance.names, "importance")
    names, others = importance.names[:top], len(importance.names) - top
    sizes = importance.scores[:top]
    ax = new_axes(ax, (6.4, 1.1 + _ROW * (len(names) + (others > 0))))
    bars = ax.barh(np.arange(len(names)), sizes, color=[order_colour(len(one)) for one in names])
    ax.bar_label(bars, written(sizes), padding=3, fontsize="small")
    labels = [set_label(one) for one in names]
    if others > 0:
        rest = float(importance.scores[top:].sum())
        bar = ax.barh(len(names), rest, color=PALE, hatch=REST_HATCH, edgecolor=NEUTRAL)
        ax.bar_label(bar, written([rest], like=sizes), padding=3, fontsize="small")
        labels.append(f"{others} other{'s, summed' if others > 1 else ''}")
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.margins(x=0.12)
    ax.set_xlabel(f"mean |component|, {one_scale(importance.link)}{_cut(importance)}")
    dress(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    _name_orders(importance, ax)
    return ax


def plot_orders(importance: Importance, *, ax: Any = None) -> Any:
    """Draw what share of all importance the components of each order have, and return the axes.

    Parameters
    ----------
    importance
        What `Explainer.importance` returns, of one output.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> ranked = fastpd.Explainer(model, X).importance(X, max_order=3)
    >>> [tick.get_text() for tick in fastpd.plots.plot_orders(ranked).get_yticklabels()]
    ['4 main effects', '6 pairs', '4 triples']
    """
    need_one_output(importance.output_names, "importance")
    need_components(importance.names, "importance")
    orders = np.array([len(one) for one in importance.names])
    known = np.unique(orders)
    sums = np.array([importance.scores[orders == order].sum() for order in known])
    shares = sums / (sums.sum() or 1.0)
    ax = new_axes(ax, (6.4, 1.1 + 0.4 * len(known)))
    bars = ax.barh(np.arange(len(known)), shares, color=[order_colour(one) for one in known])
    ax.bar_label(bars, [f"{share:.1%}" for share in shares], padding=3, fontsize="small")
    counts = [int((orders == order).sum()) for order in known]
    labels = [f"{n} {order_name(one, n)}" for n, one in zip(counts, known, strict=True)]
    ax.set_yticks(np.arange(len(known)), labels)
    ax.set_ylim(len(known) - 0.4, -0.6)
    ax.set_xlim(0, min(1.12 * shares.max(), 1.12))
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.set_xlabel(f"share of the sum of mean |component|{_cut(importance)}")
    dress(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    return ax


def _cut(importance: Importance) -> str:
    """Return up to which order the components go, where the model has more of them."""
    return "" if importance.complete else f" (up to order {importance.max_order})"


def _name_orders(importance: Importance, ax: Any) -> None:
    """Say which colour is which order, where there are several."""
    orders = sorted({len(one) for one in importance.names[: len(ax.patches)]})
    if len(orders) > 1:
        handles = [
            ax.scatter([], [], marker="s", color=order_colour(one), label=order_name(one))
            for one in orders
        ]
        ax.legend(handles=handles, loc="center right", frameon=False, fontsize="small")
