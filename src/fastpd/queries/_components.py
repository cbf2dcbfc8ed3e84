"""The functional decomposition at rows, up to an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fastpd import _core
from fastpd.frames import Cells, Rows
from fastpd.queries._effects import cells_of, effect_model
from fastpd.queries._engine import Engine, as_answer, for_rows, new_output
from fastpd.queries._features import FeatureSet
from fastpd.queries._shapley import present_sets
from fastpd.queries._tables import Ask, answer
from fastpd.queries._value import predict
from fastpd.results import Decomposition

__all__ = ["Routed", "columns_of", "component_columns", "components", "look_up", "routed"]

# A grid of more cells than this costs more to make and to keep than the tables it replaces.
_MOST_CELLS = 1 << 20


@dataclass(frozen=True)
class Routed:
    """Sets of features, split into those looked up on grids of bins and those through tables."""

    on_grid: list[FeatureSet]
    by_table: list[FeatureSet]

    @property
    def sets(self) -> list[FeatureSet]:
        """All of them, in the order of their columns."""
        return [*self.on_grid, *self.by_table]


def components(
    engine: Engine, rows: Rows, max_order: int, cells: Cells, dtype: Any
) -> Decomposition:
    """Return all components up to an order that are not zero everywhere."""
    forest = engine.forest
    sets, memory = component_columns(engine, rows, max_order, dtype)
    return Decomposition(
        [tuple(engine.names[i] for i in one) for one in sets],
        as_answer(memory),
        engine.names,
        max_order,
        intercept=engine.expected_value,
        complete=max_order >= engine.blocks.core.largest_path,
        predict=lambda: predict(engine, rows),
        output_names=forest.output_names,
        link=forest.link,
        cells=cells,
        source=engine.source_of(rows),
    )


def component_columns(
    engine: Engine, rows: Rows, max_order: int, dtype: Any
) -> tuple[list[FeatureSet], NDArray[Any]]:
    """Return the sets and their components: (outputs, sets, rows)."""
    engine.need_order(max_order, f"components of order {max_order}")
    return columns_of(engine, present_sets(engine, max_order), rows, dtype)


def columns_of(
    engine: Engine, wanted: list[FeatureSet], rows: Rows, dtype: Any
) -> tuple[list[FeatureSet], NDArray[Any]]:
    """Return the wanted sets, in some order, and their components: (outputs, sets, rows)."""
    split = routed(engine, wanted)
    return split.sets, look_up(engine, split, rows, dtype)


def look_up(engine: Engine, split: Routed, rows: Rows, dtype: Any) -> NDArray[Any]:
    """Return the components of sets: (outputs, sets, rows)."""
    on_grid, by_table = split.on_grid, split.by_table
    memory = new_output(rows.n_rows, len(split.sets), engine.forest.n_outputs, dtype)
    if on_grid:
        _from_grids(engine, on_grid, rows, memory[:, : len(on_grid)])
    if by_table:
        ask = Ask("Moebius", max(len(one) for one in by_table))
        answer(engine, ask, by_table, rows, memory[:, len(on_grid) :], "components")
    return memory


def routed(engine: Engine, sets: list[FeatureSet]) -> Routed:
    """Choose how each set is looked up.

    The choice depends on the model and the memory limit only, never on the rows.
    """
    budget = engine.settings.memory_limit // (16 * engine.forest.n_outputs)
    on_grid, by_table = [], []
    for one in sets:
        plain = len(one) <= 2 and all(engine.blocks.column_of(k) is not None for k in one)
        cells = cells_of(engine, one) if plain else budget + 1
        if (plain and len(one) == 1) or (cells <= _MOST_CELLS and cells <= budget):
            on_grid.append(one)
            budget -= cells
        else:
            by_table.append(one)
    return Routed(on_grid, by_table)


def _from_grids(engine: Engine, sets: list[FeatureSet], rows: Rows, memory: NDArray[Any]) -> None:
    features = [one[0] for one in sets if len(one) == 1]
    pairs: list[FeatureSet] = [one for one in sets if len(one) == 2]
    for output in range(engine.forest.n_outputs):
        fixed = engine.settings.precision == "fast"
        model = effect_model(engine, output, features, pairs, fixed=fixed)

        def read(chunk: Any, out: Any, poll: Any, model: Any = model) -> None:
            _core.evaluate_effects(
                engine.blocks.core,
                model.columns,
                model.mains,
                model.main_offsets,
                model.pairs,
                model.offsets,
                model.cells,
                model.steps,
                chunk,
                out,
                engine.settings.n_jobs,
                poll,
            )

        for_rows(engine, rows, memory[output], "components", read)
