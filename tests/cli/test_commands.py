"""The command line says what Python says."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xgboost as xgb
from click.shell_completion import ShellComplete
from pyarrow import csv as arrow_csv
from pyarrow import parquet

import fastpd
from fastpd import Explainer, measures
from fastpd.cli._commands import commands

NAMES = ["age", "hours", "size"]


def explainer(**options: Any) -> Explainer:
    return Explainer("model.json", parquet.read_table("background.parquet"), **options)


def rows() -> Any:
    return arrow_csv.read_csv("rows.csv")


def numbers(table: Any) -> Any:
    return np.column_stack([column.to_numpy() for column in table.columns])


BACKGROUND = ("--background", "background.parquet")


class TestExplain:
    def test_shap_values_of_every_output(self, folder: Path, done: Any):
        done("explain", "model.json", "rows.csv", *BACKGROUND, "-o", "phi.parquet")
        table = parquet.read_table("phi.parquet")
        assert table.column_names[:3] == ["age [0]", "age [1]", "age [2]"]
        expected = explainer().shap(rows()).values
        np.testing.assert_array_equal(numbers(table).reshape(9, 3, 3), expected)

    def test_rows_are_their_own_background(self, folder: Path, done: Any):
        done("explain", "model.json", "background.parquet", "-o", "phi.parquet")
        found = numbers(parquet.read_table("phi.parquet"))
        expected = explainer().shap(parquet.read_table("background.parquet")).values
        np.testing.assert_array_equal(found.reshape(40, 3, 3), expected)

    def test_components_over_weights_of_one_output(self, folder: Path, done: Any):
        options = ["--explain-output", "1", "--weights", "weight", "--jobs", "1"]
        done(
            "explain", "model.json", "rows.csv", *BACKGROUND, "--max-order", 2, "-o", "m.parquet",
            *options,
        )  # fmt: skip
        weights = parquet.read_table("background.parquet").column("weight").to_numpy()
        parts = explainer(output="1", weights=weights).components(rows())
        table = parquet.read_table("m.parquet")
        assert table.column_names == [" x ".join(names) for names in parts]
        np.testing.assert_array_equal(numbers(table), parts.array)

    def test_both_with_predictions_and_kept_columns(self, folder: Path, done: Any):
        options = ["--what", "both", "--predictions", "--keep", "label", "--explain-output", "sum"]
        done("explain", "model.json", "rows.csv", *BACKGROUND, *options, "-o", "all.csv")
        table = arrow_csv.read_csv("all.csv").to_pydict()
        names = list(table)
        assert names[:4] == ["label", "prediction", "base_value", "shap age"]
        assert "component age" in names
        assert table["label"] == rows().column("label").to_pylist()
        values = sum(np.array(table[f"shap {name}"]) for name in NAMES)
        np.testing.assert_allclose(
            np.array(table["base_value"]) + values, table["prediction"], atol=1e-6
        )

    @pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "ndjson", "parquet", "pq"])
    def test_formats_hold_the_same(self, folder: Path, done: Any, ending: str):
        done("explain", "model.json", "rows.csv", "--explain-output", "sum", "-o", f"phi.{ending}")
        path = Path(f"phi.{ending}")
        expected = Explainer("model.json", rows(), output="sum").shap(rows()).values
        if ending in ("parquet", "pq"):
            found = parquet.read_table(path).to_pylist()
        elif ending == "csv":
            found = list(csv.DictReader(path.read_text().splitlines()))
        elif ending == "json":
            found = json.loads(path.read_text())
        else:
            found = [json.loads(line) for line in path.read_text().splitlines()]
        assert [list(row) for row in found] == [NAMES] * 9
        np.testing.assert_array_equal([[float(row[n]) for n in NAMES] for row in found], expected)

    @pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
    def test_stdout_gets_what_a_file_gets(self, folder: Path, done: Any, form: str):
        printed = done("explain", "model.json", "rows.csv", "--format", form)
        done("explain", "model.json", "rows.csv", "-o", f"phi.{form}")
        assert printed == Path(f"phi.{form}").read_text()

    def test_batches_give_the_bits_of_one(
        self, folder: Path, done: Any, monkeypatch: pytest.MonkeyPatch
    ):
        command = ["explain", "model.json", "rows.csv", *BACKGROUND, "--weights", "weight", "-o"]
        done(*command, "whole.parquet")
        monkeypatch.setattr("fastpd.cli._tables._MOST_ROWS", 4)
        done(*command, "parts.parquet")
        assert parquet.read_table("whole.parquet").equals(parquet.read_table("parts.parquet"))

    def test_what_a_file_has_beside_is_said(self, folder: Path, run: Any):
        result = run("explain", "model.json", "rows.csv")
        said = "rows.csv: ignored 2 columns that the model does not take: 'weight', 'label'"
        assert result.stderr.count(said) == 1
        assert "ignored" not in run("explain", "model.json", "rows.csv", "--quiet").stderr

    def test_a_model_without_names_takes_columns_by_position(self, folder: Path, done: Any):
        ignored = ["--ignore", "weight", "--ignore", "label"]
        done("explain", "unnamed.json", "rows.csv", *ignored, "-o", "phi.parquet")
        table = parquet.read_table("phi.parquet")
        assert table.column_names[0] == "age [0]"
        expected = Explainer("model.json", rows()).shap(rows()).values
        np.testing.assert_array_equal(numbers(table).reshape(9, 3, 3), expected)

    @pytest.mark.parametrize(
        ("measure", "make"),
        [("path", measures.Path()), ("product", None), ("background", None)],
    )
    def test_measures(self, folder: Path, done: Any, measure: str, make: Any):
        options = ["--measure", measure, *(BACKGROUND if make is None else ())]
        done("explain", "model.json", "rows.csv", *options, "-o", "phi.parquet")
        if measure == "background":
            expected = explainer()
        else:
            made = make or measures.Product(parquet.read_table("background.parquet"))
            expected = Explainer("model.json", measure=made)
        found = numbers(parquet.read_table("phi.parquet")).reshape(9, 3, 3)
        np.testing.assert_array_equal(found, expected.shap(rows()).values)

    def test_groups(self, folder: Path, done: Any):
        options = ["--group", "both=age", "--group", "both=size"]
        printed = done("explain", "model.json", "rows.csv", "--explain-output", "0", *options)
        assert printed.splitlines()[0] == '"both","hours"'


class TestOthers:
    def test_importance_is_that_of_python(self, folder: Path, done: Any):
        done("importance", "model.json", "background.parquet", "-o", "ranks.parquet")
        ranked = explainer().importance(parquet.read_table("background.parquet"))
        found = parquet.read_table("ranks.parquet")
        expected = ranked.to_frame("pyarrow")
        assert found.column("features").equals(expected.column("features"))
        np.testing.assert_allclose(numbers(found.select([3, 4, 5])), ranked.scores)
        assert len(done("importance", "model.json", "rows.csv", "--top", 2).splitlines()) == 3

    def test_importance_of_batches(self, folder: Path, done: Any, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("fastpd.cli._tables._MOST_ROWS", 7)
        self.test_importance_is_that_of_python(folder, done)

    def test_effects_are_those_of_python(self, folder: Path, done: Any):
        command = ["effects", "model.json", "background.parquet", "--explain-output", "sum"]
        done(*command, "--feature", "age", "--pair", "age", "size", "-o", "steps.parquet")
        table = parquet.read_table("steps.parquet")
        ex = explainer(output="sum")
        alone, pair = (
            ex.effect("age").to_frame("pyarrow"),
            ex.effect("age", "size").to_frame("pyarrow"),
        )
        assert table.num_rows == alone.num_rows + pair.num_rows
        both = pa.concat_arrays([alone["pd"].combine_chunks(), pair["pd"].combine_chunks()])
        assert table["pd"].combine_chunks().equals(both)
        assert table["feature 2"].null_count == alone.num_rows
        assert table.column_names[-2:] == ["pd", "component"]

    def test_all_main_effects_by_default(self, folder: Path, done: Any):
        found = csv.DictReader(io.StringIO(done("effects", "model.json", "background.parquet")))
        assert list(dict.fromkeys(row["feature"] for row in found)) == NAMES

    def test_features_without_an_effect_are_said(self, folder: Path, run: Any):
        result = run(
            "effects", "model.json", "background.parquet", "--group", "g=age", "--group", "g=size"
        )
        assert result.exit_code == 0, result.output
        assert "left out 'g': " in result.stderr
        assert {line.split(",")[0] for line in result.stdout.splitlines()[1:]} == {'"hours"'}

    def test_a_saved_explainer_is_a_model(self, folder: Path, done: Any, run: Any):
        said = run("fit", "model.json", "background.parquet", "-o", "m.fastpd").stderr
        assert "saved the explainer of 40 background rows to m.fastpd" in said
        done("explain", "m.fastpd", "rows.csv", "-o", "phi.parquet")
        found = numbers(parquet.read_table("phi.parquet")).reshape(9, 3, 3)
        np.testing.assert_array_equal(found, explainer().shap(rows()).values)
        assert done("effects", "m.fastpd") == done("effects", "model.json", "background.parquet")
        assert done("importance", "m.fastpd", "rows.csv").startswith('"rank"')
        assert "40 rows" in done("plan", "m.fastpd", "rows.csv")

    def test_the_plan_says_what_it_takes(self, folder: Path, done: Any):
        text = done("plan", "model.json", "rows.csv", *BACKGROUND)
        assert "12 trees" in text
        assert "40 rows" in text
        assert "9:" in text
        record = json.loads(done("plan", "model.json", "background.parquet", "--format", "jsonl"))
        assert record["answer_columns"] == 9
        assert record["n_rows"] == record["n_background"] == record["n_tried"] == 40
        assert record["rows_are_estimated"] is False

    def test_a_plan_of_components(self, folder: Path, done: Any):
        options = ["--what", "components", "--max-order", 2, "--format", "jsonl"]
        record = json.loads(done("plan", "model.json", "rows.csv", *options))
        parts = Explainer("model.json", rows()).components(rows(), 2)
        assert record["answer_columns"] == 3 * len(parts)
        assert record["table_bytes"] > 0

    def test_the_demo(self, folder: Path, done: Any, monkeypatch: pytest.MonkeyPatch):
        whole = fastpd.datasets.adult()
        few = type(whole)(**{**vars(whole), "X": whole.X[:500], "y": whole.y[:500]})
        monkeypatch.setattr(fastpd.datasets, "adult", lambda: few)
        assert "Adult: 500 people" in done("demo", "out")
        assert (folder / "out" / "importance.csv").is_file()
        done("report", "out/model.json", "out/adult.csv", "--target", "income")
        assert "Performance" in Path("report.html").read_text()


class TestReport:
    def test_one_command_makes_the_page(self, folder: Path, run: Any):
        result = run("report", "model.json", "background.parquet")
        assert result.exit_code == 0, result.output
        assert "wrote report.html" in result.stderr
        assert Path("report.html").read_text().startswith("<!doctype html>")

    def test_a_target_and_another_background(self, folder: Path, done: Any):
        options = ["--background", "background.parquet", "--target", "label", "--title", "A <b>"]
        done("report", "model.json", "rows.csv", *options, "-o", "page.html")
        page = Path("page.html").read_text()
        assert "A &lt;b&gt;" in page
        assert "Performance" in page

    def test_labels_of_two_classes(self, folder: Path, done: Any, failed: Any):
        table = parquet.read_table("background.parquet")
        cells = numbers(table.select(NAMES))
        rich = cells[:, 0] > 0
        data = xgb.DMatrix(cells, rich, feature_names=NAMES)
        booster = xgb.train({"objective": "binary:logistic", "nthread": 1}, data, 3)
        booster.save_model("two.json")
        labels = pa.array(np.where(rich, ">50K", "<=50K").tolist())
        arrow_csv.write_csv(table.append_column("income", labels), "two.csv")
        given = ["report", "two.json", "two.csv", "--target", "income"]
        assert "Or give --positive with the label that stands for 1" in failed(*given)
        assert "expected two, one of them '>60K'" in failed(*given, "--positive", ">60K")
        done(*given, "--positive", ">50K")
        assert "Performance" in Path("report.html").read_text()

    def test_a_saved_explainer(self, folder: Path, done: Any):
        done("fit", "model.json", "background.parquet", "-o", "m.fastpd")
        done("report", "m.fastpd", "rows.csv")
        assert Path("report.html").is_file()

    def test_what_is_refused(self, folder: Path, failed: Any):
        given = ["report", "model.json", "rows.csv"]
        assert "Did you mean 'label'?" in failed(*given, "--target", "lable")
        assert "give both" in failed(*given, "--positive", "x", code=2)
        assert "Give another name" in failed(*given, "-o", "rows.csv")
        assert "is a folder" in failed(*given, "-o", ".")


def peak(*given: Any) -> int:
    """Run a command in a process of its own, and return the most memory that it took, in kB."""
    # What the system tells of used resources counts that of the process that forked, too.
    code = (
        "import re, sys\n"
        "from fastpd.cli._commands import commands\n"
        "try: commands(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    line = [sys.executable, "-c", code, *map(str, given), "--quiet", "--jobs", "1"]
    return int(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize(("rows", "into"), [("many.parquet", "o.csv"), ("many.csv", "o.parquet")])
def test_memory_does_not_grow_with_the_rows(folder: Path, done: Any, rows: str, into: str):
    table = parquet.read_table("background.parquet").select(NAMES)
    done("fit", "model.json", "background.parquet", "-o", "m.fastpd", "--explain-output", "sum")
    took = []
    for copies in (15_000, 60_000):
        many = pa.concat_tables([table] * copies).combine_chunks()
        if rows.endswith("csv"):
            arrow_csv.write_csv(many, rows)
        else:
            parquet.write_table(many, rows, row_group_size=1 << 16)
        took.append(peak("explain", "m.fastpd", rows, "-o", into))
    whole = 2 * 60_000 * 40 * 3 * 8 / 1024  # of the rows and of the answer, in kB
    assert took[1] - took[0] < whole


def command(*given: Any, **options: Any) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "fastpd", *map(str, given)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


class TestProcess:
    def test_a_pipe_that_is_closed_ends_it_quietly(self, folder: Path):
        table = parquet.read_table("background.parquet")
        parquet.write_table(pa.concat_tables([table] * 5000), "many.parquet")
        running = command("explain", "model.json", "many.parquet", "--quiet")
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b'"age [0]"')
        running.stdout.close()
        said = running.stderr.read()
        running.stderr.close()
        assert (running.wait(), said) == (141, b"")

    def test_an_interrupt_leaves_no_half_file(self, folder: Path):
        table = parquet.read_table("background.parquet")
        parquet.write_table(pa.concat_tables([table] * 40_000), "many.parquet")
        running = command("explain", "model.json", "many.parquet", "-o", "phi.jsonl")
        for _ in range(600):
            if list(folder.glob(".fastpd-*")):
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130, said
        assert said.decode().splitlines()[-1] == "fastpd: interrupted"
        assert not (folder / "phi.jsonl").exists()
        assert not list(folder.glob(".fastpd-*"))

    def test_help_is_soon_there(self):
        """The processor's time, for the clock's also counts whatever else the machine does."""
        code = (
            "import sys, time; sys.argv = ['fastpd', '--help']\n"
            "from fastpd.cli import main\n"
            "try: main()\n"
            "except SystemExit: print(time.process_time(), file=sys.stderr)\n"
            "print({'pyarrow', 'matplotlib', 'jinja2', 'pandas'} & set(sys.modules))"
        )
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for _ in range(3)
        ]
        assert all(run.stdout.endswith("set()\n") for run in runs)
        assert min(float(run.stderr) for run in runs) < 0.5

    def test_python_m_runs_the_command(self):
        running = command("--version")
        assert b"version" in running.communicate()[0]

    def test_what_is_not_installed_is_named(self):
        code = "import sys; sys.modules['click'] = None; import fastpd.cli; fastpd.cli.main()"
        result = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert result.returncode == 1
        assert "pip install 'fastpd[cli]'" in result.stderr

    def test_a_terminal_gets_a_short_table(self, folder: Path):
        reader, writer = os.openpty()
        line = [sys.executable, "-m", "fastpd", "explain", "model.json", "background.parquet"]
        subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, check=True)
        os.close(writer)
        shown = os.read(reader, 1 << 16).decode()
        os.close(reader)
        assert "age [0]" in shown.splitlines()[0]
        assert len(shown.splitlines()) == 21


class TestHelp:
    @pytest.mark.parametrize("name", commands.commands)
    def test_every_command_has_help(self, done: Any, name: str):
        assert "--help" in done(name, "--help")

    def test_the_help_has_examples_codes_and_completion(self, done: Any):
        said = done("--help")
        for part in ("fastpd report model.json data.csv", "Exit codes: 0 done", "bash_source"):
            assert part in said

    def test_shells_complete_columns(self, folder: Path):
        shell = ShellComplete(commands, {}, "fastpd", "_FASTPD_COMPLETE")
        given = ["explain", "model.json", "rows.csv", "--keep"]
        assert [one.value for one in shell.get_completions(given, "l")] == ["label"]
        assert shell.get_completions(["explain", "model.json", "absent.csv", "--keep"], "") == []
        kinds = [one.type for one in shell.get_completions(["explain"], "")]
        assert kinds == ["file"]
