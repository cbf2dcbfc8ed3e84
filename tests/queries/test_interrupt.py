"""Ctrl-C stops long work within a second and leaves the explainer as it was."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from oracles import path_forest, random_forest, rows_for

PATIENCE = 1.0  # seconds that may pass from the signal to the exception

SHALLOW = random_forest(np.random.default_rng(1), 14, n_trees=120, depth=8, stop=0.02)
DEEP = path_forest(18, n_trees=12)
SETS = list(combinations(range(14), 6))[:3000]

WORK: dict[str, tuple[Any, Callable[[Explainer, Any], Any]]] = {
    "shap": (SHALLOW, lambda ex, rows: ex.shap(rows)),
    "values of many sets": (SHALLOW, lambda ex, rows: ex.value(SETS, rows[:10])),
    "large sets": (SHALLOW, lambda ex, rows: ex.interactions(rows[:10], 4, "FSII")),
    "update": (SHALLOW, lambda ex, rows: ex.update(rows)),
    "deep shap": (DEEP, lambda ex, rows: ex.shap(rows)),
    "deep values": (DEEP, lambda ex, rows: ex.value(SETS, rows[:10])),
}


def for_ever(work: Callable[[], Any]) -> None:
    while True:
        work()


def seconds_to_stop(work: Callable[[], Any]) -> float:
    """Do the work again and again, send the signal in the midst of it, and time the way out."""
    sent = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.4, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for_ever(work)
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        timer.join()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_an_interrupt_stops_the_work(work: Any, n_jobs: int):
    model, ask = work
    rows = rows_for(model, 20_000, np.random.default_rng(0), edges=False)
    ex = Explainer(model, rows[:1500], n_jobs=n_jobs, memory_limit="200MB")
    before = ex.value((0, 1), rows[:20])
    n_rows = ex.n_background
    assert seconds_to_stop(lambda: ask(ex, rows)) <= PATIENCE
    if ex.n_background == n_rows:  # no update was complete
        np.testing.assert_array_equal(ex.value((0, 1), rows[:20]), before)
    assert (ex.n_background - 1500) % 20_000 == 0
