import time

import numpy as np
import pytest
import scipy.sparse

from fastpd import Explainer
from fastpd.errors import (
    ModelFileError,
    ModelMismatchError,
    OptionError,
    UnsupportedModelError,
)
from fastpd.forest import import_model
from fastpd.forest.importers.treelite import _importer
from fastpd.forest.walk import predict
from fastpd.testing.cases.treelite import CATEGORIES, OPERATORS, codes, tables
from fastpd.testing.treelite_models import built, margins

treelite = pytest.importorskip("treelite")

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize("operator", ["<", "<=", "==", ">=", ">"])
@pytest.mark.parametrize("default_left", [True, False])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("threshold", [0.1, 0.0, -2.5, 3e7])
def test_comparisons_on_and_around_the_threshold(operator, default_left, kind, threshold):
    model = built([(operator, 0, threshold, 1.0, 2.0, default_left)], kind=kind, n_features=1)
    held = np.dtype(kind).type(threshold)
    steps = [np.nextafter(held, held.dtype.type(end)) for end in (-INF, INF)]
    rows = np.array([held, *steps, 0.0, -0.0, INF, -INF, NAN], kind)[:, None]
    np.testing.assert_array_equal(predict(import_model(model), rows)[:, 0], margins(model, rows))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_categories_are_whole_parts_of_values_that_are_not_negative(kind):
    model = built(CATEGORIES, kind=kind)
    _, rows = codes(np.dtype(kind).type)
    forest = import_model(model)
    np.testing.assert_array_equal(predict(forest, rows)[:, 0], margins(model, rows))
    assert [one is not None for one in forest.categories] == [True, False, True]


def test_the_user_may_name_categories():
    model = built([("in", 0, [1], 5.0, -5.0, False, False)], n_features=2)
    table = np.array([["red", 1.0], ["blue", 2.0]], object)
    labels = {"f0": ["red", "blue", "green"]}
    ex = Explainer(model, table, categories=labels)
    np.testing.assert_array_equal(ex.predict(table), [-5.0, 5.0])


@pytest.mark.parametrize("threshold", [INF, -INF])
def test_a_threshold_that_all_values_are_below_or_at(threshold):
    model = built([("<=", 0, threshold, 1.0, 2.0, False)], n_features=1)
    rows = np.array([[-INF], [0.0], [INF], [NAN]])
    np.testing.assert_array_equal(predict(import_model(model), rows)[:, 0], margins(model, rows))


def test_a_split_of_infinity_from_all_finite_values_is_refused():
    with pytest.raises(UnsupportedModelError, match="parts infinite values"):
        import_model(built([(">=", 0, INF, 1.0, 2.0, False)]))


@pytest.mark.parametrize(
    ("postprocessor", "link", "slope"),
    [
        ("identity", "identity", 1.0),
        ("sigmoid", "logit", 2.5),
        ("exponential", "log", 1.0),
        ("hinge", "identity", 1.0),
        ("signed_square", "identity", 1.0),
        ("exponential_standard_ratio", "identity", 1.0),
        ("logarithm_one_plus_exp", "identity", 1.0),
        ("softmax", "identity", 1.0),
    ],
)
def test_links_of_one_output(postprocessor, link, slope):
    forest = import_model(built(OPERATORS, postprocessor=postprocessor, alpha=2.5))
    assert (forest.link, forest.slope) == (link, slope)
    assert forest.output_names == ("prediction",)


@pytest.mark.parametrize(
    ("postprocessor", "link", "slope"),
    [("softmax", "softmax", 1.0), ("multiclass_ova", "logit", 2.5)],
)
def test_links_of_several_classes(postprocessor, link, slope):
    options = {"classes": [0, 1], "n_classes": (2,), "base": (0.5, 1.5), "alpha": 2.5}
    forest = import_model(built(OPERATORS, postprocessor=postprocessor, **options))
    assert (forest.link, forest.slope, forest.output_names) == (link, slope, ("0", "1"))
    np.testing.assert_array_equal(forest.base, [0.5, 1.5])


def test_links_are_those_of_treelite():
    _, rows = tables()
    inverse = {
        "sigmoid": lambda raw: 1 / (1 + np.exp(-raw)),
        "multiclass_ova": lambda raw: 1 / (1 + np.exp(-raw)),
        "exponential": np.exp,
        "softmax": lambda raw: np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True),
    }
    for name, function in inverse.items():
        several = {"classes": [0, 1], "n_classes": (2,), "base": (0.5, 1.5)}
        options = several if name in ("softmax", "multiclass_ova") else {}
        model = built(OPERATORS, postprocessor=name, alpha=0.75, **options)
        forest = import_model(model)
        means = treelite.gtil.predict(model, rows, nthread=1).reshape(len(rows), -1)
        found = function(forest.slope * predict(forest, rows))
        np.testing.assert_allclose(found, means, rtol=1e-5)


def test_a_softmax_over_each_of_several_targets_is_no_link_over_all():
    tree = ("<", 0, 0.0, [1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0], True)
    options = {"targets": [-1], "classes": [-1], "n_classes": (2, 2), "leaf_shape": (2, 2)}
    forest = import_model(built([tree], base=[0] * 4, postprocessor="softmax", **options))
    assert forest.link == "identity"
    assert forest.output_names[1:3] == ("target 0 class 1", "target 1 class 0")


def test_shares_of_classes_are_probabilities():
    tree = ("<", 0, 0.0, [0.25, 0.75], [1.0, 0.0], True)
    options = {"targets": [0] * 2, "classes": [-1] * 2, "n_classes": (2,), "leaf_shape": (1, 2)}
    options |= {"base": [0, 0], "postprocessor": "identity_multiclass"}
    assert import_model(built([tree] * 2, mean=True, **options)).link == "probability"
    assert import_model(built([tree] * 2, **options)).link == "identity"


def test_a_mean_is_taken_over_the_trees_of_each_class():
    options = {"classes": [0, 1, 1], "n_classes": (2,), "base": (10.0, 20.0)}
    model = built([1.0, 2.0, 4.0], mean=True, kind="float64", **options)
    np.testing.assert_array_equal(predict(import_model(model), [[0, 0, 0]]), [[11.0, 23.0]])


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (
            {"targets": [-1] * 2, "classes": [0] * 2, "n_classes": (1, 1), "leaf_shape": (2, 1)},
            ("0", "1"),
        ),
        (
            {"targets": [0, 1], "classes": [-1] * 2, "n_classes": (2, 2), "leaf_shape": (1, 2)},
            ("target 0 class 0", "target 0 class 1", "target 1 class 0", "target 1 class 1"),
        ),
    ],
)
def test_leaves_of_several_values(options, names):
    trees = [("<", 0, 0.1, [1.0, 2.0], [3.0, -1.0], True), (">", 1, 0.0, [5.0, 0.5], [0.0, 1.0], 0)]
    base = [0.0] * sum(options["n_classes"])
    model = built(trees, base=base, mean=True, **options)
    _, rows = tables()
    forest = import_model(model)
    np.testing.assert_allclose(predict(forest, rows), margins(model, rows))
    assert forest.output_names == names


def test_cells_that_a_sparse_matrix_does_not_hold_are_missing():
    model = built([("<", 0, 0.5, 1.0, 2.0, False)], n_features=2)
    table = scipy.sparse.csr_array(np.array([[0.0, 1.0], [0.25, 0.0], [1.0, 1.0]]))
    expected = treelite.gtil.predict(model, scipy.sparse.csr_matrix(table), pred_margin=True)
    np.testing.assert_array_equal(Explainer(model, table).predict(table), expected.ravel())


def test_there_are_no_rounds_to_choose_from():
    with pytest.raises(OptionError, match="does not tell boosting rounds"):
        import_model(built(OPERATORS), iteration_range=(0, 1))


def test_a_model_without_accessors_is_of_an_old_version():
    with pytest.raises(UnsupportedModelError, match="before version 4"):
        _importer.from_model(object())


def test_a_model_without_trees():
    forest = import_model(built([], base=(1.5,)))
    np.testing.assert_array_equal(predict(forest, [[0, 0, 0]]), [[1.5]])


@pytest.mark.parametrize(
    ("name", "values", "dtype"),
    [
        ("cleft", [9, 3, -1, -1, -1], np.int32),
        ("cleft", [0, 3, -1, -1, -1], np.int32),
        ("cright", [2, 2, -1, -1, -1], np.int32),
        ("cright", [-5, 4, -1, -1, -1], np.int32),
        ("split_index", [3, 1, 0, 0, 0], np.int32),
        ("split_index", [-1, 1, 0, 0, 0], np.int32),
        ("cmp", [0, 2, 0, 0, 0], np.int8),
        ("cmp", [77, 2, 0, 0, 0], np.int8),
        ("threshold", [NAN, 0.0, 0, 0, 0], np.float32),
        ("leaf_value", [0, 0, INF, 0, 0], np.float32),
    ],
)
def test_fields_that_do_not_describe_trees_are_refused(name, values, dtype):
    tree = ("<", 0, 0.0, ("<", 1, 0.0, 1.0, 2.0, True), 3.0, True)
    model = built([tree])
    model.get_tree_accessor(0).set_field(name, np.array(values, dtype))
    with pytest.raises(ModelFileError):
        import_model(model)


@pytest.mark.parametrize(
    ("name", "values", "dtype"),
    [
        ("class_id", [1, 0], np.int32),
        ("class_id", [-2, 0], np.int32),
        ("target_id", [4, 0], np.int32),
        ("target_id", [0], np.int32),
        ("base_scores", [0.0, 1.0], np.float64),
        ("base_scores", [NAN], np.float64),
        ("num_class", [1, 1], np.int32),
        ("num_class", [0], np.int32),
        ("leaf_vector_shape", [1], np.int32),
        ("sigmoid_alpha", [NAN], np.float32),
    ],
)
def test_headers_that_contradict_themselves_are_refused(name, values, dtype):
    model = built(OPERATORS)
    model.get_header_accessor().set_field(name, np.array(values, dtype))
    with pytest.raises(ModelFileError):
        import_model(model)


def test_nodes_that_no_row_reaches_are_dropped():
    tree = ("<", 0, 0.0, ("in", 1, [1], 1.0, 2.0, True, False), 3.0, True)
    model = built([tree, OPERATORS[0]])
    field = model.get_tree_accessor(0)
    field.set_field("cleft", np.array([-1, 3, -1, -1, -1], np.int32))
    field.set_field("cright", np.array([-1, 4, -1, -1, -1], np.int32))
    forest = import_model(model)
    assert len(forest.feature) == 1 + 7
    assert len(forest.splits) == 0


def test_a_misread_model_is_found_by_gtil(monkeypatch):
    read = _importer.read_nodes

    def misread(nodes):
        arrays = read(nodes)
        arrays["value"][-1] += 1.0
        return arrays

    monkeypatch.setattr(_importer, "read_nodes", misread)
    with pytest.raises(ModelMismatchError):
        import_model(built(OPERATORS))


def test_covers_are_those_of_the_library():
    lgb = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    data = lgb.Dataset(X, X[:, 0], params={"verbose": -1})
    booster = lgb.train({"verbose": -1, "num_threads": 1, "num_leaves": 4}, data, 2)
    forest = import_model(treelite.frontend.from_lightgbm(booster))
    np.testing.assert_array_equal(forest.cover[forest.roots], 80)


def test_a_thousand_trees_are_imported_in_time():
    model = built(OPERATORS * 500)
    started = time.perf_counter()
    assert import_model(model).n_trees == 1000
    assert time.perf_counter() - started < 2.0
