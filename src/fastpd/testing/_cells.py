"""Any table as a matrix of whole numbers, so that brute force can mix its rows cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cells", "cut"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Two tables, background and rows, as the places of their cells.

    A cell of the matrix is the number of the row, in background followed by rows, whose value it
    has in that column. `decoded` makes tables again from any such matrix.

    Attributes
    ----------
    background, rows
        The matrices, (rows, columns).
    decoded
        From a matrix to a table of the same kind as those that were given.
    """

    background: NDArray[np.float64]
    rows: NDArray[np.float64]
    decoded: Callable[[NDArray[Any]], Any]

    @classmethod
    def of(cls, background: Any, rows: Any) -> Cells:
        """Return the cells of two arrays, sparse matrices, or pandas, polars or Arrow tables.

        Examples
        --------
        >>> import numpy as np
        >>> from fastpd.testing import Cells
        >>> cells = Cells.of(np.array([[5.0, 6.0]]), np.array([[7.0, 8.0]]))
        >>> cells.decoded(np.array([[0, 1]]))
        array([[5., 8.]])
        """
        n_background, n_rows = background.shape[0], rows.shape[0]
        width = rows.shape[1]
        places = np.repeat(np.arange(n_background + n_rows, dtype=float)[:, None], width, axis=1)
        whole = _joined(background, rows)
        return cls(places[:n_background], places[n_background:], lambda cells: _taken(whole, cells))


def _joined(background: Any, rows: Any) -> Any:
    kind = type(background).__module__.partition(".")[0]
    if kind == "pandas":
        import pandas as pd

        return pd.concat([background, rows], ignore_index=True)
    if kind == "polars":
        import polars as pl

        return pl.concat([background, rows])
    if kind == "pyarrow":
        import pyarrow as pa

        return pa.concat_tables([background, rows])
    if kind == "scipy":
        import scipy.sparse

        return scipy.sparse.vstack([background, rows]).tocsc()
    return np.concatenate([background, rows])


def _taken(whole: Any, cells: NDArray[Any]) -> Any:
    """Return a table whose column j holds the cells' values of column j."""
    place = np.asarray(cells).astype(np.intp)
    kind = type(whole).__module__.partition(".")[0]
    if kind == "pandas":
        import pandas as pd

        taken = [whole.iloc[:, j].take(place[:, j]) for j in range(place.shape[1])]
        columns = [column.reset_index(drop=True) for column in taken]
        return pd.concat(columns, axis=1)
    if kind == "polars":
        return whole.select(
            [whole.get_column(name)[place[:, j]] for j, name in enumerate(whole.columns)]
        )
    if kind == "pyarrow":
        import pyarrow as pa

        columns = [whole.column(j).take(pa.array(place[:, j])) for j in range(place.shape[1])]
        return pa.table(columns, names=whole.column_names)
    if kind == "scipy":
        import scipy.sparse

        columns = [whole[:, [j]][place[:, j]] for j in range(place.shape[1])]
        return scipy.sparse.hstack(columns).tocsr()
    return np.take_along_axis(whole, place, axis=0)


def cut(table: Any, n_parts: int) -> Iterator[Any]:
    """Cut a table of any kind into runs of rows, none of them empty."""
    bounds = np.linspace(0, table.shape[0], n_parts + 1).astype(int).tolist()
    for start, stop in pairwise(bounds):
        yield table.iloc[start:stop] if hasattr(table, "iloc") else table[start:stop]
