"""Files that are damaged, foreign or not supported: an error that says so, never a crash."""

import json
import os
import pickle
import random
import time

import numpy as np
import pytest
import xgboost as xgb

from fastpd.errors import ModelError, ModelFileError, OptionError, UnsupportedModelError
from fastpd.forest import import_model


def trees(document):
    booster = document["learner"]["gradient_booster"]
    return booster.get("gbtree", booster)["model"]["trees"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02garbage", r"starts with .*; expected a model saved by XGBoost"),
        (b"binf\x00\x00\x00?", "old binary format"),
        (b"bs64\tAAAA", "old binary format"),
        (pickle.dumps({"a": 1}), "pickle"),
        (b"[1, 2]", "starts with .* A dump does not hold all of a model"),
        (b"\x1f\x8b\x08\x00" + bytes(40), "starts with .*; expected a model"),  # gzip
        (b'[{"nodeid": 0, "leaf": 1.0}]', "save it with `save_model`"),  # a dump of trees
        (b" " * 5000, "JSON or UBJSON was expected"),
        (b"{}", "no 'learner'"),
        (b'{"tree": 1}', "no 'learner'"),
        ('{"learner": 1}'.encode("utf-16"), "byte order mark"),
        (b'\xef\xbb\xbf{"learner": 1}', "byte order mark"),
        (b'{"learner": 3}', "'learner' is 3; expected a mapping"),
        (b'{"learner": {}}', "'gradient_booster' is absent"),
        (b'{"a": ' + b"9" * 5000 + b"}", "cannot be read"),
        (b'{"a": "\xff"}', "cannot be read"),
    ],
)
def test_what_is_no_model_is_refused(write, content, message):
    with pytest.raises(ModelFileError, match=message):
        import_model(write(content))


def test_a_path_that_is_not_there_or_is_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "absent.json", tmp_path, str(tmp_path / "absent.ubj"), "a\0b"):
        with pytest.raises(ModelFileError, match="cannot be read"):
            import_model(path)


def test_a_pipe_or_a_device_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", "/dev/zero", "/dev/null"):
        with pytest.raises(ModelFileError, match="is a pipe or a device"):
            import_model(path)


@pytest.mark.parametrize("key", ["num_class", "num_target"])
def test_a_count_of_outputs_that_no_model_has_is_refused_at_once(frozen, write, key):
    document = json.loads(frozen("3.2.0", "named.json").read_bytes())
    document["learner"]["learner_model_param"][key] = "9999999"
    with pytest.raises(ModelFileError, match=f"'{key}' is '9999999'; expected .* to 100000"):
        import_model(write(json.dumps(document).encode()))


@pytest.mark.parametrize("params", [3, "text", None, [1]])
def test_parameters_of_a_tree_that_are_no_mapping_are_refused(frozen, write, params):
    document = json.loads(frozen("3.2.0", "named.json").read_bytes())
    trees(document)[0]["tree_param"] = params
    with pytest.raises(ModelFileError, match="'tree_param' is"):
        import_model(write(json.dumps(document).encode()))


def test_the_content_tells_the_format_not_the_name(frozen):
    path = frozen("3.2.0", "named.ubj")
    assert import_model(path.rename(path.with_name("model.json"))).n_trees == 2
    text = frozen("3.2.0", "named.json")
    assert import_model(text.rename(text.with_suffix(".bin"))).n_trees == 2


@pytest.mark.parametrize("name", ["named.json", "named.ubj"])
def test_a_truncated_file_is_refused_wherever_it_ends(frozen, write, name):
    data = frozen("3.2.0", name).read_bytes()
    for keep in range(0, len(data.rstrip()) - 1, 37):
        with pytest.raises(ModelFileError):
            import_model(write(data[:keep]))


@pytest.mark.parametrize("opening", [b'{"a":', b'{"learner":[', b"{i\x01a", b"{" + b"[" * 9])
def test_ten_megabytes_of_brackets_are_refused_quickly(write, opening):
    path = write(b"{" + b"i\x01a" + opening * (10_000_000 // len(opening)))
    nested = write(b'{"a":' + b"[" * 10_000_000, "nested.json")
    for deep in (path, nested):
        start = time.perf_counter()
        with pytest.raises(ModelFileError):
            import_model(deep)
        assert time.perf_counter() - start < 1


DAMAGE = {
    "child beyond the tree": (("left_children", 0, 999), "child that is no node"),
    "child in the next tree": (("right_children", 0, 16), "child that is no node"),
    "child below -1": (("left_children", 0, -7), "child that is no node"),
    "a cycle": (("left_children", 1, 0), "cycle"),
    "a shared child": (("right_children", 0, 1), "cycle"),
    "column out of range": (("split_indices", 0, 4), "absent column"),
    "column below zero": (("split_indices", 0, -1), "children"),
    "column beyond 32 bits": (("split_indices", 0, 2**40), "absent column"),
    "no number as threshold": (("split_conditions", 0, float("nan")), "no finite threshold"),
    "infinite leaf": (("split_conditions", -1, 1e300), "not finite"),
    "text in numbers": (("split_conditions", 0, "x"), "is not 13 numbers"),
    "null in numbers": (("default_left", 0, None), "is not 13 numbers"),
    "list in numbers": (("left_children", 0, [1]), "is not 13 numbers"),
    "fraction in children": (("left_children", 0, 1.5), "is not 13 numbers"),
    "integer beyond 64 bits": (("left_children", 0, 2**70), "is not 13 numbers"),
}


@pytest.mark.parametrize(("change", "message"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_tree_is_refused(document, write, change, message):
    content = document()
    key, at, value = change
    trees(content)[0][key][at] = value
    with pytest.raises(ModelFileError, match=message):
        import_model(write(content))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("learner_model_param", "base_score"), "5,E", "base_score"),
        (("learner_model_param", "base_score"), "[1,2,3]", "3 values"),
        (("learner_model_param", "base_score"), 0.5, "expected a string"),
        (("learner_model_param", "base_score"), "1E99", "no finite value"),
        (("learner_model_param", "num_feature"), "1e3", "expected an integer"),
        (("learner_model_param", "num_feature"), "99999999999", "integer from 0 to"),
        (("learner_model_param", "num_class"), None, "absent"),
        (("feature_names",), ["a"], "4 distinct names"),
        (("feature_names",), ["a", "a", "b", "c"], "4 distinct names"),
        (("feature_names",), [1, 2, 3, 4], "list of strings"),
        (("objective",), {}, "'name' is absent"),
        (("gradient_booster", "model", "tree_info"), [0], "tree_info"),
        (("gradient_booster", "model", "tree_info"), [0, 1], "tree_info"),
        (("gradient_booster", "model", "iteration_indptr"), [0, 3], "iteration_indptr"),
        (("gradient_booster", "model", "iteration_indptr"), [], "iteration_indptr"),
        (("gradient_booster", "model", "trees"), [1, 2], "no mapping"),
        (("gradient_booster", "model", "trees"), {}, "expected a list"),
        (("gradient_booster", "name"), 3, "expected a string"),
        (("attributes",), [], "expected a mapping"),
    ],
)
def test_a_wrong_field_is_named(document, write, path, value, message):
    content = document()
    target = content["learner"]
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(ModelFileError, match=message):
        import_model(write(content))


@pytest.mark.parametrize("score", ["[-1E0]", "[5E0]", "[NAN]"])
def test_a_mean_that_is_no_probability_is_refused(document, write, score):
    content = document("reg-logistic.json")
    content["learner"]["learner_model_param"]["base_score"] = score
    with pytest.raises(ModelFileError, match="no finite value"):
        import_model(write(content))


def test_a_file_that_xgboost_cannot_predict_with_is_refused(document, write, monkeypatch):
    def fail(*_, **__):
        raise xgb.core.XGBoostError("Check failed: no")

    monkeypatch.setattr(xgb.Booster, "inplace_predict", fail)
    with pytest.raises(ModelError, match=r"cannot predict with .*Check failed"):
        import_model(write(document()))


def test_a_tree_without_nodes_or_arrays_is_refused(document, write):
    content = document()
    trees(content)[1]["left_children"] = []
    with pytest.raises(ModelFileError, match="tree 1 has no nodes"):
        import_model(write(content))
    del trees(content)[1]["left_children"]
    with pytest.raises(ModelFileError, match="is no array"):
        import_model(write(content))


def test_weights_that_are_not_one_for_each_tree_are_refused(document, write):
    content = document("dart-classes.json")
    content["learner"]["gradient_booster"]["weight_drop"] = [1.0]
    with pytest.raises(ModelFileError, match="weight_drop"):
        import_model(write(content))


@pytest.mark.parametrize("weight", [1e99, float("nan"), float("-inf")])
def test_weights_that_are_not_finite_are_refused(document, write, weight):
    content = document("dart-classes.json")
    content["learner"]["gradient_booster"]["weight_drop"][0] = weight
    with pytest.raises(ModelFileError, match="not finite"):
        import_model(write(content))


def test_leaf_widths_that_fit_no_output_are_refused(document, write):
    content = document("vector-leaves.json")
    trees(content)[0]["tree_param"]["size_leaf_vector"] = "2"
    with pytest.raises(ModelFileError, match=r"leaves of \[2, 3\] values for 3 outputs"):
        import_model(write(content))


def test_a_leaf_that_points_outside_its_vectors_is_refused(document, write):
    content = document("vector-leaves.json")
    trees(content)[0]["right_children"][-1] = 99
    with pytest.raises(ModelFileError, match="outside 'leaf_weights'"):
        import_model(write(content))


def test_a_linear_booster_is_refused_by_name(document, write):
    content = document()
    content["learner"]["gradient_booster"] = {"name": "gblinear", "model": {"weights": [1]}}
    with pytest.raises(UnsupportedModelError, match="'gblinear'"):
        import_model(write(content))


@pytest.mark.parametrize("asked", [(0, 9), (3, 2), (-1, 2), (9, 0), (0,), "01", (0, 1.5), 3])
def test_rounds_that_are_not_there_are_refused_with_the_numbers(frozen, asked):
    with pytest.raises(OptionError, match="iteration_range"):
        import_model(frozen("3.2.0", "named.ubj"), iteration_range=asked)


@pytest.mark.parametrize("name", ["named.ubj", "dart.ubj", "vector-leaves.ubj", "stopped.json"])
def test_random_damage_is_survived(frozen, write, name):
    data = frozen("3.2.0", name).read_bytes()
    chance = random.Random(name)
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            import_model(write(bytes(damaged)))
        except ModelError:
            continue


def test_parents_and_numbers_that_xgboost_trusts_do_not_reach_it(document, write):
    content = document()
    tree = trees(content)[0]
    tree["parents"] = [2**31 - 1] * len(tree["parents"])
    tree["id"] = 1
    tree["loss_changes"] = []
    assert import_model(write(content)).n_trees == 2


@pytest.mark.parametrize(
    "path",
    [
        [],
        ["learner"],
        ["learner", "learner_model_param"],
        ["learner", "gradient_booster"],
        ["learner", "gradient_booster", "model"],
        ["learner", "gradient_booster", "model", "gbtree_model_param"],
        ["learner", "gradient_booster", "model", "trees", 1],
        ["learner", "gradient_booster", "model", "trees", 1, "tree_param"],
    ],
    ids=str,
)
def test_a_field_that_no_known_version_writes_is_refused(document, write, path):
    content = place = document()
    for key in path:
        place = place[key]
    place["weights_of_tomorrow"] = [1.0]
    with pytest.raises(UnsupportedModelError, match="has the field 'weights_of_tomorrow'"):
        import_model(write(content))


@pytest.mark.parametrize("present", [True, False], ids=["older library", "no library"])
def test_a_file_of_an_unknown_version_is_refused_unless_its_library_is_there(
    document, write, monkeypatch, present
):
    content = document()
    content["version"] = [99, 0, 0]
    if not present:
        monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(UnsupportedModelError, match=r"written by XGBoost 99\.0; versions up to"):
        import_model(write(content))


def test_trees_that_were_dropped_count_by_their_weights_in_either_layout(frozen, write):
    content = json.loads(frozen("3.2.0", "dart-classes.json").read_text())
    expected = import_model(write(content)).value
    booster = content["learner"]["gradient_booster"]
    flat = {
        "name": "gbtree",
        "model": booster["gbtree"]["model"] | {"weight_drop": booster["weight_drop"]},
    }
    content["learner"]["gradient_booster"] = flat
    content["version"] = [3, 4, 1]
    np.testing.assert_array_equal(import_model(write(content)).value, expected)


def test_a_long_name_of_a_booster_does_not_fill_the_screen(frozen, write):
    document = json.loads(frozen("3.2.0", "named.json").read_bytes())
    document["learner"]["gradient_booster"]["name"] = "x" * 100_000
    with pytest.raises(UnsupportedModelError) as caught:
        import_model(write(json.dumps(document).encode()))
    assert len(str(caught.value)) < 500
