"""Individual conditional expectation: the prediction of each row as a function of one feature."""

from __future__ import annotations

from math import prod

import numpy as np

from fastpd.errors import MemoryLimitError
from fastpd.frames import Rows
from fastpd.queries._along import CELLS, moved_scores
from fastpd.queries._engine import Engine
from fastpd.queries._triples import points_of
from fastpd.results import Effect, Ice

__all__ = ["ice"]


def ice(engine: Engine, feature: int, rows: Rows, effect: Effect, *, transformed: bool) -> Ice:
    """Return the prediction of every row on every step of a feature.

    `effect` is that of the feature on the same scale: the average to draw over the curves.
    """
    forest, points = engine.forest, points_of(engine, feature)
    shape = (rows.n_rows, len(points), forest.n_outputs)
    _check_size(engine, effect.axes[0].name, shape)
    found = np.empty(shape)
    run = max(1, CELLS // (forest.n_features * len(points)))
    n_runs = -(-rows.n_rows // run)
    with engine.settings.progress.task("ICE curves", n_runs) as task:
        for part in range(n_runs):
            chunk = rows.chunk(part * run, (part + 1) * run)
            values = np.tile(points, len(chunk))
            moved = np.repeat(chunk, len(points), axis=0)
            scores = moved_scores(engine, feature, moved, values, transformed=transformed)
            found[part * run : part * run + len(chunk)] = scores.reshape(len(chunk), *shape[1:])
            poll = task.poll(part)
            if poll is not None:
                poll(1, 1)
    steps = found[..., 0] if forest.n_outputs == 1 else found
    return Ice(
        effect.axes[0],
        steps,
        effect.pd_steps,
        effect.output_names,
        effect.link,
        support=effect.support,
        source=engine.source_of(rows),
    )


def _check_size(engine: Engine, name: str, shape: tuple[int, int, int]) -> None:
    size, limit = 8 * prod(shape), engine.settings.memory_limit
    if size > limit:
        several = f" of {shape[2]} outputs" if shape[2] > 1 else ""
        raise MemoryLimitError(
            f"the ICE curves of {shape[0]:,} rows on {shape[1]:,} steps of {name!r}{several} take "
            f"{size:,} bytes; memory_limit is {limit:,}. Ask for fewer rows at a time, or raise it."
        )
