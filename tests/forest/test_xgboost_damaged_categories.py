"""Damaged sets of codes and damaged labels: an error that says so."""

import json

import pytest

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest import import_model


def damaged(frozen, change, at=0):
    content = json.loads(frozen("3.2.0-categories", "sets.json").read_text())
    model = content["learner"]["gradient_booster"]["model"]
    change(model["trees"][at], model, content["learner"])
    return content


def put(key, place, value):
    def change(tree, model, learner):
        tree[key][place] = value

    return change


def replaced(key, value):
    def change(tree, model, learner):
        tree[key] = value

    return change


DAMAGE = {
    "a node beyond the tree": (put("categories_nodes", -1, 999), "at nodes of it in order"),
    "a node below zero": (put("categories_nodes", 0, -1), "number out of range"),
    "nodes out of order": (put("categories_nodes", 0, 5), "at nodes of it in order"),
    "a segment elsewhere": (put("categories_segments", 1, 0), "cut into sets"),
    "an endless set": (put("categories_sizes", -1, 2**30), "cut into sets"),
    "an empty set": (put("categories_sizes", 0, 0), "cut into sets"),
    "a code below zero": (put("categories", 0, -1), "number out of range"),
    "a code beyond float32": (put("categories", 0, 2**24), "code outside 0 to 16777215"),
    "a code beyond 64 bits": (put("categories", 0, 2**70), "no list of whole numbers"),
    "a fraction": (put("categories", 0, 1.5), "no list of whole numbers"),
    "codes out of order": (put("categories", 0, 39), "not in ascending order"),
    "text": (replaced("categories", "abc"), "no list of whole numbers"),
    "no sizes": (replaced("categories_sizes", []), "one set for each"),
    "no sets at all": (
        lambda tree, *_: [tree.update({key: []}) for key in tree if key.startswith("categories")],
        r"node 0 of tree 0 has no categories",
    ),
    "an unknown kind of split": (put("split_type", 0, 2), "neither by a threshold nor by"),
    "types of other columns": (
        lambda _, __, learner: learner.update(feature_types=["c"]),
        "3 strings, one for each column",
    ),
    "types that are no text": (
        lambda _, __, learner: learner.update(feature_types=[1, 2, 3]),
        "3 strings, one for each column",
    ),
}


@pytest.mark.parametrize(("change", "message"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_categories_are_refused(frozen, write, change, message):
    with pytest.raises(ModelFileError, match=message):
        import_model(write(damaged(frozen, change)))


EMPTY = {"offsets": [], "values": []}


@pytest.mark.parametrize(
    ("encoded", "message"),
    [
        ([EMPTY, EMPTY], "3 lists of labels"),
        ([EMPTY, EMPTY, 3], "expected mappings"),
        ([EMPTY, EMPTY, {"offsets": [0, 1, 2], "values": [97, 97]}], "distinct labels of 'sex'"),
        ([EMPTY, EMPTY, {"offsets": [0, 1, 9], "values": [97, 98]}], "increasing places"),
        ([EMPTY, EMPTY, {"offsets": [0, 2, 1, 2], "values": [97, 98]}], "increasing places"),
        ([EMPTY, EMPTY, {"offsets": [0, 1], "values": [999]}], "expected bytes"),
        ([EMPTY, EMPTY, {"type": 15, "values": [2**64]}], "whole numbers of 64 bits"),
        ([EMPTY, EMPTY, {"type": 15, "values": [0.5]}], "whole numbers of 64 bits"),
        ([EMPTY, EMPTY, {"values": [5]}], "'type' is absent"),
    ],
)
def test_damaged_labels_are_refused(frozen, write, encoded, message):
    content = damaged(frozen, lambda _, model, __: model["cats"].update(enc=encoded))
    with pytest.raises(ModelFileError, match=message):
        import_model(write(content))


def test_labels_of_an_unknown_type_are_refused(frozen, write):
    encoded = [EMPTY, EMPTY, {"type": 7, "values": [0.5]}]
    content = damaged(frozen, lambda _, model, __: model["cats"].update(enc=encoded))
    with pytest.raises(UnsupportedModelError, match="unknown type 7"):
        import_model(write(content))


def test_labels_of_whole_numbers_beyond_32_bits_are_read(frozen, write):
    encoded = [EMPTY, EMPTY, {"type": 15, "values": [2**40, -1, 3]}]
    content = damaged(frozen, lambda _, model, __: model["cats"].update(enc=encoded))
    assert import_model(write(content)).categories[2].labels == (2**40, -1, 3)
