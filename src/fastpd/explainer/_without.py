"""A model without every component that touches protected features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.measures import Sample
from fastpd.queries import (
    Engine,
    FeatureSet,
    check_scale,
    predict,
    probability_value,
    removal,
    without,
)
from fastpd.results import Removal

__all__ = ["Without"]

Floats = NDArray[np.float64]


class Without:
    """A model without every component that touches some features.

    Its prediction is v of all other features: that of the model where the values of the removed
    ones are drawn from the background, whatever the row's own are. It does not depend on them any
    more, nor on any interaction with them. It still depends on features that are correlated with
    them.

    Made by `Explainer.without`.
    """

    def __init__(
        self,
        engine: Engine,
        sample: Sample,
        features: FeatureSet,
        read: Callable[[Any], Rows],
        to_average: Callable[[Any, str], tuple[Rows, Floats | None]],
    ) -> None:
        self._engine = engine
        self._sample = sample
        self._features = features
        self._read = read
        self._to_average = to_average

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the removed features."""
        return tuple(self._engine.names[k] for k in self._features)

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of all others."""
        return tuple(name for name in self._engine.names if name not in self.features)

    def predict(self, X: Any, *, scale: str = "link") -> Floats:
        """Return the prediction without the features.

        Parameters
        ----------
        X
            Rows to predict; the columns of removed features are there, but do not count.
        scale
            ``"link"``, the raw scale; or, for a classifier, ``"probability"``: the mean of the
            predicted probabilities over values of the features from the background.
        """
        rows = self._read(X)
        if not check_scale(scale, self._engine.forest):
            return without(self._engine, self._features, rows)
        others = tuple(k for k in range(len(self._engine.names)) if k not in self._features)
        found: Floats = probability_value(self._engine, self._sample, [others], rows, np.float64)[
            :, 0
        ]
        return found

    def removed(self, X: Any) -> Floats:
        """Return what is taken from the raw prediction: the components that touch the features."""
        rows = self._read(X)
        return predict(self._engine, rows) - without(self._engine, self._features, rows)

    def summary(self, X: Any = None) -> Removal:
        """Return how much is removed, over rows or over the background."""
        rows, weights = self._to_average(X, "summary({})")
        return removal(self._engine, self._features, rows, weights)

    def __repr__(self) -> str:
        n_all, link = len(self._engine.names), self._engine.forest.link
        return (
            f"<Without {', '.join(self.features)}: {len(self.kept)} of {n_all} features kept, "
            f"{link} scale>"
        )
