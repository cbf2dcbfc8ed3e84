"""The border where users' tables become numbers: rows in the model's column order, exactly.

Whatever comes in, the engine sees blocks of float64 or float32 rows with NaN for a missing value.
A value that would have to change to become such a number is refused, with the way out.
"""

from fastpd.frames._cells import Cells, cells_of
from fastpd.frames._column_values import column_values
from fastpd.frames._columns import Columns
from fastpd.frames._naming import named_by
from fastpd.frames._rows import Rows, as_rows, frame_names, is_batches
from fastpd.frames._source import NOWHERE, Source

__all__ = [
    "NOWHERE",
    "Cells",
    "Columns",
    "Rows",
    "Source",
    "as_rows",
    "cells_of",
    "column_values",
    "frame_names",
    "is_batches",
    "named_by",
]
