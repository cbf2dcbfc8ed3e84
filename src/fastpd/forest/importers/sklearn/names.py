"""What estimators, their columns and their outputs are called."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

__all__ = ["class_names", "feature_names", "indexed_names", "source_of"]


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
