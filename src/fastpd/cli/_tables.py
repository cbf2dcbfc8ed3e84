"""Tables in files: CSV, plain or packed, and Parquet, read in batches."""

from __future__ import annotations

import difflib
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastpd.cli._csv import PACKED, Dialect, Kinds, csv_batches, csv_names
from fastpd.cli._running import one_line
from fastpd.errors import DataError, FastPDError, imported

__all__ = ["TableFile", "about", "open_table"]

_PARQUET = (".parquet", ".pq")
_MOST_ROWS = 1 << 16  # of a batch
_MOST_CELLS = 1 << 22

Listen = Callable[[float], None]


@dataclass(frozen=True)
class TableFile:
    """A file that holds a table.

    Attributes
    ----------
    path
        The file.
    names
        All its columns.
    n_rows
        Number of rows; None where only reading them all would tell.
    dialect
        How a CSV file is written; None for Parquet.
    """

    path: Path
    names: tuple[str, ...]
    n_rows: int | None
    dialect: Dialect | None

    def batches(
        self,
        columns: Sequence[str],
        kinds: Kinds | None = None,
        *,
        most_rows: int = _MOST_ROWS,
        listen: Listen | None = None,
        copied: Collection[str] = (),
    ) -> Iterator[Any]:
        """Go over the rows as Arrow tables of some columns; at least one table, perhaps empty.

        Parameters
        ----------
        columns
            Names, in the order of the file.
        kinds
            What the model takes of each, for a CSV file does not say.
        most_rows
            Rows of a table.
        listen
            Gets the share of the file that was read.
        copied
            Columns whose cells in a CSV file are text, whatever they look like.
        """
        twice = [name for name, n in Counter(self.names).items() if n > 1 and name in columns]
        if twice:
            raise DataError(
                f"{self.path} has more than one column {twice[0]!r}; expected each name once. "
                "Rename one."
            )
        size = max(1, min(most_rows, _MOST_ROWS, _MOST_CELLS // max(len(columns), 1)))
        with _readable(self.path, "a table"):
            if self.dialect is None:
                batches = _parquet_batches(self.path, columns, size, listen)
            else:
                batches = csv_batches(self.path, columns, kinds or {}, self.dialect, listen, copied)
        while True:
            with _readable(self.path, "a table"):
                batch = next(batches, None)
            if batch is None:
                return
            for start in range(0, max(batch.num_rows, 1), size):
                yield batch.slice(start, size)

    def count_lines(self) -> int:
        """Return the number of lines of a CSV file."""
        count, last = 0, b"\n"
        with (
            _readable(self.path, "a table"),
            imported("pyarrow", "reading CSV").input_stream(str(self.path)) as stream,
        ):
            while piece := stream.read(1 << 20):
                count, last = count + piece.count(b"\n"), piece[-1:]
        return count + (last != b"\n")


def open_table(path: Path, dialect: Dialect) -> TableFile:
    """Return a file's table, of which only the names are read."""
    _check_file(path)
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PARQUET:
        parquet = imported("pyarrow.parquet", "reading Parquet")
        with _readable(path, "a table of Parquet"), parquet.ParquetFile(path) as file:
            return TableFile(path, tuple(file.schema_arrow.names), file.metadata.num_rows, None)
    plain = [ending for ending in endings if ending not in PACKED][-1:]
    if plain not in ([".csv"], [".tsv"]):
        raise DataError(
            f"{path} ends in {path.suffix!r}; expected a table in .csv, .tsv or .parquet, or "
            "packed text, such as .csv.gz."
        )
    if plain == [".tsv"] and dialect.separator == ",":
        dialect = Dialect("\t", dialect.decimal)
    wanted = "a row of names and rows of as many cells, between commas, in UTF-8"
    with _readable(path, wanted):
        return TableFile(path, csv_names(path, dialect), None, dialect)


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Let errors about rows name the file that they stand in."""
    try:
        yield
    except DataError as error:
        if str(path) in str(error):
            raise
        raise DataError(f"{path}: {error}") from error


def _check_file(path: Path) -> None:
    """Refuse what is no file, with the name of one that may be meant."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        known = _names_beside(path)
        close = difflib.get_close_matches(path.name, known, n=1)
        hint = f" Did you mean {str(path.with_name(close[0]))!r}?" if close else ""
        if not isinstance(error, FileNotFoundError):
            hint = f" ({getattr(error, 'strerror', error)})"
        raise DataError(f"{path} is not there.{hint or ' Check the path.'}") from None
    if stat.S_ISDIR(mode):
        raise DataError(f"{path} is a folder; expected the file of one table.")
    if not stat.S_ISREG(mode):
        raise DataError(
            f"{path} is a pipe or a device; expected a file, for some tables are read twice. Write "
            "it to a file first."
        )


def _names_beside(path: Path) -> list[str]:
    try:
        return [one.name for one in path.parent.iterdir()]
    except (OSError, ValueError):
        return []


def _parquet_batches(
    path: Path, columns: Sequence[str], size: int, listen: Listen | None
) -> Iterator[Any]:
    pa = imported("pyarrow", "reading Parquet")
    parquet = imported("pyarrow.parquet", "reading Parquet")
    with parquet.ParquetFile(path) as file:
        total, done = max(file.metadata.num_rows, 1), 0
        for batch in file.iter_batches(size, columns=list(columns)):
            # A name with a dot may have brought others, that nest.
            yield pa.table(batch).select(list(columns))
            done += batch.num_rows
            if listen is not None:
                listen(done / total)
        if done == 0:
            names = file.schema_arrow.names
            empty = file.schema_arrow.empty_table()
            yield empty.select([names.index(name) for name in columns])


@contextmanager
def _readable(path: Path, wanted: str) -> Iterator[None]:
    """Tell in words why a file can not be read."""
    pa = imported("pyarrow", "reading tables")
    try:
        yield
    except FastPDError:
        raise
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = one_line(str(error)).rstrip(".")
        raise DataError(f"{path} can not be read: {reason:.300}; expected {wanted}.") from error
