"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from fastpd.cli._formats import FORMATS

__all__ = ["COLUMN", "DATA", "FORMAT", "MODEL", "OPTIONAL_DATA", "OUTPUT", "explains", "order"]

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)


def _columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the columns of the table that was given before, for a shell to complete."""
    from fastpd.cli._csv import Dialect
    from fastpd.cli._tables import open_table

    given = ctx.params.get("background") if param.name == "weights" else None
    # An option that still lacks its value leaves the arguments before it unread.
    path = given or ctx.params.get("data") or next(iter(ctx.args[1:2]), None)
    try:
        names = open_table(Path(path), Dialect()).names if path else ()
    except Exception:  # a shell must not be told of errors while one types
        names = ()
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


COLUMN: dict[str, Any] = {"type": str, "metavar": "COLUMN", "shell_complete": _columns}
MODEL = click.argument("model", type=_FILE)
DATA = click.argument("data", type=_FILE)
OPTIONAL_DATA = click.argument("data", type=_FILE, required=False)
OUTPUT = click.option(
    "-o", "--output", type=_FILE, help="A .csv, .parquet, .json or .jsonl file to write."
)
FORMAT = click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Of stdout; by default csv, or a short table on a terminal.",
)


def order(default: int | None) -> Callable[[F], F]:
    """Return the option for the largest sets of features."""
    return click.option(
        "--max-order",
        type=click.IntRange(min=1),
        default=default,
        show_default=default is not None,
        help="Largest sets of features." + ("" if default else " Asks for components."),
    )


_SETTINGS = (
    click.option(
        "--background",
        type=_FILE,
        help="Table of rows to average over; by default those of DATA.",
    ),
    click.option("--weights", **COLUMN, help="Column of the background's weights."),
    click.option(
        "--ignore",
        **COLUMN,
        multiple=True,
        help="Column that is none of the model's. Only models without names need it. Repeatable.",
    ),
    click.option(
        "--explain-output", metavar="NAME", help="One output of several, by name, or 'sum'."
    ),
    click.option("--rounds", type=(int, int), metavar="BEGIN END", help="Boosting rounds to use."),
    click.option(
        "--group",
        multiple=True,
        metavar="NAME=COLUMN",
        help="Make columns one feature, such as address=street address=zip. Repeatable.",
    ),
    click.option(
        "--categories",
        type=_FILE,
        help="JSON of labels by column, code 0 first, where a model keeps only codes.",
    ),
    click.option(
        "--measure",
        type=click.Choice(["background", "path", "product"]),
        help="What to average over; path is the model's own counts, as TreeSHAP has it.",
    ),
    click.option("--jobs", type=int, help="Threads; by default all cores."),
    click.option(
        "--precision", type=click.Choice(["fast", "double"]), help="fast (1e-9) by default."
    ),
    click.option(
        "--memory-limit", metavar="SIZE", help="Of tables, such as 500MB; by default 2GB."
    ),
    click.option("--trust-pickle", is_flag=True, help="Let code in a pickled model run."),
    click.option("--separator", default=",", help="Between the cells of CSV; comma by default."),
    click.option("--decimal", default=".", help="In the numbers of CSV; point by default."),
)
_MANNERS = (
    click.option("--quiet", is_flag=True, help="No notes and no progress on stderr."),
    click.option("--debug", is_flag=True, help="Show the traceback of an error."),
)


def explains(run: F) -> F:
    """Give a command what every explainer takes, as one argument `asked`."""

    @wraps(run)
    def command(quiet: bool, debug: bool, **options: Any) -> Any:
        from fastpd.cli._explainers import Asked

        meta = click.get_current_context().find_root().meta
        meta["fastpd.quiet"], meta["fastpd.debug"] = quiet, debug
        asked = Asked(**{name: options.pop(name) for name in Asked.__dataclass_fields__})
        marks = asked.dialect.separator, asked.decimal
        if not all(len(one) == 1 and one.isascii() and one not in '"\r\n' for one in marks):
            raise click.UsageError(
                "--separator and --decimal take one ASCII character each, and no quotation mark."
            )
        return run(asked=asked, **options)

    for option in reversed((*_SETTINGS, *_MANNERS)):
        command = option(command)
    return command  # type: ignore[return-value]
