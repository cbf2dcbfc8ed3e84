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
from fastpd.cli._models import read_model
from fastpd.errors import DataError, ModelFileError

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
        ("shap", ["-o", "absent/phi.csv"], "in a folder that is not there. Make absent first"),
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


@pytest.mark.parametrize("name", ["model.json", "background.parquet", "rows.csv"])
def test_what_is_explained_is_not_overwritten(folder: Path, name: str, tmp_path: Path):
    names = ["model.json", "background.parquet", "rows.csv"]
    paths = {one: tmp_path / one for one in names}
    paths[name] = paths[name].with_suffix(".csv" if name == "model.json" else paths[name].suffix)
    for one, path in paths.items():
        path.write_bytes((folder / one).read_bytes())
    before = paths[name].read_bytes()
    given = ["shap", *map(str, paths.values()), "-o", str(tmp_path / "." / paths[name].name)]
    result = CliRunner().invoke(commands, given)
    assert result.exit_code == 1
    assert "Give another name to write to" in result.output
    assert paths[name].read_bytes() == before


def test_a_file_that_can_not_be_written_is_named(folder: Path):
    result = run(folder, "shap", "-o", "/proc/phi.csv")
    assert result.exit_code == 1
    assert "Error: /proc/phi.csv can not be written" in result.output


@pytest.mark.parametrize("content", ["", "a,b\n1,2,3\n"])
def test_tables_that_are_none_are_refused_with_what_was_expected(tmp_path: Path, content: str):
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(DataError, match="expected a row of names and rows of as many cells"):
        read_table(tmp_path / "a.csv")


def test_columns_of_one_name_are_not_written_over_each_other(tmp_path: Path):
    cells = np.random.default_rng(0).normal(size=(30, 3))
    booster = xgb.train(
        {"max_depth": 3, "nthread": 1},
        xgb.DMatrix(cells, cells.prod(axis=1), feature_names=["a", "b", "a x b"]),
        3,
    )
    booster.save_model(tmp_path / "model.json")
    table = pa.table(dict(zip(["a", "b", "a x b"], cells.T, strict=True)))
    parquet.write_table(table, tmp_path / "rows.parquet")
    given = [str(tmp_path / name) for name in ("model.json", "rows.parquet")]
    result = CliRunner().invoke(commands, ["components", *given, "-o", str(tmp_path / "m.csv")])
    assert result.exit_code == 1
    assert "would be called 'a x b'" in result.output


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\x80\x04garbage", b"\x80\x04\x95" + b"\xff" * 9]
)
def test_damaged_pickles_are_refused(tmp_path: Path, content: bytes):
    pytest.importorskip("joblib")
    (tmp_path / "model.pkl").write_bytes(content)
    with pytest.raises(ModelFileError, match="can not be read"):
        read_model(str(tmp_path / "model.pkl"), trusted=True)
