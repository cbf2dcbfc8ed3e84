"""A progress bar for long work on a terminal, or a callback, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TextIO

from fastpd.errors import OptionError

__all__ = ["Progress", "Task", "make_progress"]

Report = Callable[[str, float], None]

_PATIENCE = 2.0  # seconds before a bar appears
_WIDTH = 30


class Bar:
    """Draws one line on a terminal, once the work has taken a while."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._started: dict[str, float] = {}
        self._drawn = False

    def __call__(self, what: str, share: float) -> None:
        """Show that `share` of the work named `what` is done; 1 ends it."""
        started = self._started.setdefault(what, time.monotonic())
        if share >= 1.0:
            self._clear(what)
        elif time.monotonic() - started >= _PATIENCE:
            filled = round(share * _WIDTH)
            line = f"\r{what}: [{'#' * filled}{'.' * (_WIDTH - filled)}] {share:4.0%}"
            self._drawn = True  # first: an interrupt may come while it is written
            self._stream.write(line)
            self._stream.flush()

    def _clear(self, what: str) -> None:
        self._started.pop(what, None)
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False


@dataclass(frozen=True)
class Progress:
    """Where progress goes; None where nobody listens."""

    report: Report | None

    def task(self, what: str, n_parts: int) -> Task:
        """Open a piece of work of several equal parts."""
        return Task(self.report, what, max(n_parts, 1))


class Task:
    """A piece of work that says how far it is."""

    def __init__(self, report: Report | None, what: str, n_parts: int) -> None:
        self._report = report
        self._what = what
        self._n_parts = n_parts
        self._share = 0.0

    def poll(self, part: int) -> Callable[[int, int], None] | None:
        """Return what the core calls now and then while it works on one part."""
        report = self._report
        if report is None:
            return None

        def listen(done: int, total: int) -> None:
            # Work that is tried again, with less, must not seem to go back.
            share = (part + done / max(total, 1)) / self._n_parts
            self._share = max(self._share, min(share, 0.999))
            report(self._what, self._share)

        return listen

    def __enter__(self) -> Task:
        if self._report is not None:
            self._report(self._what, 0.0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Report the end, also of work that was stopped: a bar must not stay on the terminal."""
        if self._report is not None and (kind is None or isinstance(self._report, Bar)):
            self._report(self._what, 1.0)


def make_progress(progress: Any) -> Progress:
    """Return what `Explainer(progress=...)` stands for.

    None shows a bar on a terminal, False nothing, True a bar anywhere; a callable gets the name of
    the work and the share of it that is done.
    """
    if progress is None or isinstance(progress, bool):
        stream = sys.stderr  # None in programs without a console
        wanted = progress is True or (progress is None and stream is not None and stream.isatty())
        return Progress(Bar(stream) if wanted and stream is not None else None)
    if callable(progress):
        return Progress(progress)
    raise OptionError(
        f"progress is {progress!r}; expected None (a bar on a terminal), True, False, or a "
        "function of the work's name and the share done."
    )
