"""The command line says what Python says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xgboost as xgb
from click.testing import CliRunner
from pyarrow import csv, parquet

from fastpd import Explainer
from fastpd.cli._commands import commands
from fastpd.cli._files import read_table

NAMES = ["age", "hours", "size"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model and tables."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    cells = np.round(rng.normal(size=(40, 3)), 2)
    cells[::7, 1] = np.nan
    labels = np.digitize(cells[:, 0] + np.nan_to_num(cells[:, 1]), [-0.5, 0.5])
    model = xgb.XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1).fit(cells, labels)
    model.get_booster().feature_names = NAMES
    model.save_model(folder / "model.json")
    columns = {name: pa.array(cells[:, k], from_pandas=True) for k, name in enumerate(NAMES)}
    table = pa.table(columns | {"weight": np.arange(40.0)})
    parquet.write_table(table, folder / "background.parquet")
    csv.write_csv(table.slice(0, 9), folder / "rows.csv")
    return folder


def run(folder: Path, command: str, *options: str) -> Any:
    files = [str(folder / "model.json"), str(folder / "background.parquet")]
    return CliRunner().invoke(commands, [command, *files, *options])


def done(folder: Path, command: str, *options: str) -> str:
    result = run(folder, command, *options)
    assert result.exit_code == 0, result.output
    return str(result.output)


def explainer(folder: Path, **options: Any) -> Explainer:
    return Explainer(
        folder / "model.json", parquet.read_table(folder / "background.parquet"), **options
    )


def test_shap_values_of_every_output(folder: Path):
    into = folder / "phi.parquet"
    done(folder, "shap", str(folder / "rows.csv"), "-o", str(into))
    table = parquet.read_table(into)
    expected = explainer(folder).shap(csv.read_csv(folder / "rows.csv")).values
    assert table.column_names[:3] == ["age [0]", "age [1]", "age [2]"]
    found = np.column_stack([column.to_numpy() for column in table.columns])
    np.testing.assert_array_equal(found.reshape(9, 3, 3), expected)


def test_components_of_one_output_over_weights(folder: Path):
    into = folder / "parts.csv"
    options = ["--explain-output", "1", "--weights", "weight", "--jobs", "1"]
    done(folder, "components", str(folder / "rows.csv"), "-o", str(into), *options)
    table = csv.read_csv(into)
    background = parquet.read_table(folder / "background.parquet")
    weights = background.column("weight").to_numpy()
    ex = Explainer(folder / "model.json", background, output="1", weights=weights)
    parts = ex.components(csv.read_csv(folder / "rows.csv"))
    assert table.column_names == [" x ".join(names) for names in parts]
    for names in parts:
        np.testing.assert_allclose(table.column(" x ".join(names)).to_numpy(), parts[names])


def test_importance_of_the_background_is_printed(folder: Path):
    printed = done(folder, "importance", "--explain-output", "sum", "--top", "2").splitlines()
    background = parquet.read_table(folder / "background.parquet")
    ranked = explainer(folder, output="sum").importance(background)
    assert [line.split("  ")[-1] for line in printed] == [
        " x ".join(one) for one in ranked.names[:2]
    ]


def test_the_plan_is_printed(folder: Path):
    assert done(folder, "plan").strip() == str(explainer(folder).plan())


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("shap", ["-o", "phi.xlsx"], "ends in '.xlsx'; expected .csv or .parquet"),
        ("shap", ["missing.csv", "-o", "phi.csv"], "missing.csv can not be read"),
        ("plan", ["--weights", "age?"], "has no column 'age?' for the weights"),
        ("plan", ["--explain-output", "7"], "output is '7'"),
        ("plan", ["--memory-limit", "lots"], "memory_limit is 'lots'"),
        ("importance", ["--max-order", "0"], "max_order is 0"),
    ],
)
def test_errors_end_it_with_their_message(
    folder: Path, command: str, options: list[str], said: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    result = run(folder, command, *options)
    assert result.exit_code == 1
    assert f"Error: {said}" in result.output or said in result.output
    assert "Traceback" not in result.output


def test_empty_cells_of_text_are_missing(tmp_path: Path):
    (tmp_path / "a.csv").write_text("a,b\nx,\n,2\n")
    assert read_table(tmp_path / "a.csv").column("a").to_pylist() == ["x", None]


def test_python_m_runs_the_command():
    command = [sys.executable, "-m", "fastpd", "--version"]
    assert "version" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_is_not_installed_is_named():
    code = "import sys; sys.modules['click'] = None; import fastpd.cli; fastpd.cli.main()"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "pip install 'fastpd[cli]'" in result.stderr
