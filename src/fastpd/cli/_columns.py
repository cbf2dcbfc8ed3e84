"""Which columns of a file go to a model, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fastpd.cli._csv import Kinds
from fastpd.cli._running import note
from fastpd.cli._tables import TableFile
from fastpd.errors import DataError, nearest
from fastpd.frames import Columns
from fastpd.frames._arrays import shortened

__all__ = ["Chosen", "check_columns", "chosen_columns"]

_MOST_SHOWN = 5


@dataclass(frozen=True)
class Chosen:
    """Columns of a file that a model takes.

    Attributes
    ----------
    names
        The columns, in the order of the file.
    kinds
        What it takes of them, as far as that is known.
    """

    names: tuple[str, ...]
    kinds: Kinds


def check_columns(table: TableFile, wanted: Sequence[str], option: str) -> None:
    """Refuse the name of a column that a file does not have."""
    for name in wanted:
        if name not in table.names:
            shown = shortened(", ".join(map(repr, table.names)), 200)
            raise DataError(
                f"{table.path} has no column {name!r:.60} for {option}; it has {shown}."
                f"{nearest(name, table.names)}"
            )


def chosen_columns(table: TableFile, columns: Columns, others: Collection[str]) -> Chosen:
    """Return the columns that a model takes, and say on stderr which others a file has.

    Parameters
    ----------
    table
        The file.
    columns
        What the model takes.
    others
        Columns that have another use, or none, so that they are no columns of rows.
    """
    steps = columns.preparation
    names = columns.names if steps is None else steps.columns
    taken = (
        {}
        if steps is not None
        else {name: columns.categories_of(k) for k, name in enumerate(columns.names)}
    )
    if set(names) <= set(table.names):
        left = [name for name in table.names if name not in names and name not in others]
        if left:
            _say_ignored(table, left)
        return Chosen(tuple(name for name in table.names if name in names), taken)
    left = [name for name in table.names if name not in others]
    if columns.named or len(left) == len(names):
        if not columns.named:
            taken = dict(zip(left, taken.values(), strict=False))
        return Chosen(tuple(left), taken)
    raise DataError(
        f"{table.path} has {len(left)} columns, and the model, which does not know their names, "
        f"takes {len(names)}: {shortened(', '.join(map(repr, left)), 200)}. Give exactly those, in "
        "its order; --ignore COLUMN leaves one out."
    )


def _say_ignored(table: TableFile, names: Sequence[str]) -> None:
    shown = ", ".join(repr(name)[:60] for name in names[:_MOST_SHOWN])
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    count = "1 column" if len(names) == 1 else f"{len(names)} columns"
    note(f"{table.path}: ignored {count} that the model does not take: {shown}{more}")
