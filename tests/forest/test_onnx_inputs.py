import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import (
    DataError,
    UnsupportedModelError,
)
from fastpd.forest import import_model
from fastpd.forest.walk import predict
from fastpd.testing.cases.onnx import ORDERED, tables
from fastpd.testing.onnx_models import classifier, model_of, reference, regressor, rounded, walked

onnx = pytest.importorskip("onnx")

node = onnx.helper.make_node
ML = "ai.onnx.ml"
HELD = rounded(ORDERED)
ONES = {"one": np.array([1.0], np.float32)}
ONES |= {"places": np.array([2, 0, 1])}


def before(*steps, kind="FLOAT", double=False, **options):
    """Return a model with steps before its trees, which read Z."""
    nodes = [*steps, regressor(ORDERED, given="Z", double=double)]
    return model_of(nodes, kind=kind, constants=ONES, **options)


@pytest.mark.parametrize(
    ("step", "order"),
    [
        (node("Identity", ["X"], ["Z"]), [0, 1, 2]),
        (node("ArrayFeatureExtractor", ["X", "places"], ["Z"], domain=ML), [2, 0, 1]),
        (node("Gather", ["X", "places"], ["Z"], axis=1), [2, 0, 1]),
    ],
)
def test_steps_before_the_trees_that_pick_columns(step, order):
    _, rows = tables()
    model = before(step)
    found = predict(import_model(model), rows)[:, 0]
    np.testing.assert_allclose(found, walked(HELD, rows[:, order]), rtol=1e-6)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (node("Gather", ["X", "places"], ["Z"], axis=0), "Gather"),
        (node("Mul", ["X", "one"], ["Z"]), "Mul"),
        (node("Cast", ["X"], ["Z"], to=10), "Cast"),
        (node("Cast", ["X"], ["Z"], to=7), "Cast"),
        (node("Concat", ["X", "X"], ["Z"], axis=0), "Concat"),
        (node("Imputer", ["X"], ["Z"], domain=ML, imputed_value_floats=[0.0]), "Imputer"),
    ],
)
def test_other_steps_before_the_trees_are_refused_by_name(step, name):
    with pytest.raises(UnsupportedModelError, match=f"operator {name}"):
        import_model(before(step))


def test_values_rounded_on_the_way_are_compared_as_rounded():
    tree = ("LEQ", 0, 1.0, 1.0, 2.0, 0)
    nodes = [node("Cast", ["X"], ["Z"], to=1), regressor([tree], given="Z")]
    model = model_of(nodes, 1, kind="DOUBLE")
    forest = import_model(model)
    assert forest.comparison == "float32"
    # The first two are rounded to 1.
    rows = np.array([[1.0 + 1e-9], [np.nextafter(1.0, 2)], [1.0 + 1e-6]])
    np.testing.assert_array_equal(predict(forest, rows)[:, 0], [1, 1, 2])
    np.testing.assert_array_equal(reference(model, "scores", {"X": rows}), [1, 1, 2])
    exact = import_model(model_of(regressor([tree]), 1, kind="DOUBLE"))
    np.testing.assert_array_equal(predict(exact, rows)[:, 0], [2, 2, 2])


def test_32_bit_values_meet_64_bit_thresholds_between_two_of_them():
    between = 0.1  # lies between two 32-bit numbers
    up = np.float32(between)
    down = np.nextafter(up, np.float32(0))
    assert float(down) < between < float(up)
    for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ"):
        tree = (mode, 0, between, 1.0, 2.0, 0)
        nodes = [node("Cast", ["X"], ["Z"], to=11), regressor([tree], given="Z", double=True)]
        forest = import_model(model_of(nodes, 1))
        rows = np.array([[down], [up], [-np.inf], [np.inf], [np.nan]], np.float32)
        np.testing.assert_array_equal(predict(forest, rows)[:, 0], walked([tree], rows))


def test_types_that_runtimes_compare_differently_are_refused():
    with pytest.raises(UnsupportedModelError, match="32-bit values with 64-bit thresholds"):
        import_model(model_of(regressor(ORDERED, double=True)))
    with pytest.raises(UnsupportedModelError, match=r"whole numbers .* without"):
        import_model(model_of(regressor(ORDERED), kind="INT64"))
    nodes = [
        node("Cast", ["X"], ["Z"], to=1),
        regressor(ORDERED, given="Z", scores="a"),
        regressor(ORDERED, given="X", scores="b"),
        node("Add", ["a", "b"], ["scores"]),
    ]
    with pytest.raises(UnsupportedModelError, match="one type of float"):
        import_model(model_of(nodes, kind="DOUBLE"))


def test_a_classifier_rounds_whole_numbers_to_32_bits():
    trees = [("LEQ", 0, float(2**24), {0: 1.0, 1: 2.0}, {0: 3.0, 1: 5.0}, 0)]
    model = model_of(classifier(trees, [0, 1]), 1, kind="INT64")
    rows = np.array([[2**24 - 1], [2**24], [2**24 + 1], [2**24 + 2]])
    forest = import_model(model)
    assert forest.comparison == "float32"
    np.testing.assert_array_equal(predict(forest, rows), reference(model, "scores", {"X": rows}))


def test_an_input_of_unknown_width_has_the_columns_that_trees_need():
    model = model_of(regressor(ORDERED), None)
    forest = import_model(model)
    assert forest.feature_names == ("f0", "f1", "f2")
    with pytest.raises(DataError, match="4 columns"):
        Explainer(model, np.zeros((3, 4), np.float32))


def test_several_inputs_name_the_columns():
    joined = node("Concat", ["b", "a"], ["X"], axis=1)
    model = model_of([joined, regressor(ORDERED)], 2, inputs=("a", "b"))
    forest = import_model(model)
    assert forest.feature_names == ("a.0", "a.1", "b.0", "b.1")
    rows = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    expected = walked(HELD, rows[:, [2, 3, 0, 1]])
    np.testing.assert_allclose(predict(forest, rows)[:, 0], expected, rtol=1e-6)


def test_columns_joined_with_themselves_do_not_fill_the_memory():
    steps = [node("Concat", [f"x{k}"] * 2, [f"x{k + 1}"], axis=1) for k in range(60)]
    nodes = [node("Identity", ["X"], ["x0"]), *steps, regressor(ORDERED, given="x60")]
    with pytest.raises(UnsupportedModelError, match="operator Concat"):
        import_model(model_of(nodes))
