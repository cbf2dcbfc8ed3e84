"""Where rows came from, so that answers about them can go back there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

__all__ = ["NOWHERE", "Source"]

_KNOWN = ("pandas", "polars", "pyarrow", "modin", "cudf")


@dataclass(frozen=True, eq=False)
class Source:
    """The frame library that rows came in, and their labels.

    Attributes
    ----------
    library
        Name of the library; None for arrays.
    index
        Labels of the rows, as pandas has them; None where there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> from fastpd.frames import Source
    >>> source = Source.of(pd.DataFrame({"age": [31, 40]}, index=["ann", "bob"]))
    >>> source.library, list(source.index)
    ('pandas', ['ann', 'bob'])
    """

    library: str | None = None
    index: Any = None

    @classmethod
    def of(cls, data: Any) -> Source:
        """Return where rows come from; a table that only speaks Arrow counts as one of pyarrow."""
        table = nw.from_native(data, pass_through=True, allow_series=True)
        if isinstance(table, nw.DataFrame):
            library = table.implementation.name.lower()
            return cls(library if library in _KNOWN else None, nw.maybe_get_index(table))
        return cls("pyarrow") if hasattr(data, "__arrow_c_stream__") else cls()

    def part(self, start: int, stop: int) -> Source:
        """Return the source of rows ``start:stop``."""
        return self if self.index is None else replace(self, index=self.index[start:stop])

    def or_library(self, library: str | None) -> Source:
        """Return the same, with another library where the rows came in none."""
        return Source(library) if self.library is None else self


NOWHERE = Source()
