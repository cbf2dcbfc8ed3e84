"""Tables for eyes: a few rows and columns that fit into a terminal."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from typing import Any

from fastpd.cli._running import one_line

__all__ = ["MOST_ROWS", "table_text"]

MOST_ROWS = 20
_WIDEST = 28


def table_text(table: Any, width: int | None = None) -> tuple[str, int, int]:
    r"""Return the beginning of an Arrow table as text, and how many rows and columns it shows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from fastpd.cli._screen import table_text
    >>> text, *shown = table_text(pa.table({"age": [31.5, None], "name": ["x", "a\nb"]}), 40)
    >>> print(text)
     age  name
    31.5  x
          a b
    >>> shown
    [2, 2]
    """
    room = width or shutil.get_terminal_size().columns
    head = table.slice(0, MOST_ROWS)
    lines = [""] * (head.num_rows + 1)
    shown = 0
    for name, column in zip(head.column_names, head.columns, strict=True):
        cells = [one_line(name), *map(_cell, column.to_pylist())]
        block = _aligned([_shortened(cell) for cell in cells], number=_is_number(column))
        joined = [
            f"{line}{'  ' if shown else ''}{cell}" for line, cell in zip(lines, block, strict=True)
        ]
        if shown and max(map(_places, joined)) > room:
            break
        lines, shown = joined, shown + 1
    return "\n".join(line.rstrip() for line in lines), head.num_rows, shown


def _aligned(cells: Sequence[str], *, number: bool) -> list[str]:
    width = max(map(_places, cells))
    blanks = [" " * (width - _places(cell)) for cell in cells]
    both = zip(blanks, cells, strict=True)
    return [blank + cell if number else cell + blank for blank, cell in both]


def _places(text: str) -> int:
    """Return how many places text takes on a terminal: two for each wide letter."""
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _is_number(column: Any) -> bool:
    return any(kind in str(column.type) for kind in ("int", "float", "double"))


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else one_line(str(cell))


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
