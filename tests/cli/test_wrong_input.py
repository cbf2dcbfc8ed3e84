"""Whatever is wrong with files and options is refused in one line, with the way out."""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xgboost as xgb
from pyarrow import parquet

import fastpd
from fastpd import Explainer
from fastpd.cli._csv import Dialect
from fastpd.cli._screen import table_text
from fastpd.cli._tables import open_table

HOSTILE = ["plain", 'it\'s "quoted"', "two\nlines", "<script>alert(1)</script>", "x" * 500]
CITIES = ["Rome", "NA", "01", "=1+1"]


def booster(names: list[str], cells: Any, folder: Path, name: str = "m.json") -> None:
    data = xgb.DMatrix(cells, np.nan_to_num(cells).sum(axis=1), feature_names=names)
    xgb.train({"max_depth": 3, "nthread": 1}, data, 3).save_model(folder / name)


def csv_file(path: Path, names: list[str], cells: Any, **options: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, **options)
        writer.writerow(names)
        writer.writerows(cells)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model of the columns a and b, and where a.csv is to be written."""
    monkeypatch.chdir(tmp_path)
    booster(["a", "b"], np.random.default_rng(0).normal(size=(60, 2)), tmp_path)
    return tmp_path


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """A model of a label and a number, and its rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    city = pd.Categorical.from_codes(rng.integers(0, 4, 80), CITIES)
    frame = pd.DataFrame({"city": city, "age": rng.integers(20, 60, 80)})
    model = xgb.XGBRegressor(n_estimators=3, max_depth=3, n_jobs=1, enable_categorical=True)
    model.fit(frame, city.codes * 10 + frame["age"]).save_model("m.json")
    return frame


class TestFiles:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["explain", "model.json", "row.csv"], "row.csv is not there. Did you mean 'rows.csv"),
            (["explain", "model.json", "x/y.csv"], "x/y.csv is not there. Check the path"),
            (["explain", "absent.json", "rows.csv"], "absent.json' cannot be read"),
            (["explain", "rows.csv", "rows.csv"], "expected a model saved by XGBoost"),
            (["explain", "model.json", "model.json"], "ends in '.json'; expected a table in .csv"),
            (["explain", "model.json", "."], ". is a folder; expected the file of one table"),
            (["explain", ".", "rows.csv"], "cannot be read"),
            (["explain", "model.json", "/dev/null"], "is a pipe or a device"),
            (["explain", "model.json", "rows.csv", "-o", "a.xlsx"], "ends in '.xlsx'; expected"),
            (["explain", "model.json", "rows.csv", "-o", "no/a.csv"], "Make no first"),
            (["explain", "model.json", "rows.csv", "-o", "."], ". is a folder"),
            (["explain", "model.json", "rows.csv", "-o", "/proc/a.csv"], "can not be written"),
            (["explain", "model.json", "rows.csv", "-o", "/dev/null"], "a pipe or a device"),
            (["explain", "model.json", "rows.csv", "-o", "./rows.csv"], "Give another name"),
            (["fit", "model.json", "rows.csv", "-o", "model.json"], "Give another name"),
            (["explain", "model.json", "rows.csv", "--background", "b.csv"], "b.csv is not there"),
            (["effects", "model.json"], "no background was given"),
            (["effects", "model.json", "rows.csv", "-f", "agee"], "Did you mean 'age'"),
            (["effects", "model.json", "rows.csv", "--pair", "age", "age"], "age"),
            (["explain", "model.json", "rows.csv", "--weights", "no"], "no column 'no' for --weig"),
            (["explain", "model.json", "rows.csv", "--keep", "lable"], "Did you mean 'label'?"),
            (["explain", "model.json", "rows.csv", "--explain-output", "7"], "output is '7'"),
            (["explain", "model.json", "rows.csv", "--memory-limit", "lots"], "limit is 'lots'"),
            (["explain", "model.json", "rows.csv", "--jobs", "0"], "n_jobs is 0"),
            (["explain", "model.json", "rows.csv", "--rounds", "3", "2"], "iteration_range is"),
            (["explain", "model.json", "rows.csv", "--group", "g=no"], "names 'no', which is no"),
            (["explain", "model.json", "rows.csv", "--categories", "no.json"], "can not be read"),
            (["explain", "unnamed.json", "rows.csv"], "--ignore COLUMN leaves one out"),
            (["explain", "model.json", "rows.csv", "--measure", "path", "--weights", "weight"],
             "takes the model's own counts"),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, folder: Path, failed: Any, given: list[str], said: str):
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert said in failed(*given)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["explian", "model.json", "rows.csv"], "'explain'"),
            (["explain", "model.json"], "Missing argument 'DATA'"),
            (["explain", "model.json", "rows.csv", "--what", "shap", "--max-order", "2"],
             "--max-order is of components"),
            (["explain", "model.json", "rows.csv", "--group", "g"], "expected NAME=COLUMN"),
            (["explain", "model.json", "rows.csv", "--separator", "ab"], "one ASCII character"),
            (["explain", "model.json", "rows.csv", "--separator", "é"], "one ASCII character"),
            (["importance", "model.json", "rows.csv", "--max-order", "0"], "0 is not in the range"),
        ],
    )  # fmt: skip
    def test_wrong_usage(self, folder: Path, failed: Any, given: list[str], said: str):
        assert said in failed(*given, code=2)

    @pytest.mark.parametrize(
        "option",
        [
            ["--background", "rows.csv"],
            ["--weights", "weight"],
            ["--explain-output", "1"],
            ["--measure", "path"],
            ["--precision", "double"],
        ],
    )
    def test_a_saved_explainer_has_its_own(
        self, folder: Path, failed: Any, done: Any, option: list[str]
    ):
        done("fit", "model.json", "rows.csv", "-o", "m.fastpd")
        said = failed("explain", "m.fastpd", "rows.csv", *option, code=2)
        assert f"leave {option[0]} out" in said

    def test_a_damaged_explainer(self, folder: Path, failed: Any, done: Any):
        done("fit", "model.json", "rows.csv", "-o", "m.fastpd")
        Path("m.fastpd").write_bytes(Path("m.fastpd").read_bytes()[:-9])
        assert "is damaged, or was changed by hand" in failed("explain", "m.fastpd", "rows.csv")

    def test_debug_shows_the_traceback(self, folder: Path, run: Any):
        result = run("explain", "model.json", "absent.csv", "--debug")
        assert isinstance(result.exception, fastpd.DataError)

    def test_what_was_not_foreseen_is_one_line_too(
        self, folder: Path, failed: Any, monkeypatch: pytest.MonkeyPatch
    ):
        def broken(*_: Any, **__: Any) -> None:
            raise RuntimeError("a\nb")

        monkeypatch.setattr(Explainer, "shap", broken)
        said = failed("explain", "model.json", "rows.csv")
        assert "did not foresee: RuntimeError: a b. Give --debug" in said


class TestCsv:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "expected a row of names"),
            (b"a,b\n1,2,3\n", "expected a row of names"),
            (b"a;b\n1,5;2,5\n", "between semicolons. Give --separator ';', and --decimal ,"),
            ("a,b\n1,2\n".encode("utf-16"), "is in UTF-16; expected UTF-8"),
            (b'a,b\n1,2\n"' + b"3,4\n" * (1 << 20), "Does a quotation mark lack its partner?"),
            (b"A,B\n1,2\n", "'a' (Did you mean 'A'?), 'b' (Did you mean 'B'?)"),
            (b"a;b\n1;2\n", "between semicolons. Give --separator ';', and --decimal ,"),
            (b"a\tb\n1\t2\n", r"between tabs. Give --separator '\\t'"),
            (b"1.5,2\n3,4\n", "holds numbers, 1.5, 2; expected the names of the columns"),
            (b"a,c\n1,2\n", "lacks 1 of the model's 2 columns: 'b'"),
            (b"a,b,a\n1,2,3\n", "more than one column 'a'"),
            (b"a,b\n1,x\n2,y\n", "holds 'x' in the column 'b'; expected a number"),
            (b"a,b\n", "the background has no rows"),
            (b"a,b\n2020-01-01,2\n", "holds '2020-01-01' in the column 'a'; expected a number"),
            ("a,b\n1,\xe9\n".encode("latin-1"), "in UTF-8"),
            ("\xe9,b\n1,2\n".encode("latin-1"), "in UTF-8"),
            ("a,b\n1,2\n".encode("utf-16"), ""),
            (b"\x00\x01\x02", ""),
        ],
    )
    def test_what_is_refused(self, small: Path, failed: Any, content: bytes, said: str):
        (small / "a.csv").write_bytes(content)
        assert said in failed("explain", "m.json", "a.csv")

    def test_text_far_below_numbers_is_named(self, small: Path, failed: Any):
        csv_file(small / "a.csv", ["a", "b"], [[1, 2]] * 600_000 + [[3, "four"]])
        said = failed("explain", "m.json", "a.csv", "-o", "out.csv")
        assert "a.csv holds 'four' in the column 'b'; expected a number" in said
        assert not (small / "out.csv").exists()

    def test_fractions_far_below_whole_numbers_are_read(self, small: Path, done: Any):
        cells = [[k % 7, 2] for k in range(600_000)] + [[0.25, -0.5]]
        csv_file(small / "a.csv", ["a", "b"], cells)
        done("explain", "m.json", "a.csv", "-o", "out.parquet")
        expected = Explainer("m.json", np.array(cells)).shap(np.array(cells[-9:])).values
        found = parquet.read_table("out.parquet").slice(600_001 - 9)
        assert found.num_rows == 9
        np.testing.assert_array_equal(np.column_stack(list(found.columns)), expected)

    @pytest.mark.parametrize(
        ("name", "content", "options"),
        [
            ("a.csv", b"\xef\xbb\xbfa,b\n1,2\n3,\n", []),
            ("a.csv", b"b,a\r\n2,1\r\n,3\r\n", []),
            ("a.csv", b"id,a,b\nx,1,2\ny,3,NA\n", []),
            ("a.csv", b"a;b\n1,0;2,0\n3,0;\n", ["--separator", ";", "--decimal", ","]),
            ("a.csv", b"a\tb\n1\t2\n3\tnan\n", ["--separator", r"\t"]),
            ("a.tsv", b"a\tb\n1\t2\n3\t\n", []),
            ("a.CSV", b'"a","b"\n"1","2"\n"3",""\n', []),
            ("a.csv.gz", gzip.compress(b"a,b\n1,2\n3,\n"), []),
        ],
    )
    def test_ways_to_write_the_same(
        self, small: Path, done: Any, name: str, content: bytes, options: list[str]
    ):
        (small / name).write_bytes(content)
        printed = done("explain", "m.json", name, "--format", "json", *options)
        rows = np.array([[1, 2], [3, np.nan]])
        expected = Explainer("m.json", rows).shap(rows).values
        np.testing.assert_array_equal([list(one.values()) for one in json.loads(printed)], expected)

    def test_a_packed_file_that_is_cut_off(self, small: Path, failed: Any):
        packed = gzip.compress(b"a,b\n" + b"1,2\n" * 9999)
        (small / "a.csv.gz").write_bytes(packed[:-20])
        assert "a.csv.gz" in failed("explain", "m.json", "a.csv.gz")

    def test_one_row_and_no_rows(self, small: Path, done: Any, failed: Any):
        (small / "one.csv").write_text("a,b\n1,2\n")
        (small / "none.csv").write_text("a,b\n")
        assert len(done("explain", "m.json", "one.csv").splitlines()) == 2
        background = ["--background", "one.csv"]
        assert done("explain", "m.json", "none.csv", *background) == '"a","b"\n'
        assert done("explain", "m.json", "none.csv", *background, "--format", "json") == "[]\n"
        assert done("explain", "m.json", "none.csv", *background, "--format", "jsonl") == ""
        assert "has no rows" in failed("importance", "m.json", "none.csv", *background)
        done("plan", "m.json", "none.csv", *background)

    def test_columns_without_any_value(self, small: Path, done: Any):
        (small / "a.csv").write_text("a,b\n,1\n,2\n")
        parquet.write_table(pa.table({"a": pa.nulls(2), "b": [1, 2]}), "a.parquet")
        assert done("explain", "m.json", "a.csv") == done("explain", "m.json", "a.parquet")

    def test_one_feature(self, small: Path, done: Any):
        booster(["a"], np.arange(9.0).reshape(-1, 1), small, "one.json")
        (small / "a.csv").write_text("a\n1\n5\n")
        assert done("explain", "one.json", "a.csv").splitlines()[0] == '"a"'
        assert len(done("importance", "one.json", "a.csv").splitlines()) == 2


class TestParquet:
    def test_what_is_none(self, folder: Path, failed: Any):
        Path("a.parquet").write_bytes(b"PAR1 is not enough")
        assert "expected a table of Parquet" in failed("explain", "model.json", "a.parquet")

    def test_what_was_damaged(self, folder: Path, failed: Any):
        content = bytearray(Path("background.parquet").read_bytes())
        content[4:200] = bytes(196)
        Path("a.parquet").write_bytes(content)
        assert "a.parquet" in failed("explain", "model.json", "a.parquet")

    def test_names_with_dots(self, small: Path, done: Any):
        booster(["a", "a.b"], np.random.default_rng(0).normal(size=(60, 2)), small)
        table = pa.table({"a.b": [1.0, 2.0], "x": [1, 2], "a": [0.5, -0.5]})
        parquet.write_table(table, "a.parquet")
        assert done("explain", "m.json", "a.parquet").splitlines()[0] == '"a","a.b"'


class TestLabels:
    def test_csv_holds_labels_as_a_frame_does(self, labelled: pd.DataFrame, done: Any):
        """Also those that read as missing, as numbers, and as a formula."""
        labelled.to_csv("a.csv", index=False)
        done("explain", "m.json", "a.csv", "-o", "out.parquet")
        found = parquet.read_table("out.parquet")
        expected = Explainer("m.json", labelled).shap(labelled).values
        np.testing.assert_array_equal(np.column_stack(list(found.columns)), expected)

    def test_labels_that_are_all_digits(self, labelled: pd.DataFrame, done: Any):
        Path("a.csv").write_text("city,age\n01,30\n01,50\n")
        rows = pd.DataFrame({"city": ["01", "01"], "age": [30, 50]})
        expected = Explainer("m.json", rows).shap(rows).values
        printed = json.loads(done("explain", "m.json", "a.csv", "--format", "json"))
        np.testing.assert_array_equal([list(one.values()) for one in printed], expected)

    def test_codes_are_not_taken_for_labels(self, labelled: pd.DataFrame, failed: Any):
        labelled.assign(city=labelled["city"].cat.codes).to_csv("a.csv", index=False)
        said = failed("explain", "m.json", "a.csv")
        assert "a.csv: Column 'city' of background holds numbers; expected the labels" in said

    def test_labels_that_the_model_never_met(self, labelled: pd.DataFrame, failed: Any):
        Path("a.csv").write_text("city,age\nRome,30\nRom,50\n")
        assert "Did you mean 'Rome'?" in failed("explain", "m.json", "a.csv")

    def test_a_model_of_codes_gets_labels_by_an_option(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: Any, failed: Any
    ):
        monkeypatch.chdir(tmp_path)
        cells = np.random.default_rng(0).integers(0, 3, (50, 2)).astype(float)
        data = xgb.DMatrix(
            cells, cells.sum(axis=1), feature_names=["a", "b"], feature_types=["c", "q"],
            enable_categorical=True,
        )  # fmt: skip
        xgb.train({"max_depth": 2, "nthread": 1}, data, 3).save_model("m.json")
        Path("labels.json").write_text('{"a": ["x", "y", "z"]}')
        Path("text.csv").write_text("a,b\nx,1\nz,2\n")
        Path("codes.csv").write_text("a,b\n0,1\n2,2\n")
        by_label = done("explain", "m.json", "text.csv", "--categories", "labels.json")
        assert by_label == done("explain", "m.json", "codes.csv")
        assert "keeps only the codes" in failed("explain", "m.json", "text.csv")

    def test_ten_thousand_labels(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: Any):
        monkeypatch.chdir(tmp_path)
        labels = [f"label {k}" for k in range(10_000)]
        frame = pd.DataFrame({"a": pd.Categorical(labels), "b": np.arange(10_000.0)})
        model = xgb.XGBRegressor(n_estimators=2, max_depth=3, n_jobs=1, enable_categorical=True)
        model.fit(frame, frame["b"] % 7).save_model("m.json")
        frame.to_csv("a.csv", index=False)
        done("explain", "m.json", "a.csv", "-o", "out.parquet")
        expected = Explainer("m.json", frame).shap(frame).values
        found = parquet.read_table("out.parquet")
        np.testing.assert_array_equal(np.column_stack(list(found.columns)), expected)


class TestNames:
    @pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
    def test_hostile_names_come_back(self, small: Path, done: Any, ending: str):
        cells = np.random.default_rng(0).normal(size=(40, len(HOSTILE)))
        frame = pd.DataFrame(cells, columns=HOSTILE)
        fastpd.Explainer(_forest(HOSTILE), frame).save("m.fastpd")
        frame.to_csv("a.csv", index=False)
        done("explain", "m.fastpd", "a.csv", "-o", f"out.{ending}")
        read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}[ending]
        assert list(read(f"out.{ending}").columns) == HOSTILE
        done("effects", "m.fastpd", "-o", f"steps.{ending}")

    def test_messages_stay_on_one_line_and_steer_no_terminal(self, small: Path, run: Any):
        csv_file(small / "a.csv", ["a", "b", "x\ny", "\x1b[2J"], [[1, 2, 3, 4]])
        said = run("explain", "m.json", "a.csv").stderr
        assert "\x1b" not in said
        assert all(re.match(r"fastpd: ", line) for line in said.splitlines())

    def test_columns_of_one_title_are_not_written_over_each_other(self, small: Path, failed: Any):
        booster(["a", "b", "a x b"], np.random.default_rng(0).normal(size=(40, 3)), small)
        csv_file(small / "a.csv", ["a", "b", "a x b"], [[1, 2, 3], [0, 0, 0]])
        said = failed("explain", "m.json", "a.csv", "--what", "components")
        assert "would be called 'a x b'" in said
        assert "would be called 'a'" in failed("explain", "m.json", "a.csv", "--keep", "a")


def _forest(names: list[str]) -> fastpd.Forest:
    d = len(names)
    return fastpd.Forest.from_arrays(
        feature=[[k, -1, -1] for k in range(d)],
        threshold=[[0.0, 0, 0]] * d,
        left=[[1, -1, -1]] * d,
        right=[[2, -1, -1]] * d,
        value=[[0.0, k, -k] for k in range(d)],
        feature_names=names,
    )


def test_whole_numbers_that_no_float_holds_are_not_rounded(small: Path, failed: Any):
    (small / "a.csv").write_text(f"a,b\n{2**53 + 1},1\n")
    assert str(2**53 + 1) in failed("explain", "m.json", "a.csv")


def test_empty_cells_of_text_are_missing(small: Path):
    (small / "a.csv").write_text("a,b\nx,\n,2\n")
    (batch,) = open_table(small / "a.csv", Dialect()).batches(["a", "b"])
    assert batch.column("a").to_pylist() == ["x", None]


class TestKeptColumns:
    def test_cells_that_look_like_numbers_stay_as_they_are(self, small: Path, done: Any):
        cells = ["0017", str(2**53 + 1), "12345678901234567890", "NA", "1.10", "2020-01-01", ""]
        csv_file(small / "a.csv", ["a", "b", "id"], [[1, 2, one] for one in cells])
        done("explain", "m.json", "a.csv", "--keep", "id", "-o", "out.csv")
        with Path("out.csv").open(newline="", encoding="utf-8") as file:
            assert [row["id"] for row in csv.DictReader(file)] == cells

    def test_whole_numbers_before_others_in_a_later_block(
        self, small: Path, done: Any, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr("fastpd.cli._csv._BLOCK", 64)
        ids = [str(2**53 + k) for k in range(30)]
        cells = [[1 if k < 29 else 1.5, 2, one] for k, one in enumerate(ids)]
        csv_file(small / "a.csv", ["a", "b", "id"], cells)
        done("explain", "m.json", "a.csv", "--keep", "id", "-o", "out.parquet")
        assert parquet.read_table("out.parquet").column("id").to_pylist() == ids


def test_a_target_that_the_model_takes_is_refused(small: Path, failed: Any):
    csv_file(small / "a.csv", ["a", "b"], [[1, 2], [3, 4]])
    assert "the model takes the column 'a' itself" in failed(
        "report", "m.json", "a.csv", "--target", "a"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "out.xlsx"], "out.xlsx ends in '.xlsx'; expected one of .csv"),
        (["-o", "out.csv", "--format", "json"], "out.csv ends as csv, and --format is 'json'"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "effects", "importance", "plan"])
def test_formats_are_refused_before_any_work(
    small: Path, failed: Any, command: str, options: list[str], message: str
):
    # The table is not even looked for.
    assert message in failed(command, "m.json", "absent.csv", *options)


def test_a_full_disk_behind_stdout(small: Path):
    csv_file(small / "a.csv", ["a", "b"], [[1, 2], [3, 4]])
    command = [sys.executable, "-m", "fastpd", "explain", "m.json", "a.csv", "--quiet"]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: stdout can not be written: No space left on device.")
    assert len(ended.stderr.splitlines()) == 1


def test_a_plan_says_which_background_is_only_estimated(small: Path, done: Any):
    csv_file(small / "a.csv", ["a", "b"], [[1, 2], [3, 4]])
    done("fit", "m.json", "a.csv", "-o", "m.fastpd")
    assert "background   2 rows: 0 ms" in done("plan", "m.fastpd", "a.csv")
    assert "background   about 2 rows: " in done("plan", "m.json", "a.csv")
    assert "background   none: " in done("plan", "m.json", "a.csv", "--measure", "path")


def test_wide_letters_leave_columns_straight():
    table = pa.table({"日本": ["a", "東京都"], "b": [1, 2]})
    lines = table_text(table, 40)[0].splitlines()
    assert lines == ["日本    b", "a       1", "東京都  2"]
    assert table_text(table, 8)[2] == 1
