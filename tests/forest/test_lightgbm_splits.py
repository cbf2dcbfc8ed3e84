"""Every kind of split goes where LightGBM goes, on every value at which one might err."""

import numpy as np
import pytest
from lightgbm_texts import stump, text

from fastpd.errors import ModelFileError
from fastpd.forest.importers.lightgbm import from_booster, from_file
from fastpd.forest.importers.lightgbm.splits import ZERO
from fastpd.forest.walk import predict

lgb = pytest.importorskip("lightgbm")

RNG = np.random.default_rng(2)


def above(number):
    return float(np.nextafter(number, np.inf))


def below(number):
    return float(np.nextafter(number, -np.inf))


THRESHOLDS = [
    *(-1e300, -1.0, below(below(-ZERO)), below(-ZERO), -ZERO, above(-ZERO), -1e-36, -5e-324, -0.0),
    *(
        0.0,
        5e-324,
        1e-36,
        below(ZERO),
        ZERO,
        above(ZERO),
        above(above(ZERO)),
        1.0,
        1e300,
        np.inf,
        -np.inf,
    ),
]
VALUES = np.array(
    [
        *(value for at in THRESHOLDS for value in (below(at), at, above(at))),
        np.nan,
    ]
)[:, None]
CODES = np.array(
    [
        *(np.nan, np.inf, -np.inf, -(2.0**31) - 1, -(2.0**31), -7.0, -1.0, above(-1.0), -0.5, -0.0),
        *(0.0, 1e-40, 0.5, below(1.0), 1.0, 1.5, below(2.0), 2.0, 31.0, 31.5, 32.0, 33.0, 63.0),
        *(63.9, 64.0, 95.0, 96.0, 2.0**31 - 1, 2.0**31, 2.0**32, 2.0**32 + 1, 2.0**63, 1e300),
    ]
)[:, None]


def booster(**changes):
    return lgb.Booster(model_str=text(stump(**changes), names="a"))


def test_zero_is_a_float32_in_lightgbm():
    assert repr(ZERO) == "1.0000000180025095e-35"


def same_sides(trees, values):
    """Tell whether rows go to the same sides; on the right a tree adds its own power of two."""
    marked = [stump(**tree, leaf_value=f"0 {2**at}") for at, tree in enumerate(trees)]
    model = lgb.Booster(model_str=text(*marked, names="a"))
    ours, theirs = predict(from_booster(model), values)[:, 0], model.predict(values)
    assert len(set(theirs.tolist())) > 3
    return np.array_equal(ours, theirs)


@pytest.mark.parametrize("decision", ["0", "2", "4", "6", "8", "10"])
def test_numeric_splits(decision):
    trees = [{"threshold": repr(at), "decision_type": decision} for at in THRESHOLDS]
    assert same_sides(trees, VALUES)


@pytest.mark.parametrize("decision", ["1", "3", "5", "7", "9", "11"])
def test_sets_of_categories(decision):
    sets = ["1", "2", "0 1", "2147483649 3", "4294967295 4294967295", "5 0 2147483648"]
    fields = {"decision_type": decision, "threshold": "0", "num_cat": "1"}
    trees = [
        fields | {"cat_boundaries": f"0 {words.count(' ') + 1}", "cat_threshold": words}
        for words in sets
    ]
    assert same_sides(trees, CODES)


def test_several_sets_in_one_tree():
    """The threshold of a categorical split is the number of its set."""
    model = lgb.Booster(
        model_str=text(
            stump(
                num_leaves="3",
                num_cat="2",
                split_feature="0 1",
                split_gain="1 1",
                threshold="1 0",
                decision_type="1 1",
                left_child="1 -1",
                right_child="-3 -2",
                leaf_value="1 2 4",
                leaf_weight="1 1 1",
                leaf_count="1 1 1",
                internal_value="0 0",
                internal_weight="3 2",
                internal_count="3 2",
                cat_boundaries="0 1 3",
                cat_threshold="6 1 1",
            )
        )
    )
    rows = np.stack(np.meshgrid(np.arange(-1, 70), np.arange(-1, 5)), axis=-1).reshape(-1, 2)
    ours = predict(from_booster(model), rows)[:, 0]
    np.testing.assert_array_equal(ours, model.predict(rows.astype(float)))
    assert [intervals for _, intervals in from_booster(model).splits] == [
        [(above(-1.0), 1.0), (32.0, 33.0)],
        [(1.0, 3.0)],
    ]


@pytest.mark.parametrize("decision", ["8", "10"])
def test_missing_values_split_from_all_numbers(decision):
    """LightGBM writes an infinite threshold then, and infinite values are numbers."""
    model = booster(threshold="inf", decision_type=decision)
    assert list(from_booster(model).splits) == [(0, [(-np.inf, np.inf)])]
    missing = RNG.random(300) < 0.4
    values = np.where(missing, np.nan, RNG.normal(size=300))[:, None]
    data = lgb.Dataset(values, missing * 1.0, params={"verbose": -1})
    model = lgb.train({"verbose": -1, "num_threads": 1}, data, 2)
    assert "\nthreshold=inf" in model.model_to_string()
    np.testing.assert_allclose(predict(from_booster(model), VALUES)[:, 0], model.predict(VALUES))


@pytest.mark.parametrize(
    ("threshold", "decision", "intervals"),
    [
        (1.5, 6, None),  # a missing zero goes left, where it would go as a number
        (1.5, 4, [(-np.inf, -ZERO), (above(ZERO), above(1.5))]),
        (-1.5, 4, None),
        (-1.5, 6, [(-np.inf, above(-1.5)), (-ZERO, above(ZERO))]),
        (ZERO, 4, None),  # nothing lies between zero and the threshold
        (below(-ZERO), 6, None),
    ],
)
def test_only_a_zero_amid_one_side_takes_intervals(threshold, decision, intervals):
    model = booster(threshold=repr(threshold), decision_type=str(decision))
    found = [found for _, found in from_booster(model).splits]
    assert found == ([] if intervals is None else [intervals])


def test_values_are_compared_as_doubles():
    """Unlike in XGBoost, a float64 next to a threshold is not rounded onto it."""
    forest = from_booster(booster(threshold="0.1"))
    rows = np.array([[0.1], [above(0.1)], [float(np.float32(0.1))]])
    np.testing.assert_array_equal(predict(forest, rows)[:, 0], [1.0, 2.0, 2.0])
    assert forest.comparison == "float64"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": "2"}, "set of categories that is not there"),
        ({"threshold": "-1"}, "set of categories that is not there"),
        ({"threshold": "0.5"}, "set of categories that is not there"),
        ({"cat_threshold": "0"}, "empty set"),
        ({"cat_threshold": "4294967296"}, "sets of bits"),
        ({"cat_threshold": "-1"}, "sets of bits"),
        ({"cat_boundaries": "0 2"}, "cat_boundaries"),
        ({"cat_boundaries": "1 1"}, "cat_boundaries"),
        ({"cat_boundaries": "0"}, "cat_boundaries"),
        ({"cat_boundaries": "0 0 1", "num_cat": "2"}, "sets of bits"),
        ({"cat_boundaries": None}, "cat_boundaries"),
        ({"cat_threshold": None}, "cat_threshold"),
        ({"num_cat": "0"}, "set of categories that is not there"),
        ({"num_cat": "999999999"}, "cat_boundaries"),
        ({"num_cat": "-1"}, "cat_boundaries"),
        ({"num_cat": None}, "num_cat"),
    ],
)
def test_damaged_sets_are_refused(tmp_path, changes, message):
    fields = {"decision_type": "1", "threshold": "0", "num_cat": "1"}
    fields |= {"cat_boundaries": "0 1", "cat_threshold": "2"}
    path = tmp_path / "model.txt"
    path.write_text(text(stump(**fields | changes)))
    with pytest.raises(ModelFileError, match=message):
        from_file(path)
