"""CatBoost's files, binary and JSON: read as CatBoost reads them, or refused in good order."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from catboost_made import cells, numbers, raw, trained

from fastpd import Explainer
from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest import Forest, import_model
from fastpd.forest.importers.catboost import from_file
from fastpd.forest.walk import predict

catboost = pytest.importorskip("catboost")
FORMATS = ("cbm", "json")


def saved(model: Any, path: Path) -> Path:
    model.save_model(str(path), format=path.suffix[1:])
    return path


def same(one: Forest, other: Forest) -> bool:
    names = ("feature", "threshold", "left", "right", "default_left", "value", "cover", "base")
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return arrays and one.splits.same_as(other.splits) and one.categories == other.categories


@pytest.fixture
def document(tmp_path: Path) -> Any:
    """Return the content of a JSON file, and what writes it again when it was changed."""

    def made(policy: str = "SymmetricTree") -> Any:
        rows, target = cells()
        model = trained(rows, target, [0], grow_policy=policy)
        return json.loads(saved(model, tmp_path / "made.json").read_text())

    return made


@pytest.fixture
def refused(tmp_path: Path) -> Any:
    def check(content: Any, pattern: str = "not a valid CatBoost model") -> None:
        path = tmp_path / "damaged.json"
        path.write_text(json.dumps(content))
        with pytest.raises(ModelFileError, match=pattern):
            from_file(path)

    return check


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise"])
def test_a_file_is_the_model_that_was_saved(tmp_path: Path, suffix: str, policy: str):
    rows, target = cells()
    model = trained(rows, target, [0], grow_policy=policy)
    path = saved(model, tmp_path / f"model.{suffix}")
    if (suffix, policy) != ("json", "Depthwise"):  # where nodes have another order
        assert same(import_model(path), import_model(model))
    np.testing.assert_allclose(Explainer(path, rows).predict(rows), raw(model, rows), atol=1e-14)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_is_known_by_its_content(tmp_path: Path, suffix: str):
    rows, target = numbers()
    path = saved(trained(rows, target), tmp_path / f"model.{suffix}")
    renamed = path.rename(tmp_path / "model.bin")
    assert import_model(renamed).source == f"CatBoost file {str(renamed)!r}"


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise"])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_known_by_any_of_its_keys(
    tmp_path: Path, document: Any, policy: str, indent: int | None
):
    content = document(policy)
    for key in content:
        turned = {key: content[key]} | content
        path = tmp_path / "turned.json"
        path.write_text(json.dumps(turned, indent=indent))
        assert "CatBoost" in import_model(path).source


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_is_read_without_catboost(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
):
    rows, target = cells()
    model = trained(rows, target, [0])
    path = saved(model, tmp_path / f"model.{suffix}")
    expected = import_model(model)
    monkeypatch.setitem(sys.modules, "catboost", None)
    assert same(import_model(path), expected)


def test_statistics_of_several_targets_are_read_from_binary_files_only(tmp_path: Path):
    rows, target = cells()
    targets = np.stack([target, np.cos(5 * target)], axis=1)
    model = trained(rows, targets, [0], loss_function="MultiRMSE", iterations=10)
    expected = raw(model, rows)
    path = saved(model, tmp_path / "model.cbm")
    np.testing.assert_allclose(Explainer(path, rows).predict(rows), expected, atol=1e-14)
    path = saved(model, tmp_path / "model.json")
    # CatBoost itself predicts something else once it went through JSON.
    again = catboost.CatBoost().load_model(str(path), format="json")
    assert not np.allclose(raw(again, rows), expected)
    with pytest.raises(UnsupportedModelError, match=r"model\.cbm"):
        import_model(path)


def test_statistics_of_classes_cut_in_several_ways_are_read_from_binary_files_only(tmp_path: Path):
    rows, target = cells()
    kinds = ["Borders:TargetBorderCount=1", "Borders:TargetBorderCount=4"]
    model = trained(rows, target, [0], simple_ctr=kinds, iterations=10)
    path = saved(model, tmp_path / "model.cbm")
    np.testing.assert_allclose(Explainer(path, rows).predict(rows), raw(model, rows), atol=1e-14)
    with pytest.raises(UnsupportedModelError, match=r"model\.cbm"):
        import_model(saved(model, tmp_path / "model.json"))


def test_json_that_does_not_say_its_loss_is_refused_where_that_matters(
    tmp_path: Path, document: Any
):
    content = document()
    del content["model_info"]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(UnsupportedModelError, match=r"model\.cbm"):
        import_model(path)


def test_json_of_the_time_before_the_bias_is_read(tmp_path: Path):
    rows, target = numbers()
    model = trained(rows, target)
    content = json.loads(saved(model, tmp_path / "model.json").read_text())
    del content["scale_and_bias"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(content))
    _, bias = model.get_scale_and_bias()
    np.testing.assert_allclose(
        predict(import_model(path), rows)[:, 0], raw(model, rows) - bias, atol=1e-14
    )


def test_a_file_that_is_not_there(tmp_path: Path):
    for path in (tmp_path / "none.cbm", tmp_path, "null\0byte"):
        with pytest.raises(ModelFileError, match="cannot be read"):
            from_file(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"CBM1",
        b"CBM1\xff\xff\xff\xff",
        b"CBM1\xff\xff\xff\xff" + b"\xff" * 8,
        b"CBM1\x04\x00\x00\x00\xff\xff\xff\xff",
        b"CBM1\x08\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00",
        b"[1]",
        b"{}",
        b'{"trees":',
        b'{"trees": 3}',
        b'{"trees":' + b"[" * 100_000,
        b'{"oblivious_trees": [' + b'{"left":' * 100_000,
        b'{"trees": [], "oblivious_trees": {}}',
        b'{"oblivious_trees": [{"leaf_values": [' + b"9" * 5000 + b"]}]}",
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes):
    path = tmp_path / "model"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"not a valid CatBoost model.*save_model"):
        from_file(path)


def test_every_truncated_file_is_refused(tmp_path: Path):
    rows, target = cells()
    model = trained(rows, target, [0], iterations=1)
    for suffix in FORMATS:
        data = saved(model, tmp_path / f"model.{suffix}").read_bytes().rstrip()
        path = tmp_path / "cut"
        for size in {*range(0, len(data), 211), len(data) - 1}:
            path.write_bytes(data[:size])
            with pytest.raises(ModelFileError):
                from_file(path)


def test_bytes_behind_the_end_are_refused(tmp_path: Path):
    rows, target = numbers()
    path = saved(trained(rows, target), tmp_path / "model.cbm")
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(ModelFileError, match="1 bytes follow"):
        from_file(path)


def test_another_version_of_the_format_is_refused(tmp_path: Path):
    rows, target = numbers()
    path = saved(trained(rows, target), tmp_path / "model.cbm")
    path.write_bytes(path.read_bytes().replace(b"Model_v1", b"Model_v2"))
    with pytest.raises(ModelFileError, match="Model_v2"):
        from_file(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_leaf_values_that_are_no_numbers_are_refused(tmp_path: Path, value: float):
    rows, target = numbers()
    model = trained(rows, target)
    path = saved(model, tmp_path / "model.cbm")
    leaf = struct.pack("<d", model.get_leaf_values()[3])
    data = path.read_bytes()
    assert data.count(leaf) == 1
    path.write_bytes(data.replace(leaf, struct.pack("<d", value)))
    with pytest.raises(ModelFileError, match="not finite"):
        from_file(path)


FEATURES = ("features_info",)
FLOAT = (*FEATURES, "float_features", 0)
CAT = (*FEATURES, "categorical_features", 0)
TREE = ("oblivious_trees", 0)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((*FLOAT, "borders", 0), float("nan")),
        ((*FLOAT, "borders", 0), 1e39),
        ((*FLOAT, "borders"), [1.0, 0.5]),
        ((*FLOAT, "borders"), "text"),
        ((*FLOAT, "flat_feature_index"), 0),
        ((*FLOAT, "flat_feature_index"), -1),
        ((*FLOAT, "flat_feature_index"), 2**31 - 1),
        ((*FLOAT, "flat_feature_index"), 2**70),
        ((*FLOAT, "flat_feature_index"), 1.5),
        ((*FLOAT, "nan_value_treatment"), "AsYouLike"),
        ((*CAT, "feature_index"), 7),
        ((*CAT, "values"), [5, 5]),
        ((*CAT, "values"), [2**40]),
        ((*FEATURES, "ctrs"), []),
        ((*FEATURES, "ctrs", 0, "elements"), {}),
        (("ctr_data",), {}),
        (("ctr_data",), {"{": {}}),
        ((*TREE, "leaf_values", 0), True),
        ((*TREE, "leaf_values", 0), float("inf")),
        ((*TREE, "leaf_values", 0), 10**400),
        ((*TREE, "leaf_values"), []),
        ((*TREE, "leaf_values"), [1.0] * 5),
        ((*TREE, "leaf_weights"), [1.0]),
        ((*TREE, "splits", 0, "split_index"), -1),
        ((*TREE, "splits", 0, "split_index"), 10**6),
        ((*TREE, "splits", 0, "split_index"), None),
        ((*TREE, "splits"), [{"split_index": 0}] * 40),
        (("scale_and_bias",), [1]),
        (("scale_and_bias",), [1, [0, 0]]),
        (("scale_and_bias",), [float("nan"), [0]]),
    ],
)
def test_damaged_fields_are_refused(document: Any, refused: Any, place: Any, value: Any):
    content = document()
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    refused(content)


def test_nodes_within_nodes_without_end_are_refused(document: Any, refused: Any):
    content = document("Depthwise")
    leaf = content["trees"][0]
    while "value" not in leaf:
        leaf = leaf["left"]
    for _ in range(300):
        other = {"value": 1.0, "weight": 1}
        leaf = {"left": leaf, "right": other, "split": {"split_index": 0}}
    content["trees"] = [leaf]
    refused(content, "levels")


def test_a_node_without_a_child_is_refused(document: Any, refused: Any):
    content = document("Depthwise")
    del content["trees"][0]["right"]
    refused(content)


def test_leaves_of_several_widths_are_refused(document: Any, refused: Any):
    content = document("Depthwise")
    content["trees"][0] = {"value": [1.0, 2.0], "weight": 1}
    refused(content, "leaves of")
