"""Measures that follow from an empirical one: its counts say more than averages over rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.measures._empirical import Empirical

__all__ = ["Derived"]

Chances = Callable[[Empirical], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Derived:
    """Players pass independently, each with a chance that is read off the counts of rows.

    Attributes
    ----------
    counted
        The empirical measure of the rows.
    chances
        From it to a chance for every clause of the ensemble.
    name
        What chose it, for messages.
    """

    counted: Empirical
    chances: Chances
    name: str
    max_order: int = 64

    @property
    def n_rows(self) -> int:
        """Number of rows seen."""
        return self.counted.n_rows

    @property
    def known(self) -> bool:
        """Whether there were any rows."""
        return self.counted.known

    @property
    def nbytes(self) -> int:
        """Memory of the counts, in bytes."""
        return self.counted.nbytes

    def core(self) -> _core.Measure:
        """Return the chances as the compiled core reads them."""
        return _core.Measure.independent(self.chances(self.counted))

    def updated(self, rows: Any, weights: Any, **options: Any) -> Derived:
        """Return the measure with further rows counted in, as `Empirical.updated`."""
        return replace(self, counted=self.counted.updated(rows, weights, **options))

    def merged(self, other: Derived, *, memory_limit: int) -> Derived:
        """Return the measure of both samples together."""
        counted = self.counted.merged(other.counted, memory_limit=memory_limit)
        return replace(self, counted=counted)
