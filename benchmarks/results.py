"""Results kept in files: one of JSON a benchmark, and a page made from all of them."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.report import Report, as_markdown

__all__ = ["FOLDER", "save"]

FOLDER = Path(__file__).parent / "results"
_ORDER = ("runtime", "components", "linearity", "paths", "latency", "memory")


def save(reports: list[Report], folder: Path = FOLDER) -> Path:
    """Write reports, and the page of all that the folder holds."""
    folder.mkdir(exist_ok=True)
    for report in reports:
        text = json.dumps(report.to_json(), indent=1)
        (folder / f"{report.name}.json").write_text(text + "\n", encoding="utf-8")
    files = [path for name in _ORDER if (path := folder / f"{name}.json").exists()]
    kept = [Report.from_json(json.loads(path.read_text(encoding="utf-8"))) for path in files]
    page = folder / "README.md"
    page.write_text(_page(kept), encoding="utf-8")
    return page


def _page(reports: list[Report]) -> str:
    head = (
        "# Benchmark results\n\n"
        "Written by `python -m benchmarks --save`; times are the shortest of repeats.\n"
    )
    parts = [head]
    for report in reports:
        first, rest = as_markdown(report).split("\n\n", 1)
        parts.append(f"{first}\n\n{_measured_on(report)}\n\n{rest}")
    return "\n".join(parts)


def _measured_on(report: Report) -> str:
    """Say on what a benchmark ran; each may have run on another day."""
    on = report.environment
    versions = ", ".join(f"{name} {version}" for name, version in on["versions"].items())
    return (
        f"{on['date']}; {on['processor']}, {on['threads']} threads, {on['system']}, instructions "
        f"{on['instructions']}; {versions}."
    )
