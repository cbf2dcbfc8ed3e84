"""Cases of treelite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.treelite_models import built, margins

__all__ = ["CASES"]

Floats = NDArray[np.floating[Any]]

OPERATORS = [
    ("<", 0, 0.1, ("<=", 1, -0.5, 1.0, 2.5, True), (">=", 2, 0.25, -1.0, 4.0, False), False),
    (">", 1, 0.3, (">=", 0, -0.2, 0.5, -2.0, True), ("==", 2, 0.0, 3.0, 7.0, True), True),
]
CATEGORIES: list[Any] = [
    ("in", 0, [0, 2, 5, 2**24], ("<", 1, 0.1, 1.0, 2.0, False), 4.0, True, False),
    (
        "in",
        2,
        [1, 2, 2**24 - 1],
        ("in", 0, [], -1.0, 0.5, True, False),
        ("in", 0, [3, 4, 2**32 - 1], 6.0, -2.0, False, True),
        False,
        True,
    ),
]


def tables(kind: Any = np.float32, seed: int = 0) -> tuple[Floats, Floats]:
    """Return a background and rows with values on thresholds, beside them, and missing."""
    rng = np.random.default_rng(seed)
    background = rng.normal(size=(24, 3)).astype(kind)
    background[::5, 0] = np.nan
    background[1::4, 2] = 0.0
    edges = np.array([0.1, -0.5, 0.25, 0.3, -0.2, 0.0, 0.1, 0.3], kind)
    beside = np.nextafter(edges, kind(-9))
    rows = np.stack([edges, np.roll(beside, 3), np.roll(edges, 5)], axis=1)
    rows[1] = [np.nan, 0.1, np.nan]
    rows[2] = [-0.0, np.inf, -0.0]
    rows[3] = [0.1, np.nan, -np.inf]
    return background, rows


def codes(kind: Any) -> tuple[Floats, Floats]:
    """Return a background of codes, and rows with values that only nearly are codes."""
    rng = np.random.default_rng(0)
    background = rng.integers(0, 7, size=(24, 3)).astype(kind)
    background[::6, 0] = np.nan
    odd = [-0.5, -1.0, 0.5, 2.9, 2.0**24, 2.0**24 + 2, 2.0**32 - 1, np.inf, np.nan, 2.0**32 - 0.5]
    first = np.array(odd, kind)
    return background, np.stack([first, rng.normal(size=10).astype(kind), np.roll(first, 4)], 1)


def trained(model: Any, *given: Floats) -> Trained:
    background, rows = given or tables()
    return Trained(model, background, rows, lambda table: margins(model, table))


def means_of_classes() -> Trained:
    trees = [*OPERATORS, ("<", 0, 0.0, 5.0, -3.0, False)]
    options: Any = {"classes": [0, 1, 1], "n_classes": (2,), "postprocessor": "softmax"}
    return trained(built(trees, mean=True, base=(10.0, 20.0), **options))


def targets_and_classes() -> Trained:
    trees = [
        ("<", 0, 0.1, [1.0, 2.0, 0.0], [0.5, -1.0, 0.0], True),
        ("<", 1, 0.1, [1.0, 2.0, 3.0], [0.5, -1.0, 7.0], False),
        (">", 2, 0.0, [4.0, 1.0, 2.0], [-0.5, 1.0, 1.0], False),
    ]
    model = built(
        trees,
        targets=[0, 1, 1],
        classes=[-1, -1, -1],
        n_classes=(2, 3),
        leaf_shape=(1, 3),
        mean=True,
        base=range(6),
        postprocessor="softmax",
    )
    background, rows = tables()
    # The third class of the first target is padding.
    return Trained(
        model, background, rows, lambda table: np.delete(margins(model, table), 2, axis=1)
    )


def steep_sigmoid_of_lightgbm() -> Trained:
    import lightgbm as lgb
    import treelite

    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    X[:, 2] = rng.integers(0, 7, 200)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.isin(X[:, 2], [1, 4, 6]) > 0.5
    params = {"objective": "binary", "sigmoid": 2.0, "max_cat_to_onehot": 1, "num_leaves": 6}
    params |= {"min_data_in_leaf": 5, "min_data_per_group": 1, "cat_smooth": 1.0}
    params |= {"verbose": -1, "num_threads": 1}
    data = lgb.Dataset(X, y.astype(int), categorical_feature=[2], params={"verbose": -1})
    model = treelite.frontend.from_lightgbm(lgb.train(params, data, 5))
    rows = X[24:32].copy()
    rows[:4, 2] = [99.0, -1.0, 2.5, np.nan]
    return trained(model, X[:24], rows)


def softmax_of_xgboost() -> Trained:
    import treelite
    import xgboost as xgb

    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    score = np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2])
    y = np.digitize(score, np.quantile(score, [0.3, 0.7]))
    fitted = xgb.XGBClassifier(n_estimators=3, max_depth=3, n_jobs=1).fit(X, y)
    return trained(treelite.frontend.from_xgboost(fitted.get_booster()), X[:24], X[24:32])


def of_sklearn(name: str, **options: Any) -> Trained:
    import treelite
    from sklearn import ensemble

    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 3))
    score = X[:, 0] + X[:, 1] * X[:, 2]
    y = np.digitize(score, np.quantile(score, [0.3, 0.7]))
    fitted = getattr(ensemble, name)(random_state=0, **options).fit(X, y)
    model = treelite.sklearn.import_model(fitted)
    return trained(model, X[:24], X[24:32])


def case(name: str, feature: str, make: Any, refused: str = "", needs: Any = ()) -> ModelCase:
    """Return a case of treelite."""
    return ModelCase(f"treelite-{name}", "treelite", feature, make, ("treelite", *needs), refused)


CASES: tuple[ModelCase, ...] = (
    case("operators", "comparisons of every kind", lambda: trained(built(OPERATORS))),
    case(
        "operators-64-bit",
        "64-bit thresholds",
        lambda: trained(built(OPERATORS, kind="float64"), *tables(np.float64)),
    ),
    case("categories", "categories", lambda: trained(built(CATEGORIES), *codes(np.float32))),
    case(
        "categories-64-bit",
        "categories",
        lambda: trained(built(CATEGORIES, kind="float64"), *codes(np.float64)),
    ),
    case("means-of-classes", "means of trees", means_of_classes),
    case("targets-and-classes", "several outputs", targets_and_classes),
    case("lightgbm", "models of LightGBM", steep_sigmoid_of_lightgbm, needs=("lightgbm",)),
    case("xgboost", "models of XGBoost", softmax_of_xgboost, needs=("xgboost",)),
    case(
        "random-forest",
        "models of scikit-learn",
        lambda: of_sklearn("RandomForestClassifier", n_estimators=4, max_depth=3),
        needs=("sklearn",),
    ),
    case(
        "isolation-forest",
        "models of scikit-learn",
        lambda: of_sklearn("IsolationForest", n_estimators=4, max_samples=16, n_jobs=1),
        needs=("sklearn",),
    ),
    case(
        "infinite-threshold",
        "thresholds that part infinite values from finite ones",
        lambda: trained(built([("<", 0, np.inf, 1.0, 2.0, True)])),
        refused="parts infinite values",
    ),
)
