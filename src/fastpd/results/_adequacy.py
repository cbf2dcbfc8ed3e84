"""Whether a background is large enough for the components that matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.results._columns import Names

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
    """

    names: tuple[Names, ...]
    importance: Floats
    standard_error: Floats
    change: Floats
    n_background: int
    n_folds: int

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

    def __repr__(self) -> str:
        lines = [
            f"Background of {self.n_background:,} rows: relative error {self.relative_error:.2%}",
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
