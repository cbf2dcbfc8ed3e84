import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import (
    DataError,
    UnsupportedModelError,
)
from fastpd.forest import import_model
from fastpd.forest.walk import predict
from fastpd.testing.cases.onnx import EQUAL, ORDERED, tables
from fastpd.testing.onnx_models import classifier, model_of, reference, regressor, rounded, walked

onnx = pytest.importorskip("onnx")

node = onnx.helper.make_node
ML = "ai.onnx.ml"
HELD = rounded(ORDERED)
TWO = [("LEQ", 0, 0.5, {0: 1.0, 1: 2.0}, {0: -1.0, 1: 0.5}, 0)]
ONES = {"one": np.array([1.0], np.float32), "pair": np.array([[1.0, 2.0]], np.float32)}
ONES |= {"places": np.array([2, 0, 1]), "shape": np.array([-1]), "wide": np.array([-1, 2])}


def after(*steps, trees=ORDERED, n_targets=1, outputs=("out",)):
    """Return a model with steps after its trees."""
    nodes = [regressor(trees, n_targets=n_targets), *steps]
    return model_of(nodes, outputs=outputs, constants=ONES)


def before(*steps, kind="FLOAT", double=False, **options):
    """Return a model with steps before its trees, which read Z."""
    nodes = [*steps, regressor(ORDERED, given="Z", double=double)]
    return model_of(nodes, kind=kind, constants=ONES, **options)


@pytest.mark.parametrize(
    ("step", "link"),
    [
        (node("Identity", ["scores"], ["out"]), "identity"),
        (node("Cast", ["scores"], ["out"], to=11), "identity"),
        (node("Reshape", ["scores", "shape"], ["out"]), "identity"),
        (node("Flatten", ["scores"], ["out"]), "identity"),
        (node("Exp", ["scores"], ["out"]), "log"),
        (node("Sigmoid", ["scores"], ["out"]), "logit"),
    ],
)
def test_steps_after_the_trees_that_keep_raw_scores(step, link):
    forest = import_model(after(step))
    assert forest.link == link
    _, rows = tables()
    np.testing.assert_allclose(predict(forest, rows)[:, 0], walked(HELD, rows), rtol=1e-6)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (node("Add", ["scores", "pair"], ["out"]), lambda s: s + np.array([1, 2])),
        (node("Sub", ["pair", "scores"], ["out"]), lambda s: [1, 2] - s),
        (node("Mul", ["pair", "scores"], ["out"]), lambda s: s * [1, 2]),
        (node("Div", ["scores", "pair"], ["out"]), lambda s: s / [1, 2]),
        (node("Neg", ["scores"], ["out"]), lambda s: -s),
        (node("Sum", ["scores", "one", "scores"], ["out"]), lambda s: 2 * s + 1),
        (node("Add", ["scores", "one"], ["out"]), lambda s: s + 1),
        (node("Reshape", ["scores", "wide"], ["out"]), lambda s: s),
    ],
)
def test_sums_and_multiples_of_scores(step, expected):
    _, rows = tables()
    model = after(step, trees=TWO, n_targets=2)
    found = predict(import_model(model), rows)
    np.testing.assert_allclose(found, expected(walked(TWO, rows, 2)), rtol=1e-6)
    np.testing.assert_allclose(found, reference(model, "out", {"X": rows}), rtol=1e-6)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (node("Div", ["one", "scores"], ["out"]), "Div"),
        (node("Mul", ["scores", "scores"], ["out"]), "Mul"),
        (node("Abs", ["scores"], ["out"]), "Abs"),
        (node("Cast", ["scores"], ["out"], to=10), "Cast"),
        (node("Cast", ["scores"], ["out"], to=7), "Cast"),
        (node("Add", ["scores", "pair"], ["out"]), "Add"),
        (node("Softmax", ["scores"], ["out"]), "Softmax"),
        (node("Normalizer", ["scores"], ["out"], domain=ML, norm="L1"), "Normalizer"),
        (node("Identity", ["scores"], ["out"], domain="mine"), "mine.Identity"),
    ],
)
def test_other_steps_after_the_trees_are_refused_by_name(step, name):
    with pytest.raises(UnsupportedModelError, match=f"operator {name}"):
        import_model(after(step))


def test_steps_after_a_link_function_are_refused():
    steps = (
        node("Sigmoid", ["scores"], ["p"]),
        node("Sub", ["one", "p"], ["out"]),
    )
    with pytest.raises(UnsupportedModelError, match="operator Sub"):
        import_model(after(*steps))


def test_scores_of_another_shape_are_not_added():
    steps = (
        node("Reshape", ["scores", "shape"], ["flat"]),
        node("Add", ["flat", "scores"], ["out"]),
    )
    with pytest.raises(UnsupportedModelError, match="operator Add"):
        import_model(after(*steps))


def test_flattened_scores_are_added():
    steps = (
        node("Flatten", ["scores"], ["flat"]),
        node("Sum", ["flat", "scores"], ["out"]),
    )
    _, rows = tables()
    found = predict(import_model(after(*steps)), rows)[:, 0]
    np.testing.assert_allclose(found, 2 * walked(HELD, rows), rtol=1e-6)


def test_softmax_and_a_normalizer_of_shares():
    steps = (
        node("Softmax", ["scores"], ["p"], axis=1),
        node("Normalizer", ["p"], ["out"], domain=ML, norm="L1"),
    )
    assert import_model(after(*steps, trees=TWO, n_targets=2)).link == "softmax"


def test_labels_and_maps_of_classes_beside_the_scores():
    nodes = [
        classifier(TWO, ["a", "b"], post_transform="SOFTMAX"),
        node("Cast", ["label"], ["text"], to=8),
        node("ZipMap", ["scores"], ["map"], domain=ML, classlabels_strings=["a", "b"]),
        node("ArgMax", ["scores"], ["best"]),
    ]
    forest = import_model(model_of(nodes, outputs=("text", "map", "best")))
    assert (forest.link, forest.output_names) == ("softmax", ("a", "b"))


def test_the_link_is_that_of_the_transformation():
    _, rows = tables()
    for model in (
        model_of(classifier(ORDERED, [0, 1], post_transform="LOGISTIC")),
        after(node("Sigmoid", ["scores"], ["out"])),
    ):
        raw = predict(import_model(model), rows)[:, 0]
        output = model.graph.output[-1].name
        shares = reference(model, output, {"X": rows}).reshape(len(rows), -1)[:, -1]
        np.testing.assert_allclose(shares, 1 / (1 + np.exp(-raw)), rtol=1e-5)


def test_a_model_of_labels_alone_is_refused():
    with pytest.raises(UnsupportedModelError, match="no output of scores"):
        import_model(model_of(classifier(TWO, [0, 1]), outputs=("label",)))


def test_two_different_scores_are_refused_but_not_one_given_twice():
    nodes = [regressor(ORDERED), node("Neg", ["scores"], ["other"])]
    with pytest.raises(UnsupportedModelError, match="2 different scores"):
        import_model(model_of(nodes, outputs=("scores", "other")))
    nodes = [regressor(ORDERED), node("Exp", ["scores"], ["mean"])]
    assert import_model(model_of(nodes, outputs=("scores", "mean"))).link == "log"


def test_a_step_with_a_graph_of_its_own_is_not_looked_over():
    inner = onnx.helper.make_graph(
        [node("Neg", ["scores"], ["y"])],
        "then",
        [],
        [onnx.helper.make_empty_tensor_value_info("y")],
    )
    step = node("If", ["yes"], ["out"], then_branch=inner, else_branch=inner)
    model = model_of(
        [regressor(ORDERED), step], outputs=("scores", "out"), constants={"yes": np.array(True)}
    )
    with pytest.raises(UnsupportedModelError, match="operator If"):
        import_model(model)


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


def test_ensembles_of_single_and_of_several_outputs_add_up():
    nodes = [
        regressor(TWO, n_targets=2, scores="a"),
        regressor([ORDERED[0]], n_targets=2, scores="b"),
        node("Add", ["a", "b"], ["c"]),
        node("Mul", ["c", "pair"], ["scores"]),
    ]
    _, rows = tables()
    found = predict(import_model(model_of(nodes, constants=ONES)), rows)
    expected = (walked(TWO, rows, 2) + walked(HELD[:1], rows, 2)) * [1, 2]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_ensemble_that_does_not_take_part_does_not_count():
    nodes = [regressor(ORDERED), regressor(EQUAL, scores="unused")]
    assert import_model(model_of(nodes)).n_trees == len(ORDERED)


def test_constants_from_nodes():
    constant = node("Constant", [], ["c"], value_float=2.0)
    model = after(constant, node("Mul", ["scores", "c"], ["out"]))
    _, rows = tables()
    found = predict(import_model(model), rows)[:, 0]
    np.testing.assert_allclose(found, 2 * walked(HELD, rows), rtol=1e-6)
