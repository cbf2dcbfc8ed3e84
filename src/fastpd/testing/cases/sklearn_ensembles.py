"""Cases of scikit-learn's ensembles of models, of isolation forests, and of what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases.sklearn_data import features, labels_of, target, with_gaps

__all__ = ["CASES"]

X = features(120)
GAPS = with_gaps(X)


def _trained(model: Any, table: Any, y: Any, method: str = "predict") -> Trained:
    model.fit(table, y)

    def raw(rows: Any) -> NDArray[Any]:
        found = getattr(model, method)(rows)
        return np.hstack(found) if isinstance(found, list) else np.asarray(found)

    return Trained(model, table[:28], table[60:68], raw)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(max_depth=4, random_state=0)


def _class_tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=4, random_state=0)


def bagged_columns() -> Trained:
    from sklearn.ensemble import BaggingRegressor

    model = BaggingRegressor(
        _tree(), n_estimators=5, max_features=0.6, bootstrap_features=True, random_state=0
    )
    return _trained(model, GAPS, target(GAPS))


def bagged_classes() -> Trained:
    """Average trees of a few rows each, of which some never met a class."""
    from sklearn.ensemble import BaggingClassifier

    model = BaggingClassifier(
        _class_tree(), n_estimators=5, max_samples=5, max_features=3, random_state=1
    )
    return _trained(model, X, labels_of(X), "predict_proba")


def mixed_precision() -> Trained:
    """Average a forest that rounds rows to float32, and boosted trees that do not."""
    from sklearn.ensemble import (
        HistGradientBoostingRegressor,
        RandomForestRegressor,
        VotingRegressor,
    )

    forest = RandomForestRegressor(3, max_depth=3, random_state=0, n_jobs=1)
    boosted = HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5)
    models = [("a", forest), ("b", "drop"), ("c", boosted)]
    model = VotingRegressor(models, weights=[1.0, 5.0, 2.0]).fit(GAPS, target(GAPS))
    trees = model.estimators_[0].estimators_
    points = np.unique(np.concatenate([tree.tree_.threshold for tree in trees]))
    points = np.resize(points[np.isfinite(points) & (points != -2.0)], (8, 4))
    down = np.nextafter(points.astype(np.float32), np.float32(-np.inf)).astype(float)
    middle = points.astype(np.float32).astype(float) / 2 + down / 2
    ways = [points, middle, np.nextafter(middle, 9), np.nextafter(middle, -9)]
    rows = np.choose(np.arange(32).reshape(8, 4) % 3 + np.eye(8, 4, dtype=int), ways)
    return Trained(model, GAPS[:28], rows, model.predict)


def with_a_model_of_another_library() -> Trained:
    import xgboost as xgb
    from sklearn.ensemble import VotingRegressor

    boosted = xgb.XGBRegressor(n_estimators=4, max_depth=3, n_jobs=1)
    return _trained(VotingRegressor([("a", _tree()), ("b", boosted)]), GAPS, target(GAPS))


def soft_votes() -> Trained:
    from sklearn.ensemble import ExtraTreesClassifier, VotingClassifier

    forest = ExtraTreesClassifier(3, max_depth=4, random_state=0, n_jobs=1)
    models = [("a", _class_tree()), ("b", forest)]
    model = VotingClassifier(models, voting="soft", weights=[3, 1])
    return _trained(model, X, labels_of(X), "predict_proba")


def a_model_for_each_target() -> Trained:
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.multioutput import MultiOutputRegressor

    model = MultiOutputRegressor(HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5))
    return _trained(model, GAPS, np.column_stack([target(GAPS), X[:, 1] ** 2]))


def a_classifier_for_each_target() -> Trained:
    from sklearn.multioutput import MultiOutputClassifier

    y = np.column_stack([labels_of(X), (X[:, 1] > 0).astype(str)])
    return _trained(MultiOutputClassifier(_class_tree()), X, y, "predict_proba")


def isolation() -> Trained:
    from sklearn.ensemble import IsolationForest

    model = IsolationForest(n_estimators=6, max_samples=30, max_features=3, random_state=0).fit(X)
    constant = 2 * (np.log(29) + np.euler_gamma) - 2 * 29 / 30

    def raw(rows: Any) -> NDArray[Any]:
        return np.asarray(-constant * np.log2(-model.score_samples(rows)))

    return Trained(model, X[:28], X[60:68] * 1.5, raw)


def searched() -> Trained:
    import pandas as pd
    from sklearn.model_selection import GridSearchCV

    table = pd.DataFrame(GAPS, columns=["a", "b", "c", "d"])
    return _trained(GridSearchCV(_tree(), {"max_depth": [2, 4]}, cv=2), table, target(GAPS))


def hard_votes() -> Trained:
    from sklearn.ensemble import VotingClassifier

    return _trained(VotingClassifier([("a", _class_tree())]), X, labels_of(X))


def soft_votes_of_boosted_trees() -> Trained:
    from sklearn.ensemble import GradientBoostingClassifier, VotingClassifier

    models = [("a", _class_tree()), ("b", GradientBoostingClassifier(n_estimators=2))]
    model = VotingClassifier(models, voting="soft")
    return _trained(model, X, labels_of(X), "predict_proba")


def adaptive_boosting() -> Trained:
    from sklearn.ensemble import AdaBoostRegressor

    return _trained(AdaBoostRegressor(_tree(), n_estimators=3, random_state=0), X, target(X))


def stacked() -> Trained:
    from sklearn.ensemble import StackingRegressor

    return _trained(StackingRegressor([("a", _tree())], cv=2), X, target(X))


def calibrated() -> Trained:
    from sklearn.calibration import CalibratedClassifierCV

    model = CalibratedClassifierCV(_class_tree(), cv=2)
    return _trained(model, X, target(X) > 0.5, "predict_proba")


def transformed_target() -> Trained:
    from sklearn.compose import TransformedTargetRegressor

    model = TransformedTargetRegressor(_tree(), func=np.log, inverse_func=np.exp)
    return _trained(model, X, np.exp(target(X)))


def chained() -> Trained:
    from sklearn.multioutput import RegressorChain

    return _trained(RegressorChain(_tree()), X, np.column_stack([target(X), X[:, 1]]))


def linear() -> Trained:
    from sklearn.linear_model import LinearRegression

    return _trained(LinearRegression(), X, target(X))


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    return ModelCase(f"sklearn-{name}", "scikit-learn", feature, make, ("sklearn", *needs), refused)


CASES: tuple[ModelCase, ...] = (
    _case("bagging-columns", "bagging", bagged_columns),
    _case("bagging-classes", "bagging", bagged_classes),
    _case("voting-precision", "voting by means", mixed_precision),
    _case("voting-xgboost", "voting by means", with_a_model_of_another_library, "xgboost"),
    _case("voting-soft", "voting by means", soft_votes),
    _case("multi-output", "a model for each target", a_model_for_each_target),
    _case("multi-output-classes", "a model for each target", a_classifier_for_each_target),
    _case("isolation", "isolation forests", isolation),
    _case("search", "searches of parameters", searched, "pandas"),
    _case("voting-hard", "voting by counts", hard_votes, refused="Set `voting='soft'`"),
    _case(
        "voting-boosted",
        "soft votes of boosted classifiers",
        soft_votes_of_boosted_trees,
        refused="Model 1 of .*whose predictions are no sum of trees",
    ),
    _case("adaboost", "AdaBoost", adaptive_boosting, refused="weighted median"),
    _case("stacking", "stacking", stacked, refused="fed with predictions"),
    _case("calibrated", "calibrated classifiers", calibrated, refused="by a curve"),
    _case("transformed", "transformed targets", transformed_target, refused="its `regressor_`"),
    _case("chain", "chains", chained, refused="those before"),
    _case("linear", "models without trees", linear, refused="is no sum of trees"),
)
