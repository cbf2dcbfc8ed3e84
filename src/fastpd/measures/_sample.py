"""The background's bins, kept in memory while they are small, for averages over the background.

Bins are all that the model sees of a row. They are never saved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import BackgroundError, FastPDError, MemoryLimitError
from fastpd.frames import Rows
from fastpd.measures._weights import scaled

__all__ = ["Sample"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Bins of the background's rows and their weights, or nothing where they would take too much.

    Attributes
    ----------
    blocks
        The forest on its grid.
    bins
        Runs of rows, each with one array of bins a column of the grid; None once it was too much.
    weights
        Their weights.
    limit
        Most bytes of bins that are kept.
    saved
        Whether rows are lacking because they were not saved.
    """

    blocks: Blocks
    bins: tuple[tuple[NDArray[Any], ...], ...] | None
    weights: tuple[NDArray[np.float64], ...]
    limit: int
    saved: bool = False

    @classmethod
    def nothing(cls, blocks: Blocks, limit: int) -> Sample:
        """Return the sample of no rows, to be updated."""
        return cls(blocks, (), (), limit)

    @classmethod
    def not_saved(cls, blocks: Blocks, limit: int) -> Sample:
        """Return the sample of an explainer that was saved: nothing."""
        return cls(blocks, None, (), limit, saved=True)

    @property
    def nbytes(self) -> int:
        """Memory of the bins, in bytes."""
        return sum(column.nbytes for run in self.bins or () for column in run)

    def updated(self, rows: NDArray[Any], weights: NDArray[np.float64] | None) -> Sample:
        """Return the sample with further rows, or without any where the limit is passed."""
        grid = self.blocks.grid
        lanes = [np.min_scalar_type(int(n) - 1) for n in grid.n_bins]
        size = len(rows) * sum(lane.itemsize for lane in lanes)
        if self.bins is None or self.nbytes + size > self.limit:
            return self._without_rows()
        run = tuple(
            _core.bin_column(self.blocks.core, rows, column).astype(lane)
            for column, lane in enumerate(lanes)
        )
        weight = np.ones(len(rows)) if weights is None else weights
        return Sample(self.blocks, (*self.bins, run), (*self.weights, weight), self.limit)

    def merged(self, other: Sample) -> Sample:
        """Return both samples together."""
        if self.bins is None or other.bins is None or self.nbytes + other.nbytes > self.limit:
            return self._without_rows(saved=self.saved or other.saved)
        return Sample(self.blocks, self.bins + other.bins, self.weights + other.weights, self.limit)

    def refusal(self, what: str, way_out: str = "") -> FastPDError:
        """Return the error for work that takes rows which are not there."""
        if self.saved:
            make = f"{way_out}, or make" if way_out else "Make"
            return BackgroundError(
                f"{what}, and a saved explainer holds none. {make} it anew with "
                "Explainer(model, background)."
            )
        way_out = f"{way_out}, or raise" if way_out else "Raise"
        return MemoryLimitError(f"{what}, which was too large to keep. {way_out} memory_limit.")

    def _without_rows(self, *, saved: bool = False) -> Sample:
        return replace(self, bins=None, weights=(), saved=saved or self.saved)

    def column(self, column: int) -> NDArray[Any] | None:
        """Return the bins of one column of the grid; None where they were not kept."""
        return np.concatenate([run[column] for run in self.bins]) if self.bins else None

    def scaled_weights(self) -> NDArray[np.float64]:
        """Return the weights, scaled by a power of two to at most 1."""
        return scaled(np.concatenate(self.weights))

    def rows(self) -> tuple[Rows, NDArray[np.float64]] | None:
        """Return rows that fall into the same bins as the background's, and their weights.

        Of columns that no tree tests nothing is known; they hold some number that is not missing.
        """
        if self.bins is None:
            return None
        columns = [np.concatenate(parts) for parts in zip(*self.bins, strict=True)]
        weights = self.scaled_weights()
        forest, grid = self.blocks.forest, self.blocks.grid
        untested = float(forest.missing == 0)

        def read(start: int, stop: int) -> NDArray[np.float64]:
            block = np.full((stop - start, forest.n_features), untested)
            for column, bins in enumerate(columns):
                values = self.blocks.representatives(column)
                block[:, grid.feature[column]] = values[bins[start:stop]]
            return block

        return Rows(len(weights), forest.n_features, read), weights
