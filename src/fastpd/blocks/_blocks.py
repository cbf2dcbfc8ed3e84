"""A forest on its grid, cut into pattern blocks by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks._players import Players, make_players
from fastpd.errors import UnsupportedModelError
from fastpd.forest import Forest
from fastpd.grid import Grid, make_grid

__all__ = ["Blocks", "make_blocks"]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The forest, its grid, and the compiled form of both.

    Attributes
    ----------
    forest, grid, players
        What the blocks were made from.
    core
        The same in the compiled core.
    deep_sizes
        Number of distinct features on the path to each deep leaf: those that have too many for a
        table (more than eight), which are answered through sparse masks.
    """

    forest: Forest
    grid: Grid
    players: Players
    core: _core.Compiled
    deep_sizes: NDArray[np.int32]

    def columns_of(self, player: int) -> list[int]:
        """Return the grid's columns of a player: those of its features that some node tests."""
        return list(self._columns.get(player, ()))

    def column_of(self, player: int) -> int | None:
        """Return the one tested column of a player, or None where no node tests any.

        Of a group of which several are tested there is no one column.
        """
        columns = self._columns.get(player, ())
        return columns[0] if len(columns) == 1 else None

    @cached_property
    def _columns(self) -> dict[int, list[int]]:
        columns: dict[int, list[int]] = {}
        for column, player in enumerate(self.players.of_column[self.grid.feature].tolist()):
            columns.setdefault(player, []).append(column)
        return columns

    def representatives(self, column: int) -> NDArray[np.float64]:
        """Return a value in each bin of a grid's column, the missing bin first.

        Beside it none is the number that counts as missing.
        """
        kind = np.dtype(self.forest.comparison).type
        with np.errstate(over="ignore"):
            values = self.grid.representatives(column).astype(kind)
            above = np.nextafter(values, kind(np.inf))
            kept = np.where(values == kind(self.forest.missing), above, values)
        return kept.astype(np.float64)

    @property
    def largest_deep(self) -> int:
        """Most features on the path to a deep leaf; 0 where there is none."""
        return int(self.deep_sizes.max(initial=0))

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        forest = self.forest
        arrays: list[NDArray[Any]] = [forest.feature, forest.threshold, forest.left, forest.right]
        arrays += [forest.default_left, forest.value, forest.cover]
        arrays_bytes = sum(array.nbytes for array in arrays)
        return self.core.nbytes + self.grid.nbytes + forest.splits.nbytes + arrays_bytes


def make_blocks(forest: Forest, groups: Any = None) -> Blocks:
    """Put a forest on its grid and cut its trees into pattern blocks.

    `groups` makes several columns one player; see `make_players`.
    """
    grid, players = make_grid(forest), make_players(forest, groups)
    try:
        core = _core.Compiled(
            grid.column,
            grid.cut,
            forest.left,
            forest.right,
            forest.default_left.astype(np.uint8),
            forest.roots,
            grid.first_member,
            grid.members,
            players.of_column[grid.feature],
            grid.thresholds,
            grid.offsets,
            grid.feature,
            forest.comparison == "float32",
            forest.missing,
        )
    except ValueError as error:
        raise UnsupportedModelError(
            f"{forest.source}: {error}. Train with a smaller max_depth, or with fewer features."
        ) from None
    return Blocks(forest, grid, players, core, core.deep_sizes)
