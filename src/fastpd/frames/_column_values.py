"""The values of one column alone, as an effect is asked for them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError
from fastpd.forest import Categories
from fastpd.frames._labels import Labels
from fastpd.frames._tables import column_reader

__all__ = ["column_values"]


def column_values(values: Any, name: str, categories: Categories | None) -> NDArray[Any]:
    """Return values of a feature as numbers: codes where it has categories, NaN for missing.

    Parameters
    ----------
    values
        A number, a label, an array or list of them of any shape, or a column of a frame.
    name
        The feature.
    categories
        Its categories; None where it holds numbers.

    Examples
    --------
    >>> from fastpd.forest import Categories
    >>> from fastpd.frames import column_values
    >>> column_values(["blue", None], "colour", Categories(("red", "blue")))
    array([ 1., nan])
    """
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return column_reader(series, name, "the values", categories)(0, len(series))
    try:
        keeps = categories is not None and categories.arrays == "label"
        array = np.asarray(values, dtype=object if keeps and not _is_array(values) else None)
    except (TypeError, ValueError):
        array = np.empty(0, dtype=np.void)
    text = array.dtype.kind in "OUT"
    if categories is not None and (text or categories.arrays == "label"):
        cells = Labels(categories, name, "the values").codes(array.ravel().tolist())
        return cells.reshape(array.shape)
    if array.dtype.kind not in "biuf" or isinstance(values, np.ma.MaskedArray):
        raise DataError(
            f"values of {name!r} are {values!r:.60}; expected numbers, NaN for missing."
        )
    return array


def _is_array(values: Any) -> bool:
    return hasattr(values, "__array__")
