"""Forests of one's own arrays: read as they say, or refused with the tree and the node."""

import math

import numpy as np
import pandas as pd
import pytest
from hand_made import PAIR, STUMP

from fastpd import Explainer, Forest
from fastpd.errors import DataError
from fastpd.forest import Categories, import_model
from fastpd.forest.check import validate
from fastpd.forest.walk import predict

NAN, INF = math.nan, math.inf


def stump(**changes):
    return Forest.from_arrays(**{**STUMP, **changes})


def pair(**changes):
    return Forest.from_arrays(**{**PAIR, **changes})


def column(forest, *values):
    return predict(forest, np.array(values)[:, None])[:, 0].tolist()


def test_a_stump_has_names_one_output_and_no_base():
    forest = stump()
    validate(forest)
    assert forest.feature_names == ("f0",)
    assert forest.output_names == ("prediction",)
    assert forest.comparison == "float64"
    assert forest.missing != forest.missing
    assert column(forest, 0.4, 0.6) == [1, 2]
    assert import_model(forest).n_trees == 1


@pytest.mark.parametrize(("left_if", "at"), [("<=", 1.0), ("<", 2.0)])
@pytest.mark.parametrize("comparison", ["float32", "float64"])
def test_a_value_on_the_threshold_goes_where_it_is_said_to(left_if, at, comparison):
    forest = stump(left_if=left_if, comparison=comparison)
    kind = np.dtype(comparison).type
    below, above = np.nextafter(kind(0.5), kind(-1)), np.nextafter(kind(0.5), kind(1))
    assert column(forest, below, 0.5, above) == [1, at, 2]


@pytest.mark.parametrize("left_if", ["<", "<="])
@pytest.mark.parametrize("threshold", [0.1, 0.3, -0.1, 1e-46, -1e-46, 1 + 1e-12, -1e39])
def test_a_threshold_between_two_floats_of_32_bits_is_not_rounded(left_if, threshold):
    forest = stump(left_if=left_if, comparison="float32", threshold=[threshold, 0, 0])
    with np.errstate(over="ignore"):
        near = np.float32(threshold)
    rows = [np.nextafter(near, np.float32(-INF)), near, np.nextafter(near, np.float32(INF))]
    for row in rows:
        left = float(row) <= threshold if left_if == "<=" else float(row) < threshold
        assert column(forest, row) == [1.0 if left else 2.0]


def test_missing_values_go_right_unless_it_is_said_otherwise():
    assert column(stump(), NAN) == [2]
    assert column(stump(default_left=True), NAN) == [1]
    assert column(stump(default_left=[1, 0, 0]), NAN) == [1]
    assert column(stump(default_left=np.array([True, True, True]), missing=-9), NAN, -9) == [1, 1]
    assert column(stump(missing=-9), -9, -8) == [2, 1]
    assert stump(default_left=True).default_left.tolist() == [True, False, False]


def test_trees_are_given_one_by_one_or_as_one_array():
    shifted = [1, -1, 3, -1, -1, 6, -1, -1]
    joined = Forest.from_arrays(
        feature=np.concatenate(PAIR["feature"]).astype(np.uint8),
        threshold=np.concatenate(PAIR["threshold"]),
        left=np.array(shifted, np.int8),
        right=np.array([2, -1, 4, -1, -1, 7, -1, -1], np.int64),
        value=np.concatenate(PAIR["value"]).astype(np.float32),
        roots=[0, 5],
    )
    for forest in (pair(), joined, pair(**{k: tuple(map(np.array, v)) for k, v in PAIR.items()})):
        rows = [[0, 0], [1, 0], [1, -2], [1, 5]]
        assert predict(forest, rows)[:, 0].tolist() == [11, 14, 12, 24]
        assert forest.roots.tolist() == [0, 5]


def test_trees_have_weights_and_a_base():
    assert column(stump(tree_weights=0.5, base=7), 0, 1) == [7.5, 8]
    assert predict(pair(tree_weights=[2, 0.1]), [[1, 5]]).tolist() == [[10]]


def test_trees_add_to_outputs():
    forest = pair(tree_output=[1, 0], output_names=["a", "b"], base=[100, 200])
    assert predict(forest, [[1, 5]]).tolist() == [[120, 204]]
    assert pair(tree_output=[1, 0]).output_names == ("0", "1")
    assert pair(tree_output=[0, 0], output_names=["a", "b", "c"]).n_outputs == 3


def test_leaves_hold_a_value_for_every_output():
    forest = stump(value=[[0, 0], [1, 2], [3, 4]], base=0.5)
    assert predict(forest, [[0], [1]]).tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert forest.output_names == ("0", "1")


def test_codes_of_a_set_go_left_and_others_right():
    forest = stump(left_codes={0: [4, 1, 1]}, default_left=True)
    assert column(forest, 0, 1, 1.9, 2, 4, 5, -1, NAN, INF) == [2, 1, 1, 2, 1, 2, 2, 1, 2]
    assert forest.categories == (Categories(None),)


def test_labels_are_mapped_and_unknown_ones_refused():
    forest = stump(left_codes={0: [1]}, categories={"f0": ["red", "blue"]})
    ex = Explainer(forest, pd.DataFrame({"f0": ["red", "blue"]}))
    assert ex.predict(pd.DataFrame({"f0": ["blue", "red", None]})).tolist() == [1, 2, 2]
    with pytest.raises(DataError, match="'green'"):
        ex.predict(pd.DataFrame({"f0": ["green"]}))
    known = Categories(("red", "blue"), unseen=1.0)
    forest = stump(left_codes={0: [1]}, categories={"f0": known})
    assert Explainer(forest, [[0.0]]).predict(pd.DataFrame({"f0": ["green"]})).tolist() == [1]


def test_an_empty_forest_predicts_its_base():
    empty = {name: [] for name in STUMP}
    forest = Forest.from_arrays(**empty, base=[1, 2], n_features=3)
    assert predict(forest, np.zeros((2, 3))).tolist() == [[1, 2], [1, 2]]
    ex = Explainer(forest, np.zeros((2, 3)))
    assert np.all(ex.shap(np.ones((4, 3))).values == 0)


def test_a_background_row_of_no_weight_is_as_if_it_was_not_there():
    rows = np.array([[0.0, 1.0], [1.0, 5.0], [0.2, 9.0], [-3.0, -1.0]])
    whole = Explainer(pair(), rows, weights=[0, 1, 0, 2])
    part = Explainer(pair(), rows[[1, 3]], weights=[1, 2])
    np.testing.assert_array_equal(whole.shap(rows).values, part.shap(rows).values)
    np.testing.assert_array_equal(whole.value([(0,), (1,)], rows), part.value([(0,), (1,)], rows))


def test_a_single_leaf_is_a_tree():
    forest = Forest.from_arrays([-1], [0], [-1], [-1], [3.0], n_features=2)
    assert predict(forest, [[0, 0]]).tolist() == [[3]]


def test_options_are_handed_on():
    forest = stump(link="logit", absent="zero", cover=[3, 1, 2], feature_names=["a"], n_features=1)
    assert (forest.link, forest.absent, forest.feature_names) == ("logit", "zero", ("a",))
    assert forest.cover.tolist() == [3, 1, 2]


@pytest.mark.parametrize("left_if", ["<", "<="])
@pytest.mark.parametrize("comparison", ["float32", "float64"])
def test_random_trees_predict_as_a_plain_walk(left_if, comparison):
    rng = np.random.default_rng(8)
    kind = np.dtype(comparison).type
    for _ in range(20):
        arrays = grown(rng, 9)
        forest = Forest.from_arrays(
            **arrays, left_if=left_if, comparison=comparison, n_features=3, default_left=True
        )
        points = np.array(arrays["threshold"])
        rows = rng.choice(
            [*points, *np.nextafter(points, INF), *points.astype(np.float32)], (40, 3)
        )
        rows[rng.random(rows.shape) < 0.1] = NAN
        expected = [walked(arrays, row.astype(kind), left_if) for row in rows]
        np.testing.assert_array_equal(predict(forest, rows)[:, 0], expected)


def grown(rng, n_splits):
    """Return a random tree whose children may stand anywhere behind their parent."""
    tree = {name: [-1] for name in STUMP}
    tree["threshold"], tree["value"] = [0.0], [rng.normal()]
    for _ in range(n_splits):
        leaf = int(rng.choice([k for k, child in enumerate(tree["left"]) if child < 0]))
        tree["feature"][leaf] = int(rng.integers(3))
        tree["threshold"][leaf] = float(np.round(rng.normal(), 2))
        for side in ("left", "right"):
            tree[side][leaf] = len(tree["left"])
            new = {"feature": -1, "threshold": 0.0, "left": -1, "right": -1, "value": rng.normal()}
            for name, value in new.items():
                tree[name].append(value)
    return tree


def walked(tree, row, left_if):
    node = 0
    while tree["left"][node] >= 0:
        value, point = float(row[tree["feature"][node]]), tree["threshold"][node]
        below = value <= point if left_if == "<=" else value < point
        node = tree["left" if below or value != value else "right"][node]
    return tree["value"][node]
