"""CSV files in batches: a file does not say what its columns hold, but the model does."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastpd.errors import DataError, imported
from fastpd.forest import Categories

__all__ = ["Dialect", "Kinds", "csv_batches", "csv_names"]

_BLOCK = 1 << 21  # bytes that are read at once; a row has to fit in
_WRONG_CELL = re.compile(
    r"In CSV column #(\d+): .*? conversion error to ([^:]+): invalid value '(.*)'", re.DOTALL
)
_BEGINNING = 1 << 16  # bytes, that show how a file is written
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_BETWEEN = {";": "semicolons", "\t": "tabs", "|": "bars"}

Types = dict[str, Any]
# What a model takes of columns: labels, or numbers where there is None; of others nothing is known.
Kinds = Mapping[str, Categories | None]
Listen = Callable[[float], None]


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written: what stands between cells, and in numbers."""

    separator: str = ","
    decimal: str = "."


def csv_names(path: Path, dialect: Dialect) -> tuple[str, ...]:
    """Return the names in the first row of a file."""
    _check_beginning(path, dialect)
    with _opened(path, dialect, None, {}, ()) as (reader, _):
        names = tuple(reader.schema.names)
    if names and all(_reads_as_number(name) for name in names) and not _counts(names):
        raise DataError(
            f"the first row of {path} holds numbers, {', '.join(names):.60}; expected the names of "
            "the columns. Add a first row of names."
        )
    return names


def _check_beginning(path: Path, dialect: Dialect) -> None:
    """Refuse a file whose first row is in another encoding, or has other marks between cells."""
    with _stream(path) as (stream, _):
        first, *_ = stream.read(_BEGINNING).split(b"\n")
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path} is in UTF-16; expected UTF-8. Save it so.")
    names = first.decode("utf-8", "replace").strip().lstrip("\ufeff")
    if dialect.separator in names:
        return
    for mark, called in _BETWEEN.items():
        if mark in names:
            shown = mark if mark != "\t" else r"\t"
            raise DataError(
                f"{path} has one column, {names!r:.60}: its cells seem to stand between "
                f"{called}. Give --separator {shown!r}"
                f"{', and --decimal , if numbers are written so.' if mark == ';' else '.'}"
            )


def csv_batches(
    path: Path,
    columns: Sequence[str],
    kinds: Kinds,
    dialect: Dialect,
    listen: Listen | None,
    copied: Collection[str] = (),
) -> Iterator[Any]:
    """Go over the rows of some columns as Arrow tables, at least one.

    Types are those of the first rows, as far as the model leaves that open. Whole numbers that are
    followed by others are read anew as floats. Cells of `copied` columns stay the text that they
    are, for one of "0017" is no number.
    """
    pa = imported("pyarrow", "reading CSV")
    nulls = _nulls(kinds)
    types = _types(path, columns, kinds, dialect, nulls)
    types |= dict.fromkeys(copied, pa.string())
    done = 0
    while True:
        try:
            for table in _tables(path, dialect, columns, types, nulls, done, listen):
                yield _with_missing(table, nulls, copied)
                done += table.num_rows
            return
        except pa.ArrowInvalid as error:
            whole = [name for name, one in types.items() if pa.types.is_integer(one)]
            if not whole or not _WRONG_CELL.search(str(error)):
                raise _explained(path, dialect, error) from error
            types |= dict.fromkeys(whole, pa.float64())


def _with_missing(table: Any, nulls: Sequence[str], copied: Collection[str]) -> Any:
    """Return a table where text that stands for a missing value is missing.

    In copied columns that is nothing but empty cells: "NA" may be a country.
    """
    pa, compute = imported("pyarrow", "reading CSV"), imported("pyarrow.compute", "reading CSV")
    for at, one in enumerate(table.schema):
        if pa.types.is_string(one.type):
            column, empty = table.column(at), [""] if one.name in copied else list(nulls)
            known = compute.is_in(column, value_set=pa.array(empty, pa.string()))
            table = table.set_column(at, one, compute.if_else(known, None, column))
    return table


def _tables(
    path: Path,
    dialect: Dialect,
    columns: Sequence[str],
    types: Types,
    nulls: Sequence[str],
    skipped: int,
    listen: Listen | None,
) -> Iterator[Any]:
    """Read tables from some row on; an empty one where there are none at all."""
    pa = imported("pyarrow", "reading CSV")
    seen = 0
    with _opened(path, dialect, columns, types, nulls) as (reader, share):
        for batch in reader:
            table = pa.Table.from_batches([batch])
            yield table.slice(max(0, skipped - seen))
            seen += table.num_rows
            if listen is not None:
                listen(share())
        if seen == 0:
            yield reader.schema.empty_table()


def _types(
    path: Path, columns: Sequence[str], kinds: Kinds, dialect: Dialect, nulls: Sequence[str]
) -> Types:
    """Return a type for every column: by its first rows, and by what the model takes."""
    pa = imported("pyarrow", "reading CSV")
    with _opened(path, dialect, columns, {}, nulls) as (reader, _):
        types = {one.name: one.type for one in reader.schema}
    for name, found in types.items():
        known = kinds.get(name)
        if pa.types.is_binary(found):
            raise DataError(
                f"{path} holds text in the column {name!r:.60} that is not in UTF-8. Save it so."
            )
        if found == pa.null():
            text = known is not None and known.reads_labels and not known.numeric
            types[name] = pa.string() if text else pa.float64()
        elif name in kinds and known is None and not _counts_as_number(found):
            types[name] = pa.float64()  # so that the first cell that is no number is named
        elif known is not None and not pa.types.is_string(found):
            types[name] = _type_of_labels(path, name, found, known, dialect, nulls)
    return types


def _type_of_labels(
    path: Path, name: str, found: Any, known: Categories, dialect: Dialect, nulls: Sequence[str]
) -> Any:
    """Return the type of a column whose first cells are no text, but where labels are wanted.

    Labels such as "1" are text if the model knows them so; else numbers may be codes, which are
    refused later, rather than taken for labels that the model never met.
    """
    pa = imported("pyarrow", "reading CSV")
    if known.numeric and all(isinstance(label, float) for label in known.labels or ()):
        return pa.float64()
    with _opened(path, dialect, [name], {name: pa.string()}, nulls) as (reader, _):
        first = next(iter(reader), None)
    cells = [] if first is None else first.column(0).unique().to_pylist()
    known_cells = (known.knows(cell) for cell in cells if cell not in nulls)
    return pa.string() if any(known_cells) else found


def _nulls(kinds: Kinds) -> list[str]:
    """Return what stands for a missing value, without what a model knows as a label."""
    usual = imported("pyarrow.csv", "reading CSV").ConvertOptions().null_values
    labels = [known for known in kinds.values() if known is not None]
    return [one for one in usual if not any(known.knows(one) for known in labels)]


@contextmanager
def _opened(
    path: Path,
    dialect: Dialect,
    columns: Sequence[str] | None,
    types: Types,
    nulls: Sequence[str],
) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Open a file for reading batches, with what tells the share of it that was read."""
    csv = imported("pyarrow.csv", "reading CSV")
    convert = {"null_values": list(nulls)} if nulls else {}
    options = {
        "read_options": csv.ReadOptions(block_size=_BLOCK),
        "parse_options": csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True),
        "convert_options": csv.ConvertOptions(
            include_columns=None if columns is None else list(columns),
            column_types=types,
            decimal_point=dialect.decimal,
            **convert,
        ),
    }
    with _stream(path) as (stream, share), csv.open_csv(stream, **options) as reader:
        yield reader, share


@contextmanager
def _stream(path: Path) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Open a file for reading, unpacked, with what tells the share of it that was read."""
    pa = imported("pyarrow", "reading CSV")
    size = max(path.stat().st_size, 1)
    with path.open("rb") as raw, pa.PythonFile(raw, mode="r") as plain:
        kind = PACKED.get(path.suffix.lower())
        stream = plain if kind is None else pa.CompressedInputStream(plain, kind)
        yield stream, lambda: raw.tell() / size


def _counts_as_number(kind: Any) -> bool:
    types = imported("pyarrow", "reading CSV").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _explained(path: Path, dialect: Dialect, error: Exception) -> DataError:
    """Return the error of pyarrow in our words, where it is about a cell."""
    found = _WRONG_CELL.search(str(error))
    if "straddl" in str(error):
        return DataError(
            f"{path} holds a row of more than {_BLOCK >> 20} MB. Does a quotation mark lack its "
            "partner? Else write the table as Parquet."
        )
    if found is None:
        reason = " ".join(str(error).split()).rstrip(".")
        return DataError(
            f"{path} can not be read: {reason:.300}; expected a row of names and rows of as many "
            "cells, between commas, in UTF-8."
        )
    column, kind, cell = found.groups()
    name = csv_names(path, dialect)[int(column)]
    wanted = "a number" if kind in ("double", "int64") else f"what reads as {kind}, as above it"
    return DataError(
        f"{path} holds {cell!r:.60} in the column {name!r:.60}; expected {wanted}. Mend the cell, "
        "or leave it empty where the value is missing."
    )


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counts(names: Sequence[str]) -> bool:
    """Tell whether names are only numbers in a row, as tables without names get them."""
    return list(names) in ([str(k + first) for k in range(len(names))] for first in (0, 1))
