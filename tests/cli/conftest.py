"""A folder with a model and tables, and what runs the command line in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xgboost as xgb
from click.testing import CliRunner, Result
from pyarrow import csv, parquet

from fastpd.cli._commands import commands

NAMES = ["age", "hours", "size"]
Run = Callable[..., Result]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of three classes, its background, and rows with a label that it does not take."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    cells = np.round(rng.normal(size=(40, 3)), 2)
    cells[::7, 1] = np.nan
    labels = np.digitize(cells[:, 0] + np.nan_to_num(cells[:, 1]), [-0.5, 0.5])
    model = xgb.XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1).fit(cells, labels)
    model.save_model(folder / "unnamed.json")
    model.get_booster().feature_names = NAMES
    model.save_model(folder / "model.json")
    columns = {name: pa.array(cells[:, k], from_pandas=True) for k, name in enumerate(NAMES)}
    table = pa.table(columns | {"weight": np.arange(40.0), "label": pa.array(labels)})
    parquet.write_table(table, folder / "background.parquet")
    csv.write_csv(table.slice(0, 9), folder / "rows.csv")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of these, as the folder that commands run in."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run() -> Run:
    """Run a command, and return how it ended."""
    return lambda *given: CliRunner().invoke(commands, list(map(str, given)))


@pytest.fixture
def done(run: Run) -> Callable[..., str]:
    """Run a command that has to end well, and return what it printed on stdout."""

    def command(*given: Any) -> str:
        result = run(*given)
        assert result.exit_code == 0, result.output
        return result.stdout

    return command


@pytest.fixture
def failed(run: Run) -> Callable[..., str]:
    """Run a command that has to be refused, and return the one line that says why."""

    def command(*given: Any, code: int = 1) -> str:
        result = run(*given)
        assert result.exit_code == code, result.output
        said = result.stderr.splitlines()
        assert said[-1].startswith("Error: ")
        assert sum(line.startswith("Error: ") for line in said) == 1
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        return said[-1]

    return command
