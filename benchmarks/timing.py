"""Minima of repeats, and what a run too slow to finish would have taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Clock", "Measured", "best_of", "growing", "seconds"]

Clock = Callable[[], float]
_GROWTH = 8  # rows of one try over those of the try before


@dataclass(frozen=True)
class Measured:
    """The time of a whole task, and the answer on the rows that were run."""

    seconds: float
    n_run: int
    estimated: bool
    answer: NDArray[Any]


def seconds(function: Callable[[], Any], clock: Clock = perf_counter) -> float:
    """Return the time of one call, by a clock; what it returns is freed."""
    start = clock()
    function()
    return clock() - start


def best_of(
    function: Callable[[], Any],
    budget: float,
    at_least: int = 3,
    most: int = 50,
    clock: Clock = perf_counter,
) -> float:
    """Return the shortest of repeated calls, as many as fit into a number of seconds."""
    start, best, n_calls = perf_counter(), float("inf"), 0
    while n_calls < at_least or (n_calls < most and perf_counter() - start < budget):
        best = min(best, seconds(function, clock))
        n_calls += 1
    return best


def growing(
    run: Callable[[Any], Any],
    X: Any,
    budget: float,
    first: int,
    most: int = 3,
    clock: Clock = perf_counter,
) -> Measured:
    """Time `run(X)`, or extend the line through runs on fewer rows where that takes too long.

    The number of rows grows from the `first` until all are expected to fit into what is left of
    the budget (in seconds), or the next try is not.
    """
    start, tries, n_run = perf_counter(), list[tuple[int, float]](), min(first, len(X))
    while True:
        begun = clock()
        answer = np.asarray(run(X[:n_run]))
        tries.append((n_run, clock() - begun))
        left = budget - (perf_counter() - start)
        if n_run == len(X):
            again = [seconds(lambda: run(X), clock) for _ in range(_more(left, tries[-1][1], most))]
            return Measured(min([tries[-1][1], *again]), n_run, False, answer)
        larger = [n for n in _next_sizes(n_run, len(X), len(tries)) if _line(tries, n) <= left]
        if not larger:
            return Measured(_line(tries, len(X)), n_run, True, answer)
        n_run = larger[0]


def _next_sizes(n_run: int, n_rows: int, n_tries: int) -> list[int]:
    """Return what may be tried next, largest first: a line needs two points."""
    if n_tries == 1:
        return [min(n_run * _GROWTH, n_rows), min(n_run * 2, n_rows)]
    return [n_rows, min(n_run * _GROWTH, n_rows)]


def _more(left: float, once: float, most: int) -> int:
    """Return how many further repeats are worth their time."""
    return max(0, min(most - 1, int(left / max(once, 1e-9))))


def _line(tries: list[tuple[int, float]], n_rows: int) -> float:
    """Return the expected time of some rows: a constant and a share a row."""
    (few, short), (many, long) = tries[-2:] if len(tries) > 1 else [(0, 0.0), tries[-1]]
    slope = max(long - short, 0.0) / (many - few)
    return long + slope * (n_rows - many)
