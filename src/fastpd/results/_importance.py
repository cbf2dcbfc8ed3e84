"""How much each component matters on average."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, nearest
from fastpd.results._columns import Names

__all__ = ["Importance", "mean_size"]


def mean_size(columns: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the mean absolute value of every column over the rows."""
    return np.average(np.abs(columns).astype(np.float64), axis=0, weights=weights)


class Importance(Mapping[Names, float]):
    """Mean absolute component (eq. 9 of the paper) by set of features, largest first.

    Attributes
    ----------
    names
        Sets of features, most important first (on average, for several outputs).
    scores
        Their importance, in the same order: (sets,), or (sets, outputs).
    """

    def __init__(
        self, names: Sequence[Names], values: NDArray[np.float64], output_names: Names
    ) -> None:
        self.names = tuple(names)
        self.scores = values
        self.output_names = output_names

    @classmethod
    def ranked(
        cls, names: Sequence[Names], values: NDArray[np.float64], output_names: Names
    ) -> Importance:
        """Return the importances, sorted; ties keep their order."""
        overall = values if values.ndim == 1 else values.mean(axis=1)
        order = np.argsort(-overall, kind="stable")
        return cls([names[i] for i in order], values[order], output_names)

    def __getitem__(self, features: Any) -> Any:
        """Return the importance of a set of features, named in any order."""
        alone = isinstance(features, str) or not isinstance(features, Collection)
        wanted = frozenset([features] if alone else features)
        for names, value in zip(self.names, self.scores, strict=True):
            if frozenset(names) == wanted:
                return value if self.scores.ndim > 1 else float(value)
        known = [name for names in self.names for name in names]
        hint = "".join(nearest(str(name), known) for name in wanted if name not in known)
        raise FeatureError(
            f"no importance of {features!r}: the model has no such component, or it is of a higher "
            f"order than was asked for. `names` lists those that there are.{hint}"
        )

    def __iter__(self) -> Iterator[Names]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        overall = self.scores if self.scores.ndim == 1 else self.scores.mean(axis=1)
        rows = list(zip(self.names, overall, strict=True))
        lines = [f"{value:12.6g}  {' x '.join(names)}" for names, value in rows[:20]]
        if len(rows) > 20:
            lines.append(f"... and {len(rows) - 20} more")
        return "\n".join(["  mean |m_S|  component", *lines])
