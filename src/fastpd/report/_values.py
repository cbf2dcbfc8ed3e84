"""What the values of one row are called, as its owner wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import numpy as np

from fastpd.frames import Rows
from fastpd.queries import Engine
from fastpd.report._format import plain_number
from fastpd.report._rows import Standing
from fastpd.results._axis import Axis

__all__ = ["texts_of_column", "texts_of_rows", "texts_of_steps"]


def texts_of_column(table: Any, name: str) -> list[str] | None:
    """Return the values of a column of a table, or None where it has none of this name."""
    frame = nw.from_native(table, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    where = {str(column): column for column in frame.columns}
    return [_cell(value) for value in frame[where[name]].to_list()] if name in where else None


def texts_of_rows(engine: Engine, rows: Rows, table: Any) -> Callable[[int], tuple[str, ...]]:
    """Return what names the values of a given row: as in its table, or as the model reads them."""
    frame = nw.from_native(table, pass_through=True)
    named = isinstance(frame, nw.DataFrame)
    where = {str(column): column for column in frame.columns} if named else {}

    def texts(row: int) -> tuple[str, ...]:
        numbers = rows.chunk(row, row + 1)[0]
        found = []
        for player, name in enumerate(engine.names):
            if name in where:
                found.append(_cell(frame[where[name]][row]))
            else:
                found.append(_read(engine, player, numbers))
        return tuple(found)

    return texts


def texts_of_steps(
    engine: Engine, background: Standing, axes: Mapping[int, Axis]
) -> Callable[[int], tuple[str, ...]]:
    """Return what names the steps of a row of the background, of which no more is known."""

    def texts(row: int) -> tuple[str, ...]:
        return tuple(
            _step(axes[player], int(background.steps[player][row]))
            if player in axes and player in background.steps
            else ""
            for player in range(len(engine.names))
        )

    return texts


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    number = isinstance(value, float | np.floating) and not isinstance(value, bool)
    return plain_number(float(value)) if number else str(value)


def _read(engine: Engine, player: int, numbers: Any) -> str:
    """Return what the model reads, of a feature that is one column."""
    columns = engine.blocks.players.columns(player)
    steps = engine.forest.preparation
    if len(columns) != 1 or (steps is not None and columns[0] not in steps.unchanged):
        return ""
    value = float(numbers[columns[0]])
    known = engine.forest.categories[columns[0]] if engine.forest.categories else None
    labels = None if known is None else known.labels
    if labels is not None and value == value and 0 <= value < len(labels):
        return str(labels[int(value)])
    return _cell(value)


def _step(axis: Axis, step: int) -> str:
    if step == 0:
        return "missing"
    if axis.labels is not None:
        here = [
            str(one)
            for one, at in zip(axis.labels, axis.steps_of_labels(), strict=True)
            if at == step
        ]
        return " or ".join(here[:3]) + (" or others" if len(here) > 3 else "")
    edges = axis.edges
    if not len(edges):
        return ""
    if step == 1:
        return f"below {plain_number(edges[0])}"
    if step > len(edges):
        return f"{plain_number(edges[-1])} or more"
    return f"{plain_number(edges[step - 2])} to {plain_number(edges[step - 1])}"
