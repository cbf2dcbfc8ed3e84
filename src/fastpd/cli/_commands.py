"""What can be asked on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fastpd.cli._options import COLUMN, DATA, FORMAT, MODEL, OPTIONAL_DATA, OUTPUT, explains, order
from fastpd.cli._running import Commands, note

__all__ = ["commands"]

_EPILOG = """\b
Examples:
  fastpd report model.json data.csv --target income
  fastpd explain model.json data.csv -o shap.parquet
  fastpd explain model.json rows.csv --background train.parquet --max-order 2
  fastpd fit model.json train.parquet -o model.fastpd
  fastpd explain model.fastpd new_rows.csv > shap.csv

\b
Exit codes: 0 done, 1 refused or failed (with one line on stderr),
2 wrong usage, 130 interrupted, 141 nobody reads stdout any more.

\b
Completion of commands, files and columns in your shell:
  eval "$(_FASTPD_COMPLETE=bash_source fastpd)"   (or zsh_source, fish_source)
"""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(package_name="fastpd")
def commands() -> None:
    """Exact explanations of tree ensembles, over the whole background.

    MODEL is a file that XGBoost (.json, .ubj), LightGBM (.txt), CatBoost (.cbm, .json) or an
    exporter to ONNX (.onnx) wrote; a pickled scikit-learn model (.joblib, .pkl); or an explainer
    that `fastpd fit` saved (.fastpd). DATA is a table: .csv, .tsv (also packed: .csv.gz) or
    .parquet, of any size, for it is read in batches. Columns are found by name, and those that the
    model does not take are ignored, which stderr says.
    """


@commands.command(short_help="SHAP values or components of every row.")
@MODEL
@DATA
@click.option(
    "--what",
    type=click.Choice(["shap", "components", "both"]),
    help="SHAP values, a column for each feature; or components, one for each set of features. "
    "By default shap, and components where --max-order is given.",
)
@order(None)
@click.option(
    "--keep",
    **COLUMN,
    multiple=True,
    help="Copy it to the answer, out of CSV as text. Repeatable.",
)
@click.option("--predictions", is_flag=True, help="Add the raw prediction and the base value.")
@OUTPUT
@FORMAT
@explains
def explain(
    asked: Any,
    model: Path,
    data: Path,
    what: str | None,
    max_order: int | None,
    keep: tuple[str, ...],
    predictions: bool,
    output: Path | None,
    format_: str | None,
) -> None:
    """Explain every row of DATA: what each feature adds to its prediction.

    The rows of DATA are the background too, unless --background names another table. Values are on
    the model's raw scale, such as log-odds, and those of a row add up to its prediction less the
    base value.
    """
    from fastpd.cli._answers import explained
    from fastpd.cli._columns import check_columns
    from fastpd.cli._explainers import make_explainer, rows_of
    from fastpd.cli._output import Output, check_output
    from fastpd.cli._tables import open_table

    if what == "shap" and max_order is not None:
        raise click.UsageError("--max-order is of components; give --what components, or both.")
    check_output(output, [model, data, asked.background])
    where = Output(output, format_)
    check_columns(open_table(data, asked.dialect), keep, "--keep")
    explainer = make_explainer(model, data, asked, keep)
    rows = rows_of(data, explainer, asked, keep)
    chosen = what or ("shap" if max_order is None else "components")
    n_rows = where.write(
        explained(explainer, rows, chosen, max_order or 2, keep=keep, predictions=predictions)
    )
    _say_scale(explainer)
    if output is not None:
        note(f"wrote {n_rows:,} rows to {output}")


@commands.command(short_help="Partial dependence curves, as exact steps.")
@MODEL
@OPTIONAL_DATA
@click.option(
    "-f",
    "--feature",
    "features",
    **COLUMN,
    multiple=True,
    help="By default every feature that the model uses. Repeatable.",
)
@click.option(
    "--pair",
    "pairs",
    **COLUMN | {"type": (str, str), "metavar": "COLUMN COLUMN"},
    multiple=True,
    help="The effect of two features. Repeatable.",
)
@OUTPUT
@FORMAT
@explains
def effects(
    asked: Any,
    model: Path,
    data: Path | None,
    features: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    output: Path | None,
    format_: str | None,
) -> None:
    """Write partial dependence curves as the exact steps that they are.

    A row for each step: `from` an edge, which it holds, `to` the next; or a `label`; or `missing`;
    with the values there of the partial dependence (`pd`) and of the `component`. A second feature
    has such columns with a 2. DATA is the background; a saved explainer has its own.
    """
    from fastpd.cli._effects import effects_table, main_effects
    from fastpd.cli._explainers import make_explainer
    from fastpd.cli._output import Output, check_output

    check_output(output, [model, data, asked.background])
    where = Output(output, format_)
    explainer = make_explainer(model, data, asked)
    sets = [(name,) for name in features] + list(pairs)
    found = [explainer.effect(*one) for one in sets] if sets else main_effects(explainer)
    where.write([effects_table(found)])
    _say_scale(explainer)


@commands.command(short_help="The largest components.")
@MODEL
@DATA
@order(2)
@click.option("--top", type=click.IntRange(min=1), help="Only so many, the largest.")
@OUTPUT
@FORMAT
@explains
def importance(
    asked: Any,
    model: Path,
    data: Path,
    max_order: int,
    top: int | None,
    output: Path | None,
    format_: str | None,
) -> None:
    """Rank components by their mean absolute value over the rows of DATA."""
    from fastpd.cli._answers import importance_of
    from fastpd.cli._explainers import make_explainer, rows_of
    from fastpd.cli._output import Output, check_output

    check_output(output, [model, data, asked.background])
    where = Output(output, format_)
    explainer = make_explainer(model, data, asked)
    ranked = importance_of(explainer, rows_of(data, explainer, asked), max_order)
    table = ranked.to_frame("pyarrow")
    where.write([table if top is None else table.slice(0, top)])
    _say_scale(explainer)


@commands.command(short_help="Save an explainer, a MODEL without rows.")
@MODEL
@DATA
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="A file.")
@explains
def fit(asked: Any, model: Path, data: Path, output: Path) -> None:
    """Save an explainer, with DATA as its background: a MODEL for all other commands.

    The file holds the model and counts of patterns, but no row of the background and no pickle.
    """
    from fastpd.cli._explainers import make_explainer
    from fastpd.cli._output import check_output

    check_output(output, [model, data, asked.background])
    explainer = make_explainer(model, data, asked)
    explainer.save(output)
    note(
        f"saved the explainer of {explainer.n_background:,} background rows to {output} "
        f"({output.stat().st_size / 1e6:.1f} MB)"
    )


@commands.command(short_help="Time and memory of `explain`, beforehand.")
@MODEL
@DATA
@click.option("--what", type=click.Choice(["shap", "components", "both"]), default="shap")
@order(2)
@OUTPUT
@FORMAT
@explains
def plan(
    asked: Any,
    model: Path,
    data: Path,
    what: str,
    max_order: int,
    output: Path | None,
    format_: str | None,
) -> None:
    """Estimate time and memory of `explain`, by a trial on the first rows of DATA."""
    from fastpd.cli._output import Output, check_output
    from fastpd.cli._planning import make_plan

    check_output(output, [model, data, asked.background])
    where = Output(output, format_)
    found = make_plan(model, data, asked, what, max_order)
    if output is None and format_ is None:
        click.echo(found.text())
    else:
        where.write([found.table()])


@commands.command(short_help="One page to look at, and to send.")
@MODEL
@DATA
@click.option("--target", **COLUMN, help="Column of the true values, to judge the model.")
@click.option("--positive", metavar="LABEL", help="The label of --target that the model predicts.")
@click.option("--title", help="Of the page.")
@order(2)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page to write.",
)
@explains
def report(
    asked: Any,
    model: Path,
    data: Path,
    target: str | None,
    positive: str | None,
    title: str | None,
    max_order: int,
    output: Path,
) -> None:
    """Write one page on what the model does, for any browser, without a network.

    It shows importances, effects, interactions, a few rows explained, and where to be careful.
    """
    from fastpd.cli._output import check_output
    from fastpd.cli._reporting import make_page

    if positive is not None and target is None:
        raise click.UsageError("--positive is a label of --target; give both.")
    check_output(output, [model, data, asked.background])
    page = make_page(model, data, asked, target, positive, title=title, max_order=max_order)
    page.save(output)
    note(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB); open it in a browser")


@commands.command(short_help="Explain the Adult data, with XGBoost.")
@click.argument("folder", type=click.Path(path_type=Path), default=Path("demo-output"))
def demo(folder: Path) -> None:
    """Train XGBoost on the Adult data and explain all 48,842 people, into FOLDER."""
    from fastpd.demo import main

    main([str(folder)])


def _say_scale(explainer: Any) -> None:
    base, link = explainer.expected_value, explainer._blocks.forest.link
    scale = {"logit": "log-odds", "log": "log", "softmax": "log-odds of classes"}.get(link, "raw")
    shown = (
        f"{base:.6g}"
        if isinstance(base, float)
        else ", ".join(
            f"{value:.6g} of {name!r}"
            for name, value in zip(explainer.output_names, base, strict=True)
        )
    )
    note(f"values are on the {scale} scale; the base value is {shown:.200}")
