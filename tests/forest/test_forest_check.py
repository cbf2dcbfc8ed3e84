import numpy as np
import pytest
from hand_made import make_forest

from fastpd import Explainer
from fastpd.errors import ModelFileError, ModelMismatchError
from fastpd.forest import IntervalSplits
from fastpd.forest.check import check_prediction, sample_rows, tolerance, validate
from fastpd.forest.walk import leaves_reached, predict, predict_rounded

NAN = float("nan")


def test_rows_follow_splits_missing_sides_and_exact_thresholds(small):
    below = np.nextafter(np.float32(0.5), np.float32(0))
    rows = [[below, 0], [0.5, -1], [0.5, -1.5], [NAN, NAN], [9, NAN], [np.inf, -np.inf]]
    assert predict(small, rows).ravel().tolist() == [1.25, 4.25, 2.25, 1.25, 4.25, 2.25]


def test_values_are_rounded_before_they_are_compared(small):
    just_below = 0.5 - 1e-12
    assert predict(small, [[just_below, 0]]) == 4.25
    assert predict(make_forest(comparison="float64"), [[just_below, 0]]) == 1.25


def test_a_number_can_stand_for_missing():
    forest = make_forest(missing=-999.0)
    assert predict(forest, [[-999.0, 0], [3, -999.0], [NAN, 0]]).ravel().tolist() == [
        1.25,
        4.25,
        1.25,
    ]


def test_outputs_add_their_own_trees():
    base = make_forest()
    twice = {
        name: np.concatenate([getattr(base, name)] * 2)
        for name in ("feature", "threshold", "default_left", "value", "cover")
    }
    shift = np.where(base.left >= 0, 5, 0)
    forest = make_forest(
        **twice,
        left=np.concatenate([base.left, base.left + shift]),
        right=np.concatenate([base.right, base.right + shift]),
        roots=np.array([0, 5], np.int32),
        tree_output=np.array([1, 1], np.int32),
        base=np.array([0.0, 1.0]),
        output_names=("no", "yes"),
    )
    validate(forest)
    rows = [[0, 0], [1, 1]]
    assert predict(forest, rows).tolist() == [[0, 3], [0, 9]]
    rounded = predict_rounded(forest, leaves_reached(forest, rows))
    assert rounded.tolist() == [[0, 3], [0, 9]]


def test_vector_leaves_add_to_every_output():
    forest = make_forest(
        value=np.arange(10.0).reshape(5, 2),
        tree_output=np.array([-1], np.int32),
        base=np.zeros(2),
        output_names=("a", "b"),
    )
    validate(forest)
    assert predict(forest, [[0, 0], [1, 0]]).tolist() == [[2, 3], [8, 9]]


def ints(*numbers):
    return np.array(numbers, np.int32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": ints(1, -1, 9, -1, -1)}, "number 9 of 5 nodes"),
        ({"left": ints(1, -1, 0, -1, -1)}, "cycle"),
        ({"left": ints(1, -1, 1, -1, -1)}, "cycle"),
        ({"left": ints(2, -1, 3, -1, -1)}, "cycle"),
        ({"feature": ints(2, -1, 1, -1, -1)}, "node 0 of tree 0 splits on an absent column"),
        ({"feature": ints(-1, -1, 1, -1, -1)}, "a leaf has children"),
        ({"feature": ints(0, 1, 1, -1, -1)}, "a split has none"),
        ({"threshold": np.array([NAN, 0, 0, 0, 0])}, "no finite threshold"),
        ({"cover": np.array([NAN, 0, 0, 0, 0])}, "cover that is not finite"),
        ({"value": np.array([[0], [0], [0], [0], [np.inf]])}, "node 4 .* not finite"),
        ({"value": np.zeros((5, 2))}, "leaves of 2 values for 1 outputs"),
        ({"base": np.array([NAN])}, "base is not finite"),
        ({"base": np.zeros(2)}, "outputs differ in number"),
        ({"cover": np.zeros(4)}, "differ in length"),
        ({"roots": ints(1)}, "one after another"),
        ({"roots": ints(0, 3), "tree_output": ints(0, 0)}, "cycle"),
        ({"roots": ints(), "tree_output": ints()}, "no tree"),
        ({"tree_output": ints(1)}, "output that is not there"),
    ],
)
def test_arrays_that_are_no_trees_are_refused(changes, message):
    with pytest.raises(ModelFileError, match=message):
        validate(make_forest(**changes))


def test_a_leaf_may_have_any_negative_number_for_a_child(small):
    far = [
        np.where(side < 0, -(2**31), side).astype(np.int32) for side in (small.left, small.right)
    ]
    forest = make_forest(left=far[0], right=far[1])
    validate(forest)
    rows = [[0, 0], [1, 1]]
    assert np.array_equal(Explainer(forest, rows).predict(rows), predict(small, rows)[:, 0])


def test_sample_rows_are_the_same_every_time_and_hit_thresholds(small):
    rows = sample_rows(small)
    np.testing.assert_array_equal(rows, sample_rows(small))
    column = rows[:, 0]
    assert np.any(column == 0.5)
    assert np.any(column == np.nextafter(np.float32(0.5), np.float32(0)))
    assert np.any(column == np.nextafter(np.float32(0.5), np.float32(1)))
    assert np.isnan(rows).any()
    assert not np.isinf(rows).any()


def test_sample_rows_are_whole_numbers_where_splits_are_sets_and_there_alone():
    sets = {0: [(1.0, 3.0), (7.0, 8.0)], 2: [(-np.inf, np.inf)]}  # the second of missing values
    rows = sample_rows(make_forest(splits=IntervalSplits.from_mapping(sets)))
    coded, plain = (column[~np.isnan(column)] for column in rows.T)
    assert np.all(coded == np.floor(coded))
    assert not np.all(plain == np.floor(plain))


def test_sample_rows_hold_the_number_that_stands_for_missing():
    assert np.any(sample_rows(make_forest(missing=-999.0)) == -999.0)


def test_thresholds_at_the_end_of_the_range_give_finite_samples():
    biggest = float(np.finfo(np.float32).max)
    rows = sample_rows(make_forest(threshold=np.array([biggest, 0, -biggest, 0, 0])))
    assert not np.isinf(rows).any()


def test_agreement_passes_up_to_rounding(small):
    check_prediction(small, lambda rows: predict(small, rows).astype(np.float32))
    allowed = tolerance(small)[0]
    check_prediction(small, lambda rows: predict(small, rows) + 0.9 * allowed)


@pytest.mark.parametrize(
    "changes",
    [
        {"default_left": np.array([False] * 5)},
        {"default_left": np.array([True] * 5)},
        {"threshold": np.nextafter(np.float32([0.5, 0, -1, 0, 0]), np.float32(1)).astype(float)},
        {"base": np.array([0.2501])},
        {"value": np.array([[0.0], [1.0], [0.0], [2.0], [4.0001]])},
        {"missing": -999.0},
    ],
)
def test_every_kind_of_misreading_is_noticed(small, changes):
    wrong = make_forest(**changes)
    with pytest.raises(ModelMismatchError, match=r"on sample row \d+, output 'prediction'"):
        check_prediction(wrong, lambda rows: predict(small, rows))


def test_a_library_that_returns_nan_or_another_shape_is_a_mismatch(small):
    with pytest.raises(ModelMismatchError, match="library says nan"):
        check_prediction(small, lambda rows: np.full(len(rows), NAN))
    with pytest.raises(ModelMismatchError, match="shape"):
        check_prediction(small, lambda rows: np.zeros((len(rows), 3)))
