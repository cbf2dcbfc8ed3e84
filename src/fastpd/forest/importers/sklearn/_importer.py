"""From a fitted estimator of scikit-learn to a Forest."""

from __future__ import annotations

import importlib
from typing import Any

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Forest

__all__ = ["from_estimator"]


def from_estimator(model: Any, *, iteration_range: tuple[int, int] | None = None) -> Forest:
    """Return the forest of a fitted estimator."""
    if any(base.__module__ == "sklearn.pipeline" for base in type(model).__mro__):
        pipeline = importlib.import_module("fastpd.forest.importers.sklearn.pipeline")
        forest: Forest = pipeline.from_pipeline(model, iteration_range=iteration_range)
        return forest
    raise UnsupportedModelError(
        f"A {type(model).__name__} was given; expected a Pipeline that ends in a model of trees."
    )
