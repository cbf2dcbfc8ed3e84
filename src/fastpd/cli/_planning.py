"""What explaining a file will cost, by a trial on its first rows."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fastpd.cli._answers import answers, width_of
from fastpd.cli._explainers import Asked, Rows, make_explainer, rows_of
from fastpd.cli._tables import TableFile
from fastpd.explainer import Explainer
from fastpd.explainer._held import SAMPLE_SHARE

__all__ = ["CostPlan", "make_plan"]

_TRIAL = 1 << 15  # rows


@dataclass(frozen=True)
class CostPlan:
    """What a run is expected to take; times are of this machine, scaled up from a trial."""

    n_trees: int
    n_leaves: int
    n_deep_leaves: int
    largest_path: int
    n_background: int
    n_rows: int
    rows_are_estimated: bool
    answer_columns: int
    explainer_bytes: int
    table_bytes: int
    memory_limit: int
    answer_bytes: int
    background_seconds: float
    table_seconds: float
    rows_seconds: float
    n_tried: int

    def table(self) -> Any:
        """Return one row, with a column for each number."""
        import pyarrow as pa

        return pa.table({name: [value] for name, value in asdict(self).items()})

    def text(self) -> str:
        """Return the numbers as lines to read."""
        about = "about " if self.rows_are_estimated else ""
        deep = (
            f"{self.n_deep_leaves:,} of them deep: their counts grow with the background; "
            if self.n_deep_leaves
            else ""
        )
        total = self.background_seconds + self.table_seconds + self.rows_seconds
        return "\n".join(
            [
                f"model        {self.n_trees:,} trees, {self.n_leaves:,} leaves; {deep}"
                f"longest path {self.largest_path} features",
                f"background   {self._background_rows()}: "
                f"{_seconds(self.background_seconds)}, {_size(self.explainer_bytes)}",
                f"tables       {_seconds(self.table_seconds)}, {_size(self.table_bytes)} "
                f"(limit {_size(self.memory_limit)})",
                f"rows         {about}{self.n_rows:,}: {_seconds(self.rows_seconds)}",
                f"answer       {self.answer_columns:,} columns, {_size(self.answer_bytes)} "
                "as Parquet at most; rows are streamed",
                f"in all       {_seconds(total)}, estimated by a trial on the first "
                f"{self.n_tried:,} rows",
            ]
        )

    def _background_rows(self) -> str:
        if not self.n_background:
            return "none"
        # Only rows that were counted for this plan took time, and may be lines of CSV.
        about = "about " if self.rows_are_estimated and self.background_seconds else ""
        return f"{about}{self.n_background:,} row{'s' * (self.n_background != 1)}"


def make_plan(model: Path, data: Path, asked: Asked, what: str, max_order: int) -> CostPlan:
    """Return what `explain` of a file will take."""
    explainer = make_explainer(model, data, asked, first=1)
    rows = rows_of(data, explainer, asked)
    n_rows = _n_rows(rows.table)
    n_others, background_seconds = explainer.n_background, 0.0
    if n_others == 1:
        n_others, background_seconds = _count(explainer, asked.background or data, asked)
    _, table_seconds = _explain(explainer, rows, 1, what, max_order)
    n_tried, tried_seconds = _explain(explainer, rows, _TRIAL, what, max_order)
    known, known_rows = explainer.plan(), explainer.n_background
    width = width_of(explainer, what, max_order)
    bins = explainer._state.sample.nbytes
    grown = min(bins / max(known_rows, 1) * n_others, known.memory_limit / SAMPLE_SHARE)
    return CostPlan(
        n_trees=known.n_trees,
        n_leaves=known.n_leaves,
        n_deep_leaves=known.n_deep_leaves,
        largest_path=known.largest_path,
        n_background=n_others,
        n_rows=n_rows,
        rows_are_estimated=rows.table.n_rows is None,
        answer_columns=width,
        explainer_bytes=int(known.explainer_bytes - bins + grown),
        table_bytes=known.cached_bytes,
        memory_limit=known.memory_limit,
        answer_bytes=8 * width * n_rows,
        background_seconds=background_seconds,
        table_seconds=table_seconds,
        rows_seconds=tried_seconds / max(n_tried, 1) * n_rows,
        n_tried=n_tried,
    )


class _Clock:
    """Measures the seconds of a block."""

    seconds = 0.0

    def __enter__(self) -> _Clock:
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began


def _explain(
    explainer: Explainer, rows: Rows, count: int, what: str, max_order: int
) -> tuple[int, float]:
    """Read and explain some first rows; return how many there were, and the seconds."""
    with _Clock() as clock:
        batch, _ = next(rows.batches(first=count))
        for _, answer in answers(explainer, batch, what, max_order):
            answer.to_frame("pyarrow")
    return batch.num_rows, clock.seconds


def _count(explainer: Explainer, path: Path, asked: Asked) -> tuple[int, float]:
    """Count the first rows of a background; return how many it has, and the seconds for all."""
    rows = rows_of(path, explainer, asked)
    with _Clock() as clock:
        batch, _ = next(rows.batches(first=_TRIAL))
        explainer.update(batch)
    n_rows = _n_rows(rows.table)
    return n_rows, clock.seconds / max(batch.num_rows, 1) * n_rows


def _n_rows(table: TableFile) -> int:
    """Return the number of rows; of a CSV file that of its lines, for cells may hold line ends."""
    return table.count_lines() - 1 if table.n_rows is None else table.n_rows


def _seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _size(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} bytes"
