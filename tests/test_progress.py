"""Progress: a bar on a terminal once work has taken a while, or a callback, or nothing."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import fastpd
from fastpd.progress import make_progress
from oracles import random_forest, rows_for

RNG = np.random.default_rng(0)
MODEL = random_forest(RNG, 10, n_trees=100, depth=8, stop=0.05)
FEW = rows_for(MODEL, 100, RNG)
MANY, MORE = (np.broadcast_to(FEW[0], (n, 10)) for n in (100_000, 600_000))  # take no memory
CLEARED = "\r\x1b[K"

Ask = Callable[[fastpd.Explainer], Any]
ASKS: dict[str, Ask] = {
    "prediction": lambda ex: ex.predict(MORE),
    "SHAP values": lambda ex: ex.shap(MANY),
    "partial dependence": lambda ex: ex.value([(0,), (1, 2)], MANY),
    "SII interactions": lambda ex: ex.interactions(FEW, 5),
    "components": lambda ex: ex.components(MANY[:15_000], 3),
    "background": lambda ex: ex.update(MORE),
}


class Stream(io.StringIO):
    """What a program writes to, on a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def write_to(stream: Stream | None, patch: pytest.MonkeyPatch) -> None:
    """Replace the standard error, within a test: pytest sets its own after fixtures are made."""
    patch.setattr(sys, "stderr", stream)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastpd.progress._PATIENCE", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_bar_is_drawn_on_a_terminal_and_gone_at_the_end(monkeypatch: pytest.MonkeyPatch):
    write_to(terminal := Stream(terminal=True), monkeypatch)
    fastpd.Explainer(MODEL, FEW, n_jobs=1).shap(MANY)
    written = terminal.getvalue()
    assert "SHAP values: [" in written
    assert "%" in written
    assert written.endswith(CLEARED)
    assert "\n" not in written


def test_work_that_is_soon_done_shows_no_bar(monkeypatch: pytest.MonkeyPatch):
    write_to(terminal := Stream(terminal=True), monkeypatch)
    ex = fastpd.Explainer(MODEL, FEW)
    ex.shap(FEW)
    ex.importance()
    assert terminal.getvalue() == ""


def test_a_bar_waits_for_its_patience(monkeypatch: pytest.MonkeyPatch):
    write_to(terminal := Stream(terminal=True), monkeypatch)
    now = 100.0
    monkeypatch.setattr("fastpd.progress.time.monotonic", lambda: now)
    report = make_progress(None).report
    assert report is not None
    report("work", 0.0)
    now += 1.9
    report("work", 0.2)
    assert terminal.getvalue() == ""
    now += 0.2
    report("work", 0.5)
    assert terminal.getvalue() == f"\rwork: [{'#' * 15}{'.' * 15}]  50%"
    report("work", 1.0)
    assert terminal.getvalue().endswith(CLEARED)


@pytest.mark.usefixtures("impatient")
def test_an_interrupted_bar_does_not_stay(monkeypatch: pytest.MonkeyPatch):
    write_to(terminal := Stream(terminal=True), monkeypatch)
    ex = fastpd.Explainer(MODEL, FEW, n_jobs=1)
    write = terminal.write

    def write_and_interrupt(text: str) -> int:
        written = write(text)
        if "%" in text and " 0%" not in text:
            signal.raise_signal(signal.SIGINT)
        return written

    monkeypatch.setattr(terminal, "write", write_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        ex.shap(MANY)
    assert terminal.getvalue().endswith(CLEARED)


@pytest.mark.usefixtures("impatient")
def test_a_stopped_bar_is_cleared(monkeypatch: pytest.MonkeyPatch):
    write_to(terminal := Stream(terminal=True), monkeypatch)
    progress = make_progress(True)

    def work() -> None:
        with progress.task("work", 1) as task:
            poll = task.poll(0)
            assert poll is not None
            poll(1, 2)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert "50%" in terminal.getvalue()
    assert terminal.getvalue().endswith(CLEARED)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("on_terminal", "progress", "drawn"),
    [(True, None, True), (False, None, False), (True, False, False), (False, True, True)],
)
def test_where_a_bar_appears(
    monkeypatch: pytest.MonkeyPatch, on_terminal: bool, progress: bool | None, drawn: bool
):
    stream = Stream(on_terminal)
    write_to(stream, monkeypatch)
    fastpd.Explainer(MODEL, FEW, n_jobs=1, progress=progress).shap(MANY)
    assert bool(stream.getvalue()) == drawn


@pytest.mark.parametrize("progress", [None, True])
def test_a_program_without_stderr_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, progress: bool | None
):
    write_to(None, monkeypatch)
    assert make_progress(progress).report is None


@pytest.mark.parametrize("name", ASKS)
def test_a_callback_hears_each_piece_of_work_rise_from_0_to_1(name: str):
    heard: list[tuple[str, float]] = []
    ex = fastpd.Explainer(MODEL, FEW, n_jobs=1, progress=lambda *said: heard.append(said))
    heard.clear()
    ASKS[name](ex)
    assert name in {what for what, _ in heard}
    for what in {what for what, _ in heard}:
        shares = [share for one, share in heard if one == what]
        for piece in np.split(shares, np.flatnonzero(np.array(shares) == 1.0) + 1)[:-1]:
            assert piece[0] == 0.0
            assert all(a <= b for a, b in pairwise(piece))
        assert shares[-1] == 1.0
    assert any(0 < share < 1 for what, share in heard if what == name or "tables" in what)


def test_work_that_is_tried_again_does_not_seem_to_go_back():
    heard: list[float] = []
    with make_progress(lambda _, share: heard.append(share)).task("work", 1) as task:
        poll = task.poll(0)
        assert poll is not None
        for done in (2, 1, 3, 4):
            poll(done, 4)
    assert heard == [0.0, 0.5, 0.5, 0.75, 0.999, 1.0]


def test_half_of_the_time_is_about_half_of_the_work():
    heard: list[float] = []
    ex = fastpd.Explainer(MODEL, FEW, n_jobs=1, progress=lambda _, share: heard.append(share))
    heard.clear()
    ex.update(MORE)
    assert len(heard) > 6
    assert 0.2 < heard[len(heard) // 2] < 0.8


@pytest.mark.parametrize("name", ASKS)
def test_an_error_in_a_callback_reaches_the_caller(name: str):
    angry = False

    def listen(what: str, share: float) -> None:
        if angry and 0 < share < 1:
            raise LookupError(f"no more of {what}")

    ex = fastpd.Explainer(MODEL, FEW, n_jobs=1, progress=listen)
    before = ex.shap(FEW).values
    angry = True
    with pytest.raises(LookupError, match="no more of"):
        ASKS[name](ex)
    angry = False
    assert ex.n_background == len(FEW)
    np.testing.assert_array_equal(ex.shap(FEW).values, before)
