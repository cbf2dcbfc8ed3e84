"""What happens to a user's table before it reaches the trees: the first steps of a pipeline."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Preparation"]


class Preparation(Protocol):
    """Steps that turn a table of the user into the one that the forest takes."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the user's table that the steps read."""

    @property
    def owner(self) -> tuple[int, ...] | None:
        """For each column of the forest the one column of the table that it comes from.

        None where a column of the forest comes from several; explanations then are in the space of
        the forest's own columns.
        """

    @property
    def unchanged(self) -> frozenset[int]:
        """Columns of the forest that hold the values of their owner as they are."""

    def apply(self, table: Any) -> Any:
        """Return what the model takes for rows of the user's table, in the forest's column order.

        It may be a table of any kind: an array, a sparse matrix, or a frame.
        """

    def same_as(self, other: Any) -> bool:
        """Tell whether both make the same of every table."""
