"""What queries need of a measure, and what users say when they choose one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks

__all__ = ["Choice", "Fixed", "Measure"]


class Measure(Protocol):
    """How likely players pass the path to a leaf: p_j(U), whatever the x."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def n_rows(self) -> int:
        """Number of background rows that the measure was made from."""

    @property
    def known(self) -> bool:
        """Whether queries can be answered: a measure of rows needs some first."""

    @property
    def nbytes(self) -> int:
        """Memory that the measure holds, in bytes."""

    @property
    def max_order(self) -> int:
        """Components up to this order can be answered exactly at deep leaves."""

    def core(self) -> _core.Measure:
        """Return the measure as the compiled core reads it."""


class Choice(Protocol):
    """A measure that a user chose, before it is known of which model."""

    @property
    def data(self) -> Any:
        """Rows that it is made from; None where it needs none."""

    @property
    def weights(self) -> Any:
        """Their weights."""

    def begin(self, blocks: Blocks) -> Measure:
        """Return the measure for a model, before any rows."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """A measure that is known without any rows.

    Attributes
    ----------
    chances
        A chance for every clause of the ensemble, where players pass independently; else one for
        every set of players of every leaf.
    first
        Where the chances of each leaf start; empty where players are independent.
    name
        What chose it, for messages.
    """

    chances: NDArray[np.float64]
    first: NDArray[np.uint64]
    name: str
    n_rows: int = 0
    known: bool = True
    max_order: int = 64

    @property
    def nbytes(self) -> int:
        """Memory of the chances, in bytes."""
        return self.chances.nbytes + self.first.nbytes

    def core(self) -> _core.Measure:
        """Return the measure as the compiled core reads it."""
        if len(self.first):
            return _core.Measure.joint(self.chances, self.first)
        return _core.Measure.independent(self.chances)
