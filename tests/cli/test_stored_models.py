"""Every kind of model that a file can hold is explained on the command line as in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from fastpd import Explainer
from fastpd.cli._commands import commands
from fastpd.testing import MODEL_CASES, ModelCase, Trained

# A treelite model lives in memory; what it was made from has files.
EXACT = [case for case in MODEL_CASES if not case.refused and case.library != "treelite"]


def stored(model: Any, folder: Path) -> Path:
    """Save a model in its library's own format, or else pickled."""
    library = type(model).__module__.partition(".")[0]
    if isinstance(model, str | Path):
        return Path(model)
    if library in ("xgboost", "catboost"):
        path = folder / {"xgboost": "model.ubj", "catboost": "model.cbm"}[library]
        model.save_model(str(path))
    elif library == "lightgbm":
        path = folder / "model.txt"
        getattr(model, "booster_", model).save_model(path)
    elif library == "onnx":
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
    else:
        import joblib

        path = folder / "model.joblib"
        joblib.dump(model, path)
    return path


def as_table(data: Any, names: tuple[str, ...]) -> Any:
    """Return any table as one that a Parquet file can hold."""
    if isinstance(data, pa.Table):
        return data
    if hasattr(data, "to_arrow"):
        return data.to_arrow()
    if hasattr(data, "columns"):
        return pa.Table.from_pandas(data, preserve_index=False)
    if hasattr(data, "toarray"):
        pytest.skip("a file of rows is no sparse matrix")
    array = np.asarray(data)
    return pa.table({name: array[:, k].tolist() for k, name in enumerate(names)})


def options(given: Trained, folder: Path) -> list[str]:
    """Return the options of an explainer as the command line has them."""
    known = dict(given.options)
    output, rounds = known.pop("output", None), known.pop("iteration_range", None)
    found = [] if output is None else ["--explain-output", str(output)]
    if rounds is not None:
        found += ["--rounds", *map(str, rounds)]
    if "categories" in known:
        path = folder / "categories.json"
        path.write_text(json.dumps(known.pop("categories")))
        found += ["--categories", str(path)]
    assert not known
    return found


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case.name)
def test_shap_values_of_every_kind_of_model(case: ModelCase, tmp_path: Path):
    if case.lacking:
        pytest.skip(f"{case.name} needs {', '.join(case.lacking)}")
    given = case.make()
    extra = options(given, tmp_path)
    path = stored(given.model, tmp_path)
    # A library's file may hold less than the model, such as which number counts as missing.
    held = given.model if path.suffix == ".joblib" else path
    ex = Explainer(held, given.background, **given.options)
    expected = ex.shap(given.rows).values
    for name, data in (("background", given.background), ("rows", given.rows)):
        parquet.write_table(as_table(data, ex.feature_names), tmp_path / f"{name}.parquet")
    files = [str(tmp_path / f"{name}.parquet") for name in ("background", "rows", "phi")]
    done = CliRunner().invoke(
        commands,
        [
            *("explain", str(path), files[1], "--background", files[0], "-o", files[2]),
            *("--trust-pickle", *extra),
        ],
    )
    assert done.exit_code == 0, done.output
    table = parquet.read_table(files[2])
    found = np.column_stack([column.to_numpy() for column in table.columns])
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_a_pickled_model_runs_no_code_unless_it_is_trusted(tmp_path: Path):
    path = tmp_path / "model.pkl"
    path.write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    table = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"a": [1.0]}), table)
    done = CliRunner().invoke(commands, ["plan", str(path), str(table)])
    assert done.exit_code == 1
    assert "give --trust-pickle" in done.output


def test_a_damaged_pickle_is_refused(tmp_path: Path):
    path = tmp_path / "model.joblib"
    path.write_bytes(b"\x80\x04garbage")
    table = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"a": [1.0]}), table)
    done = CliRunner().invoke(commands, ["plan", str(path), str(table), "--trust-pickle"])
    assert done.exit_code == 1
    assert "can not be read" in done.output
