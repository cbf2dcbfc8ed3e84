"""Which function reads an estimator, found by the name of its type so that subclasses count too."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

from fastpd.errors import ModelError, OptionError, UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest.importers.common import Rounds
from fastpd.forest.importers.sklearn import boosting, ensembles, forests, histogram, isolation
from fastpd.forest.importers.sklearn.finish import check_fitted
from fastpd.forest.importers.sklearn.refusals import reason_against

__all__ = ["from_estimator"]

Reader = Callable[[Any], Forest]
RoundsReader = Callable[[Any, Rounds | None], Forest]


def from_estimator(estimator: Any, *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a fitted estimator.

    Parameters
    ----------
    estimator
        A tree, a forest, a boosted model or an isolation forest of scikit-learn, a bagging, voting
        or multi-output ensemble of models that are sums of trees, a search that holds its best
        estimator, or a pipeline that ends in one of these.
    iteration_range
        First boosting round that counts and the one after the last, an end of 0 for all; only for
        gradient boosting. By default all rounds that training, stopped early or not, has kept.

    Returns
    -------
    Forest
        Its trees, found to predict what scikit-learn predicts.

    Raises
    ------
    ModelError
        Where the model is not fitted, is no sum of trees, or predicts otherwise.
    OptionError
        Where the model has no such rounds.

    Notes
    -----
    Most of these models refuse infinite values, and sparse matrices that hold a missing one; those
    are explained here all the same, as the thresholds say. Missing values are refused where
    scikit-learn, asked for the prediction of one, refuses it.
    """
    kinds = [(base.__module__, base.__name__) for base in type(estimator).__mro__]
    for kind in kinds:
        if kind in _READERS:
            if iteration_range is not None:
                raise OptionError(
                    f"iteration_range is {iteration_range!r}, but a {type(estimator).__name__} has "
                    "no boosting rounds. Leave iteration_range out."
                )
            check_fitted(estimator)
            return _READERS[kind](estimator)
        if kind in _ROUNDS_READERS:
            check_fitted(estimator)
            return _ROUNDS_READERS[kind](estimator, iteration_range)
        reason = reason_against(kind)
        if reason:
            raise UnsupportedModelError(
                f"This {type(estimator).__name__} cannot be explained as a sum of trees: {reason}"
            )
    raise UnsupportedModelError(
        f"A {type(estimator).__name__} was given, which is no sum of trees. Of scikit-learn's "
        "models expected were decision trees, random forests, extra trees, (histogram-based) "
        "gradient boosting, isolation forests, and bagging, voting, multi-output models, searches "
        "and pipelines of these."
    )


def _of_pipeline(estimator: Any, rounds: Rounds | None) -> Forest:
    module = importlib.import_module("fastpd.forest.importers.sklearn.pipeline")
    return cast(Forest, module.from_pipeline(estimator, iteration_range=rounds))


def _of_inner(name: str) -> RoundsReader:
    """Return the reader of a model that predicts what another one does, which it holds."""

    def read(estimator: Any, rounds: Rounds | None) -> Forest:
        from fastpd.forest.registry import import_model

        inner = getattr(estimator, name, None)
        if inner is None:
            raise ModelError(
                f"This {type(estimator).__name__} holds no fitted model in `{name}`. Call `fit` "
                "first; a search keeps its best model with `refit=True` only."
            )
        return import_model(inner, iteration_range=rounds)

    return read


_READERS: dict[tuple[str, str], Reader] = {
    ("sklearn.tree._classes", "DecisionTreeRegressor"): forests.regression_tree,
    ("sklearn.tree._classes", "DecisionTreeClassifier"): forests.classification_tree,
    ("sklearn.ensemble._forest", "ForestRegressor"): forests.regression_forest,
    ("sklearn.ensemble._forest", "ForestClassifier"): forests.classification_forest,
    ("sklearn.ensemble._iforest", "IsolationForest"): isolation.isolation_forest,
    ("sklearn.ensemble._bagging", "BaggingRegressor"): ensembles.bagging_regressor,
    ("sklearn.ensemble._bagging", "BaggingClassifier"): ensembles.bagging_classifier,
    ("sklearn.ensemble._voting", "VotingRegressor"): ensembles.voting_regressor,
    ("sklearn.ensemble._voting", "VotingClassifier"): ensembles.voting_classifier,
    ("sklearn.multioutput", "MultiOutputRegressor"): ensembles.multi_output_regressor,
    ("sklearn.multioutput", "MultiOutputClassifier"): ensembles.multi_output_classifier,
}
_HISTOGRAM = "sklearn.ensemble._hist_gradient_boosting.gradient_boosting"
_ROUNDS_READERS: dict[tuple[str, str], RoundsReader] = {
    ("sklearn.ensemble._gb", "BaseGradientBoosting"): boosting.gradient_boosting,
    (_HISTOGRAM, "BaseHistGradientBoosting"): histogram.histogram_boosting,
    ("sklearn.pipeline", "Pipeline"): _of_pipeline,
    ("sklearn.model_selection._search", "BaseSearchCV"): _of_inner("best_estimator_"),
    # These choose classes by another threshold, and leave probabilities as they are.
    (
        "sklearn.model_selection._classification_threshold",
        "BaseThresholdClassifier",
    ): _of_inner("estimator_"),
    ("sklearn.frozen._frozen", "FrozenEstimator"): _of_inner("estimator"),
}
