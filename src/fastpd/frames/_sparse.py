"""Sparse matrices, whose absent cells are zeros to some libraries and missing to others."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastpd.errors import DataError
from fastpd.frames._arrays import Block, block_of, check_width
from fastpd.frames._columns import Columns

__all__ = ["Sparse", "is_sparse", "refuse_outside"]


def is_sparse(data: Any) -> bool:
    """Tell whether the data is a matrix of SciPy's sparse formats."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr")


class Sparse:
    """Rows of a sparse matrix, made dense a run at a time."""

    def __init__(self, data: Any, columns: Columns, what: str) -> None:
        if columns.absent == "refused":
            raise DataError(
                f"{what} is a sparse {type(data).__name__}, which the model's library does not "
                f"take; expected a dense table. Give {what}.toarray()."
            )
        if data.ndim != 2:
            raise DataError(f"{what} has {data.ndim} dimensions; expected rows and columns.")
        if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8:
            raise DataError(
                f"{what} is sparse of dtype {data.dtype}; expected float, integer or bool."
            )
        check_width(data.shape[1], columns.names, what)
        refuse_outside(data, what)
        rows = data.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        self.rows = rows
        self.absent_is_zero = columns.absent == "zero"
        self._names, self._what = columns.names, what

    def dense(self, start: int, stop: int) -> Block:
        """Return some rows as an array, with NaN where an absent cell is a missing value."""
        part = self.rows[start:stop]
        values = block_of(np.asarray(part.toarray()), self._names, self._what)
        if self.absent_is_zero:
            return values
        filled = np.full_like(values, np.nan)
        stored = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices
        filled[stored] = values[stored]
        return filled


def refuse_outside(data: Any, what: str) -> None:
    """Refuse a matrix whose cells stand outside of it, which SciPy would read from anywhere."""
    if getattr(data, "format", "") not in ("csr", "csc") or not len(data.indices):
        return
    size = data.shape[data.format == "csr"]
    lowest, highest = int(data.indices.min()), int(data.indices.max())
    if lowest < 0 or highest >= size:
        wrong = lowest if lowest < 0 else highest
        kind = "column" if data.format == "csr" else "row"
        raise DataError(
            f"{what} is a sparse {type(data).__name__} with a cell in {kind} {wrong} of {size}; "
            "expected cells inside the matrix. Make it again from (data, (row, column))."
        )
