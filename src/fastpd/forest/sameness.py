"""Whether two forests are one and the same model."""

from __future__ import annotations

import numpy as np

from fastpd.forest._forest import Forest
from fastpd.forest._preparation import Preparation

__all__ = ["same_model"]


def same_model(one: Forest, other: Forest) -> bool:
    """Tell whether two forests ask the same of every row, so that their counts add up."""
    trees = ("feature", "threshold", "left", "right", "default_left", "roots", "missing")
    scores = ("value", "tree_output", "base")
    named = ("feature_names", "output_names", "comparison", "link", "slope", "categories")
    return (
        all(
            np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
            for name in (*trees, *scores)
        )
        and all(getattr(one, name) == getattr(other, name) for name in named)
        and one.splits.same_as(other.splits)
        and _same_steps(one.preparation, other.preparation)
    )


def _same_steps(one: Preparation | None, other: Preparation | None) -> bool:
    return one is other or (one is not None and other is not None and one.same_as(other))
