"""Arrays by position: numbers, and cells of any kind where the model knows labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError
from fastpd.frames._arrays import Block, as_array, block_of, check_width, refuse_masked, shortened
from fastpd.frames._columns import Columns
from fastpd.frames._labels import Labels

__all__ = ["array_reader"]


def array_reader(data: Any, columns: Columns, what: str) -> tuple[int, Callable[[int, int], Block]]:
    """Return the number of rows of an array, and what reads a run of them."""
    refuse_masked(data, what)
    array = _array_of(data, columns) if columns.any_categories else None
    if array is not None and array.ndim == 2 and _reads_labels(array, columns):
        check_width(array.shape[1], columns.names, what)
        return len(array), _cells_reader(array, columns, what)
    numbers = as_array(data, columns.names, what)
    if columns.integers == "float32" and numbers.dtype.kind in "biu":
        return len(numbers), lambda start, stop: numbers[start:stop].astype(np.float32)
    return len(numbers), lambda start, stop: block_of(numbers[start:stop], columns.names, what)


def _array_of(data: Any, columns: Columns) -> NDArray[Any]:
    """Return an array; cells of a list keep their types where a number is a label as it is.

    NumPy makes text of all the cells of a list that holds some: of True, which is the label 1.
    """
    known = [one for one in columns.categories if one is not None]
    keeps = not hasattr(data, "__array__") and any(one.arrays == "label" for one in known)
    return np.asarray(data, dtype=object if keeps else None)


def _reads_labels(array: NDArray[Any], columns: Columns) -> bool:
    """Tell whether any cell is a label: text and mixed cells are; numbers are to some libraries."""
    if array.dtype.kind in "OUT":
        return True
    return any(one is not None and one.arrays == "label" for one in columns.categories)


def _cells_reader(
    array: NDArray[Any], columns: Columns, what: str
) -> Callable[[int, int], NDArray[np.float64]]:
    known = [columns.categories_of(k) for k in range(len(columns.names))]
    readers = [
        None
        if one is None or (one.arrays == "code" and not one.reads_labels)
        else Labels(one, name, what)
        for one, name in zip(known, columns.names, strict=True)
    ]

    def read(start: int, stop: int) -> NDArray[np.float64]:
        block = np.empty((stop - start, len(readers)))
        for j, reader in enumerate(readers):
            cells = array[start:stop, j]
            block[:, j] = (
                _numbers(cells, columns.names[j], what)
                if reader is None
                else reader.codes(cells.tolist())
            )
        return block

    return read


def _numbers(cells: NDArray[Any], name: str, what: str) -> NDArray[Any]:
    """Return cells of an array of mixed kinds as numbers, None as NaN; text is none."""
    if cells.dtype.kind in "biuf":
        return block_of(cells.reshape(-1, 1), (name,), what)[:, 0]
    for cell in cells.tolist():
        if cell is not None and not isinstance(cell, bool | int | float | np.number | np.bool_):
            raise DataError(
                f"Column {name!r} of {what} holds {shortened(repr(cell))}; expected numbers. "
                "Encode it as the numbers that the model was trained on."
            )
    return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
