"""What can be asked on the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

import fastpd
from fastpd.cli._files import check_target, read_table, write_table
from fastpd.cli._models import read_model
from fastpd.errors import FastPDError

__all__ = ["commands"]

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(dir_okay=False, path_type=Path)
_EXPLAINER = (
    click.argument("model", type=click.Path(dir_okay=False)),
    click.argument("background", type=_FILE),
    click.option("--weights", metavar="COLUMN", help="Column of the background with its weights."),
    click.option(
        "--explain-output", "output", metavar="NAME", help="One output of several, or 'sum'."
    ),
    click.option(
        "--rounds",
        "iteration_range",
        type=(int, int),
        help="Boosting rounds that count: BEGIN END.",
    ),
    click.option("--jobs", "n_jobs", type=int, help="Threads; all cores by default."),
    click.option("--precision", default="fast", help="'fast' or 'double'."),
    click.option("--memory-limit", default="2GB", help="Such as 500MB."),
    click.option("--trust-pickle", is_flag=True, help="Let code in a pickled model run."),
)
_SETTINGS = ("output", "iteration_range", "n_jobs", "precision", "memory_limit")
_ROWS = click.argument("rows", type=_FILE, required=False)
_INTO = click.option("-o", "--into", type=_FILE, required=True, help="A .csv or .parquet file.")
_ORDER = click.option("--max-order", default=2, show_default=True, help="Largest set of features.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fastpd.__version__)
def commands() -> None:
    """Exact explanations of tree ensembles, over the whole background.

    MODEL is a file that XGBoost (.json, .ubj), LightGBM (.txt), CatBoost (.cbm, .json) or an
    exporter to ONNX (.onnx) wrote, or a pickled scikit-learn model (.joblib, .pkl). BACKGROUND and
    ROWS are tables, .csv or .parquet. Without ROWS the background itself is explained.
    """


def _explains(run: F) -> F:
    """Give a command what every explainer takes, and let errors end it with their message."""

    @wraps(run)
    def command(
        model: str, background: Path, weights: str | None, trust_pickle: bool, **options: Any
    ) -> None:
        settings = {name: options.pop(name) for name in _SETTINGS}
        try:
            if "into" in options:
                given = (Path(model), background, options["rows"])
                check_target(options["into"], [path for path in given if path is not None])
            others = read_table(background)
            explainer = fastpd.Explainer(
                read_model(model, trusted=trust_pickle),
                others,
                weights=None if weights is None else _weights(others, weights),
                **settings,
            )
            if "rows" in options:
                rows = options["rows"]
                options["rows"] = others if rows is None else read_table(rows)
            run(explainer, **options)
        except FastPDError as error:
            raise click.ClickException(str(error)) from error

    for option in reversed(_EXPLAINER):
        command = option(command)
    return command  # type: ignore[return-value]


def _weights(table: Any, column: str) -> Any:
    if column not in table.column_names:
        raise fastpd.WeightError(
            f"the background has no column {column!r} for the weights; it has "
            f"{', '.join(table.column_names)}."
        )
    return table.column(column).to_numpy()


@commands.command()
@_explains
@_ROWS
@_INTO
def shap(explainer: fastpd.Explainer, rows: Any, into: Path) -> None:
    """Write SHAP values, a column for each feature."""
    write_table(explainer.shap(rows).to_frame("pyarrow"), into)


@commands.command()
@_explains
@_ROWS
@_INTO
@_ORDER
def components(explainer: fastpd.Explainer, rows: Any, into: Path, max_order: int) -> None:
    """Write the components m_S of the functional decomposition, a column for each set S."""
    parts = explainer.components(rows, max_order=max_order)
    write_table(parts.to_frame("pyarrow"), into)


@commands.command()
@_explains
@_ROWS
@_ORDER
@click.option(
    "--top", type=click.IntRange(min=1), default=20, show_default=True, help="How many to print."
)
def importance(explainer: fastpd.Explainer, rows: Any, max_order: int, top: int) -> None:
    """Print the components with the largest mean absolute value."""
    ranked = explainer.importance(rows, max_order=max_order)
    for names in ranked.names[:top]:
        scores = " ".join(f"{score:12.6g}" for score in np.atleast_1d(ranked[names]))
        click.echo(f"{scores}  {' x '.join(names)}")


@commands.command()
@_explains
def plan(explainer: fastpd.Explainer) -> None:
    """Print how the model is held, and the memory that answers take."""
    click.echo(str(explainer.plan()))
