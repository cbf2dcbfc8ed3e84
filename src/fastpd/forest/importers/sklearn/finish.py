"""What all readers of scikit-learn's estimators share: names, and the comparison at the end."""

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

__all__ = [
    "Raw",
    "Rounds",
    "check_fitted",
    "class_names",
    "feature_names",
    "finished",
    "indexed_names",
    "rounds_of",
    "source_of",
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


def source_of(estimator: Any) -> str:
    """Return what messages call an estimator."""
    version = importlib.import_module("sklearn").__version__
    return f"scikit-learn {version} {type(estimator).__name__}"


def feature_names(estimator: Any, count: int) -> tuple[str, ...]:
    """Return the columns that the estimator was trained on, numbered where they had no names."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and len(names) == count:
        return tuple(str(name) for name in names)
    return indexed_names("f", count)


def indexed_names(letter: str, count: int) -> tuple[str, ...]:
    """Return names such as y0, y1, ..."""
    return tuple(f"{letter}{number}" for number in range(count))


def class_names(classes: Any, several: bool) -> tuple[str, ...]:
    """Return names of the outputs of a classifier: its labels.

    Parameters
    ----------
    classes
        The labels, or a list of the labels of every target.
    several
        Whether there are several targets. Outputs are then called after the target as well, such
        as ``y0=red``.
    """
    if several:
        return tuple(
            f"y{target}={name}"
            for target, labels in enumerate(classes)
            for name in class_names(labels, False)
        )
    names = tuple(str(label) for label in np.asarray(classes).tolist())
    return names if len(set(names)) == len(names) else tuple(map(str, range(len(names))))


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


def finished(forest: Forest, raw: Raw, *, sums: type[np.floating] = np.float64) -> Forest:
    """Return a forest once it is found to predict what scikit-learn predicts.

    Parameters
    ----------
    forest
        The trees.
    raw
        The estimator's own raw prediction of rows, or a list of those of several targets.
    sums
        Precision in which the library adds up leaf values.
    """

    def library(rows: NDArray[Any]) -> NDArray[Any]:
        # Estimators that were trained on a table warn that these rows have no names.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = raw(rows)
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
