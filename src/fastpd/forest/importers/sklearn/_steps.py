"""The fitted steps of a pipeline before its model, as the preparation of a forest."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

from fastpd.errors import imported

__all__ = ["Steps"]


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps that turn a table of the user into the one that a pipeline's model takes.

    Attributes
    ----------
    columns, owner, unchanged
        As in `Preparation`.
    transformers
        The fitted steps, one after another; nothing else may change them.
    """

    columns: tuple[str, ...]
    owner: tuple[int, ...] | None
    unchanged: frozenset[int]
    transformers: tuple[Any, ...]

    def apply(self, table: Any) -> Any:
        """Return what the steps make of a table, as `pipeline.predict` does before its model."""
        for step in self.transformers:
            table = step.transform(table)
        return table

    def same_as(self, other: Any) -> bool:
        """Tell whether both are the same steps, fitted alike."""
        if not isinstance(other, Steps) or self.columns != other.columns:
            return False
        joblib = imported("joblib", "merging explainers of pipelines")
        try:
            return bool(joblib.hash(self.transformers) == joblib.hash(other.transformers))
        except (pickle.PicklingError, TypeError, AttributeError):  # what has no bytes to compare
            return False
