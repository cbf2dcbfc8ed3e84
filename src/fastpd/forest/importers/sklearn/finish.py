"""What readers of scikit-learn's estimators begin with, and the comparison at the end."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.forest._forest import Forest
from fastpd.forest.check import canonical, check_prediction
from fastpd.forest.importers.common import not_fitted
from fastpd.forest.importers.sklearn.labels import labelled

__all__ = [
    "Raw",
    "check_fitted",
    "finished",
]

Raw: TypeAlias = Callable[[NDArray[Any]], Any]


def check_fitted(estimator: Any) -> None:
    """Refuse an estimator that was not trained."""
    validation = importlib.import_module("sklearn.utils.validation")
    try:
        validation.check_is_fitted(estimator)
    except ValueError as error:
        if "NotFitted" not in type(error).__name__:
            raise
        raise not_fitted(estimator) from None


def finished(forest: Forest, raw: Raw, *, sums: type[np.floating] = np.float32) -> Forest:
    """Return a forest once it is found to predict what scikit-learn predicts.

    Parameters
    ----------
    forest
        The trees.
    raw
        The estimator's own raw prediction of rows, or a list of those of several targets.
    sums
        Precision that is asked of sums of leaf values. All are summed in float64, but boosting adds
        ever smaller values to a large sum, whose errors then may all point the same way; and
        models of other libraries, in an ensemble, sum in float32.
    """

    def library(rows: NDArray[Any]) -> NDArray[Any]:
        # Estimators that were trained on a table warn that these rows have no names.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = raw(labelled(rows, forest.categories))
        return np.hstack(found) if isinstance(found, list) else np.asarray(found)

    checked = canonical(replace(forest, takes_missing=_takes_missing(forest, library)))
    check_prediction(checked, library, sums=sums)
    return checked


def _takes_missing(forest: Forest, library: Raw) -> bool:
    """Ask the library for the prediction of a missing value: which models take it has changed."""
    rows = np.zeros((1, forest.n_features), np.dtype(forest.comparison))
    library(rows)
    rows[:] = np.nan
    try:
        library(rows)
    except ValueError:
        return False
    return True
