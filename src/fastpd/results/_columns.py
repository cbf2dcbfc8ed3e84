"""Answers with a column for each set of features, read like a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, nearest
from fastpd.frames import Source
from fastpd.results._frames import Names, table, wide

__all__ = ["Names", "SetColumns"]

Array = NDArray[Any]


class SetColumns(Mapping[Names, Array]):
    """A mapping from a set of feature names to its column.

    Only sets whose column is not zero everywhere are listed; any other set of known features can
    be asked for and gives zeros.
    """

    def __init__(
        self,
        names: Sequence[Names],
        values: Array,
        feature_names: Sequence[str],
        max_order: int,
        *,
        output_names: Names,
        link: str,
        source: Source,
    ) -> None:
        self._at = {frozenset(one): i for i, one in enumerate(names)}
        self._names = tuple(names)
        self._feature_names = tuple(feature_names)
        self._max_order = max_order
        self._values = values
        self.output_names = output_names
        self.link = link
        self.source = source

    @property
    def names(self) -> tuple[Names, ...]:
        """The sets that have a column, in order of size."""
        return self._names

    @property
    def feature_names(self) -> Names:
        """The model's features."""
        return self._feature_names

    @property
    def max_order(self) -> int:
        """Size of the largest sets that were asked for."""
        return self._max_order

    @property
    def array(self) -> Array:
        """All columns: (rows, sets), or (rows, sets, outputs)."""
        return self._values

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each row, and a column for each set of features (and output).

        Rows keep their order, and in pandas their labels.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> "x0 x x1" in explainer.components(X).to_frame("pandas")
        True
        >>> "x0 x x1" in explainer.interactions(X, index="STII").to_frame("pandas")
        True
        """
        return table(wide(self.names, self.array, self.output_names), self.source, backend)

    def __getitem__(self, features: Any) -> Array:
        """Return the column of a set of features, given by names or indices in any order."""
        key = self._key(features)
        if key in self._at:
            column: Array = self._values[:, self._at[key]]
            return column
        return np.zeros(self._values.shape[:1] + self._values.shape[2:], dtype=self._values.dtype)

    def __iter__(self) -> Iterator[Names]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    # Compared and hashed as the object that it is: columns have no single truth value.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __contains__(self, features: object) -> bool:
        try:
            return self._key(features) in self._at
        except FeatureError:
            return False

    def _key(self, features: Any) -> frozenset[str]:
        alone = isinstance(features, (str, int, np.integer)) or not isinstance(features, Collection)
        chosen = [features] if alone else list(features)
        names = [self._name(feature) for feature in chosen]
        if len(set(names)) != len(names):
            raise FeatureError(f"a feature stands twice in {tuple(names)}; name it once.")
        if not names:
            raise FeatureError(
                "() has no features, and so no column; expected sets of 1 to "
                f"{self._max_order}. What does not depend on any feature is "
                "Explainer.expected_value."
            )
        if len(names) > self._max_order:
            raise FeatureError(
                f"{tuple(names)} has {len(names)} features; this answer holds sets of 1 to "
                f"{self._max_order}. Ask for a higher order."
            )
        return frozenset(names)

    def _name(self, feature: Any) -> str:
        known = self._feature_names
        whole = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
        if whole and 0 <= feature < len(known):
            return known[int(feature)]
        if isinstance(feature, str) and feature in known:
            return feature
        shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        raise FeatureError(
            f"unknown feature {feature!r}; the model has {shown}, or 0 to {len(known) - 1}."
            f"{nearest(str(feature), known)}"
        )
