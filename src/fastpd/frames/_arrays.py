"""NumPy arrays, and what NumPy can turn into one, as rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError

__all__ = [
    "Block",
    "as_array",
    "block_of",
    "check_width",
    "converted",
    "reads_as_number",
    "refuse_masked",
    "shortened",
]

Block: TypeAlias = NDArray[np.floating[Any]]


def as_array(data: Any, names: Sequence[str], what: str) -> NDArray[Any]:
    """Return a 2-D array of numbers with one column a feature; no copy of an array is made."""
    refuse_masked(data, what)
    array = converted(data, what)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        _refuse_dtype(array, names, what)
    if array.ndim != 2:
        raise DataError(
            f"{what} has {array.ndim} dimensions, shape {array.shape}; expected rows and columns. "
            f"One row is {what}[None, :], one column is {what}[:, None]."
        )
    check_width(array.shape[1], names, what)
    return array


def refuse_masked(data: Any, what: str) -> None:
    """Refuse a masked array, of which NumPy would hand out what is below the mask."""
    if isinstance(data, np.ma.MaskedArray):
        raise DataError(
            f"{what} is a masked array; expected plain numbers with NaN for a missing value. "
            f"Give {what}.astype(float).filled(numpy.nan)."
        )


def check_width(width: int, names: Sequence[str], what: str) -> None:
    """Refuse a table that goes by position and has another number of columns than the model."""
    if width != len(names):
        shown = shortened(", ".join(map(repr, names)), 80)
        raise DataError(
            f"{what} has {width} columns, but the model has {len(names)} features ({shown}). "
            f"Give exactly those, in this order."
        )


def block_of(array: NDArray[Any], names: Sequence[str], what: str) -> Block:
    """Return rows of an array as float64 or float32, a view where the array is that already."""
    dtype = array.dtype
    if dtype.kind in "biu":
        return _exact(array, names, what)
    if dtype.itemsize < 4:
        return array.astype(np.float32)
    if not dtype.isnative or not array.flags.aligned:
        return array.astype(dtype.newbyteorder("="))
    return array


def _exact(values: NDArray[Any], names: Sequence[str], what: str) -> NDArray[np.float64]:
    """Convert columns of whole numbers or bools, and refuse a number that no float64 equals."""
    floats = values.astype(np.float64)
    if values.dtype.itemsize < 8:
        return floats
    # The largest integer itself rounds up to a float that can not be converted back.
    held = np.where(floats < float(np.iinfo(values.dtype).max), floats, 0.0)
    for row, column in np.argwhere(held.astype(values.dtype) != values)[:1]:
        raise DataError(
            f"{what} has {values[row, column]} in column {names[column]!r}, which a float64 would "
            f"round to {floats[row, column]:.0f}. Encode it as whole numbers up to 2**53; "
            "an identifier is best left out of the model."
        )
    return floats


def shortened(text: str, limit: int = 40) -> str:
    """Return a text that fits into a message."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def converted(data: Any, what: str) -> NDArray[Any]:
    """Return data as the array, of one dimension at least, that NumPy makes of it."""
    hint = " Make it a table first, say with pandas.DataFrame." if isinstance(data, Mapping) else ""
    wanted = "expected a 2-D array of numbers, or a pandas, polars or Arrow table"
    try:
        array = np.asarray(data)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(
            f"{what} is a {type(data).__name__} that is no array ({error}); {wanted}."
        ) from error
    if array.ndim == 0:
        raise DataError(f"{what} is a {type(data).__name__}; {wanted}.{hint}")
    return array


def _refuse_dtype(array: NDArray[Any], names: Sequence[str], what: str) -> None:
    """Raise with the dtype, and with the first value that is no number and its column."""
    message = f"{what} has dtype {array.dtype}; expected float, integer or bool."
    if array.dtype.kind == "f":
        raise DataError(f"{message} Give {what}.astype(numpy.float64), which rounds it.")
    if array.dtype.names or (array.ndim == 1 and any(isinstance(row, Mapping) for row in array)):
        raise DataError(
            f"{message} Its rows have names: make it a table, pandas.DataFrame({what})."
        )
    if array.ndim == 2 and array.size:
        cells = ((row, column) for column, row in np.ndindex(array.shape[::-1]))
        row, column = next((cell for cell in cells if not reads_as_number(array[cell])), (0, 0))
        name = names[column] if array.shape[1] == len(names) else column
        value = array[row].tolist()[column]
        message += f" Column {name!r} holds {shortened(repr(value))}."
    raise DataError(
        f"{message} Encode text, categories and dates as the numbers that the model was trained "
        "on, a missing value as NaN, and give an array of floats."
    )


def reads_as_number(value: Any) -> bool:
    """Tell whether a cell is a number, or text that reads as one."""
    if isinstance(value, (str, bytes)):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))
