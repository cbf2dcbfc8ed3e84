"""Queries answered through compiled tables, cut into runs of columns that fit into memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.errors import MemoryLimitError
from fastpd.frames import Rows
from fastpd.queries._engine import Engine, for_rows
from fastpd.queries._features import FeatureSet, encode
from fastpd.queries._indices import Index, Rest, index_query

__all__ = ["Ask", "answer", "table_bytes"]

_MAX_TABLE = 8  # features on the path of a leaf that has a table


@dataclass(frozen=True)
class Ask:
    """What to compute for sets of features: v_S itself, or an index up to an order."""

    index: Index | Rest | None
    order: int

    def query(self, largest_deep: int) -> _core.Query:
        """Return the question as the core takes it."""
        if self.index is None:
            return _core.Query.value()
        return index_query(self.index, self.order, largest_deep)


def answer(
    engine: Engine, ask: Ask, sets: list[FeatureSet], rows: Rows, memory: NDArray[Any], what: str
) -> None:
    """Write the answer for every output, set and row, in this order."""
    for output in range(engine.forest.n_outputs):
        values = engine.values(output)
        first = 0
        for part in _parts(engine, ask, sets, values):
            tables = _tables(engine, ask, part, output, values, what)
            place = memory[output, first : first + len(part)]
            first += len(part)

            def look_up(chunk: Any, out: Any, poll: Any, tables: _core.Tables = tables) -> None:
                n_jobs = engine.settings.n_jobs
                _core.evaluate_tables(engine.blocks.core, tables, chunk, out, n_jobs, poll)

            for_rows(engine, rows, place, what, look_up)


def _tables(
    engine: Engine,
    ask: Ask,
    sets: list[FeatureSet],
    output: int,
    values: NDArray[np.float64],
    what: str,
) -> _core.Tables:
    settings = engine.settings

    def make() -> _core.Tables:
        with settings.progress.task(f"tables for {what}", 1) as task:
            return _core.compile_tables(
                engine.blocks.core,
                engine.chances,
                values,
                engine.origin(output) if ask.index is None else 0.0,
                ask.query(engine.blocks.largest_deep),
                *encode(sets),
                settings.precision == "fast",
                settings.n_jobs,
                task.poll(0),
            )

    return engine.cache.get((ask, output, tuple(sets)), make)


def _parts(
    engine: Engine, ask: Ask, sets: list[FeatureSet], values: NDArray[np.float64]
) -> list[list[FeatureSet]]:
    """Cut the sets into runs whose tables fit into memory; how does not change any result."""
    limit = engine.settings.memory_limit
    if _upper_bound(engine, ask, len(sets)) <= limit:
        return [sets]
    size = table_bytes(engine, ask, sets, values)
    if size <= limit:
        return [sets]
    if len(sets) == 1:
        raise MemoryLimitError(
            f"the tables of one feature set take {size:,} bytes; memory_limit is {limit:,}. "
            "Raise memory_limit."
        )
    half = len(sets) // 2
    return [*_parts(engine, ask, sets[:half], values), *_parts(engine, ask, sets[half:], values)]


def table_bytes(
    engine: Engine, ask: Ask, sets: list[FeatureSet], values: NDArray[np.float64]
) -> int:
    """Return the memory that the tables of a query take."""
    fixed = engine.settings.precision == "fast"
    query = ask.query(engine.blocks.largest_deep)
    return _core.estimate_table_bytes(engine.blocks.core, values, query, *encode(sets), fixed)


def _upper_bound(engine: Engine, ask: Ask, n_sets: int) -> int:
    """Return a bound that costs nothing: most queries are far below the limit."""
    core = engine.blocks.core
    subsets = sum(comb(_MAX_TABLE, size) for size in range(1, min(ask.order, _MAX_TABLE) + 1))
    tables = n_sets if ask.index is None else min(n_sets, subsets)
    item = 4 if engine.settings.precision == "fast" else 8
    return (core.n_counts + 32 * core.n_blocks) * tables * item
