"""SHAP values of one feature, taken apart."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.frames import Rows
from fastpd.queries._components import columns_of
from fastpd.queries._effects import effect, effect_axes, is_column
from fastpd.queries._engine import Engine, chunks_of, new_output
from fastpd.queries._shapley import present_sets
from fastpd.queries._tables import Ask, answer
from fastpd.results import ShapParts
from fastpd.results._shap_parts import shares_of

__all__ = ["shap_parts"]


def shap_parts(engine: Engine, feature: int, rows: Rows) -> ShapParts:
    """Return the SHAP values of a feature, its main effect, and half of each of its pairs."""
    forest, names = engine.forest, engine.names
    if forest.n_outputs > 1:
        raise OptionError(
            f"the model has {forest.n_outputs} outputs; make the explainer for one of them, such "
            "as Explainer(..., output=0), to take SHAP values apart."
        )
    engine.need_order(engine.blocks.core.largest_path, "SHAP")
    main_effect = effect(engine, (feature,), engine.base)
    shap = new_output(rows.n_rows, 1, 1, np.float64)
    answer(engine, Ask("SII", 1), [(feature,)], rows, shap, "SHAP values")
    sets = [one for one in present_sets(engine, 2) if feature in one]
    sets, memory = columns_of(engine, sets, rows, np.float64)
    components = dict(zip(sets, memory[0], strict=True))
    main = components.pop((feature,), np.zeros(rows.n_rows))
    partners = [a if b == feature else b for a, b in components]
    pairs = np.array([*components.values()]).reshape(len(partners), rows.n_rows).T / 2
    ranks = np.argsort(-shares_of(pairs, shap[0, 0] - main), kind="stable")
    partners, pairs = [partners[i] for i in ranks], pairs[:, ranks]
    columns = {names[k]: k for k in (feature, *partners) if is_column(engine, k)}
    return ShapParts(
        names[feature],
        tuple(names[k] for k in partners),
        shap[0, 0],
        main,
        pairs,
        shap[0, 0] - main - pairs.sum(axis=1),
        main_effect,
        {name: effect_axes(engine, (k,))[0] for name, k in columns.items()},
        cache(lambda name: _numbers(engine, columns[name], rows)),
        engine.source_of(rows),
    )


def _numbers(engine: Engine, feature: int, rows: Rows) -> NDArray[np.float64]:
    """Return the values of a feature that is one column, as the model takes them."""
    own = engine.blocks.players.columns(feature)
    if not len(own):
        return np.full(rows.n_rows, np.nan)
    runs = [rows.chunk(start, stop)[:, own[0]] for start, stop in chunks_of(rows)]
    return np.concatenate([np.empty(0), *runs])
