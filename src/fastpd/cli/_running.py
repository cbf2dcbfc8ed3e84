"""How a command ends: with an exit code, and a message of one line."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

from fastpd.errors import FastPDError, nearest

__all__ = ["INTERRUPTED", "PIPE_CLOSED", "Commands", "note", "one_line"]

INTERRUPTED, PIPE_CLOSED = 130, 141  # as shells say it of SIGINT and SIGPIPE


def one_line(text: str) -> str:
    r"""Return text without line ends, and without what would steer a terminal.

    Examples
    --------
    >>> from fastpd.cli._running import one_line
    >>> one_line("a\nb\x1b[2J")
    'a b\\x1b[2J'
    """
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in joined)


def note(text: str) -> None:
    """Say something on stderr, once, unless --quiet was given."""
    context = click.get_current_context(silent=True)
    meta = {} if context is None else context.find_root().meta
    said = meta.setdefault("fastpd.said", set())
    if text not in said and not meta.get("fastpd.quiet"):
        said.add(text)
        click.echo(f"fastpd: {one_line(text)}", err=True)


class Commands(click.Group):
    """A group whose commands end with one line on stderr, whatever goes wrong."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and turn what it raises into exit codes."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except (click.ClickException, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            _silence_stdout()
            ctx.exit(PIPE_CLOSED)
        except (KeyboardInterrupt, click.Abort):
            click.echo("fastpd: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except Exception as error:
            if ctx.find_root().meta.get("fastpd.debug"):
                raise
            raise click.ClickException(_message(error)) from error
        return result

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; of an unknown one say which is like it."""
        known = super().get_command(ctx, cmd_name)
        if known is None and not ctx.resilient_parsing:
            names = self.list_commands(ctx)
            hint = nearest(cmd_name, names) or f" Expected one of {', '.join(names)}."
            ctx.fail(f"{cmd_name!r} is no command.{hint}")
        return known


def _message(error: Exception) -> str:
    if isinstance(error, FastPDError):
        return one_line(str(error))
    if isinstance(error, MemoryError):
        return "this does not fit into memory. Ask for less at once, such as a lower --max-order."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"stdout can not be written: {error.strerror}. Send it to a disk with room."
    said = one_line(f"{type(error).__name__}: {error}")
    return f"an error that fastpd did not foresee: {said:.300}. Give --debug to see where."


def _silence_stdout() -> None:
    """Send what is left in buffers nowhere, for nobody reads it any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
