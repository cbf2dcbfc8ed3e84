"""What an experiment found: its claim beside our numbers, its tables and figures, as a page."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl

from experiments.catalogue import CATALOGUE, NAMES

__all__ = ["RESULTS", "Finding", "write"]

RESULTS = Path(__file__).parent / "results"
_MOST_LINES = 60  # of a table that stands on the page unfolded
_INTRODUCTION = """# The paper, claim by claim

Written by `make paper`, which runs all experiments; `make paper FIG=3` runs one by its figure, and
`make paper FIG="errors table1"` several by name or place. The sizes here are what fits into about
an hour an experiment on two cores, and stand beside each result. The paper's own, as in
`make paper FIG=3 OPTIONS="--repeats 100 --searches 50"`:
"""


@dataclass(frozen=True)
class Finding:
    """The outcome of one experiment.

    Attributes
    ----------
    name, title
        Its module, and its headline.
    claim
        What the paper says.
    outcome
        What came out here, and where it differs and why.
    sizes
        At what size it was run, and what the paper's is.
    columns, rows
        Its table.
    figures
        File names of its figures.
    tables
        Longer tables by file name, the headings in the first row; the page only names them.
    """

    name: str
    title: str
    claim: str
    outcome: str
    sizes: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    figures: Sequence[str] = ()
    tables: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)


def write(finding: Finding, figures: dict[str, Any]) -> None:
    """Write an experiment's table, figures and outcome, and the page of all that were run."""
    RESULTS.mkdir(exist_ok=True)
    mpl.rcParams["svg.hashsalt"] = "fastpd"  # the same bytes for the same picture
    for name, figure in figures.items():
        figure.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
    for name, rows in {finding.name: [finding.columns, *finding.rows], **finding.tables}.items():
        with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[_plain(cell) for cell in row] for row in rows])
    kept = asdict(finding) | {"tables": dict.fromkeys(finding.tables, ())}  # rows: in their files
    text = json.dumps(kept, indent=1)
    (RESULTS / f"{finding.name}.json").write_text(text + "\n", encoding="utf-8")
    (RESULTS / "README.md").write_text(_page(), encoding="utf-8")


def _page() -> str:
    rows = [
        f"| [{entry.name}](../{entry.name}.py) | {', '.join(entry.paper)} | {entry.size} |"
        for entry in CATALOGUE
    ]
    head = ["| experiment | of the paper | the paper's size |", "|---|---|---|"]
    parts = [_INTRODUCTION, "\n".join([*head, *rows, ""])]
    for name in NAMES:
        path = RESULTS / f"{name}.json"
        if path.exists():
            parts.append(_section(Finding(**json.loads(path.read_text(encoding="utf-8")))))
    return "\n".join(parts)


def _section(finding: Finding) -> str:
    rule = "|" + "|".join("---" for _ in finding.columns) + "|"
    table = [finding.columns, *([_plain(cell) for cell in row] for row in finding.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    pictures = [f"![{finding.title}]({name}.svg)\n" for name in finding.figures]
    return "\n".join(
        [
            f"## {finding.title}\n",
            f"**Paper:** {finding.claim}\n",
            f"**Here:** {finding.outcome}\n",
            f"**Sizes:** {finding.sizes}\n",
            *pictures,
            *(f"More: [{name}.csv]({name}.csv)\n" for name in finding.tables),
            *_folded(lines[0], rule, *lines[1:]),
            "",
        ]
    )


def _folded(*lines: str) -> list[str]:
    """Return a table's lines, to be opened by a click where they are many."""
    if len(lines) <= _MOST_LINES:
        return list(lines)
    title = f"<details><summary>Table of {len(lines) - 2} rows</summary>\n"
    return [title, *lines, "\n</details>"]


def _plain(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
