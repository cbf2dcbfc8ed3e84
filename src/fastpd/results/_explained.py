"""The rows that were explained, by feature, as shap's plots read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

__all__ = ["by_feature"]

Floats = NDArray[np.float64]
Column = tuple[Floats, list[str] | None]

_GROUP = "group"
_MISSING = "missing"


def by_feature(
    data: Any, names: Sequence[str], columns: Sequence[int | None], n_rows: int
) -> tuple[Floats | None, NDArray[Any] | None]:
    """Return numbers, (rows, features), and where some are codes of labels what all look like.

    Parameters
    ----------
    data
        The rows as they were given; None gives nothing.
    names
        The features.
    columns
        The column of each feature among those of the model; None for a group of several.
    n_rows
        How many rows there are.
    """
    if data is None:
        return None, None
    cells = _columns(data, names, columns)
    read = [_group(n_rows) if one is None else _read(one) for one in cells]
    numbers = np.column_stack([codes for codes, _ in read]) if read else np.empty((n_rows, 0))
    if all(labels is None for _, labels in read):
        return numbers, None
    shown = numbers.astype(object)
    for k, (_, labels) in enumerate(read):
        if labels is not None:
            shown[:, k] = labels
    return numbers, shown


def _columns(data: Any, names: Sequence[str], columns: Sequence[int | None]) -> list[Any]:
    """Return the cells of each feature, by name where a table has the names; None for a group."""
    table = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        array = data.toarray() if hasattr(data, "toarray") else np.asarray(data)
        return [None if at is None else array[:, at] for at in columns]
    place = {str(title): position for position, title in enumerate(table.columns)}
    pairs = list(zip(names, columns, strict=True))
    if all(name in place for name, at in pairs if at is not None):
        pairs = [(name, at if at is None else place[name]) for name, at in pairs]
    return [None if at is None else table[:, at] for _, at in pairs]


def _read(cells: Any) -> Column:
    """Return a column as numbers with NaN for missing, or as codes of its labels with these."""
    array = cells.to_numpy() if isinstance(cells, nw.Series) else cells
    if array.dtype.kind in "biuf":
        return array.astype(np.float64), None
    values = cells.to_list() if isinstance(cells, nw.Series) else array.tolist()
    if isinstance(cells, nw.Series):  # some libraries have a value of their own for a missing one
        lost = cells.is_null().to_list()
        values = [None if gone else one for one, gone in zip(values, lost, strict=True)]
    values = [None if one is None or one != one else one for one in values]
    if all(one is None or isinstance(one, int | float) for one in values):
        return np.array([np.nan if one is None else one for one in values], dtype=np.float64), None
    codes = {label: code for code, label in enumerate(_ordered(cells, values))}
    numbers = [np.nan if one is None else codes[str(one)] for one in values]
    return np.array(numbers), [_MISSING if one is None else str(one) for one in values]


def _ordered(cells: Any, values: Sequence[Any]) -> list[str]:
    """Return the labels that are there in the order that the column has, or of the alphabet."""
    there = {str(one) for one in values if one is not None}
    if isinstance(cells, nw.Series) and isinstance(cells.dtype, nw.Enum):
        return [label for label in map(str, cells.dtype.categories) if label in there]
    return sorted(there)


def _group(n_rows: int) -> Column:
    """Return what stands for several columns, which have no single value."""
    return np.zeros(n_rows), [_GROUP] * n_rows
