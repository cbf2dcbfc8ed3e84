"""Cases of scikit-learn: trees, forests and gradient boosting over exact trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases import sklearn_ensembles, sklearn_histogram
from fastpd.testing.cases.sklearn_data import COLUMNS, features, labels_of, near, target, with_gaps

__all__ = ["CASES"]

NEEDS = ("sklearn",)


def _trained(model: Any, X: Any, y: Any, method: str = "predict") -> Trained:
    """Train a model, and ask it near the thresholds of its trees."""
    model.fit(X, y)
    trees = getattr(model, "estimators_", [model])
    points = np.concatenate([tree.tree_.threshold for tree in np.ravel(trees)])
    rows = near(points, X)

    def raw(cells: Any) -> NDArray[Any]:
        found = getattr(model, method)(cells)
        return np.hstack(found) if isinstance(found, list) else np.asarray(found)

    return Trained(model, X[:28], rows, raw)


def tree_with_missing() -> Trained:
    from sklearn.tree import DecisionTreeRegressor

    X = with_gaps(features(120))
    X[:, 2] = np.where(X[:, 2] > 0.6, np.nan, 1.0)  # a split of missing values alone
    y = target(X) + 4.0 * np.isnan(X[:, 2])
    return _trained(DecisionTreeRegressor(max_depth=5, random_state=0), X, y)


def tree_that_never_met_missing() -> Trained:
    from sklearn.tree import DecisionTreeRegressor

    X = features(120)
    given = _trained(DecisionTreeRegressor(max_depth=4, random_state=0), X, target(X))
    return Trained(given.model, with_gaps(given.background), with_gaps(given.rows), given.raw)


def weighted_classes() -> Trained:
    from sklearn.tree import DecisionTreeClassifier

    X = with_gaps(features(120))
    model = DecisionTreeClassifier(max_depth=4, class_weight={"low": 5.0}, random_state=0)
    return _trained(model, X, labels_of(X), "predict_proba")


def extra_tree() -> Trained:
    from sklearn.tree import ExtraTreeClassifier

    X = features(120)
    y = labels_of(X)
    return _trained(ExtraTreeClassifier(max_depth=4, random_state=1), X, y, "predict_proba")


def forest_on_a_frame() -> Trained:
    import pandas as pd
    from sklearn.ensemble import RandomForestRegressor

    X = with_gaps(features(120))
    table = pd.DataFrame(X, columns=COLUMNS)
    model = RandomForestRegressor(7, max_depth=4, random_state=0, n_jobs=1)
    model.fit(table, target(X))
    return Trained(model, table[:28], table[60:68], model.predict)


def forest_of_two_classes() -> Trained:
    from sklearn.ensemble import RandomForestClassifier

    X = with_gaps(features(120))
    model = RandomForestClassifier(6, max_depth=4, random_state=0, n_jobs=1)
    return _trained(model, X, target(X) > 0.5, "predict_proba")


def forest_of_several_targets() -> Trained:
    from sklearn.ensemble import ExtraTreesRegressor

    X = with_gaps(features(120))
    model = ExtraTreesRegressor(6, max_depth=4, random_state=0, n_jobs=1)
    return _trained(model, X, np.column_stack([target(X), 10 * np.nan_to_num(X[:, 1])]))


def forest_of_several_targets_of_classes() -> Trained:
    from sklearn.ensemble import RandomForestClassifier

    X = features(120)
    y = np.column_stack([labels_of(X), (X[:, 1] > 0).astype(str)])
    model = RandomForestClassifier(5, max_depth=3, random_state=0, n_jobs=1)
    return _trained(model, X, y, "predict_proba")


def forest_on_a_sparse_matrix() -> Trained:
    import scipy.sparse
    from sklearn.ensemble import RandomForestRegressor

    X = features(120)
    X[np.abs(X) < 0.4] = 0.0
    matrix = scipy.sparse.csr_matrix(X)
    model = RandomForestRegressor(5, max_depth=4, random_state=0, n_jobs=1).fit(matrix, target(X))
    return Trained(model, matrix[:28], matrix[60:68], model.predict)


def boosted_by_huber() -> Trained:
    from sklearn.ensemble import GradientBoostingRegressor

    X = features(120)
    model = GradientBoostingRegressor(n_estimators=8, loss="huber", random_state=0)
    return _trained(model, X, target(X))


def boosted_several_classes() -> Trained:
    from sklearn.ensemble import GradientBoostingClassifier

    X = features(150)
    model = GradientBoostingClassifier(
        n_estimators=30, n_iter_no_change=2, learning_rate=0.5, max_depth=2, random_state=0
    )
    return _trained(model, X, labels_of(X), "decision_function")


def boosted_by_the_exponential_loss() -> Trained:
    from sklearn.ensemble import GradientBoostingClassifier

    X = features(120)
    model = GradientBoostingClassifier(n_estimators=6, loss="exponential", random_state=0)
    return _trained(model, X, target(X) > 0.2, "decision_function")


def boosted_from_zero() -> Trained:
    from sklearn.ensemble import GradientBoostingClassifier

    X = features(120)
    model = GradientBoostingClassifier(n_estimators=6, init="zero", random_state=0)
    return _trained(model, X, target(X) > 0.2, "decision_function")


def boosted_from_a_forest() -> Trained:
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

    X = features(120)
    start = RandomForestRegressor(3, max_depth=3, random_state=0, n_jobs=1)
    model = GradientBoostingRegressor(n_estimators=5, init=start, random_state=0)
    return _trained(model, X, target(X))


def boosted_from_histograms() -> Trained:
    """Start from a model that compares in float64, but gets rows in float32."""
    from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor

    X = features(120)
    start = HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5)
    model = GradientBoostingRegressor(n_estimators=4, init=start, random_state=0).fit(X, target(X))
    nodes = np.concatenate([tree.nodes for (tree,) in model.init_._predictors])
    points = nodes["num_threshold"][nodes["is_leaf"] == 0]
    return Trained(model, X[:28], near(points, X), model.predict)


def boosted_in_a_range_of_rounds() -> Trained:
    from sklearn.ensemble import GradientBoostingRegressor

    X = features(120)
    model = GradientBoostingRegressor(n_estimators=9, random_state=0).fit(X, target(X))

    def raw(rows: Any) -> NDArray[Any]:
        return np.asarray(list(model.staged_predict(rows))[3])

    return Trained(model, X[:28], X[60:68], raw, {"iteration_range": (0, 4)})


def missing_where_boosting_refuses_it() -> Trained:
    given = boosted_by_huber()
    return Trained(given.model, given.background, with_gaps(given.rows), given.raw)


def boosted_from_a_linear_model() -> Trained:
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.linear_model import LinearRegression

    X = features(60)
    return _trained(GradientBoostingRegressor(n_estimators=2, init=LinearRegression()), X, X[:, 0])


def unfitted() -> Trained:
    from sklearn.ensemble import RandomForestRegressor

    X = features(30)
    model = RandomForestRegressor()
    return Trained(model, X, X[:5], model.predict)


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    return ModelCase(f"sklearn-{name}", "scikit-learn", feature, make, (*NEEDS, *needs), refused)


CASES: tuple[ModelCase, ...] = (
    _case("tree-missing", "decision trees, missing values", tree_with_missing),
    _case("tree-nan-unmet", "decision trees, missing values", tree_that_never_met_missing),
    _case("tree-classes", "decision trees, class weights", weighted_classes),
    _case("extra-tree", "extra trees", extra_tree),
    _case("forest-frame", "random forests", forest_on_a_frame, "pandas"),
    _case("forest-binary", "random forests, classes", forest_of_two_classes),
    _case("forest-targets", "several targets", forest_of_several_targets),
    _case("forest-class-targets", "several targets", forest_of_several_targets_of_classes),
    _case("forest-sparse", "sparse matrices", forest_on_a_sparse_matrix, "scipy"),
    _case("boosting-huber", "gradient boosting", boosted_by_huber),
    _case(
        "boosting-classes", "gradient boosting, classes, early stopping", boosted_several_classes
    ),
    _case("boosting-exponential", "exponential loss", boosted_by_the_exponential_loss),
    _case("boosting-zero", "gradient boosting, initial models", boosted_from_zero),
    _case("boosting-forest", "gradient boosting, initial models", boosted_from_a_forest),
    _case("boosting-histogram", "gradient boosting, initial models", boosted_from_histograms),
    _case("boosting-rounds", "ranges of rounds", boosted_in_a_range_of_rounds),
    _case(
        "boosting-missing",
        "missing values in gradient boosting (refused by scikit-learn)",
        missing_where_boosting_refuses_it,
        refused="X lacks a value in column 'f",
    ),
    _case(
        "boosting-linear",
        "initial models that are no trees",
        boosted_from_a_linear_model,
        refused="starts from the predictions of a LinearRegression",
    ),
    _case("unfitted", "estimators that are not fitted", unfitted, refused="not fitted.*Call `fit`"),
    *sklearn_histogram.CASES,
    *sklearn_ensembles.CASES,
)
