"""What happens to a user's table before it reaches the trees: the first steps of a pipeline."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

__all__ = ["Preparation"]


class Preparation(Protocol):
    """Steps that turn a table of the user into the matrix that the forest takes."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the user's table that the steps read."""

    @property
    def owner(self) -> tuple[int, ...] | None:
        """For each column of the forest the one column of the table that it comes from.

        None where a column of the forest comes from several; explanations then are in the space of
        the forest's own columns.
        """

    def apply(self, table: Any) -> NDArray[Any]:
        """Return the forest's columns, as float32 or float64, for rows of the user's table."""
