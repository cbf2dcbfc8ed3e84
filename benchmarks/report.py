"""What a benchmark found: plain data, and how it reads as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["Column", "Report", "Table", "Target", "almost", "as_markdown", "as_tables", "as_text"]

Unit = Literal["", "time", "ratio", "count", "bytes", "error", "number"]
Column = tuple[str, Unit]
Cell = Any  # None, text, a number, or `almost(number)`


@dataclass(frozen=True)
class Target:
    """A bound that a measured number should keep."""

    what: str
    measured: float | None
    limit: float
    unit: Unit
    at_most: bool = True
    check: bool = False  # of correctness, not of speed: the run fails where it is not kept

    @property
    def verdict(self) -> str:
        """Whether the bound is kept."""
        if self.measured is None:
            return "not measured"
        kept = self.measured <= self.limit if self.at_most else self.measured >= self.limit
        return "pass" if kept else "MISS"


@dataclass(frozen=True)
class Table:
    """Rows of numbers under named columns, each in one unit."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that one benchmark found."""

    name: str
    title: str
    tables: Sequence[Table]
    targets: Sequence[Target]
    quick: bool = False
    environment: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Report:
        """Return what `to_json` wrote."""
        tables = [Table(**table) for table in data["tables"]]
        targets = [Target(**target) for target in data["targets"]]
        return cls(**{**data, "tables": tables, "targets": targets})


def almost(value: float) -> dict[str, float]:
    """Mark a number as extended from fewer rows."""
    return {"about": value}


def as_text(report: Report) -> str:
    """Return a report for a terminal."""
    tables = [
        "\n".join([table.title, *_aligned(_cells(table)), *_notes(table)])
        for table in _all_tables(report)
    ]
    return "\n\n".join([f"== {report.title} ==", *tables]) + "\n"


def as_markdown(report: Report) -> str:
    """Return a report as a section of a Markdown file."""
    return f"## {report.title}\n\n{as_tables(_all_tables(report))}"


def as_tables(tables: Sequence[Table]) -> str:
    """Return tables in Markdown, each under its title if it has one."""
    parts = []
    for table in tables:
        head, *body = ["| " + " | ".join(row) + " |" for row in _cells(table)]
        rule = "|" + "|".join("---" if i == 0 else "---:" for i in range(len(table.columns))) + "|"
        title = [f"**{table.title}**", ""] if table.title else []
        lines = [*title, head, rule, *body]
        parts.append("\n".join([*lines, *(line for note in _notes(table) for line in ("", note))]))
    return "\n\n".join(parts) + "\n"


def _all_tables(report: Report) -> list[Table]:
    """Return the report's tables and one of its targets."""
    rows = [
        (
            target.what,
            _shown(target.measured, target.unit),
            ("at most " if target.at_most else "at least ") + _shown(target.limit, target.unit),
            target.verdict,
        )
        for target in report.targets
    ]
    columns: list[Column] = [("what", ""), ("measured", ""), ("target", ""), ("", "")]
    note = "Quick sizes: the targets are meant for the full run." if report.quick else ""
    return [*report.tables, *([Table("Targets", columns, rows, note)] if rows else [])]


def _cells(table: Table) -> list[list[str]]:
    units = [unit for _, unit in table.columns]
    body = [[_shown(c, unit) for c, unit in zip(row, units, strict=True)] for row in table.rows]
    return [[name for name, _ in table.columns], *body]


def _notes(table: Table) -> list[str]:
    marked = any(isinstance(cell, dict) for row in table.rows for cell in row)
    extended = ["~ extended from a run on fewer rows (whole background)."] if marked else []
    return [*([table.note] if table.note else []), *extended]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first, *others = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        lines.append("  " + "  ".join(cells).rstrip())
    return [lines[0], "  " + "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]]


def _shown(cell: Cell, unit: Unit) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, dict):
        return "~" + _shown(cell["about"], unit)
    if unit == "time":
        return _time(cell)
    if unit == "bytes":
        return f"{cell / 1e6:,.1f} MB"
    if unit == "error":
        return f"{cell:.1e}"
    if unit == "count":
        return f"{cell:,d}"
    return _digits(cell) + ("x" if unit == "ratio" else "")


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds / 1e-6)} us"


def _digits(number: float) -> str:
    """Return three digits of a number, all of a large one."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"
