"""How far long work is, on stderr where it is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

import click

from fastpd.progress import Bar

__all__ = ["Meter"]


class Meter:
    """Hears which share of one piece of work is done."""

    def __init__(self, what: str, bar: Bar | None) -> None:
        self._what = what
        self._bar = bar

    @classmethod
    def shown(cls, what: str) -> Meter:
        """Return a meter that draws a bar on a terminal, unless --quiet was given."""
        context = click.get_current_context(silent=True)
        quiet = context is not None and context.find_root().meta.get("fastpd.quiet")
        return cls(what, None if quiet or not sys.stderr.isatty() else Bar(sys.stderr))

    def __call__(self, share: float) -> None:
        """Show that a share is done; the end is shown by leaving the block."""
        if self._bar is not None:
            self._bar(self._what, min(share, 0.999))

    def __enter__(self) -> Meter:
        self(0.0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar(self._what, 1.0)
