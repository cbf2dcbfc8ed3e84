"""The path-dependent measure of Friedman (2001), from which TreeSHAP-path follows.

At a node whose feature is not held fixed, the traversal goes both ways, in the proportion of the
training weight that went either way. So a leaf's p_j(U) is the product, over the nodes of its path
whose feature is outside U, of these proportions: players are independent, given the path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import BackgroundError, ModelError, OptionError
from fastpd.measures._derived import Derived
from fastpd.measures._empirical import Empirical
from fastpd.measures._measure import Fixed, Measure

__all__ = ["Path", "recounted_chances"]

Floats = NDArray[np.float64]
_ROUNDING = 1e-3  # of covers: libraries sum millions of float32


@dataclass(frozen=True, eq=False)
class Path:
    """Average along the paths of the trees, by how many rows went either way at each node.

    This is Friedman's partial dependence of 2001 and, through `shap`, TreeSHAP-path as libraries
    compute it. Where features are correlated it does not converge to the partial dependence.

    Parameters
    ----------
    data
        Rows to count at the nodes, as `fastpd.Explainer` takes a background; None for the model's
        own counts of its training.
    weights
        One number >= 0 for each row.
    cover
        ``"model"``, the model's own counts; the default without data.

    Examples
    --------
    >>> explainer = fastpd.Explainer(model, measure=fastpd.measures.Path())
    >>> explainer.shap(X[:5]).values.shape
    (5, 4)
    """

    data: Any = None
    weights: Any = None
    cover: str | None = None

    def __post_init__(self) -> None:
        if self.cover not in (None, "model"):
            raise OptionError(f"cover is {self.cover!r:.60}; expected 'model', or rows as data.")
        if self.cover is not None and self.data is not None:
            raise OptionError(
                "Path got rows and cover='model'; expected one of the two. Leave cover out to "
                "count the rows."
            )
        if self.weights is not None and self.data is None:
            raise OptionError("Path got weights without rows; give both.")

    def begin(self, blocks: Blocks) -> Measure:
        """Return the measure for a model, before any rows."""
        if self.data is not None:
            return Derived(Empirical.nothing(blocks), recounted_chances, "Path")
        forest = blocks.forest
        chances = _path_chances(blocks, forest.cover)
        if np.isnan(chances).any():
            raise ModelError(
                f"{forest.source} does not say how much of its training went either way at every "
                "node, so it has no path-dependent averages. Count rows instead: Path(data)."
            )
        if not _adds_up(blocks, forest.cover):
            raise ModelError(
                f"{forest.source} says for some node another number of training rows than for its "
                "two children together, so these are no counts (ONNX converters write 1 at every "
                "node). Count rows instead: Path(data)."
            )
        return Fixed(chances, np.empty(0, dtype=np.uint64), "Path")


def recounted_chances(counted: Empirical) -> Floats:
    """Return the chances of all clauses by the rows that reach the leaves."""
    blocks, forest = counted.blocks, counted.blocks.forest
    nodes = _core.leaves(blocks.core)[0]
    cover = np.zeros(len(forest.feature))
    cover[nodes] = _core.leaf_weights(blocks.core, counted.core())
    parent = _parents(blocks)
    # Children stand behind their parents in no order, so weights climb a level at a time.
    at, weight = nodes, cover[nodes]
    while len(at):
        above = parent[at]
        at, weight = above[above >= 0], weight[above >= 0]
        np.add.at(cover, at, weight)
    chances = _path_chances(blocks, cover)
    if np.isnan(chances).any():
        raise BackgroundError(
            f"no row reaches some node of {forest.source}, so that the proportion of rows that "
            "went either way is not known there. Give more rows, or take the counts of the model's "
            "own training: Path(cover='model')."
        )
    return chances


def _adds_up(blocks: Blocks, cover: Floats) -> bool:
    """Tell whether all nodes have the cover of both children, but for sums in float32."""
    forest = blocks.forest
    split = np.flatnonzero(~forest.is_leaf)
    with np.errstate(over="ignore"):
        below = cover[forest.left[split]] + cover[forest.right[split]]
    return bool(np.allclose(below, cover[split], rtol=_ROUNDING, atol=0))


def _path_chances(blocks: Blocks, cover: Floats) -> Floats:
    """Multiply the proportions of all nodes of a path that split on a player; NaN for 0 / 0."""
    forest = blocks.forest
    parent = _parents(blocks)
    split = np.flatnonzero(~forest.is_leaf)
    share = np.ones(len(forest.feature))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        total = cover[forest.left[split]] + cover[forest.right[split]]
        share[forest.left[split]] = cover[forest.left[split]] / total
        share[forest.right[split]] = cover[forest.right[split]] / total
    share[(share < 0) | ~np.isfinite(share)] = np.nan
    nodes, first, sizes, players = _core.leaves(blocks.core)
    n_players = len(blocks.players.names)
    keys = _leaf_of_clause(first, sizes) * n_players + players
    order = np.argsort(keys)
    ordered = keys[order]
    chances = np.ones(len(players))
    leaf, at = np.arange(len(nodes)), nodes
    while len(leaf):
        below = parent[at] >= 0
        leaf, at = leaf[below], at[below]
        player = blocks.players.of_column[forest.feature[parent[at]]]
        clause = order[np.searchsorted(ordered, leaf * n_players + player)]
        chances[clause] *= share[at]
        at = parent[at]
    return chances


def _leaf_of_clause(first: NDArray[np.int64], sizes: NDArray[np.int32]) -> NDArray[np.int64]:
    leaf = np.repeat(np.arange(len(first)), sizes)
    within = np.arange(len(leaf)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    owner = np.empty_like(leaf)
    owner[first[leaf] + within] = leaf
    return owner


def _parents(blocks: Blocks) -> NDArray[np.int64]:
    forest = blocks.forest
    parent = np.full(len(forest.feature), -1, dtype=np.int64)
    split = np.flatnonzero(~forest.is_leaf)
    parent[forest.left[split]] = split
    parent[forest.right[split]] = split
    return parent
