"""Long calls can be stopped, let other threads run, and may be made by several threads at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import fastpd
from fastpd.queries import Cache
from oracles import Floats, path_forest, predict_forest, random_forest, rows_for

RNG = np.random.default_rng(0)
WIDE = random_forest(RNG, 10, n_trees=300, depth=8, stop=0.05)
DEEP = path_forest(20, n_trees=20)
LONG = path_forest(45)
ROWS = rows_for(WIDE, 200, RNG)
DEEP_ROWS = RNG.normal(size=(5000, 20))
MANY = np.broadcast_to(ROWS[0], (3_000_000, 10))  # takes no memory
TRIPLES = list(combinations(range(10), 3)) * 40

Work = Callable[[fastpd.Explainer], Any]
LONG_CALLS: dict[str, tuple[fastpd.Forest, Floats, Work]] = {
    "predict": (WIDE, ROWS, lambda ex: ex.predict(MANY)),
    "shap": (WIDE, ROWS, lambda ex: ex.shap(MANY)),
    "tables of values": (WIDE, ROWS, lambda ex: ex.value(TRIPLES, ROWS[:2])),
    "tables of interactions": (WIDE, ROWS, lambda ex: ex.interactions(ROWS[:2], 6)),
    "components": (WIDE, ROWS, lambda ex: ex.components(MANY[:300_000], 4)),
    "update": (WIDE, ROWS, lambda ex: ex.update(MANY)),
    "names of components": (
        LONG,
        np.zeros((3, 45)),
        lambda ex: ex.components(np.zeros((1, 45)), 6),
    ),
    "deep leaves": (DEEP, DEEP_ROWS, lambda ex: ex.shap(np.tile(DEEP_ROWS, (20, 1)))),
    "update of deep leaves": (DEEP, DEEP_ROWS, lambda ex: ex.update(np.tile(DEEP_ROWS, (60, 1)))),
}


def seconds_to_stop(run: Callable[[], Any], after: float = 0.15) -> float:
    """Send SIGINT while `run` works; return how long it went on after that."""
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)

    def work() -> None:
        timer.start()
        run()
        timer.cancel()

    with pytest.raises(KeyboardInterrupt):
        work()
    assert sent, "the work was done before it could be interrupted"
    return time.perf_counter() - sent[0]


WITH_HELPERS = ("shap", "tables of values", "update", "deep leaves")


@pytest.mark.parametrize(
    ("call", "n_jobs"), [*((name, 1) for name in LONG_CALLS), *((name, 2) for name in WITH_HELPERS)]
)
def test_an_interrupt_stops_a_long_call_within_a_second(call: str, n_jobs: int):
    model, background, work = LONG_CALLS[call]
    ex = fastpd.Explainer(model, background, n_jobs=n_jobs)
    assert seconds_to_stop(lambda: work(ex)) < 1.0
    fresh, rows = fastpd.Explainer(model, background), background[:3]
    assert ex.n_background == len(background)
    np.testing.assert_array_equal(ex.predict(rows), fresh.predict(rows))
    np.testing.assert_array_equal(ex.shap(rows).values, fresh.shap(rows).values)


def test_an_interrupted_background_can_be_given_again():
    ex = fastpd.Explainer(WIDE)
    seconds_to_stop(lambda: ex.update(MANY))
    with pytest.raises(fastpd.BackgroundError, match="no background yet"):
        ex.shap(ROWS)
    ex.update(ROWS)
    assert ex.expected_value == fastpd.Explainer(WIDE, ROWS).expected_value


def test_all_cores_are_used_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch):
    used: list[int] = []

    def count(*args: Any) -> None:
        used.append(args[-2])

    monkeypatch.setattr("fastpd._core.predict", count)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for n_jobs in (None, -1, 3):
        fastpd.Explainer(WIDE, ROWS, n_jobs=n_jobs).predict(ROWS)
    assert used == [cores, cores, 3]


@pytest.mark.parametrize("work", ["shap", "update"])
def test_other_threads_run_meanwhile(work: str):
    ex = fastpd.Explainer(WIDE, ROWS, n_jobs=1)
    rows, ticks, done = np.tile(ROWS, (300, 1)), [time.perf_counter()], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    with ThreadPoolExecutor(1) as pool:
        ticking = pool.submit(tick)
        started = time.perf_counter()
        getattr(ex, work)(rows)
        took = time.perf_counter() - started
        done.set()
        ticking.result()
    during = [t for t in ticks if started <= t <= started + took]
    assert took > 0.1
    assert np.diff([started, *during, started + took]).max() < took / 2


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Let threads take turns as often as can be, so that races show."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("eager_switching")
def test_several_threads_may_ask_one_explainer():
    model = random_forest(np.random.default_rng(1), 5, n_trees=20, depth=4)
    background = rows_for(model, 60, RNG)
    asks: list[Callable[[fastpd.Explainer], Any]] = [
        lambda ex: ex.shap(background).values,
        lambda ex: ex.components(background, 3).array,
        lambda ex: ex.interactions(background, 2, "FSII").array,
        lambda ex: ex.effect(0, 1).levels,
        lambda ex: ex.importance().scores,
        lambda ex: ex.expected_value,
        *(lambda ex, k=k: ex.value(k, background) for k in range(5)),
    ]
    expected = [ask(fastpd.Explainer(model, background)) for ask in asks]
    # Room for a few tables only: threads drop each other's.
    limit = 2 * fastpd.Explainer(model, background).plan().shap_table_bytes
    ex = fastpd.Explainer(model, background, memory_limit=max(limit, 200_000))
    with ThreadPoolExecutor(8) as pool:
        asked = [(i, pool.submit(asks[i], ex)) for _ in range(25) for i in range(len(asks))]
        for i, answer in asked:
            np.testing.assert_array_equal(answer.result(), expected[i])


@pytest.mark.usefixtures("eager_switching")
def test_several_threads_may_add_background():
    model = random_forest(np.random.default_rng(2), 3)
    parts = [rows_for(model, 7, RNG) for _ in range(60)]
    ex = fastpd.Explainer(model)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ex.update, parts))
    every = np.concatenate(parts)
    assert ex.n_background == len(every)
    assert ex.expected_value == pytest.approx(predict_forest(model, every).mean(), abs=1e-12)


@pytest.mark.usefixtures("eager_switching")
def test_the_cache_may_be_used_by_several_threads():
    cache = Cache(limit=24)

    def use(start: int) -> None:
        for i in range(start, start + 3000):
            assert cache.get(i % 7, lambda i=i: np.full(1, i % 7))[0] == i % 7
            assert cache.nbytes <= 24

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
