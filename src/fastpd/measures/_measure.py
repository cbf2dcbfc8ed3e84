"""What queries need of a measure, and what users say when they choose one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

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
        The same as the core reads it.
    nbytes
        Memory of its numbers.
    name
        What chose it, for messages.
    """

    chances: _core.Measure
    nbytes: int
    name: str
    n_rows: int = 0
    known: bool = True
    max_order: int = 64

    def core(self) -> _core.Measure:
        """Return the measure as the compiled core reads it."""
        return self.chances
