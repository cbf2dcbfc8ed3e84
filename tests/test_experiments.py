"""The experiments: their numbers where the paper gives some, and that a stopped run goes on."""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastpd

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.models import PAPER, rows_of, trained
from experiments import (
    __main__,
    cells,
    complexity,
    components,
    consistency,
    coverage,
    differences,
    errors,
    findings,
    proposition1,
    readings,
    rivals,
    runtime,
    simulation,
)
from experiments.catalogue import CATALOGUE, NAMES, name_of
from experiments.grown import grown
from experiments.processes import FIRST, SECOND
from experiments.simulation import estimates_of, simulated
from experiments.size import Size

QUICK = Size(repeats=2, searches=1, quick=True, jobs=1)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep cells and results of tests out of the project."""
    monkeypatch.setattr(cells, "FOLDER", tmp_path / "cache")
    monkeypatch.setattr(findings, "RESULTS", tmp_path / "results")
    return tmp_path


def test_the_numbers_of_the_proof():
    numbers = proposition1.shap_of_first(proposition1.sample(2500))
    np.testing.assert_allclose(numbers, [4.25, -1.25, 1.5], atol=1e-7)


def test_both_trees_of_the_proof_predict_the_same():
    from fastpd.forest.walk import predict

    rows = np.random.default_rng(0).uniform(-1, 1, size=(50, 2))
    one, other = (predict(tree, rows) for tree in proposition1.trees())
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("process", [FIRST, SECOND], ids=lambda one: one.name)
def test_samples_have_the_covariance_and_the_mean(process: Any):
    X, y = process.draw(200_000, 0.3, np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(X.T), process.covariance(0.3), atol=0.04)
    np.testing.assert_allclose(np.corrcoef(X.T)[0, 1:], 0.3, atol=0.01)
    assert np.var(y - process.mean(X)) == pytest.approx(process.noise, rel=0.02)


def test_the_component_of_the_target_is_its_partial_dependence_less_the_mean():
    X, _ = FIRST.draw(400_000, 0.7, np.random.default_rng(0))
    points = np.array([-1.0, 0.0, 2.0])
    mixed = [FIRST.mean(np.column_stack([np.full(len(X), x), X[:, 1]])).mean() for x in points]
    expected = np.array(mixed) - FIRST.mean(X).mean()
    np.testing.assert_allclose(components.true_component(points, 0.7), expected, atol=0.02)


@pytest.mark.parametrize(("process", "covariates"), [("DGP 1", 2), ("DGP 2", 7)])
def test_a_run_compares_estimates_with_the_truth(
    process: str, covariates: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(simulation, "_MANY", 20_000)
    cell = simulated(500, 0.3, covariates, process, searches=1, repeat=0)
    assert estimates_of(500) == ["path", "FastPD-50", "FastPD-100", "FastPD-500"]
    off = {
        name: np.mean((cell[f"phi {name}"] - cell["phi truth"]) ** 2) for name in estimates_of(500)
    }
    assert off["FastPD-500"] < off["FastPD-50"]
    assert off["FastPD-500"] < off["path"]


def test_what_was_computed_is_read_again(folders: Path):
    keys = [
        {"n": 60, "correlation": 0.3, "covariates": 2, "process": "DGP 1", "searches": 1} | one
        for one in ({"repeat": 0}, {"repeat": 1})
    ]
    first = cells.computed(simulated, keys, jobs=2)
    files = {path: path.stat().st_mtime_ns for path in (folders / "cache").iterdir()}
    again = cells.computed(simulated, keys, jobs=2)
    assert {path: path.stat().st_mtime_ns for path in (folders / "cache").iterdir()} == files
    for one, other, key in zip(first, again, keys, strict=True):
        here = simulated(**key)
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name])
            np.testing.assert_array_equal(array, here[name])


def test_the_formula_as_printed_gives_d_times_the_values():
    finding, _ = readings.run(QUICK)
    of_one, of_all = finding.rows[2], finding.rows[3]
    assert of_one[2] == pytest.approx(7 * of_one[3])
    assert of_all[2] == pytest.approx(7 * of_all[3])


class TestCommand:
    @pytest.mark.parametrize(
        ("wanted", "name"),
        [
            ("2", "differences"),
            ("3", "errors"),
            ("fig5", "components"),
            ("Figure 10", "components"),
            ("proposition2", "consistency"),
            ("errors", "errors"),
        ],
    )
    def test_finds_experiments_by_their_place_in_the_paper(self, wanted: str, name: str):
        assert name_of(wanted) == name

    def test_every_experiment_has_a_module_and_a_place_of_its_own(self):
        places = [place for entry in CATALOGUE for place in entry.paper]
        assert len(set(places)) == len(places)
        for name in NAMES:
            assert callable(import_module(f"experiments.{name}").run)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["nope"], "'nope' is no experiment. Known, by name, place or figure number: "),
            (["1"], "figure 1 draws the algorithm"),
            (["--repeats", "0"], "'0' given; expected a whole number of at least 1"),
            (["--searches", "few"], "'few' given"),
        ],
    )
    def test_refuses_in_words(
        self, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ):
        with pytest.raises(SystemExit):
            __main__.main(given)
        assert said in capsys.readouterr().err

    def test_runs_several_once_each(self, capsys: pytest.CaptureFixture[str], folders: Path):
        __main__.main(
            ["11", "proposition1", "readings", "--quick", "--repeats", "2", "--jobs", "1"]
        )
        said = capsys.readouterr().out
        assert said.count("Proposition 1") == 1
        assert "read differently" in said
        assert not (folders / "results").exists()


NEEDS_SHAP = pytest.mark.skipif(
    find_spec("shap") is None, reason="table 1 has shap beside it, which is not installed"
)


@pytest.mark.parametrize(
    "module",
    [
        proposition1,
        consistency,
        errors,
        differences,
        components,
        runtime,
        pytest.param(complexity, marks=NEEDS_SHAP),
        coverage,
    ],
)
def test_results_are_written_with_their_page(
    module: Any, folders: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(consistency, "_ROWS", 200)
    finding, figures = module.run(QUICK)
    findings.write(finding, figures)
    results = folders / "results"
    page = (results / "README.md").read_text(encoding="utf-8")
    assert finding.claim in page
    assert finding.outcome in page
    for name in finding.figures:
        assert (results / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
    with (results / f"{finding.name}.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 1 + len(finding.rows)


class TestGrown:
    def test_paths_have_as_many_features_as_there_are(self):
        for features in (2, 5, 9):
            trees = grown(3, 4, features).feature
            for leaf in range(15, 31):
                path, node = [], leaf
                while node:
                    node = (node - 1) // 2
                    path.append(trees[1, node])
                assert len(set(path)) == min(4, features)

    def test_all_methods_explain_the_same_trees(self):
        shap = pytest.importorskip("shap")
        model, X = grown(2, 3, 4), np.random.default_rng(7).normal(size=(30, 4))
        theirs = shap.TreeExplainer(model.for_shap(), X, feature_perturbation="interventional")
        found = fastpd.Explainer(model.forest(), X).shap(X[:5]).values
        expected = theirs.shap_values(X[:5], check_additivity=False)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        paths = shap.TreeExplainer(model.for_shap(), feature_perturbation="tree_path_dependent")
        along = fastpd.Explainer(model.forest(), measure=fastpd.measures.Path()).shap(X[:5]).values
        np.testing.assert_allclose(along, paths.shap_values(X[:5]), atol=1e-6)


def test_every_way_to_explain_answers_all_rows():
    X = rows_of(PAPER, 40)
    model = trained(PAPER)
    for method in rivals.installed():
        answer = method.prepare(model, X)(X[:3])
        if "components" in method.answers:
            ours = fastpd.Explainer(model, X).components(X[:3], max_order=7)
            np.testing.assert_allclose(answer.array, ours.array, atol=1e-9)
        elif method.name == "VanillaPD":
            assert len(answer) == 2**7
        else:
            values = np.asarray(getattr(answer, "values", answer))
            assert np.abs(values[:, :7].sum(axis=1)).max() > 0


def test_growth_is_that_of_a_power_or_of_a_factor():
    sweep = complexity.SWEEPS[0]
    assert sweep.growth(sweep.expected()) == "n_b^1.00"
    deeper = next(one for one in complexity.SWEEPS if one.axis == "D")
    assert deeper.growth(deeper.expected()) == "x 4.00 a level"
