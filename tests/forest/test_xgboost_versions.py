"""Files of old versions, read for ever as the version that wrote them predicted."""

import json
import zipfile

import numpy as np
import pytest
from hand_made import MODELS

from fastpd.forest import import_model
from fastpd.forest.check import tolerance
from fastpd.forest.walk import predict

VERSIONS = ["1.7.6", "2.0.3", "2.1.4", "3.0.5", "3.1.3", "3.2.0", "3.4.1"]
ROWS = np.loadtxt(MODELS / "rows.csv", delimiter=",")


def names(version):
    with zipfile.ZipFile(MODELS / f"{version}.zip") as archive:
        return [name for name in archive.namelist() if name != "margins.json"]


CASES = [(version, name) for version in VERSIONS for name in names(version)]


@pytest.mark.parametrize(("version", "name"), CASES, ids=lambda case: case)
def test_a_frozen_file_predicts_what_its_version_predicted(frozen, version, name):
    margins = json.loads(frozen(version, "margins.json").read_text())[name]
    forest = import_model(frozen(version, name))
    apart = np.abs(predict(forest, ROWS) - np.array(margins))
    assert np.all(apart <= tolerance(forest))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_without_the_library_reads_the_same(frozen, version, monkeypatch):
    path = frozen(version, "named.ubj")
    checked = import_model(path)
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    alone = import_model(path)
    np.testing.assert_array_equal(alone.value, checked.value)


@pytest.mark.parametrize("version", VERSIONS)
def test_both_notations_hold_the_same_forest(frozen, version):
    text, binary = (import_model(frozen(version, f"named.{kind}")) for kind in ("json", "ubj"))
    assert text.feature_names == binary.feature_names == ("age", "résumé", "hours", "income")
    for field in ("feature", "threshold", "left", "right", "default_left", "value", "cover"):
        np.testing.assert_array_equal(getattr(text, field), getattr(binary, field))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wrapper_file_stops_at_its_best_round_unless_told_otherwise(frozen, version):
    path = frozen(version, "stopped.json")
    attributes = json.loads(path.read_text())["learner"]["attributes"]
    best = int(attributes["best_iteration"]) + 1
    assert import_model(path).n_trees == best
    assert import_model(path, iteration_range=(0, 0)).n_trees == best + 2


@pytest.mark.parametrize("version", VERSIONS)
def test_nodes_that_pruning_left_behind_are_dropped(frozen, version):
    path = frozen(version, "pruned.json")
    model = json.loads(path.read_text())["learner"]["gradient_booster"]["model"]
    stored = sum(len(tree["left_children"]) for tree in model["trees"])
    deleted = sum(int(tree["tree_param"]["num_deleted"]) for tree in model["trees"])
    assert deleted > 0
    assert len(import_model(path).feature) == stored - deleted


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_vector_leaves_have_a_value_for_every_output(frozen, version):
    forest = import_model(frozen(version, "vector-leaves.ubj"))
    assert forest.value.shape[1] == forest.n_outputs == 3
    assert set(forest.tree_output.tolist()) == {-1}


LINKS = {
    "binary-logistic.ubj": "logit",
    "reg-logistic.json": "logit",
    "binary-logitraw.json": "logit",
    "count-poisson.json": "log",
    "reg-gamma.json": "log",
    "reg-tweedie.ubj": "log",
    "survival-cox.ubj": "log",
    "survival-aft.ubj": "log",
    "classes.json": "softmax",
    "softmax-given.ubj": "softmax",
    "reg-squarederror.json": "identity",
    "reg-absoluteerror.json": "identity",
    "binary-hinge.ubj": "identity",
    "rank-pairwise.ubj": "identity",
}


@pytest.mark.parametrize(("name", "link"), LINKS.items())
def test_the_link_follows_from_the_objective(frozen, name, link):
    assert import_model(frozen("3.2.0", name)).link == link


def test_an_old_wrapper_file_carries_its_classes(frozen):
    forest = import_model(frozen("1.7.6", "stopped-classes.ubj"))
    assert forest.output_names == ("0", "1", "2")
