"""SHAP values and interaction indices."""

from __future__ import annotations

from typing import Any

from fastpd import _core
from fastpd.errors import MemoryLimitError
from fastpd.frames import Rows
from fastpd.queries._engine import Engine, as_answer, new_output
from fastpd.queries._features import FeatureSet, decode
from fastpd.queries._indices import Index
from fastpd.queries._tables import Ask, answer
from fastpd.results import Interactions, ShapValues

__all__ = ["interactions", "present_sets", "shap"]

_MOST_SETS = 4_000_000


def largest_order(engine: Engine, order: int) -> int:
    """Return the order at which an answer stays what it is at any higher one.

    Without larger components every index of that order is made of the components themselves.
    """
    return min(order, max(engine.blocks.core.largest_path, 1))


def present_sets(engine: Engine, order: int) -> list[FeatureSet]:
    """Return the sets of features, up to an order, that some path of a tree joins.

    All other components are zero everywhere.
    """
    found: set[FeatureSet] = set()
    order = largest_order(engine, order)
    for output in range(engine.forest.n_outputs):
        encoded = _core.present_sets(engine.blocks.core, engine.values(output), order, _MOST_SETS)
        if encoded is None:
            raise MemoryLimitError(
                f"the model has more than {_MOST_SETS:,} components up to order {order}. "
                "Ask for a smaller order."
            )
        found.update(decode(*encoded))
    return sorted(found, key=lambda one: (len(one), one))


def shap(engine: Engine, rows: Rows, data: Any, dtype: Any) -> ShapValues:
    """Return SHAP values of all features at rows."""
    forest = engine.forest
    engine.need_order(engine.blocks.core.largest_path, "SHAP")
    sets: list[FeatureSet] = [(i,) for i in range(len(engine.names))]
    memory = new_output(rows.n_rows, len(sets), forest.n_outputs, dtype)
    answer(engine, Ask("SII", 1), sets, rows, memory, "SHAP values")
    names, outputs = engine.names, forest.output_names
    base = engine.expected_value
    return ShapValues(
        as_answer(memory),
        base,
        data,
        names,
        outputs,
        forest.link,
        engine.source_of(rows),
        engine.blocks.players.given_columns,
    )


def interactions(engine: Engine, rows: Rows, order: int, index: Index, dtype: Any) -> Interactions:
    """Return an interaction index of all sets up to an order."""
    forest = engine.forest
    largest = engine.blocks.core.largest_path
    engine.need_order(order if index == "Moebius" else largest, f"the index {index}")
    sets = present_sets(engine, order)
    memory = new_output(rows.n_rows, len(sets), forest.n_outputs, dtype)
    ask = Ask(index, largest_order(engine, order))
    answer(engine, ask, sets, rows, memory, f"{index} interactions")
    return Interactions(
        [tuple(engine.names[i] for i in one) for one in sets],
        as_answer(memory),
        engine.names,
        order,
        index=index,
        base_values=engine.expected_value,
        output_names=forest.output_names,
        link=forest.link,
        source=engine.source_of(rows),
    )
