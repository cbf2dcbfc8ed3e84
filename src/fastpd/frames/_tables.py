"""Tables of any library that narwhals knows, as rows of numbers."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError, nearest
from fastpd.frames._arrays import Block, block_of, check_width, shortened

__all__ = ["column_names", "opened", "table_reader"]

# Without the integers of 128 bits, which NumPy has not; half floats are known to newer versions.
_NUMBERS = (
    *(nw.Boolean, nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32),
    *(nw.UInt64, nw.Float32, nw.Float64, getattr(nw, "Float16", nw.Float32)),
)


def opened(data: Any, what: str) -> nw.DataFrame[Any] | None:
    """Return the table that narwhals makes of the data, or None if it is no table."""
    if isinstance(data, type):
        raise DataError(f"{what} is the class {data.__name__}; expected a table, made from it.")
    try:
        table = nw.from_native(data, pass_through=True, allow_series=True)
        if table is data and hasattr(data, "__arrow_c_stream__"):
            table = nw.from_native(importlib.import_module("pyarrow").table(data), eager_only=True)
    except ImportError as error:
        raise DataError(
            f"{what} is an Arrow {type(data).__name__}; reading it takes pyarrow. "
            "Install pyarrow, or give a pandas or polars table."
        ) from error
    except (ValueError, TypeError) as error:
        raise DataError(
            f"{what} is a {type(data).__name__} that can not be read by column name. {error}"
        ) from error
    if isinstance(table, nw.Series):
        raise DataError(
            f"{what} is one column, a {type(data).__name__}; expected a table. Give a frame."
        )
    if isinstance(table, nw.LazyFrame):
        raise DataError(f"{what} is a lazy frame; expected its rows. Give {what}.collect().")
    return table if isinstance(table, nw.DataFrame) else None


def column_names(table: nw.DataFrame[Any], what: str) -> tuple[str, ...]:
    """Return the column labels as text; labels that are then the same are refused."""
    labels = tuple(map(str, table.columns))
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise DataError(
            f"{what} has more than one column {twice[0]!r}; expected each name once. Rename one."
        )
    return labels


def table_reader(
    table: nw.DataFrame[Any], names: Sequence[str], what: str, named: bool
) -> Callable[[int, int], Block]:
    """Return what reads rows ``start:stop`` of a table, in the model's column order."""
    labels = column_names(table, what)
    positions = _positions(labels, names, what, named)
    columns = [_column(table[:, position], labels[position], what) for position in positions]

    def read(start: int, stop: int) -> Block:
        block = np.empty((stop - start, len(columns)))
        for j, column in enumerate(columns):
            block[:, j] = column(start, stop)
        return block

    return read


def _positions(
    labels: tuple[str, ...], names: Sequence[str], what: str, named: bool
) -> Sequence[int]:
    where = {label: position for position, label in enumerate(labels)}
    missing = [name for name in names if name not in where]
    if not missing:
        return [where[name] for name in names]
    if not named:
        check_width(len(labels), names, what)
        return range(len(labels))
    shown = [f"{name!r}.{nearest(name, labels)}" for name in missing[:5]]
    more = f" And {len(missing) - 5} more." if len(missing) > 5 else ""
    raise DataError(
        f"{what} lacks {len(missing)} of the model's {len(names)} columns: {' '.join(shown)}{more} "
        f"Its columns are {shortened(', '.join(map(repr, labels)), 120)}."
    )


def _column(series: nw.Series[Any], name: str, what: str) -> Callable[[int, int], NDArray[Any]]:
    """Return what reads one column, once it is known to hold numbers."""
    if not _is_number(series):
        if series.null_count() < len(series):
            _refuse_column(series, name, what)
        return lambda start, stop: np.full(stop - start, np.nan)
    # A dtype of pandas alone, such as a sparse one, has no null beside NaN.
    nullable = series.dtype != nw.Unknown
    filler = False if series.dtype == nw.Boolean else 0

    def read(start: int, stop: int) -> NDArray[Any]:
        part = series[start:stop]
        missing = part.is_null().to_numpy().astype(bool) if nullable else np.zeros(0, bool)
        # Filled first, for integers with nulls would come out rounded to floats.
        values = (part.fill_null(filler) if missing.any() else part).to_numpy()
        # Some libraries hand out their bools as objects.
        values = values.astype(bool) if series.dtype == nw.Boolean else values
        block = block_of(values.reshape(-1, 1), (name,), what)[:, 0]
        return np.where(missing, np.nan, block) if missing.any() else block

    return read


def _is_number(series: nw.Series[Any]) -> bool:
    dtype = series.dtype
    if dtype == nw.Unknown:
        plain = series[:0].to_numpy().dtype
        return plain.kind in "biuf" and plain.itemsize <= 8
    return dtype in _NUMBERS


def _refuse_column(series: nw.Series[Any], name: str, what: str) -> None:
    native = getattr(series.to_native(), "dtype", series.dtype)
    example = shortened(repr(series.drop_nulls()[0]))
    raise DataError(
        f"Column {name!r} of {what} has dtype {native} and holds {example}; expected numbers or "
        "bools. Encode it as the numbers that the model was trained on."
    )
