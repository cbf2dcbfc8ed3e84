"""What every query works with: forest, measure, settings, and the tables made so far."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import MemoryLimitError, OptionError
from fastpd.forest import Forest
from fastpd.frames import NOWHERE, Rows, Source
from fastpd.measures import Measure
from fastpd.progress import Progress

__all__ = ["Cache", "Engine", "Precision", "Settings"]

Precision = Literal["fast", "double"]


class Sized(Protocol):
    """Anything that knows its memory."""

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""


T = TypeVar("T", bound=Sized)


@dataclass(frozen=True)
class Settings:
    """How to compute; none of it changes what is computed beyond the last digits."""

    n_jobs: int
    precision: Precision
    memory_limit: int
    progress: Progress


@dataclass
class Cache:
    """Compiled tables by query, the least recently used dropped beyond a number of bytes."""

    limit: int
    entries: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` made for this key, from memory where it is still there."""
        with self._lock:
            if key in self.entries:
                self.entries.move_to_end(key)
                return self.entries[key]  # type: ignore[no-any-return]
        # Made without the lock: another thread must not wait for what it does not need.
        made = make()
        with self._lock:
            if made.nbytes <= self.limit:
                self.entries[key] = made
                while self._kept() > self.limit:
                    self.entries.popitem(last=False)
        return made

    @property
    def nbytes(self) -> int:
        """Memory of all tables that are kept."""
        with self._lock:
            return self._kept()

    def _kept(self) -> int:
        return sum(entry.nbytes for entry in self.entries.values())


@dataclass(frozen=True, eq=False)
class Engine:
    """A model on its grid, a measure on the same, and how to compute.

    `library` is the frame library that the background came in; None for arrays.
    """

    blocks: Blocks
    measure: Measure
    settings: Settings
    cache: Cache
    library: str | None = None

    @property
    def forest(self) -> Forest:
        """The model."""
        return self.blocks.forest

    @cached_property
    def chances(self) -> _core.Measure:
        """The measure, as the core reads it."""
        return self.measure.core()

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """v_0, one number for each output."""
        outputs = range(self.forest.n_outputs)
        return np.array([self.origin(k) + self.low_order(k).expected_value for k in outputs])

    @property
    def expected_value(self) -> Any:
        """v_0; one number, or one for each output."""
        return float(self.base[0]) if len(self.base) == 1 else self.base.copy()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players: features, or groups of them."""
        return self.blocks.players.names

    @cached_property
    def centred(self) -> list[tuple[NDArray[np.float64], float]]:
        """Leaf values of every output, centred, and what that took away from the prediction."""
        return [self.forest.centred_values(output) for output in range(self.forest.n_outputs)]

    def values(self, output: int) -> NDArray[np.float64]:
        """Return the centred leaf values of one output."""
        return self.centred[output][0]

    def origin(self, output: int) -> float:
        """Return what the centred leaf values of one output start from."""
        return float(self.forest.base[output]) + self.centred[output][1]

    def low_order(self, output: int) -> _core.LowOrder:
        """Return the leaves' probabilities for up to two features."""
        return _core.low_order(
            self.blocks.core, self.chances, self.values(output), self.settings.n_jobs, None
        )

    def source_of(self, rows: Rows | None = None) -> Source:
        """Return where answers at rows go back to: whence rows came, or else the background."""
        return (NOWHERE if rows is None else rows.source).or_library(self.library)

    def need_order(self, order: int, what: str) -> None:
        """Refuse a query that needs more of the deep leaves than fitted into memory."""
        needed = min(order, self.blocks.largest_deep)
        if needed <= self.measure.max_order:
            return
        deep = len(self.blocks.deep_sizes)
        raise MemoryLimitError(
            f"{what} needs all interactions up to order {needed} at {deep} leaves with more than 8 "
            f"features on their path, but memory_limit = {self.settings.memory_limit:,} bytes "
            f"leaves room for order {self.measure.max_order} only. Ask for "
            f"components(X, max_order={self.measure.max_order}), raise memory_limit, or use a "
            "smaller background."
        )


def chunks_of(rows: Rows) -> list[tuple[int, int]]:
    """Cut rows into runs whose converted copy stays small."""
    step = (1 << 23) // max(rows.n_features, 1)
    step = step // 4096 * 4096 if step >= 4096 else max(64, step // 64 * 64)
    return [(a, min(a + step, rows.n_rows)) for a in range(0, rows.n_rows, step)]


def new_output(n_rows: int, n_columns: int, n_outputs: int, dtype: Any) -> NDArray[Any]:
    """Return memory for an answer: column after column, so that a column is one run."""
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = np.dtype(np.void)
    if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise OptionError(f"dtype is {dtype!r:.60}; expected 'float64' or 'float32'.")
    return np.empty((n_outputs, n_columns, n_rows), dtype=kind)


def as_answer(memory: NDArray[Any]) -> NDArray[Any]:
    """Return (rows, columns) for one output, (rows, columns, outputs) for several."""
    turned = memory.transpose(2, 1, 0)
    return turned[:, :, 0] if turned.shape[2] == 1 else turned


def for_rows(
    engine: Engine,
    rows: Rows,
    memory: NDArray[Any],
    what: str,
    body: Callable[[NDArray[Any], NDArray[Any], Any], None],
) -> None:
    """Call `body(rows, memory, poll)` for chunks of the rows and the places of their answers."""
    if memory.size == 0:
        return
    runs = chunks_of(rows)
    with engine.settings.progress.task(what, len(runs)) as task:
        for part, (start, stop) in enumerate(runs):
            body(rows.chunk(start, stop), memory[..., start:stop], task.poll(part))
