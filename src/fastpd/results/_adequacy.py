"""Whether a background is large enough for the components that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Source
from fastpd.results._columns import Names
from fastpd.results._frames import per_output, table, titles
from fastpd.results._html import numbers_html

__all__ = ["Adequacy"]

_SHOWN = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Adequacy:
    """For every component how far it is from that of an infinite background, most important first.

    Attributes
    ----------
    names
        Features of each component.
    importance
        Mean absolute component over the rows; a last axis for several outputs.
    standard_error
        Root of the mean squared standard error over the rows.
    change
        Mean absolute change of the component from half of the background to all of it.
    n_background, n_folds
        Rows of the background, and the folds that standard errors come from.
    library
        Frame library that the rows came in; None for arrays.
    """

    names: tuple[Names, ...]
    importance: Floats
    standard_error: Floats
    change: Floats
    n_background: int
    n_folds: int
    output_names: Names
    library: str | None = None

    @property
    def relative_error(self) -> float:
        """Standard errors of all components, as a share of their importance.

        Four times as many rows halve it.
        """
        total = float(self.importance.sum())
        return float(self.standard_error.sum()) / total if total else 0.0

    def rows_for(self, relative_error: float) -> int:
        """Return how many background rows such a relative error takes, as errors shrink by 1/sqrt.

        Examples
        --------
        >>> check = fastpd.Explainer(model, X).adequacy(X)
        >>> check.rows_for(check.relative_error / 2) == 4 * len(X)
        True
        """
        return round(self.n_background * (self.relative_error / relative_error) ** 2)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return features, order and the three numbers of each component, most important first.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> check = fastpd.Explainer(model, X).adequacy(X)
        >>> list(check.to_frame("pandas").columns)
        ['features', 'order', 'importance', 'standard error', 'change']
        """
        columns = {
            "features": titles(self.names),
            "order": np.array([len(one) for one in self.names], dtype=np.int64),
            **per_output("importance", self.importance, self.output_names),
            **per_output("standard error", self.standard_error, self.output_names),
            **per_output("change", self.change, self.output_names),
        }
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        labels = [" x ".join(one) for one in self.names]
        numbers = {
            "mean size": self.importance,
            "std. error": self.standard_error,
            "change from half": self.change,
        }
        return numbers_html(self._title, "component", labels, numbers, self.output_names)

    @property
    def _title(self) -> str:
        return f"Background of {self.n_background:,} rows: relative error {self.relative_error:.2%}"

    def __repr__(self) -> str:
        lines = [
            self._title,
            f"{'mean |m_S|':>12}{'std. error':>12}{'from half':>12}  component",
        ]
        columns = [self.importance, self.standard_error, self.change]
        table = np.stack([one.reshape(len(self.names), -1).mean(axis=1) for one in columns])
        for names, numbers in zip(self.names[:_SHOWN], table.T, strict=False):
            cells = "".join(f"{number:12.5g}" for number in numbers)
            lines.append(f"{cells}  {' x '.join(names)}")
        if len(self.names) > _SHOWN:
            lines.append(f"... and {len(self.names) - _SHOWN} more")
        return "\n".join(lines)
