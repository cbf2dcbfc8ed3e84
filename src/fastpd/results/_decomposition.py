"""The functional decomposition at rows: a column for each component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.frames import NOWHERE, Source
from fastpd.results._columns import Names, SetColumns
from fastpd.results._frames import table, wide
from fastpd.results._importance import Importance, mean_size
from fastpd.results._shap import ShapValues

__all__ = ["Decomposition"]


class Decomposition(SetColumns):
    """Components m_S of a model at rows, up to an order: a mapping from feature names to a column.

    ``intercept + sum of all components + remainder`` is the raw prediction. Components that are
    zero everywhere, because no tree joins their features, are not listed.

    Attributes
    ----------
    intercept
        The component of the empty set, v_0; one number, or one for each output.
    complete
        Whether no component of higher order exists, so that the remainder is rounding only.

    Examples
    --------
    >>> parts = fastpd.Explainer(model, X).components(X, max_order=2)
    >>> float(abs(parts.intercept + parts.array.sum(axis=1) + parts.remainder
    ...           - fastpd.Explainer(model, X).predict(X)).max()) < 1e-9
    True
    """

    def __init__(
        self,
        names: Sequence[Names],
        values: NDArray[Any],
        feature_names: Sequence[str],
        max_order: int,
        *,
        intercept: Any,
        complete: bool,
        predict: Callable[[], NDArray[np.float64]],
        output_names: Names,
        link: str,
        source: Source = NOWHERE,
    ) -> None:
        super().__init__(names, values, feature_names, max_order)
        self.intercept = intercept
        self.complete = complete
        self.output_names = output_names
        self.link = link
        self.source = source
        self._predict = predict

    @cached_property
    def remainder(self) -> NDArray[np.float64]:
        """What the components up to `max_order` leave of the raw prediction, for each row.

        Computed when first asked for, since it walks the trees.
        """
        explained = self.array.sum(axis=1, dtype=np.float64) + self.intercept
        left: NDArray[np.float64] = self._predict() - explained
        return left

    @property
    def discrepancy(self) -> Any:
        """Mean absolute remainder over the rows: how much the model cut at `max_order` misses.

        One number, or one for each output.
        """
        if not len(self.array):
            raise OptionError("there are no rows; decompose at least one to average over.")
        mean = np.abs(self.remainder).mean(axis=0)
        return float(mean) if mean.ndim == 0 else mean

    def importance(self) -> Importance:
        """Return the mean absolute component over the rows, largest first."""
        if not len(self.array):
            raise OptionError("there are no rows; decompose at least one to average over.")
        sizes = mean_size(self.array, None)
        return Importance.ranked(self.names, sizes, self.output_names, self.source.library)

    def shap(self) -> ShapValues:
        """Return the SHAP values: each component shared equally among its features."""
        if not self.complete:
            raise OptionError(
                f"components up to max_order = {self.max_order} are not all that the model has, so "
                "they do not add up to SHAP values. Use a larger max_order, or Explainer.shap."
            )
        rows, _, *outputs = self.array.shape
        values = np.zeros((rows, len(self.feature_names), *outputs))
        at = {name: i for i, name in enumerate(self.feature_names)}
        for i, names in enumerate(self.names):
            for name in names:
                values[:, at[name]] += self.array[:, i] / len(names)
        return ShapValues(
            values,
            self.intercept,
            None,
            self.feature_names,
            self.output_names,
            self.link,
            self.source,
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each row, and a column for each component (and output).

        Rows keep their order, and in pandas their labels.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).components(X)
        >>> "x0 x x1" in parts.to_frame("pandas")
        True
        """
        return table(wide(self.names, self.array, self.output_names), self.source, backend)

    def __repr__(self) -> str:
        rows = self.array.shape[0]
        end = "complete" if self.complete else "with a remainder"
        return (
            f"<Decomposition: {len(self)} components up to order {self.max_order} of {rows} rows, "
            f"{end}, {self.link} scale>"
        )
