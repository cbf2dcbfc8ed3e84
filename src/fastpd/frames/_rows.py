"""Rows to explain or to average over, read in chunks from whatever table they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastpd.errors import DataError
from fastpd.frames._arrays import Block
from fastpd.frames._columns import Columns
from fastpd.frames._labelled_arrays import array_reader
from fastpd.frames._prepared import prepared_reader
from fastpd.frames._source import NOWHERE, Source
from fastpd.frames._sparse import Sparse, is_sparse
from fastpd.frames._tables import column_names, opened, table_reader

__all__ = ["Rows", "as_rows", "frame_names", "is_batches"]


@dataclass(frozen=True)
class Rows:
    """Rows of numbers in the model's column order.

    Attributes
    ----------
    n_rows, n_features
        Shape of the whole.
    source
        Where they came from.

    Examples
    --------
    >>> import numpy as np
    >>> from fastpd.frames import Columns, as_rows
    >>> rows = as_rows(np.arange(6).reshape(3, 2), Columns(("a", "b")))
    >>> rows.n_rows, rows.n_features
    (3, 2)
    >>> rows.chunk(1, 3)
    array([[2., 3.],
           [4., 5.]])
    """

    n_rows: int
    n_features: int
    _read: Callable[[int, int], Block] = field(repr=False)
    source: Source = field(default=NOWHERE, repr=False)

    def chunk(self, start: int, stop: int) -> Block:
        """Return rows ``start:stop`` as float64 or float32, in any strides, a view if it can be."""
        first, last, _ = slice(start, stop).indices(self.n_rows)
        return self._read(first, max(first, last))

    def part(self, start: int, stop: int) -> Rows:
        """Return rows ``start:stop`` as rows of their own, still to be read."""
        return Rows(
            stop - start,
            self.n_features,
            lambda a, b: self._read(start + a, start + b),
            self.source.part(start, stop),
        )


def as_rows(data: Any, columns: Columns, *, what: str = "X") -> Rows:
    """Take a table: an array, a sparse matrix, or a pandas, polars or Arrow table.

    Arrays go by position. Tables go by name, in any order, and further columns are ignored.
    Nulls become NaN, labels become codes. Tables are converted chunk by chunk, arrays of floats
    not at all.

    Parameters
    ----------
    data
        The table.
    columns
        What the model takes.
    what
        What messages call the data.

    Returns
    -------
    Rows
        The same rows, in the model's column order.

    Raises
    ------
    DataError
        If columns are missing, or if a column holds anything but numbers, or labels where the
        model knows labels.

    Examples
    --------
    >>> import numpy as np
    >>> from fastpd.frames import Columns, as_rows
    >>> as_rows(np.array([[True, False]]), Columns(("a", "b"))).chunk(0, 1)
    array([[1., 0.]])
    """
    if is_batches(data):
        raise DataError(
            f"{what} is a {type(data).__name__} of batches; expected one table. "
            "Go over the batches one by one, or join them."
        )
    n_rows, read = _reader(data, columns, what)
    if not columns.takes_missing:
        read = _without_missing(read, columns, what)
    return Rows(n_rows, len(columns.names), read, Source.of(data))


def _reader(data: Any, columns: Columns, what: str) -> tuple[int, Callable[[int, int], Block]]:
    """Return the number of rows, and what reads a run of them."""
    if columns.preparation is not None:
        return prepared_reader(data, columns, columns.preparation, what, _reader)
    table = opened(data, what)
    if table is not None:
        return len(table), table_reader(table, columns, what)
    if is_sparse(data):
        sparse = Sparse(data, columns, what)
        return int(sparse.rows.shape[0]), sparse.dense
    return array_reader(data, columns, what)


def _without_missing(
    read: Callable[[int, int], Block], columns: Columns, what: str
) -> Callable[[int, int], Block]:
    """Return a reader that refuses missing values, as the library of the model does."""

    def checked(start: int, stop: int) -> Block:
        block = read(start, stop)
        lost = np.isnan(block)
        if lost.any():
            row, column = np.argwhere(lost)[0].tolist()
            raise DataError(
                f"{what} lacks a value in column {columns.names[column]!r}, row {start + row}; the "
                "model refuses missing values. Fill them, as for training, or leave the row out."
            )
        return block

    return checked


def frame_names(data: Any, *, what: str = "X") -> tuple[str, ...] | None:
    """Return the column names of a table, or None for data without names.

    Examples
    --------
    >>> import numpy as np
    >>> from fastpd.frames import frame_names
    >>> frame_names(np.zeros((2, 3))) is None
    True
    """
    table = None if is_batches(data) else opened(data, what)
    return None if table is None else column_names(table, what)


def is_batches(data: Any) -> bool:
    """Tell whether the data is an iterator over tables instead of one table.

    Examples
    --------
    >>> from fastpd.frames import is_batches
    >>> is_batches(batch for batch in [[[1.0]], [[2.0]]])
    True
    >>> is_batches([[1.0], [2.0]])
    False
    """
    if isinstance(data, Iterator):
        return True
    if isinstance(data, (np.ndarray, Sequence, Mapping, Set)) or not isinstance(data, Iterable):
        return False
    return not any(hasattr(data, mark) for mark in ("shape", "columns", "__array__"))
