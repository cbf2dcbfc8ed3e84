"""CatBoost's files with what it does not write: parts that are not known, or out of order."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from catboost_made import cells, numbers, raw, trained

from fastpd import Explainer
from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest import import_model

catboost = pytest.importorskip("catboost")


def written(model: Any, path: Path) -> Path:
    model.save_model(str(path), format=path.suffix[1:])
    return path


@pytest.fixture
def changed(tmp_path: Path) -> Any:
    """Return what writes a JSON file of a model with CTRs, after a change."""

    def made(change: Callable[[Any], None], policy: str = "SymmetricTree") -> Path:
        rows, target = cells()
        model = trained(rows, target, [0], grow_policy=policy)
        path = written(model, tmp_path / "model.json")
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))
        return path

    return made


def of_table(content: Any) -> Any:
    return next(iter(content["ctr_data"].values()))


def inner_leaf(content: Any) -> Any:
    node = content["trees"][0]
    while "value" not in node:
        node = node["left"]
    return node


PLACES: dict[str, Callable[[Any], Any]] = {
    "model": lambda content: content,
    "features": lambda content: content["features_info"],
    "column of numbers": lambda content: content["features_info"]["float_features"][0],
    "column of labels": lambda content: content["features_info"]["categorical_features"][0],
    "CTR": lambda content: content["features_info"]["ctrs"][0],
    "element": lambda content: content["features_info"]["ctrs"][0]["elements"][0],
    "table": of_table,
}
SYMMETRIC: dict[str, Callable[[Any], Any]] = {
    "tree": lambda content: content["oblivious_trees"][0],
    "split": lambda content: content["oblivious_trees"][0]["splits"][0],
}
NESTED: dict[str, Callable[[Any], Any]] = {
    "node": lambda content: content["trees"][0],
    "split of a node": lambda content: content["trees"][0]["split"],
    "leaf": inner_leaf,
}
CASES = [("SymmetricTree", at) for at in (PLACES | SYMMETRIC).items()]
CASES += [("Lossguide", at) for at in NESTED.items()]


@pytest.mark.parametrize(("policy", "at"), CASES, ids=[at[0] for _, at in CASES])
def test_a_field_that_is_not_known_is_refused(changed: Any, policy: str, at: Any):
    def change(content: Any) -> None:
        at[1](content)["weight_of_later"] = 2.0

    with pytest.raises(UnsupportedModelError, match=r"'weight_of_later'.*Update fastpd"):
        import_model(changed(change, policy))


def test_what_catboost_adds_for_readers_of_json_is_no_matter(changed: Any):
    def change(content: Any) -> None:
        info = content["features_info"]
        info["cat_features_hash"] = [{"hash": 7, "value": "label 1"}]
        info["float_features"][0]["feature_name"] = "weight"
        info["categorical_features"][0] |= {"feature_name": "label", "string_values": ["a"]}
        content["model_info"]["noted"] = "anything"

    assert import_model(changed(change)).n_trees == 4


@pytest.mark.parametrize("suffix", ["cbm", "json"])
def test_missing_values_are_looked_for_where_training_met_some(tmp_path: Path, suffix: str):
    rows, _ = numbers()
    rows[::3, 0] = np.nan
    model = trained(rows, 3.0 * np.isnan(rows[:, 0]) + rows[:, 1], nan_mode="Max")
    path = written(model, tmp_path / "model.json")
    content = json.loads(path.read_text())
    column = content["features_info"]["float_features"][0]
    assert (column["has_nans"], column["nan_value_treatment"]) == (True, "AsTrue")
    column["has_nans"] = False
    path.write_text(json.dumps(content))
    other = catboost.CatBoost().load_model(str(path), format="json")
    assert not np.allclose(raw(other, rows), raw(model, rows))
    path = written(other, tmp_path / f"other.{suffix}")
    np.testing.assert_allclose(Explainer(path, rows).predict(rows), raw(other, rows), atol=1e-12)


def with_more_fields(data: bytes) -> bytes:
    """Return a binary model whose outermost table says that it has one field more."""
    root = 8 + struct.unpack_from("<I", data, 8)[0]
    fields = root - struct.unpack_from("<i", data, root)[0]
    size = struct.unpack_from("<H", data, fields)[0]
    positions = data[fields + 4 : fields + size].ljust(8, b"\0")  # of the four that are known
    added = struct.pack("<HH", 14, 0) + positions + positions[:2]
    core = bytearray(data[8 : 8 + struct.unpack_from("<I", data, 4)[0]])
    struct.pack_into("<i", core, root - 8, root - 8 - len(core))
    after = data[8 + len(core) :]
    core += added.ljust(-(-len(added) // 4) * 4, b"\0")
    return data[:4] + struct.pack("<I", len(core)) + bytes(core) + after


def test_a_binary_field_that_is_not_known_is_refused(tmp_path: Path):
    rows, target = numbers()
    path = written(trained(rows, target), tmp_path / "model.cbm")
    assert import_model(path).n_trees == 4
    path.write_bytes(with_more_fields(path.read_bytes()))
    with pytest.raises(ModelFileError, match="a field of number 4, which is not known"):
        import_model(path)


@pytest.mark.parametrize("suffix", ["cbm", "json"])
def test_a_column_of_labels_that_is_not_singled_out_may_come_before_others(
    tmp_path: Path, suffix: str
):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, [3, 1, 4], (200, 3))
    rows = np.array([[f"label {label}" for label in row] for row in labels], object)
    target = labels[:, 0] + 2.0 * (labels[:, 2] == 1)
    model = trained(rows, target, [0, 1, 2], one_hot_max_size=10)
    path = written(model, tmp_path / f"model.{suffix}")
    np.testing.assert_allclose(Explainer(path, rows).predict(rows), raw(model, rows), atol=1e-12)


def test_columns_singled_out_in_another_order_are_refused(changed: Any):
    def change(content: Any) -> None:
        columns = content["features_info"]["categorical_features"]
        other = {"feature_id": "other", "feature_index": 1, "flat_feature_index": 7, "values": [3]}
        columns[:] = [other, columns[0] | {"values": [1]}]

    with pytest.raises(ModelFileError, match="out of order"):
        import_model(changed(change))
