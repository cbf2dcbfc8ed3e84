import numpy as np
import pytest

from fastpd.errors import (
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
