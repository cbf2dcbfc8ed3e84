"""Tables in files: CSV and Parquet, told apart by the ending of the name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from fastpd.errors import DataError, OptionError

__all__ = ["read_table", "write_table"]

_PARQUET = (".parquet", ".pq")


def read_table(path: Path) -> Any:
    """Return the Arrow table of a file; empty cells of a CSV file are missing values."""
    try:
        if path.suffix.lower() in _PARQUET:
            return parquet.read_table(path)
        if path.suffix.lower() == ".csv":
            options = csv.ConvertOptions(strings_can_be_null=True)
            return csv.read_csv(path, convert_options=options)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path} can not be read: {error}") from error
    raise OptionError(f"{path} ends in {path.suffix!r}; expected .csv or .parquet.")


def write_table(columns: dict[str, Any], path: Path) -> None:
    """Write columns of equal length to a file."""
    table = pa.table(columns)
    if path.suffix.lower() in _PARQUET:
        parquet.write_table(table, path)
    elif path.suffix.lower() == ".csv":
        csv.write_csv(table, path)
    else:
        raise OptionError(f"{path} ends in {path.suffix!r}; expected .csv or .parquet.")
