"""Partial dependence functions at rows, and raw predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.frames import Rows
from fastpd.queries._engine import Engine, as_answer, for_rows, new_output
from fastpd.queries._features import FeatureSet
from fastpd.queries._tables import Ask, answer

__all__ = ["predict", "raw_scores", "value"]


def value(engine: Engine, sets: list[FeatureSet], rows: Rows, dtype: Any) -> NDArray[Any]:
    """Return v_S at rows for each set (Algorithm 2 of the paper): (rows, sets[, outputs])."""
    forest = engine.forest
    largest = max((len(one) for one in sets), default=0)
    engine.need_order(largest, f"the partial dependence of {largest} features")
    memory = new_output(rows.n_rows, len(sets), forest.n_outputs, dtype)
    answer(engine, Ask(None, 0), sets, rows, memory, "partial dependence")
    return as_answer(memory)


def predict(engine: Engine, rows: Rows) -> NDArray[np.float64]:
    """Return the raw prediction by the engine's own walk: (rows,), or (rows, outputs)."""
    memory = new_output(rows.n_rows, 1, engine.forest.n_outputs, np.float64)[:, 0]

    def walk(chunk: Any, out: Any, poll: Any) -> None:
        _walk(engine, chunk, out, poll)

    for_rows(engine, rows, memory, "prediction", walk)
    answer_: NDArray[np.float64] = as_answer(memory[:, None, :])[:, 0]
    return answer_


def raw_scores(engine: Engine, rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return the raw predictions of an array of rows, (rows, outputs), as part of other work."""
    memory = np.empty((engine.forest.n_outputs, len(rows)))
    _walk(engine, rows, memory, None)
    return memory.T


def _walk(engine: Engine, rows: NDArray[Any], out: NDArray[Any], poll: Any) -> None:
    forest = engine.forest
    _core.predict(
        engine.blocks.core,
        forest.value,
        forest.tree_output,
        forest.base,
        rows,
        out,
        engine.settings.n_jobs,
        poll,
    )
