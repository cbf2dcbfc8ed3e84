"""Formats of tables that are written, by the ending of the file or the option --format."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from fastpd.errors import OptionError, imported

__all__ = ["FORMATS", "Sink", "format_of", "open_sink"]

_ENDINGS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
FORMATS = ("csv", "json", "jsonl")  # that a pipe takes


class Sink(Protocol):
    """What takes tables of one kind, one after another."""

    def write(self, table: Any) -> None:
        """Write the rows of an Arrow table."""

    def close(self) -> None:
        """Write what comes last."""


def format_of(path: Path) -> str:
    """Return the format that a file's name asks for.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fastpd.cli._formats import format_of
    >>> format_of(Path("out.JSONL"))
    'jsonl'
    """
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise OptionError(
            f"{path} ends in {ending!r}; expected one of {', '.join(_ENDINGS)} for a table to "
            "write."
        )
    return _ENDINGS[ending]


def open_sink(kind: str, file: BinaryIO, schema: Any) -> Sink:
    """Return what writes tables of a schema to a file."""
    return _SINKS[kind](file, schema)


class _Records:
    """Rows as JSON: one a line, or, with brackets around and commas between, one array of them."""

    def __init__(self, file: BinaryIO, schema: Any, *, array: bool) -> None:
        self._file = file
        self._array = array
        self._names = schema.names
        self._separator = "[\n" if array else ""

    def write(self, table: Any) -> None:
        """Write a record for each row."""
        columns = [column.to_pylist() for column in table.columns]
        for cells in zip(*columns, strict=True):
            record = {name: _cell(cell) for name, cell in zip(self._names, cells, strict=True)}
            self._file.write((self._separator + json.dumps(record)).encode())
            self._separator = ",\n" if self._array else "\n"

    def close(self) -> None:
        """End the last line, and the array."""
        if self._array:
            self._file.write(b"[]\n" if self._separator == "[\n" else b"\n]\n")
        elif self._separator:
            self._file.write(b"\n")


class _Arrow:
    """A writer of pyarrow."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def write(self, table: Any) -> None:
        """Write the rows of a table."""
        self._writer.write_table(table)

    def close(self) -> None:
        """Write what comes last."""
        self._writer.close()


def _cell(cell: Any) -> Any:
    """Return a cell as JSON has it; it has no infinite numbers and no dates."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell if isinstance(cell, str | int | float | bool | None) else str(cell)


def _parquet(file: BinaryIO, schema: Any) -> Sink:
    return _Arrow(imported("pyarrow.parquet", "writing Parquet").ParquetWriter(file, schema))


def _csv(file: BinaryIO, schema: Any) -> Sink:
    return _Arrow(imported("pyarrow.csv", "writing CSV").CSVWriter(file, schema))


_SINKS: dict[str, Callable[[BinaryIO, Any], Sink]] = {
    "parquet": _parquet,
    "csv": _csv,
    "json": lambda file, schema: _Records(file, schema, array=True),
    "jsonl": lambda file, schema: _Records(file, schema, array=False),
}
