"""Sparse matrices, whose absent cells are zeros to some libraries and missing to others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError
from fastpd.frames._arrays import check_width
from fastpd.frames._columns import Columns

__all__ = ["Sparse", "is_sparse"]


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
        rows = data.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        self.rows = rows
        self.absent_is_zero = columns.absent == "zero"

    def dense(self, start: int, stop: int) -> NDArray[Any]:
        """Return some rows as an array, with NaN where an absent cell is a missing value."""
        part = self.rows[start:stop]
        if self.absent_is_zero:
            return np.asarray(part.toarray())
        filled = np.full(part.shape, np.nan)
        place = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        filled[place, part.indices] = part.data
        return filled
