"""An explainer that was saved answers as before, to the last bit, and holds no rows."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from saved_cases import CASES, COVERED, SHALLOW, Case, background
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastpd
from fastpd import (
    BackgroundError,
    Explainer,
    FastPDError,
    MemoryLimitError,
    ModelFileError,
    OptionError,
    UnsupportedModelError,
)

Answers = dict[str, Any]


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


def saved(ex: Explainer, folder: Path, **options: Any) -> Explainer:
    ex.save(folder / "model.fastpd")
    return fastpd.load(folder / "model.fastpd", **options)


def answers(ex: Explainer, rows: Any) -> Answers:
    """All that can be asked at rows, or why it is refused."""
    asks: dict[str, Callable[[], Any]] = {
        "names": lambda: (*ex.feature_names, *ex.output_names),
        "predict": lambda: ex.predict(rows),
        "value": lambda: ex.value([(), (0,), (0, 1)], rows),
        "shap": lambda: ex.shap(rows).values,
        "components": lambda: ex.components(rows, 2).array,
        "interactions": lambda: ex.interactions(rows, 2).array,
        "effect": lambda: ex.effect(0, 1).pd_steps,
        "importance": lambda: ex.importance(rows).scores,
        "expected": lambda: ex.expected_value,
    }
    return {name: _answer(ask) for name, ask in asks.items()}


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except FastPDError as error:
        return str(error)


def assert_same(one: Answers, other: Answers) -> None:
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_answers_are_the_same_bits(case: Case, tmp_path: Path):
    ex = case.make()
    loaded = saved(ex, tmp_path)
    assert repr(loaded) == repr(ex)
    assert_same(answers(loaded, case.rows), answers(ex, case.rows))


def test_a_file_of_what_was_loaded_is_the_same_file(case: Case, tmp_path: Path):
    loaded = saved(case.make(), tmp_path)
    loaded.save(tmp_path / "again.fastpd")
    first, again = tmp_path / "model.fastpd", tmp_path / "again.fastpd"
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.more is not None])
def test_rows_are_added_and_explainers_merged_as_before(name: str, tmp_path: Path):
    case = CASES[name]
    ex, other = case.make(), case.make()
    loaded, also = saved(ex, tmp_path), saved(other, tmp_path)
    for one in (ex, loaded, other):
        one.update(case.more)
    assert_same(answers(loaded, case.rows), answers(ex, case.rows))
    loaded.merge(other)
    also.merge(loaded)
    ex.merge(other)
    ex.merge(case.make())
    assert_same(answers(also, case.rows), answers(ex, case.rows))


def test_pickles_and_copies_answer_alike(case: Case):
    ex = case.make()
    expected = answers(ex, case.rows)
    for one in (pickle.loads(pickle.dumps(ex)), copy.copy(ex), copy.deepcopy(ex)):
        assert isinstance(one, Explainer)
        assert_same(answers(one, case.rows), expected)


def test_a_copy_goes_its_own_way():
    ex = Explainer(SHALLOW, background(SHALLOW))
    copied = copy.deepcopy(ex)
    copied.update(background(SHALLOW))
    assert (ex.n_background, copied.n_background) == (30, 60)
    assert copied.importance().names  # a copy keeps what it averages over


def test_a_pickle_keeps_settings_but_no_function():
    ex = Explainer(SHALLOW, background(SHALLOW), n_jobs=1, progress=lambda *_: None)
    kept = pickle.loads(pickle.dumps(ex))
    assert kept._settings.n_jobs == 1
    assert kept._settings.progress.report is None


def test_workers_of_joblib_answer_alike():
    ex = Explainer(SHALLOW, background(SHALLOW))
    rows = background(SHALLOW, 4, 1)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(ex.predict)(rows[k : k + 2]) for k in (0, 2))
    np.testing.assert_array_equal(np.concatenate(found), ex.predict(rows))


def test_memory_limit_and_precision_are_kept_unless_others_are_asked(tmp_path: Path):
    ex = Explainer(SHALLOW, background(SHALLOW), memory_limit="5MB", precision="double")
    assert saved(ex, tmp_path)._settings.precision == "double"
    assert saved(ex, tmp_path).plan().memory_limit == 5_000_000
    assert saved(ex, tmp_path, memory_limit="1MB").plan().memory_limit == 1_000_000
    with pytest.raises(OptionError, match="memory_limit is 'lots'"):
        saved(ex, tmp_path, memory_limit="lots")
    assert saved(ex, tmp_path, n_jobs=1)._settings.n_jobs == 1


def test_no_row_of_the_background_is_in_the_file(tmp_path: Path):
    """Counts of two backgrounds with the same patterns make the same file."""
    rows = np.random.default_rng(0).normal(size=(40, 2)).round(2) + 0.002
    paths = [tmp_path / "one.fastpd", tmp_path / "other.fastpd"]
    for path, given in zip(paths, (rows, np.flipud(rows) + 0.004), strict=True):
        Explainer(COVERED, given).save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    "ask",
    [
        lambda ex: ex.importance(),
        lambda ex: ex.standard_errors(),
        lambda ex: ex.adequacy(),
    ],
)
def test_averages_over_the_background_take_its_rows(ask: Any, tmp_path: Path):
    loaded = saved(Explainer(SHALLOW, background(SHALLOW)), tmp_path)
    loaded.update(background(SHALLOW))
    with pytest.raises(BackgroundError, match="a saved explainer holds none"):
        ask(loaded)


def test_what_takes_rows_says_how_to_pass_them(tmp_path: Path):
    loaded = saved(Explainer(SHALLOW, background(SHALLOW)), tmp_path)
    said = r"^h_statistic\(\) averages .* Pass rows, such as h_statistic\(X=background\)"
    with pytest.raises(BackgroundError, match=said):
        loaded.h_statistic()
    with pytest.raises(BackgroundError, match=r"^ale\(\) averages .* ale\(feature, background\)"):
        loaded.ale(0)


def test_one_saved_before_any_rows_keeps_those_that_come(tmp_path: Path):
    loaded = saved(Explainer(SHALLOW), tmp_path)
    loaded.update(background(SHALLOW))
    assert loaded.importance().names


def test_numpy_reads_the_arrays(tmp_path: Path):
    Explainer(SHALLOW, background(SHALLOW)).save(tmp_path / "model.fastpd")
    with np.load(tmp_path / "model.fastpd", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["forest/value"], SHALLOW.value)


def pipeline() -> tuple[Any, pd.DataFrame]:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["a", "b"])
    model = make_pipeline(StandardScaler(), RandomForestRegressor(5, max_depth=3, random_state=0))
    return model.fit(X, X["a"]), X


def test_steps_of_a_pipeline_are_refused_with_the_way_out(tmp_path: Path):
    model, X = pipeline()
    ex = Explainer(model, X)
    with pytest.raises(UnsupportedModelError, match=r"Save that of the last step: Explainer\(pipe"):
        ex.save(tmp_path / "model.fastpd")
    assert list(tmp_path.iterdir()) == []
    last = saved(Explainer(model[-1], model[:-1].transform(X)), tmp_path)
    np.testing.assert_array_equal(last.predict(model[:-1].transform(X)), ex.predict(X))


def test_a_pickle_holds_the_steps_of_a_pipeline():
    model, X = pipeline()
    ex = Explainer(model, X, groups={"both": ["a", "b"]})
    kept = pickle.loads(pickle.dumps(ex))
    assert kept.feature_names == ("both",)
    np.testing.assert_array_equal(kept.shap(X).values, ex.shap(X).values)
    kept.merge(ex)
    assert kept.n_background == 100


class TestWriting:
    ex = Explainer(SHALLOW, background(SHALLOW))

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("absent/model.fastpd", "Make .*absent first"),
            (".", "is a folder"),
            ("x" * 300, "can not be written"),
            ("a\0b", "expected its path as text"),
        ],
    )
    def test_where_it_can_not_be(self, path: str, said: str, tmp_path: Path):
        with pytest.raises(OptionError, match=said):
            self.ex.save(str(tmp_path / path))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("path", [3, None, b"model.fastpd", "", "/dev/null"])
    def test_what_is_no_file(self, path: Any):
        with pytest.raises(OptionError, match=r"was given for a file|a pipe or a device"):
            self.ex.save(path)

    def test_the_old_file_stays_until_the_new_one_is_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        path = tmp_path / "model.fastpd"
        self.ex.save(path)
        before = path.read_bytes()

        def full(_: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OptionError, match="No space left on device"):
            self.ex.save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_link_stays_a_link(self, tmp_path: Path):
        (tmp_path / "link").symlink_to(tmp_path / "model.fastpd")
        self.ex.save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "model.fastpd").is_file()


class TestOtherFiles:
    @pytest.mark.parametrize(
        ("content", "said"),
        [(b"", "is empty"), (b'{"learner": {}}', "A model of another library goes to Explainer")],
    )
    def test_files_of_others(self, content: bytes, said: str, tmp_path: Path):
        (tmp_path / "model").write_bytes(content)
        with pytest.raises(ModelFileError, match=said):
            fastpd.load(tmp_path / "model")

    def test_zip_files_of_others(self, tmp_path: Path):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("data.txt", "x")
        with pytest.raises(ModelFileError, match="no explainer that fastpd saved"):
            fastpd.load(tmp_path / "a.zip")

    @pytest.mark.parametrize("name", ["absent", "."])
    def test_no_files(self, name: str, tmp_path: Path):
        with pytest.raises(ModelFileError, match="is not there, or is no file"):
            fastpd.load(tmp_path / name)

    def test_no_paths(self):
        with pytest.raises(OptionError, match="expected its path as text"):
            fastpd.load(b"model.fastpd")  # type: ignore[arg-type]

    def test_a_saved_explainer_is_no_model(self, tmp_path: Path):
        TestWriting.ex.save(tmp_path / "model.fastpd")
        with pytest.raises(ModelFileError, match=r"open it with fastpd\.load\(path\)"):
            Explainer(tmp_path / "model.fastpd")


def test_saving_imports_nothing_heavy(tmp_path: Path):
    TestWriting.ex.save(tmp_path / "model.fastpd")
    code = (
        f"import sys, fastpd; fastpd.load({str(tmp_path / 'model.fastpd')!r}).predict([[0.0] * 4]);"
        "print({'pandas', 'pyarrow', 'sklearn', 'xgboost', 'joblib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_written_can_be_read_from_memory():
    memory = io.BytesIO()
    ex = TestWriting.ex
    fastpd.saved.write(ex._kept(), memory)
    memory.seek(0)
    kept = fastpd.saved.read(memory, len(memory.getvalue()), "the memory")
    assert kept.measure.n_rows == 30


def test_what_a_limit_on_memory_left_of_deep_counts_is_told_as_before(tmp_path: Path):
    case = CASES["deep, of low order"]
    loaded = saved(case.make(), tmp_path)
    assert loaded.plan().deep_order == 4
    with pytest.raises(MemoryLimitError, match="leaves room for order 4 only"):
        loaded.shap(case.rows)
