"""From what is asked on the command line to an explainer."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from fastpd import measures
from fastpd.cli._columns import Chosen, check_columns, chosen_columns
from fastpd.cli._csv import Dialect
from fastpd.cli._models import holds_explainer, read_model
from fastpd.cli._progress import Meter
from fastpd.cli._tables import TableFile, about, open_table
from fastpd.errors import DataError, OptionError
from fastpd.explainer import Explainer, load
from fastpd.forest import Forest, import_model
from fastpd.forest._categories import with_labels
from fastpd.frames import Columns, named_by

__all__ = ["Asked", "Rows", "make_explainer", "rows_of"]


@dataclass(frozen=True)
class Asked:
    """The options that all commands have; each is None, empty or false where it was not given."""

    background: Path | None
    weights: str | None
    ignore: tuple[str, ...]
    explain_output: str | None
    rounds: tuple[int, int] | None
    group: tuple[str, ...]
    categories: Path | None
    measure: str | None
    jobs: int | None
    precision: str | None
    memory_limit: str | None
    trust_pickle: bool
    separator: str
    decimal: str

    @property
    def weight_columns(self) -> tuple[str, ...]:
        """The column of weights, if any."""
        return () if self.weights is None else (self.weights,)

    @property
    def dialect(self) -> Dialect:
        """How CSV files are written."""
        return Dialect(self.separator.replace("\\t", "\t"), self.decimal)


@dataclass(frozen=True)
class Rows:
    """Rows of a file, as an explainer takes them."""

    table: TableFile
    chosen: Chosen

    def batches(
        self, more: tuple[str, ...] = (), *, first: int | None = None, **options: Any
    ) -> Iterator[tuple[Any, Any]]:
        """Go over tables of the model's columns, each with a table of other columns.

        `first` ends it after so many rows.
        """
        wanted = {*self.chosen.names, *more}
        names = [name for name in self.table.names if name in wanted]
        left = sys.maxsize if first is None else first
        for batch in self.table.batches(names, self.chosen.kinds, **options):
            part = batch.slice(0, left)
            yield part.select(list(self.chosen.names)), part.select(list(more))
            left -= part.num_rows
            if left <= 0:
                return

    def beside(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of some columns that the model does not take."""
        return tuple(name for name in names if name not in self.chosen.names)

    def whole(self, more: tuple[str, ...] = ()) -> tuple[Any, Any]:
        """Return all rows at once, as `batches` does."""
        import pyarrow as pa

        parts = list(self.batches(more))
        return pa.concat_tables(one for one, _ in parts), pa.concat_tables(two for _, two in parts)


def rows_of(path: Path, explainer: Explainer, asked: Asked, others: tuple[str, ...] = ()) -> Rows:
    """Return the rows of a file to explain; `others` are columns that have another use."""
    table = open_table(path, asked.dialect)
    unused = {*asked.ignore, *others, *asked.weight_columns}
    return Rows(table, chosen_columns(table, explainer._columns, unused))


def make_explainer(
    model: Path,
    data: Path | None,
    asked: Asked,
    others: tuple[str, ...] = (),
    first: int | None = None,
    *,
    progress: Any = False,
) -> Explainer:
    """Return the explainer of a model over the background; that of a saved one is its own.

    Parameters
    ----------
    model, data
        Files. Rows of `data` are the background where no other is asked for.
    asked
        The options.
    others
        Columns of `data` that have another use.
    first
        Rows of the background to count, for a trial; None for all.
    progress
        As of `Explainer`; by default whoever reads batches shows how far it is.
    """
    if holds_explainer(model):
        _refuse_for_saved(model, asked)
        return load(model, n_jobs=asked.jobs, memory_limit=asked.memory_limit, progress=progress)
    known = read_model(model, trusted=asked.trust_pickle)
    forest = import_model(known, iteration_range=asked.rounds)
    settings: dict[str, Any] = {
        "output": asked.explain_output,
        "groups": _groups(asked.group),
        "n_jobs": asked.jobs,
        "precision": asked.precision or "fast",
        "memory_limit": asked.memory_limit or "2GB",
        "progress": progress,
    }
    if asked.measure == "path":
        if asked.background is not None or asked.weights is not None:
            raise OptionError("--measure path takes the model's own counts, and no background.")
        forest = _labelled(forest, asked.categories)
        return Explainer(forest, measure=measures.Path(), **settings)
    path = asked.background or data
    if path is None:
        raise OptionError(
            "no background was given; expected a table of rows to average over, as DATA or with "
            "--background."
        )
    return _over_rows(forest, path, asked, others, settings, first)


def _over_rows(
    forest: Forest,
    path: Path,
    asked: Asked,
    others: tuple[str, ...],
    settings: dict[str, Any],
    first: int | None,
) -> Explainer:
    table = open_table(path, asked.dialect)
    weights = asked.weight_columns
    check_columns(table, weights, "--weights")
    unused = {*weights, *asked.ignore, *others}
    left = [name for name in table.names if name not in unused]
    named = named_by(forest, _empty(left)) if len(set(left)) == len(left) else forest
    forest = _labelled(named, asked.categories)
    rows = Rows(table, chosen_columns(table, Columns.of(forest, named=forest.named), unused))
    with Meter.shown("background") as meter, about(path):
        parts = rows.batches(weights, listen=meter, first=first)
        if not weights:
            return _of_measure(forest, asked.measure, (part for part, _ in parts), None, settings)
        ones, others_ = itertools.tee(parts)  # read in step, so that one batch is kept
        weight = (_weights(one, path) for _, one in others_)
        return _of_measure(forest, asked.measure, (part for part, _ in ones), weight, settings)


def _of_measure(
    forest: Forest, measure: str | None, data: Any, weights: Any, settings: dict[str, Any]
) -> Explainer:
    if measure == "product":
        return Explainer(forest, measure=measures.Product(data, weights), **settings)
    return Explainer(forest, data, weights=weights, **settings)


def _weights(table: Any, path: Path) -> Any:
    import pyarrow as pa

    column = table.column(0)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise DataError(
            f"{path} holds {column.type} in its column of weights {table.column_names[0]!r}; "
            "expected numbers >= 0."
        )
    return column.cast(pa.float64()).to_numpy()


def _empty(names: list[str]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array([], pa.float64()) for name in names})


def _refuse_for_saved(model: Path, asked: Asked) -> None:
    """Refuse options that a saved explainer has decided already."""
    given = {
        "--background": asked.background,
        "--weights": asked.weights,
        "--explain-output": asked.explain_output,
        "--rounds": asked.rounds,
        "--group": asked.group,
        "--categories": asked.categories,
        "--measure": asked.measure,
        "--precision": asked.precision,
    }
    for option, value in given.items():
        if value:
            raise click.UsageError(
                f"{model} is a saved explainer, which has its own; leave {option} out, or make it "
                "anew with `fastpd fit`."
            )


def _groups(given: tuple[str, ...]) -> dict[str, list[str]] | None:
    groups: dict[str, list[str]] = {}
    for one in given:
        name, equals, column = one.partition("=")
        if not equals:
            raise click.UsageError(f"--group is {one!r}; expected NAME=COLUMN.")
        groups.setdefault(name, []).append(column)
    return groups or None


def _labelled(forest: Forest, path: Path | None) -> Forest:
    """Return a forest with the labels that a file says, where the model keeps only codes."""
    if path is None:
        return forest
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise OptionError(
            f"{path} can not be read as JSON ({error}); expected labels by the names of columns, "
            'such as {"sex": ["Female", "Male"]}.'
        ) from error
    known = with_labels(forest.categories, forest.feature_names, labels)
    return replace(forest, categories=known)
