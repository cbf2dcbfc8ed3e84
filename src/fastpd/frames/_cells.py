"""What the cells of one row say, as a reader of the table knows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fastpd.forest._names import made_up_names
from fastpd.frames._columns import Columns
from fastpd.frames._labels import is_nan
from fastpd.frames._sparse import is_sparse
from fastpd.frames._tables import column_names, opened, positions_of

__all__ = ["Cells", "cells_of"]

Cells: TypeAlias = Callable[[int], dict[str, Any]]


def cells_of(data: Any, columns: Columns) -> Cells:
    """Return what gives the cells of a row by the names of the user's columns.

    Cells are those of the table as it was given, with labels for codes where the model knows them
    and None for missing. What a pipeline mixes has no cells.

    Examples
    --------
    >>> from fastpd.frames import Columns, cells_of
    >>> cells_of([[31, None]], Columns(("age", "height")))(0)
    {'age': 31, 'height': None}
    """
    steps = columns.preparation
    if steps is not None and steps.owner is None:
        return _nothing
    return _Cells(data, columns)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of a table; no closure, so that answers that hold it can be pickled."""

    data: Any
    columns: Columns

    def __call__(self, row: int) -> dict[str, Any]:
        columns, steps = self.columns, self.columns.preparation
        names = columns.names if steps is None else steps.columns
        named = columns.named if steps is None else names != made_up_names(len(names))
        values = _row(self.data, row, names, named=named)
        if steps is None:
            values = [_label(value, columns, position) for position, value in enumerate(values)]
        return {
            name: None if is_nan(value) else value
            for name, value in zip(names, values, strict=True)
        }


def _nothing(row: int) -> dict[str, Any]:
    return {}


def _row(data: Any, row: int, names: Sequence[str], *, named: bool) -> list[Any]:
    """Return the cells of a row in the order of these names."""
    table = opened(data, "X")
    if table is not None:
        cells = table.row(row)
        places = positions_of(column_names(table, "X"), names, "X", named=named)
        values: Any = [cells[place] for place in places]
    elif is_sparse(data):
        values = data.tocsr()[[row]].toarray()[0]
    else:
        array = data if isinstance(data, np.ndarray) else np.asarray(data, dtype=object)
        values = array[row]
    return [one.item() if isinstance(one, np.generic) else one for one in values]


def _label(value: Any, columns: Columns, position: int) -> Any:
    """Return the label that a number stands for, where it is the code of one."""
    categories = columns.categories_of(position)
    if categories is None or categories.arrays != "code" or not isinstance(value, int | float):
        return value
    labels = categories.labels or ()
    known = value == value and 0 <= value < len(labels) and value == int(value)
    return labels[int(value)] if known else value
