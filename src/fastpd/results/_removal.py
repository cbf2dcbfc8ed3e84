"""How much of a prediction goes with some features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fastpd.frames import Source
from fastpd.results._columns import Names
from fastpd.results._frames import table
from fastpd.results._html import numbers_html

__all__ = ["Removal"]


@dataclass(frozen=True, eq=False, repr=False)
class Removal:
    """What all components that touch some features make of the prediction, over rows.

    Numbers are one each, or one for each output.

    Attributes
    ----------
    features
        Names of the features.
    share
        Share of the prediction's variance, Cov(removed, f) / Var(f): the sum of the components'
        variance shares. NaN where the prediction does not vary.
    mean_change, largest_change
        Mean and largest absolute change of the prediction.
    n_rows
        Number of rows.
    output_names, link
        What is explained, and on which scale.
    library
        Frame library that the rows came in; None for arrays.
    """

    features: Names
    share: Any
    mean_change: Any
    largest_change: Any
    n_rows: int
    output_names: Names
    link: str
    library: str | None = None

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each output.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> list(fastpd.Explainer(model, X).without("x0").summary().to_frame("pandas").columns)
        ['output', 'share', 'mean change', 'largest change']
        """
        columns = {"output": list(self.output_names), **self._columns()}
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        return numbers_html(
            self._title, "output", self.output_names, self._columns(), (), bars=False
        )

    def _columns(self) -> dict[str, Any]:
        numbers = (self.share, self.mean_change, self.largest_change)
        titles = ("share", "mean change", "largest change")
        return {title: np.atleast_1d(one) for title, one in zip(titles, numbers, strict=True)}

    @property
    def _title(self) -> str:
        names = ", ".join(self.features)
        return f"Without {names}, over {self.n_rows:,} rows, {self.link} scale"

    def __repr__(self) -> str:
        lines = [self._title]
        several = len(self.output_names) > 1
        numbers = self._columns().values()
        for name, share, mean, largest in zip(self.output_names, *numbers, strict=True):
            lines.append(
                f"{f'{name}: ' if several else ''}{share:.2%} of the variance removed, "
                f"mean change {mean:.5g}, largest {largest:.5g}"
            )
        return "\n".join(lines)
