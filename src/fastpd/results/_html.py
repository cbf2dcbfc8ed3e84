"""Answers as small HTML tables, for notebooks.

Made as trees of elements, so that every name is escaped when they are written. Colours are those
around the table, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from numpy.typing import NDArray

from fastpd.results._columns import Names
from fastpd.results._frames import per_output
from fastpd.results._over_outputs import over_outputs, ranking

__all__ = ["columns_html", "html", "numbers_html"]

Cell: TypeAlias = str | float | int

_SHOWN = 10  # rows
_OUTPUTS = 4
_RULE = "1px solid rgba(128,128,128,0.4)"
_CELL = "padding:0.15em 0.8em;border:none;background:none"
_NUMBER = f"{_CELL};text-align:right;white-space:nowrap"
_TEXT = (
    f"{_CELL};text-align:left;max-width:24em;overflow:hidden;text-overflow:ellipsis;"
    "white-space:nowrap"
)
_BAR = (
    "display:inline-block;height:0.7em;background:currentColor;opacity:0.45;border-radius:1px;"
    "vertical-align:middle"
)


def html(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    bars: NDArray[np.float64] | None = None,
    n_rows: int | None = None,
) -> str:
    """Return a table with its caption.

    Parameters
    ----------
    caption
        What the table is.
    head
        Title of each column.
    rows
        Cells of each row; text goes to the left, numbers to the right.
    bars
        Sizes that are drawn as a last column of bars, against the largest.
    n_rows
        How many rows there are in all, where not all are given.
    """
    shown = list(rows)
    box = Element("div", {"class": "fastpd", "style": "max-width:100%;overflow-x:auto"})
    style = "border-collapse:collapse;border:none;font-variant-numeric:tabular-nums;margin:0.2em 0"
    SubElement(box, "div", style="padding:0 0.8em;font-weight:600").text = caption
    table = SubElement(box, "table", style=style)
    _head(table, head, [isinstance(cell, str) for cell in shown[0]] if shown else [])
    body = SubElement(table, "tbody")
    most = 0.0 if bars is None else float(np.max(bars, initial=0.0))
    for at, cells in enumerate(shown):
        line = SubElement(body, "tr", style="background:none")
        for cell in cells:
            _cell(line, cell)
        if bars is not None:
            width = 8 * float(bars[at]) / most if most else 0.0
            holder = SubElement(line, "td", style=f"{_CELL};min-width:8em;text-align:left")
            SubElement(holder, "span", style=f"{_BAR};width:{width:.3f}em")
    left = 0 if n_rows is None else n_rows - len(shown)
    if left > 0:
        note = SubElement(box, "div", style="padding:0 0.8em;opacity:0.7")
        note.text = f"and {left:,} more"
    return tostring(box, encoding="unicode", method="html")


def numbers_html(
    caption: str,
    kind: str,
    labels: Sequence[str],
    numbers: Mapping[str, NDArray[Any]],
    outputs: Names,
    *,
    bars: bool = True,
) -> str:
    """Return a table of the first labels with numbers, in a column for each or for each output.

    Parameters
    ----------
    caption, kind
        What the table is, and what its labels are.
    labels
        What each row is about.
    numbers
        Arrays by title: (labels,), or (labels, outputs).
    outputs
        Their names; the first few are shown.
    bars
        Whether to draw the first numbers as bars, of several outputs their mean.
    """
    columns: dict[str, NDArray[Any]] = {}
    for title, values in numbers.items():
        columns |= per_output(title, values[:_SHOWN], outputs[:_OUTPUTS])
    rows = [
        [label, *(column[at].item() for column in columns.values())]
        for at, label in enumerate(labels[:_SHOWN])
    ]
    first = next(iter(numbers.values()))[:_SHOWN]
    sizes = over_outputs(first) if bars else None
    if first.ndim > 1 and len(outputs) > _OUTPUTS:
        caption = f"{caption}; {_OUTPUTS} of {len(outputs)} outputs"
    return html(caption, [kind, *columns], rows, bars=sizes, n_rows=len(labels))


def columns_html(
    caption: str, kind: str, names: Sequence[Names], values: NDArray[Any], outputs: Names
) -> str:
    """Return a table of columns at rows by their mean size, largest first."""
    if not len(values):
        return html(caption, [], [])
    # Column by column, which takes no copy of all of them.
    sizes = np.array([np.abs(values[:, k]).mean(axis=0, dtype=float) for k in range(len(names))])
    order = ranking(sizes)
    numbers = {"mean size": sizes[order]}
    if values.ndim == 2:
        top = values[:, order[:_SHOWN]]
        numbers |= {"smallest": top.min(axis=0), "largest": top.max(axis=0)}
    labels = [" x ".join(names[k]) for k in order.tolist()]
    return numbers_html(caption, kind, labels, numbers, outputs)


def _head(table: Element, head: Sequence[str], are_text: Sequence[bool]) -> None:
    if not head:
        return
    line = SubElement(SubElement(table, "thead"), "tr", style="background:none;border:none")
    for at, title in enumerate(head):
        style = _TEXT if at < len(are_text) and are_text[at] else _NUMBER
        cell = SubElement(line, "th", style=f"{style};border-bottom:{_RULE};font-weight:normal")
        cell.text = title


def _cell(line: Element, content: Cell) -> None:
    if isinstance(content, str):
        SubElement(line, "td", style=_TEXT, title=content).text = content
    else:
        shown = f"{content:,}" if isinstance(content, int) else f"{content:.4g}"
        SubElement(line, "td", style=_NUMBER).text = shown
