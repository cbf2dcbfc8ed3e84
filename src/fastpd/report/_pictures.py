"""The effects that a report draws: of single features, and of the strongest pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import MemoryLimitError, OptionError
from fastpd.queries import Engine
from fastpd.report._curves import curve_of
from fastpd.report._data import Curve, Lost, Map
from fastpd.report._maps import Pair, map_of
from fastpd.report._seen import curve_of_values
from fastpd.report._sources import Ground, Sources
from fastpd.report._values import texts_of_column
from fastpd.results import Effect, Importance

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["curves_of", "effects_of", "maps_of", "seen_curves"]

Floats = NDArray[np.float64]
_MOST_STEPS = 300  # of one curve, shown one by one
_ALL_STEPS = 24_000  # of all curves and outputs together


def effects_of(
    explainer: Explainer, importance: Importance
) -> tuple[dict[int, Effect], dict[int, str]]:
    """Return main effects by position; and why, of features that have none as steps."""
    effects, refused = {}, {}
    used = {names[0] for names in importance.names if len(names) == 1}
    for index, name in enumerate(explainer.feature_names):
        if name not in used:
            continue
        try:
            effects[index] = explainer.effect(index)
        except (OptionError, MemoryLimitError) as error:
            refused[index] = str(error)
    return effects, refused


def seen_curves(
    explainer: Explainer,
    sources: Sources,
    refused: dict[int, str],
    importance: Importance,
    ground: Ground,
) -> tuple[list[Curve], list[Lost]]:
    """Return main effects at the values of rows, where they are no functions of steps."""
    curves, lost = [], []
    for index, why in refused.items():
        name = explainer.feature_names[index]
        texts = texts_of_column(sources.table, name) if ground.own else None
        curve = None
        if texts is not None and not sources.engine.blocks.players.is_group(index):
            score = _score(importance, name)
            curve = curve_of_values(explainer, index, score, ground.rows, texts, ground.here.shares)
        if curve is None:
            lost.append(Lost(f"The curve of {name}", why))
        else:
            curves.append(curve)
    return curves, lost


def _score(importance: Importance, *names: str) -> Floats:
    return np.atleast_1d(np.asarray(importance[names], dtype=np.float64))


def curves_of(
    effects: dict[int, Effect], seen: list[Curve], importance: Importance, ground: Ground
) -> tuple[Curve, ...]:
    """Return the curves, the most important first."""
    n_outputs = len(importance.output_names)
    most = max(40, min(_MOST_STEPS, _ALL_STEPS // max(len(effects) * n_outputs, 1)))
    curves = [
        curve_of(
            effect,
            index,
            _score(importance, effect.features[0]),
            ground.here,
            ground.other,
            most,
        )
        for index, effect in effects.items()
        if index in ground.here.steps
    ]
    return tuple(sorted([*curves, *seen], key=lambda curve: -float(curve.importance.mean())))


def maps_of(
    explainer: Explainer,
    engine: Engine,
    effects: dict[int, Effect],
    importance: Importance,
    ground: Ground,
    most: int,
) -> tuple[tuple[Map, ...], list[Lost]]:
    """Return the strongest interactions of two features that have steps, and name the others."""
    maps: list[Map] = []
    without: list[str] = []
    place = {name: index for index, name in enumerate(explainer.feature_names)}
    for names in importance.names:
        if len(maps) == most or len(names) != 2:
            continue
        indices = tuple(place[name] for name in names)
        if not all(k in effects for k in indices):
            without.append(" and ".join(names))
            continue
        # Labels are read best at the left side, above one another.
        first, second = sorted(indices, key=lambda k: len(effects[k].axes[0].labels or ()))
        pair = Pair((first, second), (effects[first].axes[0], effects[second].axes[0]))
        maps.append(map_of(explainer, engine, pair, _score(importance, *names), ground.here))
    why = "their effect is no function on steps of both, as that of one of them is none"
    strongest = f"{'; '.join(without[:5])}{' and others' if len(without) > 5 else ''}"
    return tuple(maps), [Lost(f"The maps of {strongest}", why)] if without else []
