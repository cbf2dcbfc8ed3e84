"""What readers of scikit-learn's estimators begin with, and the comparison at the end."""

from __future__ import annotations

import importlib
import operator
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError, OptionError
from fastpd.forest._forest import Forest
from fastpd.forest.check import canonical, check_prediction
from fastpd.forest.importers.sklearn.labels import labelled

__all__ = [
    "Raw",
    "Rounds",
    "check_fitted",
    "finished",
    "rounds_of",
]

Rounds: TypeAlias = tuple[int, int]
Raw: TypeAlias = Callable[[NDArray[Any]], Any]


def check_fitted(estimator: Any) -> None:
    """Refuse an estimator that was not trained."""
    validation = importlib.import_module("sklearn.utils.validation")
    try:
        validation.check_is_fitted(estimator)
    except ValueError as error:
        if "NotFitted" not in type(error).__name__:
            raise
        raise ModelError(
            f"This {type(estimator).__name__} is not fitted, so it has no trees. Call `fit` first."
        ) from None


def rounds_of(asked: Rounds | None, available: int) -> Rounds:
    """Return the boosting rounds that count, from the first up to, not including, the last."""
    try:
        first, last = (operator.index(number) for number in asked or (0, 0))
    except (TypeError, ValueError):
        raise OptionError(
            f"iteration_range is {asked!r}; expected two whole numbers (first, end), such as "
            f"(0, {available})"
        ) from None
    end = last or available
    if not 0 <= first < end <= available:
        raise OptionError(
            f"iteration_range is {asked!r}; the model has {available} rounds, so "
            f"0 <= first < end <= {available} was expected (an end of 0 means all rounds)"
        )
    return first, end


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
