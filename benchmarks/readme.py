"""``python -m benchmarks.readme``: put the measured numbers on the project's front page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.report import Report, Table, as_tables
from benchmarks.results import FOLDER

__all__ = ["numbers", "with_numbers"]

PAGE = Path(__file__).parent.parent / "README.md"
_BEGIN, _END = "<!-- measured: begin -->\n", "<!-- measured: end -->"


def main() -> None:
    """Rewrite the block of numbers."""
    PAGE.write_text(with_numbers(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_numbers(page: str) -> str:
    """Return the page with its block of numbers made anew from the kept results."""
    before, rest = page.split(_BEGIN)
    _, after = rest.split(_END)
    return f"{before}{_BEGIN}{numbers()}{_END}{after}"


def numbers() -> str:
    """Return the block: SHAP beside its peers, then what else is promised."""
    runtime, components = _report("runtime"), _report("components")
    paths = _report("paths").tables[0]
    times, ratios = runtime.tables[0], _table(runtime, "Ratios, one thread")
    on = runtime.environment
    lines = [
        "SHAP values of all features, n rows explained over the same n rows as background, one "
        f"thread of {on['processor'].split(' (')[0]}, {on['instructions']}:",
        as_tables([_picked(times, _COLUMNS, _rows_of(times))]),
        "As ratios:",
        as_tables([_picked(ratios, [c for c, _ in ratios.columns], _rows_of(ratios))]),
        "Components up to order 2 of 1,000,000 rows are lookups, whose cost hardly depends on the "
        "number of trees:",
        as_tables([_picked(components.tables[0], _LOOKUPS, range(len(components.tables[0].rows)))]),
        "Path-dependent SHAP values (`measures.Path()`) are those that others compute, but sooner:",
        as_tables([_picked(paths, _PATHS, range(len(paths.rows)))]),
        _facts(),
    ]
    return "\n" + "\n\n".join(line.strip() for line in lines) + "\n\n"


_COLUMNS = [
    *("setup", "fit", "tables", "evaluation", "total"),
    *("inplace_predict", "pred_contribs", "woodelf", "shap"),
]
_PATHS = ["who", "time", "fastpd", "time / fastpd", "largest difference"]
_LOOKUPS = ["trees", "float64", "XGBoost inplace_predict", "float64 / inplace_predict"]


def _rows_of(table: Table) -> list[int]:
    """Return the largest size of the small setup, and the larger setups."""
    return list(range(len(table.rows)))[-3:]


def _facts() -> str:
    """Return one sentence a promise: growth, latency, memory."""
    slopes = [f"{target.measured:.2f}" for target in _report("linearity").targets]
    latency = _report("latency").targets[0].measured
    memory = _report("memory").targets[0].measured
    assert latency is not None
    assert memory is not None
    return (
        f"Fit and evaluation grow linearly with rows (log-log slopes {', '.join(slopes)}). SHAP "
        f"of one row of 200 trees of depth 6 takes {latency * 1e6:.0f} us from Python once warm "
        f"(median), and the explainer of 1000 trees of depth 6 takes {memory / 1e6:.0f} MB."
    )


def _report(name: str) -> Report:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return Report.from_json(content)


def _table(report: Report, title: str) -> Table:
    return next(table for table in report.tables if table.title == title)


def _picked(table: Table, columns: list[str], rows: Any) -> Table:
    names = [name for name, _ in table.columns]
    at = [names.index(name) for name in columns if name in names]
    kept = [[table.rows[row][column] for column in at] for row in rows]
    return replace(table, title="", columns=[table.columns[i] for i in at], rows=kept, note="")


if __name__ == "__main__":
    main()
