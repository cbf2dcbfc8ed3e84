"""Components of up to three features as exact functions on bins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.errors import MemoryLimitError, OptionError
from fastpd.queries._engine import Engine
from fastpd.queries._features import FeatureSet
from fastpd.queries._triples import triple_component
from fastpd.results import Effect
from fastpd.results._effect import Axis

__all__ = ["EffectModel", "effect", "effect_axes", "effect_model", "is_column"]


@dataclass(frozen=True, eq=False)
class EffectModel:
    """Main effects and pairs of one output, compiled to values on bins.

    Attributes
    ----------
    columns, pairs
        Grid columns of the main effects and of the pairs (two for each pair, flat).
    mains, main_offsets
        m_k on the bins of each column, one after another.
    cells, offsets, steps
        m_kl on the pairs of bins, one after another: as float64, or as whole numbers of a step for
        each pair.
    """

    columns: NDArray[np.int32]
    mains: NDArray[np.float64]
    main_offsets: NDArray[np.int64]
    pairs: NDArray[np.int32]
    cells: NDArray[np.float64] | NDArray[np.int32]
    offsets: NDArray[np.int64]
    steps: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return self.mains.nbytes + self.cells.nbytes

    def main(self, position: int) -> NDArray[np.float64]:
        """Return m_k on its bins."""
        return self.mains[self.main_offsets[position] : self.main_offsets[position + 1]]

    def pair(self, position: int) -> NDArray[np.float64]:
        """Return m_kl on its cells, one row of them after another, of a model in float64."""
        cells = self.cells[self.offsets[position] : self.offsets[position + 1]]
        return cells.astype(np.float64, copy=False)


def cells_of(engine: Engine, pair: FeatureSet) -> int:
    """Return the number of cells of a pair's grid."""
    bins = engine.blocks.grid.n_bins
    return prod(int(bins[engine.blocks.column_of(feature)]) for feature in pair)


def effect_model(
    engine: Engine, output: int, features: list[int], pairs: list[FeatureSet], *, fixed: bool
) -> EffectModel:
    """Compile main effects of features and grids of pairs to values on bins.

    `fixed` grids hold 32-bit whole numbers, half the memory to look up in.
    """

    def make() -> EffectModel:
        grid, core, n_jobs = engine.blocks.grid, engine.blocks.core, engine.settings.n_jobs
        low = engine.low_order(output)
        place = engine.blocks.column_of
        columns = np.array([place(k) for k in features], dtype=np.int32)
        flat = np.array([place(k) for pair in pairs for k in pair], dtype=np.int32)
        offsets = _offsets([cells_of(engine, pair) for pair in pairs])
        cells = np.empty(offsets[-1], dtype=np.int32 if fixed else np.float64)
        steps = np.ones(len(pairs))
        with engine.settings.progress.task("effects", 1) as task:
            _core.pair_effects(core, low, flat, offsets, cells, steps, n_jobs, task.poll(0))
        mains = _core.main_effects(core, low, columns)
        main_offsets = _offsets(grid.n_bins[columns].tolist())
        return EffectModel(columns, mains, main_offsets, flat, cells, offsets, steps)

    key = ("effects", output, tuple(features), tuple(pairs), fixed)
    return engine.cache.get(key, make)


def effect(engine: Engine, features: FeatureSet, base: NDArray[np.float64]) -> Effect:
    """Return the exact effect of up to three features; `features` in the order of the axes."""
    forest = engine.forest
    axes = effect_axes(engine, features)
    engine.need_order(len(features), f"the effect of {len(features)} features")
    parts = _components(engine, features, tuple(len(axis.edges) + 2 for axis in axes))
    component = parts.pop(tuple(sorted(features)))
    pd = component + base
    for lower in parts.values():
        pd += lower
    if forest.n_outputs == 1:
        component, pd = component[..., 0], pd[..., 0]
    source = engine.source_of()
    return Effect(axes, pd, component, forest.output_names, forest.link, source)


def effect_axes(engine: Engine, features: FeatureSet, n_arrays: int = 2) -> tuple[Axis, ...]:
    """Return how values of each feature become steps; refuse what is no function on steps.

    Refuse as well so many steps that arrays of a number for each take too much memory.
    """
    _refuse_groups(engine, features)
    axes = tuple(_axis(engine, k) for k in features)
    _check_cells(engine, axes, n_arrays)
    return axes


def _components(
    engine: Engine, features: FeatureSet, shape: tuple[int, ...]
) -> dict[FeatureSet, NDArray[np.float64]]:
    """Return m_U of every U that is not empty, along the axes of `features` and of outputs.

    An axis of a feature outside U has length 1; the component of all of them has every axis.
    """
    used = [k for k in features if engine.blocks.column_of(k) is not None]
    pairs: list[FeatureSet] = [*combinations(sorted(used), 2)]
    subsets: list[FeatureSet] = [*((k,) for k in used), *pairs]
    outputs = range(engine.forest.n_outputs)
    models = [effect_model(engine, output, used, pairs, fixed=False) for output in outputs]
    found: dict[FeatureSet, NDArray[np.float64]] = {}
    for one in subsets:
        at = [used.index(one[0]) if len(one) == 1 else pairs.index(one)]
        flat = [m.main(*at) if len(one) == 1 else m.pair(*at) for m in models]
        found[one] = _along(one, features, shape, np.stack(flat, axis=-1))
    if len(used) == 3:
        whole = tuple(sorted(used))
        found[whole] = _along(whole, features, shape, triple_component(engine, whole))
    zero = np.zeros((*shape, len(outputs)))
    return {tuple(sorted(features)): zero} | found


def _along(
    subset: FeatureSet, features: FeatureSet, shape: tuple[int, ...], flat: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn a component on the bins of a sorted subset to the axes of `features`."""
    sizes = [shape[features.index(k)] for k in subset]
    component = flat.reshape(*sizes, flat.shape[-1])
    order = np.argsort([features.index(k) for k in subset])
    turned = component.transpose(*order, len(subset))
    kept = [n if k in subset else 1 for k, n in zip(features, shape, strict=True)]
    return turned.reshape(*kept, flat.shape[-1])


def is_column(engine: Engine, player: int) -> bool:
    """Tell whether a feature is one column that reaches the trees as it is."""
    try:
        _refuse_groups(engine, (player,))
    except OptionError:
        return False
    return True


def _refuse_groups(engine: Engine, features: FeatureSet) -> None:
    players, steps = engine.blocks.players, engine.forest.preparation
    for player in features:
        name = engine.names[player]
        if players.is_group(player):
            raise OptionError(
                f"{name!r} is a group of columns, so its effect is no function of one number; ask "
                f"for value({name!r}, X) or components(X) at rows."
            )
        columns = players.columns(player).tolist()
        if steps is None or steps.owner is None or not columns:
            continue
        if len(columns) > 1 or columns[0] not in steps.unchanged:
            raise OptionError(
                f"{name!r} is changed by steps of the pipeline before it reaches the trees, so its "
                "effect is a function of what the steps make of it and not of its own values; ask "
                f"for value({name!r}, X) or components(X) at rows, or for the effect in an "
                "explainer of the last step: "
                "Explainer(pipeline[-1], pipeline[:-1].transform(background))."
            )


def _check_cells(engine: Engine, axes: tuple[Axis, ...], n_arrays: int) -> None:
    shape = [len(axis.edges) + 2 for axis in axes]
    size = 8 * prod(shape) * engine.forest.n_outputs * n_arrays
    if size > engine.settings.memory_limit:
        names = " and ".join(axis.name for axis in axes)
        raise MemoryLimitError(
            f"the effect of {names} has {' x '.join(str(n) for n in shape)} steps, {size:,} bytes; "
            f"memory_limit is {engine.settings.memory_limit:,}. Raise it, or ask for "
            "value(...) at the rows of interest."
        )


def _axis(engine: Engine, feature: int) -> Axis:
    forest, grid = engine.forest, engine.blocks.grid
    column = engine.blocks.column_of(feature)
    edges = np.empty(0) if column is None else grid.edges(column)
    own = engine.blocks.players.columns(feature)
    known = forest.categories[own[0]] if forest.categories and len(own) else None
    return Axis(
        engine.names[feature],
        edges,
        forest.comparison,
        forest.missing,
        known,
        forest.takes_missing,
    )


def _offsets(sizes: list[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
