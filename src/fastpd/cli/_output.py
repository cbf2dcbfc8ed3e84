"""Where answers go: a file, whole or not at all; a pipe; or the beginning of them a terminal."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click

from fastpd.cli._formats import format_of, open_sink
from fastpd.cli._running import note
from fastpd.cli._screen import MOST_ROWS, table_text
from fastpd.errors import OptionError
from fastpd.files import check_target, replacing

__all__ = ["Output", "check_output"]


def check_output(path: Path | None, sources: Iterable[Path | None]) -> None:
    """Refuse a file to write that can not be written, or that the answers are made of."""
    if path is None:
        return
    check_target(path)
    for source in sources:
        if source is not None and path.exists() and source.exists() and path.samefile(source):
            raise OptionError(
                f"{path} is also the file {source} that answers are made of, and would be lost. "
                "Give another name to write to."
            )


@dataclass(frozen=True)
class Output:
    """Where the tables of one answer go.

    Attributes
    ----------
    path
        A file; None for stdout.
    format
        What stdout gets; None for CSV, and for text on a terminal.
    """

    path: Path | None
    format: str | None

    def __post_init__(self) -> None:
        """Refuse an ending that is no format, before anything is computed."""
        kind = None if self.path is None else format_of(self.path)
        if kind is not None and self.format not in (None, kind):
            raise OptionError(
                f"{self.path} ends as {kind}, and --format is {self.format!r}; give one of them."
            )

    @property
    def on_screen(self) -> bool:
        """Whether a person reads the answer, so that its beginning is enough."""
        return self.path is None and self.format is None and sys.stdout.isatty()

    def write(self, tables: Iterable[Any]) -> int:
        """Write tables of one kind, at least one, and return the number of rows."""
        given = iter(tables)
        if self.on_screen:
            return self._show(given)
        kind = (self.format or "csv") if self.path is None else format_of(self.path)
        with self._file() as file:
            return _written(kind, file, given)

    @contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        if self.path is not None:
            with replacing(self.path) as file:
                yield file
        else:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()

    def _show(self, tables: Iterator[Any]) -> int:
        """Print as many rows as fit on a screen; later tables are not even computed."""
        import pyarrow as pa

        parts: list[Any] = []
        n_rows = 0
        for table in tables:
            parts.append(table)
            n_rows += table.num_rows
            if n_rows > MOST_ROWS:
                break
        table = pa.concat_tables(parts)
        text, rows, columns = table_text(table)
        click.echo(text)
        if rows < n_rows or columns < table.num_columns:
            note(
                f"showing the first {rows} rows and {columns} of {table.num_columns} columns; "
                "-o FILE or --format csv gives all."
            )
        return n_rows


def _written(kind: str, file: BinaryIO, tables: Iterator[Any]) -> int:
    first = next(tables)
    sink = open_sink(kind, file, first.schema)
    n_rows = 0
    for table in itertools.chain([first], tables):
        sink.write(table)
        n_rows += table.num_rows
    sink.close()
    return n_rows
