"""The experiments on real data: sets, search and comparison, on small made-up folders of sets."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments import adult, cells, comparing, findings, realdata, search, suites
from experiments.size import Size

import fastpd

QUICK = Size(repeats=2, searches=2, quick=True)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep cells and results of tests out of the project."""
    monkeypatch.setattr(cells, "FOLDER", tmp_path / "cache")
    monkeypatch.setattr(findings, "RESULTS", tmp_path / "results")
    return tmp_path


@pytest.fixture(autouse=True)
def _forget_sets():
    realdata.listed.cache_clear()
    yield
    realdata.listed.cache_clear()


def frame_of(n: int, classes: int, seed: int) -> pd.DataFrame:
    """Correlated numbers, some missing, a category, and a target that depends on them."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + 0.5 * rng.normal(size=n)
    score = a * b + rng.normal(size=n)
    b[::17] = np.nan
    label = pd.Categorical(rng.choice(["low", "high", "mid"], size=n))
    target = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return pd.DataFrame({"a": a, "b": b, "c": label, "y": target if classes else score})


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of one regression and two classification sets, and two that do not count."""
    folder = tmp_path / "sets"
    folder.mkdir()
    entries = []
    for name, suite, classes in (("r", "CTR23", 0), ("two", "CC18", 2), ("three", "CC18", 3)):
        frame = frame_of(150, classes, seed=classes)
        frame["id"] = range(len(frame))
        frame.to_parquet(folder / f"{name}.parquet")
        entries.append(entry_of(name, suite) | {"ignore": ["id"]})
    entries += [entry_of("wide", "CC18") | {"n_features": 501}, entry_of("absent", "CTR23")]
    (folder / "wide.parquet").touch()
    (folder / "manifest.json").write_text(json.dumps(entries), encoding="utf-8")
    monkeypatch.setenv(realdata.FOLDER, str(folder))
    return folder


def entry_of(name: str, suite: str) -> dict[str, Any]:
    file = f"{name}.parquet"
    return {
        "name": name,
        "suite": suite,
        "target": "y",
        "n_features": 3,
        "ignore": [],
        "file": file,
    }


class TestSets:
    def test_labels_become_ordinal_codes_and_missing_values_stay(self):
        frame = pd.DataFrame(
            {
                "size": pd.Categorical(["s", None, "l", "s"]),
                "rank": pd.Categorical(["10", "9", "9", "10"]),
                "old": [True, False, False, True],
                "y": pd.Categorical(["no", "yes", "maybe", "no"]),
            }
        )
        table = realdata.table_of(frame, "y", "made up", "CC18")
        np.testing.assert_array_equal(table.X[:, 0], [1, np.nan, 0, 1])
        np.testing.assert_array_equal(table.X[:, 1], [1, 0, 0, 1])
        np.testing.assert_array_equal(table.X[:, 2], [1, 0, 0, 1])
        np.testing.assert_array_equal(table.y, [1, 2, 0, 1])
        assert (table.n_classes, table.n_scores) == (3, 3)
        assert table.features == ("size", "rank", "old")

    def test_those_in_the_folder_that_are_not_too_wide_are_known(self, sets: Path):
        assert realdata.known() == ("r", "two", "three")
        table = realdata.load("r")
        assert (table.X.shape, table.features, table.n_scores) == ((150, 3), ("a", "b", "c"), 1)

    def test_an_unknown_name_is_answered_with_the_known_ones(self, sets: Path):
        with pytest.raises(KeyError, match="no data set 'iris'; there are r, two, three"):
            realdata.load("iris")

    def test_a_folder_without_a_list_is_refused(self, tmp_path: Path, monkeypatch: Any):
        monkeypatch.setenv(realdata.FOLDER, str(tmp_path))
        with pytest.raises(FileNotFoundError, match=r"has no manifest\.json; expected one"):
            realdata.known()

    def test_without_folder_and_package_the_way_out_is_said(self, monkeypatch: Any, tmp_path: Path):
        monkeypatch.delenv(realdata.FOLDER, raising=False)
        monkeypatch.setattr(realdata, "_BESIDE", tmp_path / "nowhere")
        monkeypatch.setitem(sys.modules, "openml", None)
        with pytest.raises(fastpd.FastPDError, match=r"--data or FASTPD_DATA.*pip install openml"):
            realdata.known()

    def test_without_a_folder_they_are_downloaded(self, monkeypatch: Any, tmp_path: Path):
        frame = frame_of(60, 0, seed=1)
        monkeypatch.delenv(realdata.FOLDER, raising=False)
        monkeypatch.setattr(realdata, "_BESIDE", tmp_path / "nowhere")
        monkeypatch.setitem(sys.modules, "openml", downloads({7: frame, 8: frame}))
        assert realdata.known() == ("set 7",)
        table = realdata.load("set 7")
        assert (table.suite, table.X.shape) == ("CTR23", (60, 3))

    def test_real_ones_are_explained_exactly(self):
        if realdata.folder() is None:
            pytest.skip("NOT TESTED on real data sets: there is no folder of them (FASTPD_DATA)")
        for name in ("cars", "sick", "vehicle"):
            table = realdata.load(name)
            draw = search.Draw(20, {"max_depth": 4, "eta": 0.3})
            model = search.fitted(table, draw, seed=0)
            output = {"output": "sum"} if table.n_scores > 1 else {}
            explainer = fastpd.Explainer(model, table.X, progress=False, **output)
            parts = explainer.components(table.X, max_order=4)
            assert parts.complete
            whole = parts.intercept + sum(parts[one] for one in parts)
            np.testing.assert_allclose(whole, explainer.predict(table.X), atol=1e-5)


def downloads(frames: dict[int, pd.DataFrame]) -> Any:
    """Return what stands for the package openml: tasks of one suite, all too wide but the first."""

    def get_dataset(number: int, **_: Any) -> Any:
        features = 4 if number == min(frames) else 1000
        return SimpleNamespace(
            name=f"set {number}",
            qualities={"NumberOfFeatures": features},
            get_data=lambda: (frames[number], None, None, None),
        )

    def get_task(task: int, **_: Any) -> Any:
        return SimpleNamespace(dataset_id=task - 100, target_name="y")

    def get_suite(number: int) -> Any:
        return SimpleNamespace(tasks=[100 + key for key in frames] if number == 353 else [])

    return SimpleNamespace(
        study=SimpleNamespace(get_suite=get_suite),
        tasks=SimpleNamespace(get_task=get_task),
        datasets=SimpleNamespace(get_dataset=get_dataset),
    )


class TestSearch:
    def test_draws_lie_in_the_paper_s_ranges(self):
        draws = search.drawn(500, seed=0)
        rounds = {draw.rounds for draw in draws}
        assert (min(rounds), max(rounds)) == pytest.approx((10, 200), abs=3)
        assert {draw.params["max_depth"] for draw in draws} == {1, 2, 3, 4, 5}
        for name, low, high in (
            ("eta", 0, 0.5),
            ("subsample", 0.5, 1),
            ("colsample_bytree", 0.5, 1),
        ):
            values = [draw.params[name] for draw in draws]
            assert low <= min(values) < low + 0.02
            assert high - 0.02 < max(values) <= high

    def test_more_draws_begin_with_the_same(self):
        assert search.drawn(5, seed=3) == search.drawn(9, seed=3)[:5]

    @pytest.mark.parametrize("classes", [0, 2, 3])
    def test_errors_are_those_of_models_that_did_not_see_the_rows(self, classes: int):
        table = realdata.table_of(
            frame_of(100, classes, seed=0), "y", "made up", "CC18" if classes else "CTR23"
        )
        # No tree at all: the prediction is the mean or the share in the other four folds.
        nothing = search.Draw(1, {"max_depth": 1, "eta": 0.0})
        good = search.Draw(40, {"max_depth": 3, "eta": 0.1})
        found = search.searched(table, [nothing, good], seed=0)
        assert found.best is good
        spread = np.var(table.y) if not classes else np.log(classes)
        assert found.errors[0] == pytest.approx(spread, rel=0.1)

    def test_the_first_of_equal_draws_is_the_best(self):
        draws = search.drawn(3, seed=0)
        assert search.Search(draws, np.array([2.0, 1.0, 1.0])).best is draws[1]


class TestComparison:
    def test_importances_are_mean_absolute_components(self, monkeypatch: Any):
        table = realdata.table_of(frame_of(90, 3, seed=0), "y", "made up", "CC18")
        model = search.fitted(table, search.Draw(10, {"max_depth": 3, "eta": 0.3}), seed=0)
        explainer = fastpd.Explainer(model, table.X, output="sum", progress=False)
        monkeypatch.setattr(comparing, "_CHUNK", 100)  # several runs of rows
        sets, found = comparing.importances(explainer, table.X, 3)
        parts = explainer.components(table.X, max_order=3)
        assert len(sets) == len(parts) == 7
        names = explainer.feature_names
        expected = [np.abs(parts[tuple(names[k] for k in one)]).mean() for one in sets]
        np.testing.assert_allclose(found, expected, atol=1e-7)

    def test_the_first_five_of_every_column_are_at_the_top(self):
        values = np.array([[3.0, 1], [1, 1], [2, 1], [5, 1], [4, 1], [0, 9], [0, 1]])
        first, second = comparing.top(values).T
        np.testing.assert_array_equal(first, [1, 1, 1, 1, 1, 0, 0])
        np.testing.assert_array_equal(second, [1, 1, 1, 1, 0, 1, 0])

    def test_differences_are_relative_to_the_whole_background(self):
        whole = np.array([8.0, 7, 6, 5, 4, 2, 1, 0])[:, None]
        path = np.array([8.0, 7, 6, 5, 4, 3, 1, 0])[:, None]
        few = np.array([[8.0, 8], [7, 7], [6, 6], [5, 0], [4, 4], [2, 2], [1, 1], [0, 0]])
        cell = {"FastPD": whole, "Friedman-path": path, "FastPD-50": few, "FastPD-100": few}
        cell["Friedman-path, model's cover"] = np.roll(whole, 1, axis=0)
        found = comparing.differences(cell)
        few_apart = found["FastPD-50"]
        np.testing.assert_array_equal(few_apart[:5, 1], [0, 0, 0, -1, 0])
        # The sixth is compared in the second draw only, where it moves up into the top five.
        np.testing.assert_array_equal(found["Friedman-path"][5], [np.nan, 0.5])
        assert np.isnan(few_apart[6:]).all()
        # The other Friedman-path has a top five of its own, which counts for itself alone.
        assert found["Friedman-path, model's cover"][5, 0] == 1.0

    def test_a_component_that_only_others_see_is_infinitely_far(self):
        apart = comparing.relative(np.array([[0.0], [1.0]]), np.array([[0.0], [0.0]]))
        np.testing.assert_array_equal(apart, [[0.0], [np.inf]])

    @pytest.mark.parametrize("name", ["r", "three"])
    def test_paths_of_one_split_make_no_difference(self, sets: Path, name: str):
        cell = comparing.compared(name, 1, 2, tuned_with(name, depth=1))
        assert (cell["sets"][:, 1:] == -1).all()
        np.testing.assert_allclose(cell["Friedman-path"], cell["FastPD"], rtol=1e-6)
        assert not np.allclose(cell["FastPD-50"], cell["FastPD"], rtol=0.01)

    def test_longer_paths_do(self, sets: Path):
        cell = comparing.compared("r", 1, 2, tuned_with("r", depth=3))
        assert np.abs(comparing.differences(cell)["Friedman-path"][:, 0]).max() > 0.01
        assert cell["components"] == 7


def tuned_with(name: str, depth: int) -> cells.Cell:
    table = realdata.load(name)
    draw = search.Draw(10, {"max_depth": depth, "eta": 0.3, "subsample": 0.7})
    raw = search.fitted(table, draw, seed=0).save_raw("ubj")
    model = np.frombuffer(bytes(raw), dtype=np.uint8)
    return {"model": model, "max_depth": np.array(depth), "rounds": np.array(draw.rounds)}


class TestSuites:
    def test_what_was_found_is_written_with_a_table_of_components(self, sets: Path, folders: Path):
        finding, figures = suites.run(QUICK)
        findings.write(finding, figures)
        assert [row[0] for row in finding.rows] == ["three", "two", "r"]
        assert "Of 3 data sets (1 of CTR23, 2 of CC18)" in finding.outcome
        page = (folders / "results" / "README.md").read_text(encoding="utf-8")
        assert "[suites-components.csv](suites-components.csv)" in page
        with (folders / "results" / "suites-components.csv").open(newline="") as file:
            head, *rows = csv.reader(file)
        assert {row[0] for row in rows} == {"three", "two", "r"}
        assert all(len(row) == len(head) for row in rows)

    def test_costly_sets_have_fewer_draws_of_parameters(self):
        def table(n: int, p: int, classes: int) -> realdata.Table:
            X = np.zeros((n, p), dtype=np.float32)
            return realdata.Table("made up", "CC18", X, np.zeros(n), ("x",) * p, classes)

        assert suites.searches_of(table(500, 4, 2), Size()) == 100
        assert 5 < suites.searches_of(table(20_000, 20, 2), Size()) < 100
        assert suites.searches_of(table(20_000, 20, 26), Size()) == 5
        assert suites.searches_of(table(20_000, 20, 26), Size(searches=100)) == 100


class TestAdult:
    def test_the_mean_is_over_the_persons_of_those_ages(self):
        table = adult.complete(quick=True)
        cell = adult.interaction([3, 0.1, 100, 1, 1.0, 1.0], seed=0, quick=True)
        model = search.fitted(table, adult.draw_of((3, 0.1, 100, 1, 1.0, 1.0)), seed=0)
        explainer = fastpd.Explainer(model, table.X, progress=False)
        age, relation = (table.features.index(one) for one in ("age", "relationship"))
        column = explainer.components(table.X)[f"f{age}", f"f{relation}"]
        wives = (table.X[:, relation] == 5) & (table.X[:, age] >= 25) & (table.X[:, age] <= 54)
        people = adult.persons(table)
        assert people.sum() == len(table.X)
        found = adult.mean_of(cell, people, "FastPD", "Wife", (25, 54))
        assert found == pytest.approx(column[wives].mean(), abs=1e-7)

    def test_what_was_found_is_written(self, folders: Path):
        finding, figures = adult.run(QUICK)
        findings.write(finding, figures)
        assert len(finding.rows) == 2 * 3 * 2 * 7
        assert "2,000 persons" in finding.sizes
        assert (folders / "results" / "adult.svg").exists()
