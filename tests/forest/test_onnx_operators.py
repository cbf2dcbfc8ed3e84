import numpy as np
import pytest

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.walk import predict
from fastpd.testing.cases.onnx import ORDERED, tables
from fastpd.testing.onnx_models import (
    classifier,
    model_of,
    reference,
    regressor,
    rounded,
    walked,
)

pytest.importorskip("onnx")

NAN, INF = np.nan, np.inf
LARGEST = float(np.finfo(np.float32).max)


def attribute(node, name):
    return next(one for one in node.attribute if one.name == name)


def changed(node, name, change):
    """Change a list of a node in place, and return a model of the node."""
    found = attribute(node, name)
    field = {6: found.floats, 7: found.ints, 8: found.strings}[found.type]
    values = change(list(field))
    del field[:]
    field.extend(values)
    return model_of(node)


def stump(mode, split, tracks_true=0, kind="FLOAT"):
    """Return the values of a stump at values that a comparison may go wrong on."""
    double = kind == "DOUBLE"
    node = regressor([(mode, 0, split, 1.0, 2.0, tracks_true)], double=double)
    return import_model(model_of(node, 1, kind=kind))


@pytest.mark.parametrize("mode", ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"])
@pytest.mark.parametrize("tracks_true", [0, 1])
@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("split", [0.1, 0.0, -2.5, 3e7])
def test_comparisons_on_and_around_the_threshold(mode, tracks_true, kind, split):
    dtype = np.float32 if kind == "FLOAT" else np.float64
    held = dtype(split)
    values = [held, np.nextafter(held, dtype(INF)), np.nextafter(held, dtype(-INF))]
    rows = np.array([*values, 0.0, -0.0, INF, -INF, NAN], dtype)[:, None]
    expected = walked([(mode, 0, float(held), 1.0, 2.0, tracks_true)], rows)
    np.testing.assert_array_equal(
        predict(stump(mode, split, tracks_true, kind), rows)[:, 0], expected
    )


def test_a_missing_value_at_not_equal_goes_where_the_node_says():
    assert predict(stump("NEQ", 1.0, 0), [[NAN]]) == 2.0
    assert predict(stump("NEQ", 1.0, 1), [[NAN]]) == 1.0


def test_missing_values_go_to_the_false_branch_where_nothing_is_said():
    node = regressor([("LEQ", 0, 0.5, 1.0, 2.0, 1)])
    forest = import_model(changed(node, "nodes_missing_value_tracks_true", lambda _: []))
    assert predict(forest, [[NAN, 0, 0]]) == 2.0


@pytest.mark.parametrize(
    ("mode", "split", "expected"),
    [
        ("LEQ", INF, [1, 1, 1, 1]),
        ("GT", INF, [2, 2, 2, 2]),
        ("LT", -INF, [2, 2, 2, 2]),
        ("GTE", -INF, [1, 1, 1, 1]),
        ("LEQ", -INF, [1, 2, 2, 1]),
        ("LT", -LARGEST, [1, 2, 2, 1]),
    ],
)
def test_infinite_thresholds(mode, split, expected):
    rows = np.array([[-INF], [0.0], [INF], [NAN]])
    # The last row is missing: it goes where the others of the true branch of a stump would.
    forest = stump(mode, split, tracks_true=int(expected[-1] == 1))
    np.testing.assert_array_equal(predict(forest, rows)[:, 0], expected)


@pytest.mark.parametrize(
    ("mode", "split"), [("LEQ", LARGEST), ("GT", LARGEST), ("LT", INF), ("GTE", INF), ("EQ", INF)]
)
def test_a_split_of_infinity_from_all_finite_values_is_refused(mode, split):
    with pytest.raises(UnsupportedModelError, match="parts infinite values"):
        stump(mode, split)


def shuffled(trees, seed):
    """Return a model whose nodes stand in another order within each tree, the root first."""
    node = regressor(trees)
    rng = np.random.default_rng(seed)
    ids = np.array(attribute(node, "nodes_treeids").ints)
    numbers = np.array(attribute(node, "nodes_nodeids").ints)
    order = np.lexsort((rng.random(len(ids)), numbers != 0, ids))
    renamed = {int(n): int(v) for n, v in zip(range(99), rng.permutation(99) * 7, strict=True)}
    for one in node.attribute:
        if one.name in ("nodes_nodeids", "nodes_truenodeids", "nodes_falsenodeids"):
            one.ints[:] = [renamed[number] for number in one.ints]
        if one.name == "target_nodeids":
            one.ints[:] = [renamed[number] for number in one.ints]
        if one.name.endswith("treeids"):
            one.ints[:] = [50 - 3 * number for number in one.ints]
        for field in (one.ints, one.floats, one.strings):
            if one.name.startswith("nodes_") and len(field):
                field[:] = [field[place] for place in order]
    return model_of(node)


@pytest.mark.parametrize("seed", range(4))
def test_nodes_of_a_tree_may_have_any_numbers_and_any_order_behind_the_root(seed):
    _, rows = tables()
    model = shuffled(ORDERED, seed)
    found = predict(import_model(model), rows)[:, 0]
    np.testing.assert_allclose(found, walked(rounded(ORDERED), rows), rtol=1e-6)
    np.testing.assert_allclose(found, reference(model, "scores", {"X": rows}), rtol=1e-6)


def test_trees_whose_nodes_are_mixed_are_refused():
    node = regressor(ORDERED)
    for name in [one.name for one in node.attribute if one.name.startswith("nodes_")]:
        for field in (attribute(node, name).ints, attribute(node, name).floats):
            field[:] = [*field[1:], *field[:1]]
        strings = attribute(node, name).strings
        strings[:] = [*strings[1:], *strings[:1]]
    with pytest.raises(ModelFileError, match=r"stand together|not its root"):
        import_model(model_of(node))


def test_a_tree_that_does_not_begin_with_its_root_is_refused():
    node = regressor([("LEQ", 0, 0.0, 1.0, ("LT", 1, 0.0, 2.0, 3.0, 0), 0)])
    for one in node.attribute:
        for field in (one.ints, one.floats, one.strings):
            if one.name.startswith("nodes_") and len(field):
                field[:] = [*field[1:], field[0]]
    with pytest.raises(ModelFileError, match="first node is not its root"):
        import_model(model_of(node))


def test_votes_of_a_leaf_add_up_and_a_leaf_without_any_adds_nothing():
    node = regressor([("LEQ", 0, 0.0, 1.0, 2.0, 0)])
    attribute(node, "target_nodeids").ints[:] = [1, 1]
    forest = import_model(model_of(node))
    np.testing.assert_array_equal(predict(forest, [[-1, 0, 0], [1, 0, 0]])[:, 0], [3.0, 0.0])


def test_votes_of_inner_nodes_do_not_count():
    node = regressor([("LEQ", 0, 0.0, 1.0, 2.0, 0)])
    attribute(node, "target_nodeids").ints[:] = [0, 2]
    assert predict(import_model(model_of(node)), [[-1, 0, 0]]) == 0.0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("nodes_truenodeids", lambda v: [99, *v[1:]]),
        ("nodes_truenodeids", lambda v: [0, *v[1:]]),
        ("nodes_falsenodeids", lambda v: [v[0] - 1, *v[1:]]),
        ("nodes_falsenodeids", lambda v: v[:-1]),
        ("nodes_modes", lambda v: [b"BRANCH_NEAR", *v[1:]]),
        ("nodes_modes", lambda v: v[:-1]),
        ("nodes_values", lambda v: [NAN, *v[1:]]),
        ("nodes_values", lambda v: [*v, 1.0]),
        ("nodes_nodeids", lambda v: [v[1], *v[1:]]),
        ("nodes_nodeids", lambda v: v[:-1]),
        ("nodes_treeids", lambda v: []),
        ("nodes_treeids", lambda v: [-(2**63), *v[1:]]),
        ("nodes_featureids", lambda v: [3, *v[1:]]),
        ("nodes_featureids", lambda v: [-1, *v[1:]]),
        ("nodes_featureids", lambda v: [2**62, *v[1:]]),
        ("nodes_missing_value_tracks_true", lambda v: v[:-1]),
        ("target_ids", lambda v: [1, *v[1:]]),
        ("target_ids", lambda v: [-1, *v[1:]]),
        ("target_ids", lambda v: v[:-1]),
        ("target_nodeids", lambda v: [50, *v[1:]]),
        ("target_treeids", lambda v: [7, *v[1:]]),
        ("target_weights", lambda v: [INF, *v[1:]]),
        ("target_weights", lambda v: [NAN, *v[1:]]),
    ],
)
def test_attributes_that_do_not_describe_trees_are_refused(name, change):
    with pytest.raises(ModelFileError):
        import_model(changed(regressor(ORDERED), name, change))


@pytest.mark.parametrize(
    "changes",
    [
        {"n_targets": 0},
        {"n_targets": 2**40},
        {"n_targets": 900_000},
        {"base_values": [1.0, 2.0]},
        {"aggregate_function": "MEDIAN"},
        {"post_transform": "CUBE"},
        {"post_transform": 3},
        {"nodes_values_as_tensor": 3},
    ],
)
def test_single_attributes_that_make_no_sense_are_refused(changes):
    with pytest.raises(ModelFileError):
        import_model(model_of(regressor(ORDERED, **changes)))


def test_an_attribute_of_a_later_operator_set_is_refused():
    with pytest.raises(UnsupportedModelError, match="nodes_colour"):
        import_model(model_of(regressor(ORDERED, nodes_colour=[1])))
    with pytest.raises(UnsupportedModelError, match="version 6"):
        import_model(model_of(regressor(ORDERED), opset=6))


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE"])
@pytest.mark.parametrize("base", [[], [0.5, -1.0]])
def test_sums_and_means_of_several_targets(aggregate, base):
    trees = [("LEQ", 0, 0.0, {0: 1.0, 1: 2.0}, {1: -4.0}, 0), ("LT", 1, 0.3, {0: 8.0}, {1: 1}, 1)]
    changes = {"base_values": base} if base else {}
    node = regressor(trees, n_targets=2, aggregate_function=aggregate, **changes)
    _, rows = tables()
    expected = reference(model_of(node), "scores", {"X": rows})
    forest = import_model(model_of(node))
    np.testing.assert_allclose(predict(forest, rows), expected)
    assert forest.output_names == ("0", "1")


@pytest.mark.parametrize(
    ("transform", "link"),
    [
        ("NONE", "identity"),
        ("LOGISTIC", "logit"),
        ("SOFTMAX", "softmax"),
        ("SOFTMAX_ZERO", "identity"),
        ("PROBIT", "identity"),
    ],
)
def test_scores_are_explained_before_their_transformation(transform, link):
    trees = [("LEQ", 0, 0.1, {0: 0.5, 1: 2.0}, {2: -1.0}, 0)]
    forest = import_model(model_of(classifier(trees, ["a", "b", "c"], post_transform=transform)))
    assert (forest.link, forest.output_names) == (link, ("a", "b", "c"))
    np.testing.assert_array_equal(predict(forest, [[0, 0, 0]]), [[0.5, 2.0, 0.0]])


@pytest.mark.parametrize("labels", [["no", "yes"], [1]])
@pytest.mark.parametrize(
    ("transform", "link"),
    [("NONE", "identity"), ("LOGISTIC", "logit"), ("SOFTMAX", "identity")],
)
def test_one_score_for_two_classes_is_that_of_the_second(labels, transform, link):
    node = classifier(ORDERED, labels, post_transform=transform, base_values=[0.5])
    forest = import_model(model_of(node))
    assert (forest.n_outputs, forest.link) == (1, link)
    _, rows = tables()
    np.testing.assert_allclose(
        predict(forest, rows)[:, 0], walked(rounded(ORDERED), rows) + 0.5, rtol=1e-6
    )


def test_shares_of_classes_are_probabilities():
    trees = [("LEQ", 0, 0.1, {0: 0.2, 1: 0.3}, {0: 0.5, 1: 0}, 0)] * 2
    assert import_model(model_of(classifier(trees, [0, 1]))).link == "probability"
    one = [("LEQ", 0, 0.1, 0.2, 0.5, 0)] * 2
    assert import_model(model_of(classifier(one, [0, 1]))).link == "probability"
    assert import_model(model_of(regressor(one))).link == "identity"
    assert import_model(model_of(classifier(one * 2, [0, 1]))).link == "identity"


@pytest.mark.parametrize(
    ("leaf", "labels", "base"),
    [
        ({1: 1.0}, [0, 1], []),
        ({0: 1.0}, [0, 1], [0.5, 0.5]),
        ({0: 1.0, 1: 2.0}, [0, 1], [0.5]),
        ({0: 1.0, 1: 2.0}, [0, 1], [0.5, 0.25]),
        ({2: 1.0}, [0, 1, 2], []),
    ],
)
def test_classifiers_that_runtimes_do_not_score_alike_are_refused(leaf, labels, base):
    changes = {"base_values": base} if base else {}
    with pytest.raises(UnsupportedModelError, match="do not score alike"):
        import_model(model_of(classifier([leaf], labels, **changes)))


def test_a_classifier_without_labels_is_refused():
    node = classifier(ORDERED, [0, 1])
    node.attribute.remove(attribute(node, "classlabels_int64s"))
    with pytest.raises(ModelFileError, match="no class labels"):
        import_model(model_of(node))


def test_popularity_of_nodes_is_their_cover():
    node = regressor([("LEQ", 0, 0.0, 1.0, 2.0, 0)], nodes_hitrates=[10.0, 4.0, 6.0])
    np.testing.assert_array_equal(import_model(model_of(node)).cover, [10, 4, 6])
    node = regressor([("LEQ", 0, 0.0, 1.0, 2.0, 0)], nodes_hitrates=[10.0])
    assert not import_model(model_of(node)).cover.any()
