"""LightGBM's text files that are damaged, foreign or not supported: an error, never a crash."""

import sys
import time

import numpy as np
import pytest
from lightgbm_texts import ENDING, stump, text, write

from fastpd.errors import ModelFileError, OptionError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.importers.lightgbm import from_file
from fastpd.forest.walk import predict

lgb = pytest.importorskip("lightgbm")

CHAIN = {
    "num_leaves": "4",
    "split_feature": "0 1 0",
    "split_gain": "1 1 1",
    "threshold": "1 2 3",
    "decision_type": "2 2 2",
    "left_child": "-1 -2 -3",
    "right_child": "1 2 -4",
    "leaf_value": "1 2 3 4",
    "leaf_weight": "1 1 1 1",
    "leaf_count": "1 1 1 1",
    "internal_value": "0 0 0",
    "internal_weight": "4 3 2",
    "internal_count": "4 3 2",
}


def test_a_sound_text_is_read(tmp_path):
    forest = import_model(write(tmp_path, text(stump(), stump(**CHAIN))))
    assert forest.n_trees == 2
    assert forest.feature_names == ("a", "b")
    np.testing.assert_array_equal(predict(forest, [[0.5, 0], [4, 1], [4, 3]])[:, 0], [2, 4, 6])
    assert forest.cover.tolist() == [7, 3, 4, 4, 3, 2, 1, 1, 1, 1]


def test_it_is_read_without_lightgbm(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert import_model(write(tmp_path, text(stump()))).n_trees == 1


def test_lines_may_end_as_on_windows(tmp_path):
    content = text(stump(), stump(**CHAIN)).replace("\n", "\r\n")
    assert import_model(write(tmp_path, content)).n_trees == 2


def test_a_file_not_of_python_has_no_labels(tmp_path):
    assert import_model(write(tmp_path, text(stump(), labels=None))).n_trees == 1


def test_fields_that_no_prediction_depends_on_may_be_absent(tmp_path):
    absent = ["split_gain", "leaf_weight", "leaf_count", "internal_value", "internal_weight"]
    absent += ["internal_count", "is_linear", "shrinkage"]
    forest = import_model(write(tmp_path, text(stump(**dict.fromkeys(absent)))))
    assert not forest.cover.any()


def test_names_may_hold_any_character_but_a_space(tmp_path):
    names = "é=1 tab\tbed \u00a0x"
    forest = import_model(write(tmp_path, text(stump(), names=names)))
    assert forest.feature_names == ("é=1", "tab\tbed", "\u00a0x")


HEADER_DAMAGE = {
    "an old format": ({"version": "v2"}, "version 'v2'"),
    "a new format": ({"version": "v5"}, "version 'v5'"),
    "no format": ({"version": None}, "version None"),
    "no outputs": ({"num_class": None}, "'num_class' is absent"),
    "as many outputs as bytes": ({"num_class": "9" * 40}, "expected a whole number"),
    "outputs that are no number": ({"num_class": "1.0"}, "expected a whole number"),
    "outputs below one": ({"num_class": "0", "num_tree_per_iteration": "0"}, "for 0 outputs"),
    "outputs without trees": ({"num_class": "2"}, "for 2 outputs"),
    "half a round": ({"num_class": "2", "num_tree_per_iteration": "2"}, "1 trees of 2"),
    "columns without names": ({"max_feature_idx": "2"}, "3 distinct feature names"),
    "a billion columns": ({"max_feature_idx": "999999999"}, "distinct feature names"),
    "a negative column": ({"max_feature_idx": "-1"}, "expected a whole number"),
    "a name twice": ({"feature_names": "a a"}, "2 distinct feature names"),
    "a name too many": ({"feature_names": "a b c"}, "2 distinct feature names"),
    "no name": ({"feature_names": "a "}, "2 distinct feature names"),
    "no names": ({"feature_names": None}, "'feature_names' is absent"),
    "an info too few": ({"feature_infos": "none"}, "or as many infos"),
    "an unknown line": ({"boosting": "gbdt"}, "'boosting=gbdt', unknown"),
    "an unknown objective": ({"objective": "binarx"}, "unknown"),
    "a slope that is none": ({"objective": "binary sigmoid:x"}, "its objective is"),
    "a slope of zero": ({"objective": "binary sigmoid:0"}, "its objective is"),
    "an infinite slope": ({"objective": "binary sigmoid:inf"}, "its objective is"),
    "classes of one output": ({"objective": "multiclass num_class:3"}, "1 outputs of"),
    "a tree shorter than said": ({"tree_sizes": "9"}, "not where 'tree_sizes' says"),
    "a tree beyond the end": ({"tree_sizes": "99999"}, "not where 'tree_sizes' says"),
    "a billion trees": ({"tree_sizes": "1 " * 100_000}, "100000 numbers for 1 trees"),
    "no tree said": ({"tree_sizes": None}, "end of trees"),
    "a size that is no number": ({"tree_sizes": "-5"}, "expected a whole number"),
}


@pytest.mark.parametrize(("changes", "message"), HEADER_DAMAGE.values(), ids=HEADER_DAMAGE)
def test_a_damaged_header_is_refused(tmp_path, changes, message):
    with pytest.raises(ModelFileError, match=message):
        from_file(write(tmp_path, text(stump(), **changes)))


TREE_DAMAGE = {
    "no leaves": ({"num_leaves": "0", "leaf_value": ""}, "num_leaves"),
    "another number of leaves": ({"num_leaves": "5"}, "leaf_value.*expected 5 numbers"),
    "a billion leaves": ({"num_leaves": "999999999"}, "expected 999999999 numbers"),
    "leaves beyond 64 bits": ({"num_leaves": "9" * 30}, "no whole numbers"),
    "more digits than Python converts": ({"num_leaves": "9" * 5000}, "no whole numbers"),
    "a child beyond the splits": ({"left_child": "3 -2 -3"}, "child that is no node"),
    "a child beyond the leaves": ({"left_child": "-5 -2 -3"}, "child that is no node"),
    "a child beyond 32 bits": ({"left_child": "4294967295 -2 -3"}, "child that is no node"),
    "a cycle": ({"right_child": "1 0 -4"}, "cycle"),
    "a split that is its own child": ({"right_child": "1 1 -4"}, "cycle"),
    "a leaf of two splits": ({"left_child": "-1 -2 -4"}, "cycle"),
    "an absent column": ({"split_feature": "0 2 0"}, "absent column"),
    "a column below zero": ({"split_feature": "0 -1 0"}, "absent column"),
    "a threshold that is no number": ({"threshold": "1 nan 3"}, "expected 3 numbers"),
    "the largest threshold": ({"threshold": f"1 {sys.float_info.max} 3"}, "largest number of all"),
    "a word like a number": ({"threshold": "1 fin 3"}, "no numbers"),
    "half a number": ({"threshold": "1 2e 3"}, "no numbers"),
    "an infinite leaf": ({"leaf_value": "1 2 3 1e999"}, "not finite"),
    "an infinite leaf in words": ({"leaf_value": "1 2 3 -inf"}, "not finite"),
    "a leaf that is no number": ({"leaf_value": "1 2 3 nan"}, "expected 4 numbers"),
    "digits of other scripts": ({"leaf_value": "1 2 3 ٤"}, "expected 4 numbers"),
    "an underscore": ({"threshold": "1 2_0 3"}, "expected 3 numbers"),
    "a decision that is unknown": ({"decision_type": "2 12 2"}, "unknown kind of decision"),
    "a negative decision": ({"decision_type": "2 -1 2"}, "unknown kind of decision"),
    "a missing kind of its own": ({"decision_type": "2 14 2"}, "unknown kind of decision"),
    "no decisions": ({"decision_type": None}, "'decision_type' of tree 1 is absent"),
    "no leaves written": ({"leaf_value": None}, "'leaf_value' of tree 1 is absent"),
    "two spaces": ({"left_child": "-1  -2 -3"}, "left_child"),
    "linear leaves or not": ({"is_linear": "2"}, "expected 0 or 1"),
    "an unknown field": ({"has_categorical": "0"}, "'has_categorical=0', unknown"),
}


@pytest.mark.parametrize(("changes", "message"), TREE_DAMAGE.values(), ids=TREE_DAMAGE)
def test_a_damaged_tree_is_refused(tmp_path, changes, message):
    with pytest.raises(ModelFileError, match=message):
        from_file(write(tmp_path, text(stump(), stump(**{**CHAIN, **changes}))))


def test_linear_leaves_are_refused_by_name(tmp_path):
    with pytest.raises(UnsupportedModelError, match=r"Tree 1 .*linear_tree=False"):
        from_file(write(tmp_path, text(stump(), stump(is_linear="1"))))


@pytest.mark.parametrize(
    ("ending", "labels", "message"),
    [
        ("", "null", "no importances"),
        ("parameters:\n\nend of parameters\n", "null", "no importances"),
        (ENDING.replace("end of parameters\n", ""), "null", "cut off"),
        (ENDING.replace("end of parameters\n", ""), None, "cut off"),
        ("feature_importances:\na=1\n", None, "cut off"),
        (ENDING.replace("a=1", "a"), "null", "'a' follows its trees"),
        (ENDING.replace("]", ""), "null", "follows its trees"),
        (ENDING + "more\n", "null", "cut off"),
    ],
)
def test_what_follows_the_trees_is_checked(tmp_path, ending, labels, message):
    with pytest.raises(ModelFileError, match=message):
        from_file(write(tmp_path, text(stump(), ending=ending, labels=labels)))


@pytest.mark.parametrize(
    "content", [b"", b"tree", b"tree\n", b"tree\nversion=v4\n", b"tree\n\n", b"tree\n\xff\n\n"]
)
def test_what_is_no_model_is_refused(tmp_path, content):
    with pytest.raises(ModelFileError):
        from_file(write(tmp_path, content))


def test_a_path_that_is_not_there_is_refused(tmp_path):
    for path in (tmp_path / "absent.txt", tmp_path, "a\0b"):
        with pytest.raises(ModelFileError, match="cannot be read"):
            from_file(path)


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path):
    content = text(stump(), stump(**CHAIN), labels='[["x", "y"]]')
    python_only = content.index("\npandas_categorical")
    for end in range(len(content) - 2):
        # Without labels it is what the command line and R write.
        if content[:end].rstrip() != content[:python_only].rstrip():
            with pytest.raises(ModelFileError):
                from_file(write(tmp_path, content[:end]))


def test_ten_megabytes_of_anything_are_refused_quickly(tmp_path):
    for piece in (b"a=1\n", b"\n", b"Tree=0\n", b"x", b"feature_names="):
        start = time.perf_counter()
        with pytest.raises(ModelFileError):
            from_file(write(tmp_path, b"tree\nversion=v4\n" + piece * (10_000_000 // len(piece))))
        assert time.perf_counter() - start < 2


def test_only_the_trees_reach_lightgbm(tmp_path, monkeypatch):
    """It is asked about a text made anew, without what it would trust or print."""
    given = []
    load = lgb.Booster.model_from_string

    def spy(self, model_str):
        given.append(model_str)
        return load(self, model_str)

    monkeypatch.setattr(lgb.Booster, "model_from_string", spy)
    trees = (stump(), stump(**{**CHAIN, "leaf_weight": "-nan 1"}))
    from_file(write(tmp_path, text(*trees, objective="binary sigmoid:1.5")))
    (made,) = given
    assert "nan" not in made
    assert "objective" not in made
    assert made.count("\nTree=") == 2


def test_a_text_that_lightgbm_refuses_is_refused(tmp_path, monkeypatch):
    def fail(*_):
        raise lgb.basic.LightGBMError("no")

    monkeypatch.setattr(lgb.Booster, "model_from_string", fail)
    with pytest.raises(ModelFileError, match="refused by LightGBM"):
        from_file(write(tmp_path, text(stump())))


@pytest.mark.parametrize("asked", [(0, 3), (2, 1), (-1, 2), (3, 0), (0,), "01", (0, 1.5), 3])
def test_rounds_that_are_not_there_are_refused_with_the_numbers(tmp_path, asked):
    with pytest.raises(OptionError, match="iteration_range"):
        from_file(write(tmp_path, text(stump(), stump())), iteration_range=asked)


def test_a_part_of_the_rounds(tmp_path):
    path = write(tmp_path, text(stump(), stump(leaf_value="4 8"), stump(leaf_value="9 9")))
    assert predict(from_file(path, iteration_range=(1, 2)), [[0.0, 0.0]]) == 4
    assert predict(from_file(path, iteration_range=(1, 0)), [[0.0, 0.0]]) == 13
    assert from_file(path, iteration_range=(1, 1)).n_trees == 0


def test_a_forest_is_a_mean_of_the_rounds_that_count(tmp_path):
    averaged = text(stump(), stump(leaf_value="4 8")).replace(
        "\nfeature_names", "\naverage_output\nfeature_names", 1
    )
    path = write(tmp_path, averaged)
    assert predict(from_file(path), [[0.0, 0.0]]) == 2.5
    assert predict(from_file(path, iteration_range=(1, 2)), [[0.0, 0.0]]) == 4
    with pytest.raises(OptionError, match="mean of trees"):
        from_file(path, iteration_range=(1, 1))


def test_a_deep_chain_of_splits_is_read(tmp_path):
    n = 3000
    fields = {
        "num_leaves": n + 1,
        "split_feature": "0 " * n,
        "threshold": " ".join(map(str, range(n))),
        "decision_type": "2 " * n,
        "left_child": " ".join(str(-1 - k) for k in range(n)),
        "right_child": " ".join(map(str, [*range(1, n), -1 - n])),
        "leaf_value": " ".join(map(str, range(n + 1))),
    }
    others = dict.fromkeys(["leaf_count", "internal_count"])
    tree = stump(**{key: str(value).strip() for key, value in fields.items()}, **others)
    forest = from_file(write(tmp_path, text(tree)))
    np.testing.assert_array_equal(predict(forest, [[5.0, 0], [n, 0]])[:, 0], [5, n])


def test_more_sizes_than_trees_are_not_even_read(tmp_path):
    content = text(stump()).replace("tree_sizes=", "tree_sizes=" + "1 " * 3_000_000)
    started = time.perf_counter()
    with pytest.raises(ModelFileError, match="has 3000001 numbers for 1 trees"):
        import_model(write(tmp_path, content))
    assert time.perf_counter() - started < 1


def test_a_count_of_outputs_that_no_model_has_is_refused(tmp_path):
    content = text(stump())
    for line in ("num_class=1", "num_tree_per_iteration=1"):
        content = content.replace(line, line + "00000000")
    with pytest.raises(ModelFileError, match="1 trees of 100000000 in a round"):
        import_model(write(tmp_path, content))
    content = text(stump()).replace("num_class=1\n", "").replace("iteration=1", "iteration=0")
    with pytest.raises(ModelFileError, match="1 trees of 0 in a round for no outputs"):
        import_model(write(tmp_path, content))
