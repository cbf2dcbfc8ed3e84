"""The package as it is installed: light to import, typed, and as the README says."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import xgboost

import fastpd
from fastpd import Explainer, datasets
from oracles import random_forest, rows_for

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
HEAVY = (
    "xgboost",
    "pandas",
    "matplotlib",
    "jinja2",
    "shap",
    "polars",
    "pyarrow",
    "sklearn",
    "scipy",
)
TEMPLATES = [f"report/templates/report.{kind}" for kind in ("html.j2", "css", "js")]
RNG = np.random.default_rng(0)
MODEL = random_forest(RNG, 5, n_trees=40, depth=5)
ROWS = rows_for(MODEL, 300, RNG)


def run(code: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout


def test_import_is_quick():
    # Of the processor, not of the clock: other work on the machine is not the import's.
    code = "import time; t = time.process_time(); import fastpd; print(time.process_time() - t)"
    assert min(float(run(code)) for _ in range(3)) < 0.3


def test_import_brings_no_other_library():
    loaded = run("import sys, fastpd; print(*sys.modules)").split()
    assert "fastpd.explainer" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_explaining_arrays_brings_no_other_library():
    code = (
        "import sys, numpy, fastpd\n"
        "n = [-1]; i, f = numpy.array(n, 'i4'), numpy.zeros(1)\n"
        "model = fastpd.Forest(i, f, i, i, f > 0, f[:, None], f, i + 1, i + 1, f, ('a',), ('y',))\n"
        "ex = fastpd.Explainer(model, [[0.0]]); ex.shap([[1.0]]); ex.effect(0); ex.importance()\n"
        "print(*sys.modules)"
    )
    loaded = run(code).split()
    assert [name for name in HEAVY if name in loaded] == []


def test_types_and_data_are_installed():
    files = resources.files("fastpd")
    for name in (
        "py.typed",
        "_core.pyi",
        "datasets/adult.npz",
        "datasets/ATTRIBUTION.md",
        *TEMPLATES,
    ):
        assert files.joinpath(name).is_file(), name


def test_what_it_needs_is_numpy_and_narwhals():
    needed = metadata.requires("fastpd") or []
    names = {re.split(r"[^\w-]", one)[0] for one in needed if "extra ==" not in one}
    assert names == {"numpy", "narwhals"}
    assert metadata.version("fastpd") == fastpd.__version__


def test_everything_public_is_there_and_every_error_has_the_root():
    for name in fastpd.__all__:
        assert getattr(fastpd, name).__doc__, name
    errors = [getattr(fastpd, name) for name in fastpd.__all__ if name.endswith("Error")]
    assert all(issubclass(one, fastpd.FastPDError) for one in errors)
    assert set(fastpd.errors.__all__) <= set(fastpd.__all__)


def test_the_demo_writes_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    whole = datasets.adult()
    few = type(whole)(**{**vars(whole), "X": whole.X[:2000], "y": whole.y[:2000]})
    monkeypatch.setattr(datasets, "adult", lambda: few)
    from fastpd import demo

    assert demo.main([str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Adult: 2000 people, 14 features" in said
    assert f"Wrote shap.npz, importance.csv and effect_age.csv to {tmp_path / 'out'}/" in said
    with np.load(tmp_path / "out" / "shap.npz") as stored:
        assert stored["values"].shape == few.X.shape
        assert tuple(stored["feature_names"]) == few.columns
        assert np.isfinite(stored["base_value"])
    for name, header in (
        ("importance.csv", ["component", "mean_abs"]),
        ("effect_age.csv", ["from_age", "log_odds"]),
    ):
        rows = list(csv.reader((tmp_path / "out" / name).read_text().splitlines()))
        assert rows[0] == header
        assert len(rows) > 5
        assert rows[1][1] != rows[2][1]


def test_the_code_of_the_readme_runs():
    mpl.use("Agg")
    X = np.random.default_rng(0).random((100, 2))
    names = ["age", "sex"]
    data = xgboost.DMatrix(X, X[:, 0] * X[:, 1], feature_names=names)
    model = xgboost.train({"max_depth": 3}, data, num_boost_round=5)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    given = {"model": model, "background": X, "X": X}
    for block in blocks:
        exec(block, given)
    mpl.pyplot.close("all")
    assert isinstance(given["phi"], fastpd.ShapValues)


def test_calls_in_the_readme_are_there():
    table = README.split("## What it answers")[1].split("\n## ")[0]
    called = re.findall(r"\bex\.(\w+)", table)
    assert len(set(called)) >= 9
    assert [name for name in called if not hasattr(Explainer, name)] == []
    answers = {
        "components": fastpd.Decomposition,
        "shap": fastpd.ShapValues,
        "effect": fastpd.Effect,
    }
    ex = Explainer(MODEL, ROWS)
    for line in table.splitlines():
        for call in re.findall(r"ex\.(\w+)", line.split("|")[1] if "|" in line else ""):
            if call in answers:
                answer = ex.effect(0) if call == "effect" else getattr(ex, call)(ROWS)
                assert isinstance(answer, answers[call])
                named = re.findall(r"`\.(\w+)", line)
                assert named
                assert [name for name in named if not hasattr(answer, name)] == []


def test_folders_in_the_readme_are_there():
    inside = README.split("## Inside")[1]
    root = Path(__file__).parent.parent
    folders = [
        name
        for row in re.findall(r"^\| (`.*?) \|", inside, re.M)
        for name in re.findall(r"`(.*?)`", row)
    ]
    assert len(folders) > 10
    assert [name for name in folders if not (root / name).is_dir()] == []


ASKS = {
    "shap": lambda ex: ex.shap(ROWS).values,
    "value": lambda ex: ex.value([(0,), (1, 2)], ROWS),
    "components": lambda ex: ex.components(ROWS, 3).array,
    "interactions": lambda ex: ex.interactions(ROWS, 2).array,
    "effect": lambda ex: ex.effect(0, 1).pd_steps,
    "importance": lambda ex: ex.importance(ROWS).scores,
}


@pytest.mark.parametrize("name", ASKS)
def test_what_was_compiled_is_kept(name: str):
    compiled: list[str] = []
    ex = Explainer(MODEL, ROWS, progress=lambda what, _: compiled.append(what))
    first = ASKS[name](ex)
    kept = ex.plan().cached_bytes
    assert 0 < kept <= ex.plan().memory_limit
    assert any("tables" in what or "effects" in what for what in compiled)
    compiled.clear()
    np.testing.assert_array_equal(ASKS[name](ex), first)
    assert ex.plan().cached_bytes == kept
    assert [what for what in compiled if "tables" in what or "effects" in what] == []


def test_new_background_drops_what_was_compiled():
    ex = Explainer(MODEL, ROWS)
    ex.shap(ROWS)
    ex.update(ROWS[:10])
    assert ex.plan().cached_bytes == 0


def test_tables_that_are_kept_stay_within_the_limit():
    free = Explainer(MODEL, ROWS)
    limit = free.plan().shap_table_bytes
    tight = Explainer(MODEL, ROWS, memory_limit=limit)
    for _ in range(2):
        for ask in ASKS.values():
            np.testing.assert_allclose(ask(tight), ask(free), atol=1e-7)
            assert tight.plan().cached_bytes <= limit
    assert free.plan().cached_bytes > limit


def test_an_explainer_knows_its_size():
    empty, some = Explainer(MODEL), Explainer(MODEL, ROWS)
    assert empty.nbytes >= MODEL.value.nbytes + MODEL.threshold.nbytes
    assert some.nbytes > empty.nbytes
    more = Explainer(MODEL, np.tile(ROWS, (2, 1)))
    # Counts do not grow with rows of known patterns; bins take a byte a row and feature.
    assert more.nbytes - some.nbytes == ROWS.size
    before = some.nbytes
    some.shap(ROWS)
    assert some.nbytes == before == some.plan().explainer_bytes
