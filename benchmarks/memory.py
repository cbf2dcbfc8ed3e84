"""Memory of an explainer and of a call, each measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.models import LARGE, SMALL, rows_of, trained
from benchmarks.report import Column, Report, Table, Target

__all__ = ["measure"]


def measure(quick: bool) -> Report:
    """Measure what an explainer of 1000 trees holds, and what a call takes beyond its output."""
    large = SMALL if quick else replace(LARGE, n_trees=1000)
    small, n_rows = (SMALL, 50_000) if quick else (LARGE, 1_000_000)
    title = "Memory"
    if not Path("/proc/self/status").exists():
        note = "Not measured: this system has no /proc."
        return Report("memory", title, [Table(note, [("", "")], [])], [], quick)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for name, setup in (("held", large), ("call", small)):
            trained(setup).save_model(place / f"{name}.ubj")
            np.save(place / f"{name}.npy", rows_of(setup, setup.n_train))
        np.save(place / "rows.npy", rows_of(small, n_rows))
        held = _probe("held", folder)
        calls = {dtype: _probe("call", folder, dtype) for dtype in ("float64", "float32")}
    n_trees = large.n_trees
    targets = [
        Target(f"explainer.nbytes, {n_trees} trees", held["nbytes"], 100e6, "bytes"),
        Target(f"growth of the process, {n_trees} trees", held["growth"], 100e6, "bytes"),
    ]
    tables = [_held(large.title, held), _calls(small.title, n_rows, calls)]
    return Report("memory", title, tables, targets, quick)


def _probe(*arguments: str) -> dict[str, Any]:
    """Run a measurement in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory_probe", *arguments]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def _held(title: str, found: dict[str, Any]) -> Table:
    rows = [
        ["model as a file (.ubj)", found["model"]],
        ["explainer.nbytes, without cached tables", found["nbytes"]],
        ["growth of the process by the explainer with its background", found["growth"]],
        ["its peak while the explainer was made", found["peak"]],
        ["cached tables after a call of shap", found["cached"]],
        ["growth of the process with these tables", found["growth_warm"]],
    ]
    return Table(f"Explainer of {title}", [("what", ""), ("size", "bytes")], rows)


def _calls(title: str, n_rows: int, calls: dict[str, dict[str, Any]]) -> Table:
    rows = [[dtype, one["output"], one["beyond"]] for dtype, one in calls.items()]
    columns: list[Column] = [("output", ""), ("its size", "bytes"), ("peak beyond it", "bytes")]
    return Table(f"shap of {n_rows:,} rows, tables made, {title}", columns, rows)
