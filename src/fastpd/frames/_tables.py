"""Tables of any library that narwhals knows, as rows of numbers."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError, nearest
from fastpd.forest import Categories
from fastpd.frames._arrays import Block, block_of, check_width, reads_as_number, shortened
from fastpd.frames._columns import Columns
from fastpd.frames._labels import Labels, is_nan

__all__ = ["column_names", "column_reader", "opened", "positions_of", "table_reader"]

Reader: TypeAlias = Callable[[int, int], NDArray[Any]]

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
        reason = " ".join(str(error).split())
        raise DataError(
            f"{what} is a {type(data).__name__} that can not be read by column name: {reason}. "
            "Rename its columns, or drop some, so that each name is there once."
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
    table: nw.DataFrame[Any], columns: Columns, what: str
) -> Callable[[int, int], Block]:
    """Return what reads rows ``start:stop`` of a table, in the model's column order."""
    labels = column_names(table, what)
    positions = positions_of(labels, columns.names, what, named=columns.named)
    readers = [
        column_reader(table[:, position], labels[position], what, columns.categories_of(k))
        for k, position in enumerate(positions)
    ]

    def read(start: int, stop: int) -> Block:
        block = np.empty((stop - start, len(readers)))
        for j, reader in enumerate(readers):
            block[:, j] = reader(start, stop)
        return block

    return read


def positions_of(
    labels: tuple[str, ...], names: Sequence[str], what: str, *, named: bool
) -> Sequence[int]:
    """Return where the model's columns stand among a table's, by name, or else by position."""
    where = {label: position for position, label in enumerate(labels)}
    missing = [name for name in names if name not in where]
    if not missing:
        return [where[name] for name in names]
    if not named:
        check_width(len(labels), names, what)
        return range(len(labels))
    hints = {name: nearest(name, labels).strip() for name in missing[:5]}
    shown = [f"{name!r} ({hint})" if hint else repr(name) for name, hint in hints.items()]
    more = f" And {len(missing) - 5} more." if len(missing) > 5 else ""
    known = f"Its columns are {shortened(', '.join(map(repr, labels)), 120)}; rename them"
    raise DataError(
        f"{what} lacks {len(missing)} of the model's {len(names)} columns: {', '.join(shown)}."
        f"{more} {known if labels else 'It has no columns at all; add them'}, or give an array "
        "with the model's columns in its order."
    )


def column_reader(
    series: nw.Series[Any], name: str, what: str, categories: Categories | None
) -> Reader:
    """Return what reads one column, once it is known to hold numbers, or labels."""
    if categories is not None and not _holds_codes(series, categories, name, what):
        return _label_column(series, categories, name, what)
    if categories is None and series.dtype == nw.Categorical and _has_number_labels(series):
        return lambda start, stop: _as_floats(series[start:stop].to_list())
    if not _is_number(series):
        if series.null_count() < len(series):
            _refuse_column(series, name, what)
        return lambda start, stop: np.full(stop - start, np.nan)
    return _number_column(series, name, what)


def _holds_codes(series: nw.Series[Any], categories: Categories, name: str, what: str) -> bool:
    """Tell whether the cells of a categorical column are codes; refuse what could be either."""
    if not _is_number(series):
        if not categories.reads_labels and series.null_count() < len(series):
            raise DataError(
                f"Column {name!r} of {what} has labels, but the model keeps only the codes of its "
                "categories, not what they stand for. Say it with "
                f"Explainer(..., categories={{{name!r}: [label of code 0, label of code 1, ...]}}),"
                " or give the codes as numbers."
            )
        return False
    if categories.arrays == "label" or categories.numeric:
        return False
    if categories.labels is None:
        return True
    if series.null_count() == len(series):  # of a row without a label, whatever type that left
        return False
    shown = shortened(", ".join(map(repr, categories.labels)), 60)
    raise DataError(
        f"Column {name!r} of {what} holds numbers; expected the labels of its categories, such as "
        f"{shown}. Codes are taken in plain arrays only."
    )


def _label_column(series: nw.Series[Any], categories: Categories, name: str, what: str) -> Reader:
    # Where numbers are labels too, a column of objects may mix them with text.
    mixed = (nw.Object,) if categories.arrays == "label" else ()
    kinds = (nw.String, nw.Categorical, nw.Enum, *mixed)
    number = _is_number(series)
    if not number and series.dtype not in kinds and series.null_count() < len(series):
        _refuse_column(series, name, what)
    labels = Labels(categories, name, what, strict=number and categories.arrays == "code")

    def read(start: int, stop: int) -> NDArray[np.float64]:
        part = series[start:stop]
        # Some libraries have a value of their own for a missing one.
        lost = part.is_null().to_list()
        cells = zip(part.to_list(), lost, strict=True)
        return labels.codes(
            [None if gone and not is_nan(label) else label for label, gone in cells]
        )

    return read


def _has_number_labels(series: nw.Series[Any]) -> bool:
    """Tell whether categories are numbers, which a model of numbers reads as such."""
    labels = series.drop_nulls().unique().to_list()
    return bool(labels) and all(isinstance(one, int | float) for one in labels)


def _as_floats(values: list[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _number_column(series: nw.Series[Any], name: str, what: str) -> Reader:
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
    """Raise with the dtype and a value, the first that is no number where cells are of any kind."""
    native = getattr(series.to_native(), "dtype", series.dtype)
    cells = series.drop_nulls()
    example = cells[0]
    way_out = "Encode it as the numbers that the model was trained on."
    if series.dtype in (nw.Object, nw.String):
        odd = (cell for cell in cells.to_list() if not reads_as_number(cell))
        example = next(odd, example)
        if reads_as_number(example):
            way_out = "All its values read as numbers: convert it to a dtype of floats."
    raise DataError(
        f"Column {name!r} of {what} has dtype {native} and holds {shortened(repr(example))}; "
        f"expected numbers or bools. {way_out}"
    )
