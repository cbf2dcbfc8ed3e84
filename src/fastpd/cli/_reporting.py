"""A report on the rows of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fastpd.cli._columns import check_columns
from fastpd.cli._explainers import Asked, make_explainer, rows_of
from fastpd.cli._tables import about, open_table
from fastpd.errors import DataError
from fastpd.frames._arrays import shortened
from fastpd.report import Report

__all__ = ["make_page"]


def make_page(
    model: Path,
    data: Path,
    asked: Asked,
    target: str | None,
    positive: str | None,
    **options: Any,
) -> Report:
    """Return the report on a file, whose rows are all read at once.

    Parameters
    ----------
    model, data, asked
        As for `make_explainer`.
    target, positive
        Column of the true values, and, of two labels, the one that the model predicts.
    options
        As of `Explainer.report`.
    """
    truth = () if target is None else (target,)
    check_columns(open_table(data, asked.dialect), truth, "--target")
    quiet = click.get_current_context().find_root().meta.get("fastpd.quiet")
    explainer = make_explainer(model, data, asked, truth, progress=False if quiet else None)
    chosen = rows_of(data, explainer, asked, truth)
    if truth != chosen.beside(truth):
        raise DataError(
            f"the model takes the column {target!r:.60} itself; expected for --target the column "
            "of what it predicts."
        )
    rows, others = chosen.whole(truth)
    y = None if target is None else others.column(target)
    if positive is not None:
        y = _is_positive(y, positive, data, str(target))
    try:
        with about(data):
            return explainer.report(rows, y, **options)
    except DataError as error:
        several = len(explainer.output_names) > 1
        if y is None or positive is not None or not _is_text(y) or "y holds" not in str(error):
            raise
        if several:
            raise DataError(f"{error} Write the column so, or leave --target out.") from error
        raise DataError(f"{error} Or give --positive with the label that stands for 1.") from error


def _is_text(column: Any) -> bool:
    import pyarrow as pa

    kind = column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(text or pa.types.is_dictionary(kind))


def _is_positive(column: Any, positive: str, path: Path, target: str) -> Any:
    """Return 1 where a cell is the label that the model predicts, and 0 elsewhere."""
    cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
    known = dict.fromkeys(cell for cell in cells if cell is not None)
    if positive not in known or len(known) > 2:
        shown = shortened(", ".join(map(repr, known)), 100)
        raise DataError(
            f"{path} has {len(known)} labels in its column {target!r}: {shown}; expected two, one "
            f"of them {positive!r}."
        )
    if None in cells:
        raise DataError(f"{path} lacks a label in its column {target!r}, row {cells.index(None)}.")
    return [int(cell == positive) for cell in cells]
