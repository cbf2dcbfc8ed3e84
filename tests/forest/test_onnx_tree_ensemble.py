import numpy as np
import pytest

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.walk import predict
from fastpd.testing.cases.onnx import EQUAL, MEMBERS, ORDERED, tables
from fastpd.testing.onnx_models import model_of, rounded, tree_ensemble, walked

pytest.importorskip("onnx")

NAN = np.nan


def attribute(node, name):
    return next(one for one in node.attribute if one.name == name)


@pytest.mark.parametrize(("transform", "link"), [(0, "identity"), (1, "identity"), (2, "logit")])
def test_transformations_in_opset_5(transform, link):
    node = tree_ensemble(ORDERED, post_transform=transform)
    assert import_model(model_of(node, opset=5)).link == link


@pytest.mark.parametrize("trees", [ORDERED, EQUAL, MEMBERS])
@pytest.mark.parametrize("mean", [True, False])
def test_tree_ensemble_of_opset_5(trees, mean):
    node = tree_ensemble(trees, np.float64, aggregate_function=int(not mean))
    _, rows = tables(np.float64)
    found = predict(import_model(model_of(node, opset=5, kind="DOUBLE")), rows)[:, 0]
    np.testing.assert_allclose(found, walked(trees, rows) / (len(trees) if mean else 1))


def test_a_node_of_which_both_branches_are_one_leaf_is_a_tree_without_a_split():
    node = tree_ensemble([("LEQ", 0, 0.0, 3.0, 9.0, 0), ORDERED[0]])
    attribute(node, "nodes_falsenodeids").ints[0] = 0
    _, rows = tables()
    forest = import_model(model_of(node, opset=5))
    assert forest.feature[0] == -1
    expected = walked(rounded(ORDERED[:1]), rows) + 3.0
    np.testing.assert_allclose(predict(forest, rows)[:, 0], expected)


def test_sets_belong_to_nodes_in_the_order_of_the_nodes_not_of_the_tree():
    inner = ("MEMBER", 0, (1.0,), 10.0, 20.0, 0), ("MEMBER", 0, (2.0, 0.0), 30.0, 40.0, 0)
    trees = [("LT", 1, 0.0, *inner, 0)]
    node = tree_ensemble(trees)
    # Nodes 1 and 2 change places; their sets and leaves go with them.
    for name in ("nodes_truenodeids", "nodes_falsenodeids"):
        values = attribute(node, name).ints
        values[1], values[2] = values[2], values[1]
    attribute(node, "nodes_truenodeids").ints[0] = 2
    attribute(node, "nodes_falsenodeids").ints[0] = 1
    values = np.array([2.0, 0.0, NAN, 1.0, NAN], np.float32)
    attribute(node, "membership_values").t.raw_data = values.tobytes()
    rows = np.array([[v, side, 0] for v in (0, 1, 2, 3) for side in (-1, 1)], float)
    forest = import_model(model_of(node, opset=5))
    np.testing.assert_array_equal(predict(forest, rows)[:, 0], walked(trees, rows))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nodes_trueleafs", [2, 1, 1]),
        ("nodes_truenodeids", [5, 0, 2]),
        ("nodes_truenodeids", [0, 0, 2]),
        ("nodes_falsenodeids", [-1, 1, 3]),
        ("nodes_falsenodeids", [2, 1]),
        ("nodes_featureids", [0, 1, 7]),
        ("nodes_featureids", [0, 1, -7]),
        ("tree_roots", [3]),
        ("tree_roots", []),
        ("tree_roots", [0, 0]),
        ("leaf_targetids", [0, 0, 0, 1]),
        ("leaf_targetids", [0, 0, 0]),
        ("aggregate_function", 9),
        ("post_transform", -1),
        ("n_targets", 0),
    ],
)
def test_tree_ensembles_that_do_not_describe_trees_are_refused(name, values):
    node = tree_ensemble([ORDERED[0]])
    if isinstance(values, list):
        attribute(node, name).ints[:] = values
    else:
        node = tree_ensemble([ORDERED[0]], **{name: values})
    with pytest.raises(ModelFileError):
        import_model(model_of(node, opset=5))


@pytest.mark.parametrize("members", [[1.0], [1.0, NAN, NAN], [], [1.0, NAN, 2.0]])
def test_sets_that_are_not_as_many_as_their_nodes_are_refused(members):
    import onnx.numpy_helper

    node = tree_ensemble([("MEMBER", 0, (1.0,), 1.0, 2.0, 0)])
    tensor = onnx.numpy_helper.from_array(np.array(members, np.float32))
    attribute(node, "membership_values").t.CopyFrom(tensor)
    with pytest.raises(ModelFileError, match="sets of members"):
        import_model(model_of(node, opset=5))


def test_a_minimum_of_trees_is_refused_in_opset_5_too():
    with pytest.raises(UnsupportedModelError, match="MIN over its trees"):
        import_model(model_of(tree_ensemble(ORDERED, aggregate_function=2), opset=5))
