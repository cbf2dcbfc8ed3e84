"""Tables that go through the first steps of a pipeline before they reach the trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastpd.errors import DataError, FastPDError
from fastpd.forest import Preparation
from fastpd.frames._arrays import Block, as_array, block_of, check_width
from fastpd.frames._columns import Columns
from fastpd.frames._sparse import is_sparse
from fastpd.frames._tables import column_names, opened, positions_of

__all__ = ["prepared_reader"]


def prepared_reader(
    data: Any, columns: Columns, preparation: Preparation, what: str
) -> tuple[int, Callable[[int, int], Block]]:
    """Return the number of rows and what reads them, in the columns of the model's last step."""
    n_rows, part = _parts(data, preparation.columns, what)

    def read(start: int, stop: int) -> Block:
        if start == stop:  # steps of scikit-learn refuse a table without rows
            return np.empty((0, len(columns.names)))
        try:
            made = preparation.apply(part(start, stop))
        except FastPDError:
            raise
        except Exception as error:
            raise DataError(
                f"{what} did not go through the steps of the pipeline before its model: {error}. "
                "Give a table like the one that the pipeline was fitted with."
            ) from error
        return block_of(as_array(made, columns.names, f"the prepared {what}"), columns.names, what)

    return n_rows, read


def _parts(data: Any, names: tuple[str, ...], what: str) -> tuple[int, Callable[[int, int], Any]]:
    """Return the number of rows, and what takes a run of them as the kind of table they are."""
    table = opened(data, what)
    if table is not None:
        labels = column_names(table, what)
        chosen = table[:, list(positions_of(labels, names, what, named=True))]
        return len(chosen), lambda start, stop: chosen[start:stop].to_native()
    if is_sparse(data):
        rows = data.tocsr()
        check_width(rows.shape[1], names, what)
        return int(rows.shape[0]), lambda start, stop: rows[start:stop]
    array = np.asarray(data)
    if array.ndim != 2:
        raise DataError(f"{what} has {array.ndim} dimensions; expected rows and columns.")
    check_width(array.shape[1], names, what)
    return len(array), lambda start, stop: array[start:stop]
