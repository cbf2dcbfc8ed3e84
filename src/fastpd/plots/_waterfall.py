"""How the components of one row add up to its prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.options import check_count
from fastpd.plots._checks import need_one_output
from fastpd.plots._style import (
    NEUTRAL,
    PALE,
    REST_HATCH,
    cell,
    dress,
    new_axes,
    one_scale,
    order_colour,
    order_name,
    set_label,
    shown,
    written,
)

if TYPE_CHECKING:
    from fastpd.results import Decomposition

__all__ = ["plot_waterfall"]

_ROW = 0.29  # inches that a bar takes
_LETTER = 0.08  # inches that a character of a name takes
_VALUE = 20  # characters of a value that are shown


@dataclass(frozen=True)
class _Bar:
    label: str
    size: float
    order: int  # of the components; 0 beyond the largest that is known
    pooled: bool


def plot_waterfall(parts: Decomposition, row: int, *, top: int = 12, ax: Any = None) -> Any:
    """Draw how the components of a row make its prediction, and return the axes.

    From the mean prediction v_0 the bars lead to that of the row, main effects first, then pairs,
    and so on. Those that are not drawn one by one are summed for each order, and what lies beyond
    the largest order is a bar of its own, so that the bars always add up.

    Parameters
    ----------
    parts
        What `Explainer.components` returns, of one output.
    row
        Position of the row among those that were decomposed.
    top
        Components that have a bar of their own, the largest of the row.
    ax
        Axes to draw on; new ones if None.

    Examples
    --------
    >>> parts = fastpd.Explainer(model, X).components(X[:3])
    >>> ax = fastpd.plots.plot_waterfall(parts, 0)
    >>> len(ax.get_yticks()) == 2 + len(ax.patches)
    True
    """
    need_one_output(parts.output_names, "decomposition")
    check_count(top, "top", 1)
    cells = parts.cells(row)
    bars = list(_bars(parts, row, top, cells))
    ends = parts.intercept + np.cumsum([0.0, *(bar.size for bar in bars)])
    longest = max((len(bar.label) for bar in bars), default=0)
    ax = new_axes(ax, (max(6.8, 4.4 + _LETTER * longest), 1.0 + _ROW * (len(bars) + 2)))
    for at, bar in enumerate(bars, start=1):
        rest = {"color": PALE, "hatch": REST_HATCH, "edgecolor": NEUTRAL}
        look = rest if bar.pooled else {"color": order_colour(bar.order)}
        ax.barh(at, bar.size, left=ends[at - 1], height=0.7, **look)
    _join(ends, ax)
    sizes = [bar.size for bar in bars]
    _write_sizes(written(sizes, signed=True), bars, ends, ax)
    first, last = written([ends[0], ends[-1]], like=sizes)
    labels = [f"mean prediction {first}", *(bar.label for bar in bars), f"prediction {last}"]
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    room = 0.18 * (float(np.ptp(ends)) or 1.0)
    ax.set_xlim(ends.min() - room, ends.max() + room)
    ax.set_xlabel(one_scale(parts.link))
    ax.locator_params(axis="x", nbins=6)
    dress(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def _bars(parts: Decomposition, row: int, top: int, cells: dict[str, Any]) -> Iterator[_Bar]:
    """Return the bars of a row: by order, the largest of each first, and what is left of it."""
    sizes = np.asarray(parts.array[row], dtype=np.float64)
    orders = np.array([len(one) for one in parts.names], dtype=np.intp)
    single = np.zeros(len(sizes), dtype=bool)
    single[np.argsort(-np.abs(sizes), kind="stable")[:top]] = True
    single &= sizes != 0
    told: set[str] = set()
    for order in np.unique(orders):
        here = np.flatnonzero((orders == order) & single)
        for at in here[np.argsort(-np.abs(sizes[here]), kind="stable")]:
            yield _Bar(_label(parts.names[at], cells, told), float(sizes[at]), int(order), False)
            told.update(parts.names[at])
        others = sizes[(orders == order) & ~single & (sizes != 0)]
        if len(others):
            others_are = "other" if order < 4 or len(others) == 1 else "others"
            name = f"{len(others)} {others_are} {order_name(int(order), len(others))}"
            yield _Bar(name, float(others.sum()), int(order), True)
    if not parts.complete:
        yield _Bar(f"beyond order {parts.max_order}", float(parts.remainder[row]), 0, True)


def _label(names: tuple[str, ...], cells: dict[str, Any], told: set[str]) -> str:
    """Return the features of a component, with values that no bar above it tells."""
    if len(names) == 1:
        name = names[0]
        return shown(name) + (f" = {cell(cells[name], _VALUE)}" if name in cells else "")
    new = [name for name in names if name in cells and name not in told]
    values = ", ".join(f"{shown(name, 12)} = {cell(cells[name], 12)}" for name in new)
    return set_label(names) + (f" ({values})" if new else "")


def _join(ends: NDArray[np.float64], ax: Any) -> None:
    """Draw where each bar goes on from, and both ends."""
    ink = ax.xaxis.label.get_color()
    last = len(ends)
    rows = np.arange(last)
    ax.vlines(ends, rows, rows + 1, color=NEUTRAL, linewidth=0.8, zorder=1)
    ax.plot(ends[[0, -1]], [0, last], linestyle="none", marker="D", markersize=5, color=ink)


def _write_sizes(sizes: list[str], bars: list[_Bar], ends: NDArray[np.float64], ax: Any) -> None:
    """Write the size of each bar beyond the end that it leads to."""
    for at, (text, bar) in enumerate(zip(sizes, bars, strict=True), start=1):
        up = bar.size >= 0
        ax.annotate(
            text,
            (ends[at], at),
            xytext=(4 if up else -4, 0),
            textcoords="offset points",
            ha="left" if up else "right",
            va="center",
            fontsize="small",
        )
