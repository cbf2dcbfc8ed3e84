"""Effects as one Arrow table of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpd.cli._running import note
from fastpd.errors import FastPDError, OptionError
from fastpd.explainer import Explainer
from fastpd.results import Effect

__all__ = ["effects_table", "main_effects"]


def main_effects(explainer: Explainer) -> list[Effect]:
    """Return the effects of all features that the model uses; say which have none, and why."""
    found, refused = [], []
    for at, name in enumerate(explainer.feature_names):
        if not explainer._blocks.columns_of(at):
            note(f"the model does not use {name!r}, so it has no effect")
            continue
        try:
            found.append(explainer.effect(name))
        except FastPDError as error:  # such as of a group, or of what a pipeline mixes
            refused.append(error)
            note(f"left out {name!r}: {error}")
    if not found:
        raise (
            refused[0]
            if refused
            else OptionError(
                "the model uses no feature at all; its prediction is the same for every row."
            )
        )
    return found


def effects_table(effects: Sequence[Effect]) -> Any:
    """Return the steps of effects below each other, each with where it is on one or two axes."""
    import pyarrow as pa

    tables = [_steps(effect) for effect in effects]
    # Labels may be numbers in one column and text in another.
    promote: dict[str, Any] = {"promote_options": "permissive"}
    found = pa.concat_tables(tables, **promote)
    first = [name for name in _PLACES if name in found.column_names]
    return found.select([*first, *(n for n in found.column_names if n not in first)])


_PLACE = ("feature", "from", "to", "label", "missing")
_PLACES = (*_PLACE, *(f"{name} 2" for name in _PLACE))


def _steps(effect: Effect) -> Any:
    import pyarrow as pa

    table = effect.to_frame("pyarrow")
    columns: dict[str, Any] = {}
    for axis, name in enumerate(effect.features):
        suffix = "" if axis == 0 else f" {axis + 1}"
        columns[f"feature{suffix}"] = pa.array([name] * table.num_rows, pa.string())
        prefix = f"{name} " if len(effect.features) > 1 else ""
        for title in ("from", "to", "label", "missing"):
            if prefix + title in table.column_names:
                columns[title + suffix] = _plain(table.column(prefix + title), title)
    places = sum(1 for _ in columns) - len(effect.features)
    for title in table.column_names[places:]:
        columns[title] = table.column(title)
    return pa.table(columns)


def _plain(column: Any, title: str) -> Any:
    import pyarrow as pa

    return column.cast(pa.string()) if title == "label" else column
