"""Tables that go through the first steps of a pipeline before they reach the trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from fastpd.errors import DataError, FastPDError, imported
from fastpd.forest import Preparation
from fastpd.forest._names import made_up_names
from fastpd.frames._arrays import Block, check_width, converted, refuse_masked
from fastpd.frames._columns import Columns
from fastpd.frames._sparse import is_sparse, refuse_outside
from fastpd.frames._tables import column_names, opened, positions_of

__all__ = ["prepared_reader"]

Reader: TypeAlias = Callable[[int, int], Block]


def prepared_reader(
    data: Any,
    columns: Columns,
    preparation: Preparation,
    what: str,
    reader: Callable[[Any, Columns, str], tuple[int, Reader]],
) -> tuple[int, Reader]:
    """Return the number of rows and what reads them, in the columns of the model's last step.

    `reader` reads what the steps make, which is a table of any kind itself.
    """
    n_rows, part = _parts(data, preparation.columns, what)

    def read(start: int, stop: int) -> Block:
        if start == stop:  # steps of scikit-learn refuse a table without rows
            return np.empty((0, len(columns.names)))
        try:
            made = _numbers(preparation.apply(part(start, stop)), columns)
        except FastPDError:
            raise
        except Exception as error:
            raise DataError(
                f"{what} did not go through the steps of the pipeline before its model: {error}. "
                "Give a table like the one that the pipeline was fitted with."
            ) from error
        if is_sparse(made) and columns.absent == "refused":
            raise DataError(
                f"the steps of the pipeline make a sparse {type(made).__name__} of {what}, and "
                "what an absent cell is to the model is not known; expected a dense table. Fit the "
                "pipeline with sparse_output=False, or with sparse_threshold=0 where columns join."
            )
        name = f"the prepared {what}"
        number, cells = reader(made, _by_position(made, columns, name), name)
        if number != stop - start:
            raise DataError(
                f"the steps of the pipeline made {number} rows of {stop - start} rows of {what}; "
                "expected one for each."
            )
        return cells(0, number)

    return n_rows, _remembering(read)


def _remembering(read: Reader) -> Reader:
    """Return the same reader with the last run kept: queries read it once for every output."""
    last: dict[tuple[int, int], Block] = {}

    def again(start: int, stop: int) -> Block:
        known = dict(last)  # one moment of it: another thread may change it
        block = known.get((start, stop))
        if block is None:
            block = read(start, stop)
            last.clear()
            last[start, stop] = block
        return block

    return again


def _by_position(made: Any, columns: Columns, what: str) -> Columns:
    """Return what the model takes under the names that the steps gave, in the same order.

    Some libraries change the names of columns that they are trained with.
    """
    plain = replace(columns, preparation=None)
    table = opened(made, what)
    if table is None:
        return plain
    names = column_names(table, what)
    check_width(len(names), columns.names, what)
    return replace(plain, names=names)


def _numbers(made: Any, columns: Columns) -> Any:
    """Return an array of objects as the numbers that a model without categories makes of it.

    Steps join a column of bools and one of floats to such an array.
    """
    objects = isinstance(made, np.ndarray) and made.dtype == object
    return made.astype(np.float64) if objects and not columns.any_categories else made


def _for_steps(table: nw.DataFrame[Any], *, named: bool) -> Any:
    """Return rows of a table as steps take them: by name, or by position if they were so fitted.

    scikit-learn knows no Arrow tables.
    """
    if not named:
        return table.to_numpy()
    if table.implementation == nw.Implementation.PYARROW:
        imported("pandas", "a pipeline that gets an Arrow table")
        return table.to_pandas()
    return table.to_native()


def _parts(data: Any, names: tuple[str, ...], what: str) -> tuple[int, Callable[[int, int], Any]]:
    """Return the number of rows, and what takes a run of them as steps take them."""
    table = opened(data, what)
    if table is not None:
        labels = column_names(table, what)
        named = names != made_up_names(len(names))
        chosen = table[:, list(positions_of(labels, names, what, named=named))]
        return len(chosen), lambda start, stop: _for_steps(chosen[start:stop], named=named)
    if is_sparse(data):
        check_width(data.shape[1], names, what)
        refuse_outside(data, what)
        rows = data.tocsr()
        return int(rows.shape[0]), lambda start, stop: rows[start:stop]
    refuse_masked(data, what)
    array = converted(data, what)
    if array.ndim != 2:
        raise DataError(f"{what} has {array.ndim} dimensions; expected rows and columns.")
    check_width(array.shape[1], names, what)
    return len(array), lambda start, stop: array[start:stop]
