"""Cases of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.onnx_models import (
    classifier,
    model_of,
    reference,
    regressor,
    rounded,
    tree_ensemble,
    walked,
)

__all__ = ["CASES"]

Floats = NDArray[np.floating[Any]]

ORDERED = [
    ("LEQ", 0, 0.1, ("LT", 1, -0.5, 1.0, 2.5, 1), ("GTE", 2, 0.25, -1.0, 4.0, 0), 0),
    ("GT", 1, 0.3, ("GTE", 0, -0.2, 0.5, -2.0, 1), ("LEQ", 2, -0.0, 3.0, 7.0, 1), 1),
]
EQUAL = [
    ("EQ", 0, 2.0, 1.0, ("NEQ", 1, 0.1, 5.0, ("GT", 2, 0.1, -3.0, 2.0, 1), 0), 1),
    ("NEQ", 0, 0.0, ("LT", 1, 1.0, 0.5, -1.5, 0), 4.0, 1),
]
MEMBERS = [
    ("MEMBER", 0, (1.0, 2.0, 5.5), ("LEQ", 1, 0.1, 1.0, 2.0, 0), ("LT", 2, 0.3, 4.0, -1.0, 1), 0),
    ("LT", 1, -0.4, ("MEMBER", 2, (0.0, 1.0), 3.0, 0.5, 1), ("GT", 0, 1.0, 8.0, -5.0, 1), 1),
]


def tables(kind: Any = np.float32, seed: int = 0) -> tuple[Floats, Floats]:
    """Return a background and rows with values on thresholds, beside them, and missing."""
    rng = np.random.default_rng(seed)
    background = rng.normal(size=(24, 3)).astype(kind)
    background[::5, 0] = np.nan
    background[1::4, 0] = rng.integers(0, 6, 6)
    edges = np.array([0.1, -0.5, 0.25, 0.3, -0.2, 1.0, 2.0, 5.5], kind)
    beside = np.nextafter(edges, kind(-9))
    rows = np.stack([edges, np.roll(beside, 3), np.roll(edges, 5)], axis=1)
    rows[1] = [np.nan, 0.1, np.nan]
    rows[2] = [-0.0, np.inf, 0.0]
    rows[3] = [1.0, np.nan, -np.inf]
    return background, rows


def trained(model: Any, output: str = "scores", kind: Any = np.float32) -> Trained:
    """Return a model that the reference implementation predicts with as it is."""
    background, rows = tables(kind)
    return Trained(model, background, rows, lambda table: reference(model, output, {"X": table}))


def branch_modes() -> Trained:
    node = regressor(ORDERED, aggregate_function="AVERAGE", base_values=[0.5])
    return trained(model_of(node))


def equality() -> Trained:
    return trained(model_of(regressor(EQUAL, n_targets=2)))


def doubles() -> Trained:
    trees = [("LEQ", 0, 0.1, 1.0, ("LT", 1, 0.3, 1e-9, 2.0, 1), 0), *ORDERED]
    background, rows = tables(np.float64)
    model = model_of(regressor(trees, double=True), kind="DOUBLE")
    return Trained(model, background, rows, lambda table: walked(trees, table))


def tree_ensemble_members() -> Trained:
    background, rows = tables()
    model = model_of(tree_ensemble(MEMBERS), opset=5)
    return Trained(model, background, rows, lambda table: walked(rounded(MEMBERS), table))


def named_inputs() -> Trained:
    import onnx.helper
    import pandas as pd

    names = ("age", "income", "hours")
    joined = onnx.helper.make_node("Concat", names, ["X"], axis=1)
    model = model_of([joined, regressor(ORDERED)], 1, inputs=names)
    background, rows = (pd.DataFrame(table, columns=names) for table in tables())

    def raw(table: Any) -> NDArray[np.float64]:
        return reference(model, "scores", {name: table[[name]].to_numpy() for name in names})

    return Trained(model, background, rows, raw)


def sum_of_ensembles() -> Trained:
    import onnx.helper

    nodes = [
        regressor(ORDERED, scores="one"),
        regressor(EQUAL, scores="other"),
        onnx.helper.make_node("Mul", ["other", "factor"], ["scaled"]),
        onnx.helper.make_node("Sub", ["one", "scaled"], ["raw"]),
        onnx.helper.make_node("Sigmoid", ["raw"], ["scores"]),
    ]
    constants = {"factor": np.array([[0.5]], np.float32)}
    model = model_of(nodes, constants=constants)
    inner = model_of(nodes[:-1], constants=constants, outputs=("raw",))
    background, rows = tables()
    return Trained(model, background, rows, lambda table: reference(inner, "raw", {"X": table}))


def one_score_for_two_classes() -> Trained:
    changes = {"base_values": [0.25]}
    model = model_of(classifier(ORDERED, ["no", "yes"], post_transform="LOGISTIC", **changes))
    plain = model_of(classifier(ORDERED, ["no", "yes"], **changes))
    background, rows = tables()
    return Trained(
        model, background, rows, lambda table: reference(plain, "scores", {"X": table})[:, 1]
    )


def exported(name: str, output: str, *, labels: bool = False, kind: Any = np.float32) -> Trained:
    """Return a model of scikit-learn, exported without a map of its classes."""
    from skl2onnx import to_onnx
    from sklearn import ensemble

    rng = np.random.default_rng(1)
    X: Any = (rng.normal(size=(150, 3)) * (4 if kind == np.int64 else 1)).astype(kind)
    score = X[:, 0] + X[:, 1] * X[:, 2]
    y = np.digitize(score, np.quantile(score, [0.3, 0.7])) if labels else score
    if name == "ExtraTreesRegressor":
        y = np.stack([y, -X[:, 1]], axis=1)
    fitted = getattr(ensemble, name)(n_estimators=4, max_depth=3, random_state=0).fit(X, y)
    model = to_onnx(fitted, X[:1], options={"zipmap": False} if labels else None)
    return Trained(model, X[:20], X[20:28], lambda table: reference(model, output, {"X": table}))


def softmax() -> Trained:
    given = exported("GradientBoostingClassifier", "probabilities", labels=True)
    plain = type(given.model)()
    plain.CopyFrom(given.model)
    for node in plain.graph.node:
        for attribute in node.attribute:
            if attribute.name == "post_transform":
                attribute.s = b"NONE"
    scores = plain.graph.output[-1].name
    return Trained(
        given.model,
        given.background,
        given.rows,
        lambda table: reference(plain, scores, {"X": table}),
    )


def scaled_columns() -> Trained:
    import onnx.helper

    scaler = onnx.helper.make_node(
        "Scaler", ["X"], ["Z"], domain="ai.onnx.ml", offset=[0.0], scale=[2.0]
    )
    return trained(model_of([scaler, regressor(ORDERED, given="Z")]))


def text_input() -> Trained:
    import onnx.helper

    encoder = onnx.helper.make_node(
        "LabelEncoder", ["X"], ["Z"], domain="ai.onnx.ml", keys_strings=["a"], values_floats=[1.0]
    )
    return trained(model_of([encoder, regressor(ORDERED, given="Z")], kind="STRING"))


def case(name: str, feature: str, make: Any, refused: str = "", needs: Any = ()) -> ModelCase:
    """Return a case of ONNX."""
    return ModelCase(f"onnx-{name}", "ONNX", feature, make, ("onnx", *needs), refused)


SKLEARN = ("skl2onnx", "sklearn")

CASES: tuple[ModelCase, ...] = (
    case("branch-modes", "comparisons of every kind", branch_modes),
    case("equality", "comparisons of every kind", equality),
    case("members", "TreeEnsemble of opset 5, with sets", tree_ensemble_members),
    case("doubles", "64-bit thresholds", doubles),
    case("named-inputs", "an input for each column", named_inputs, needs=("pandas",)),
    case("sum-of-ensembles", "sums and multiples of ensembles", sum_of_ensembles),
    case("one-score-for-two-classes", "binary classification", one_score_for_two_classes),
    case("softmax", "multiclass classification", softmax, needs=SKLEARN),
    case(
        "forest-probabilities",
        "multiclass classification",
        lambda: exported("RandomForestClassifier", "probabilities", labels=True),
        needs=SKLEARN,
    ),
    case(
        "several-targets",
        "several outputs",
        lambda: exported("ExtraTreesRegressor", "variable"),
        needs=SKLEARN,
    ),
    case(
        "whole-numbers",
        "inputs of whole numbers",
        lambda: exported("RandomForestRegressor", "variable", kind=np.int64),
        needs=SKLEARN,
    ),
    case(
        "minimum-of-trees",
        "minimum or maximum of trees",
        lambda: trained(model_of(regressor(ORDERED, aggregate_function="MIN"))),
        refused="MIN over its trees",
    ),
    case("scaler", "steps before the trees", scaled_columns, refused="operator Scaler"),
    case("text", "text columns", text_input, refused="'X', of no known width or of no usual"),
)
