"""Tables in files: CSV and Parquet, told apart by the ending of the name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from fastpd.errors import DataError, OptionError

__all__ = ["check_target", "read_table", "write_table"]

_PARQUET = (".parquet", ".pq")
_CSV = ".csv"


def read_table(path: Path) -> Any:
    """Return the Arrow table of a file; empty cells of a CSV file are missing values."""
    _check_ending(path)
    try:
        if path.suffix.lower() in _PARQUET:
            return parquet.read_table(path)
        options = csv.ConvertOptions(strings_can_be_null=True)
        return csv.read_csv(path, convert_options=options)
    except (OSError, pa.ArrowException) as error:
        wanted = (
            "a table of Parquet"
            if path.suffix.lower() in _PARQUET
            else "a row of names and rows of as many cells, between commas, in UTF-8"
        )
        raise DataError(
            f"{path} can not be read: {_one_line(error)}; expected {wanted}."
        ) from error


def check_target(path: Path, sources: Iterable[Path]) -> None:
    """Refuse a file to write that can not be written, or that holds what is explained.

    Parameters
    ----------
    path
        The file that answers shall go to.
    sources
        The files that they are made of.
    """
    _check_ending(path)
    if not path.parent.is_dir():
        raise OptionError(f"{path} is in a folder that is not there. Make {path.parent} first.")
    for source in sources:
        if path.exists() and source.exists() and path.samefile(source):
            raise OptionError(
                f"{path} is also the file {source} that answers are made of, and would be lost. "
                "Give another name to write to."
            )


def write_table(table: Any, path: Path) -> None:
    """Write an Arrow table to a file."""
    try:
        if path.suffix.lower() in _PARQUET:
            parquet.write_table(table, path)
        else:
            csv.write_csv(table, path)
    except (OSError, pa.ArrowException) as error:
        raise OptionError(
            f"{path} can not be written: {_one_line(error)}. Give a file in a folder of your own."
        ) from error


def _check_ending(path: Path) -> None:
    if path.suffix.lower() not in (*_PARQUET, _CSV):
        raise OptionError(f"{path} ends in {path.suffix!r}; expected .csv or .parquet.")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
