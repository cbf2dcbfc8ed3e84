"""The functional decomposition at rows: a column for each component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.frames import NOWHERE, Cells, Source
from fastpd.results._columns import Names, SetColumns
from fastpd.results._html import columns_html
from fastpd.results._importance import Importance, mean_size
from fastpd.results._shap import ShapValues
from fastpd.results._xarray import labelled_rows

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
        cells: Cells,
        source: Source = NOWHERE,
    ) -> None:
        super().__init__(
            names,
            values,
            feature_names,
            max_order,
            output_names=output_names,
            link=link,
            source=source,
        )
        self.intercept = intercept
        self.complete = complete
        self._predict = predict
        self._cells = cells

    def cells(self, row: int) -> dict[str, Any]:
        """Return the values of a row as they were given, by the names of the features.

        Labels stand where the model knows them, None for missing. Groups of columns, and what a
        pipeline mixes, are left out.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).components([[1.0, 2.0, 3.0, float("nan")]])
        >>> parts.cells(0)
        {'x0': 1.0, 'x1': 2.0, 'x2': 3.0, 'x3': None}
        """
        known = self._cells(self._row(row))
        return {name: known[name] for name in self.feature_names if name in known}

    @property
    def missed(self) -> NDArray[np.float64]:
        """What cutting the model at each order misses: the mean absolute remainder over the rows.

        The first number is that of no component at all, the last is `discrepancy`; a last axis for
        several outputs.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).components(X, max_order=3)
        >>> bool((parts.missed[1:] < parts.missed[:-1]).all())
        True
        """
        self._need_rows()
        left = self.remainder + self.array.sum(axis=1, dtype=np.float64)
        missed = [np.abs(left).mean(axis=0)]
        orders = np.array([len(one) for one in self.names])
        for order in range(1, self.max_order + 1):
            left = left - self.array[:, orders == order].sum(axis=1, dtype=np.float64)
            missed.append(np.abs(left).mean(axis=0))
        return np.array(missed)

    def plot(self, row: int, *, top: int = 12, ax: Any = None) -> Any:
        """Draw how the components of a row make its prediction (needs matplotlib).

        Parameters
        ----------
        row
            Position of the row among those that were decomposed.
        top
            Components that have a bar of their own; the others are summed.
        ax
            Axes to draw on; new ones if None.
        """
        from fastpd.plots import plot_waterfall

        return plot_waterfall(self, row, top=top, ax=ax)

    def plot_missed(self, *, ax: Any = None) -> Any:
        """Draw what cutting the model at each order misses (needs matplotlib)."""
        from fastpd.plots import plot_missed

        return plot_missed(self, ax=ax)

    def _row(self, row: int) -> int:
        """Return the position of a row, or refuse one that is not there."""
        count = int(self.array.shape[0])
        whole = isinstance(row, (int, np.integer)) and not isinstance(row, bool)
        if whole and -count <= row < count:
            return int(row) % count
        raise OptionError(
            f"row is {row!r:.60}; expected the position of one of the {count} rows that were "
            f"decomposed{f', 0 to {count - 1}' if count else ''}."
        )

    def _need_rows(self) -> None:
        if not len(self.array):
            raise OptionError("there are no rows; decompose at least one to average over.")

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
        self._need_rows()
        mean = np.abs(self.remainder).mean(axis=0)
        return float(mean) if mean.ndim == 0 else mean

    def importance(self) -> Importance:
        """Return the mean absolute component over the rows, largest first."""
        self._need_rows()
        return Importance.ranked(
            self.names,
            mean_size(self.array, None),
            self.output_names,
            link=self.link,
            max_order=self.max_order,
            complete=self.complete,
            library=self.source.library,
        )

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

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the remainder, and not the model that it takes to compute it."""
        remainder = self.remainder
        return self.__dict__ | {"remainder": remainder, "_predict": None}

    def to_xarray(self) -> Any:
        """Return an `xarray.DataArray` with axes "row" and "component" (and "output").

        Rows have the labels that pandas gave them, or else numbers. Needs the package xarray.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).components(X[:5]).to_xarray()
        >>> parts.sel(component=parts.order == 1).sum("component").shape
        (5,)
        """
        return labelled_rows(
            self.array,
            "component",
            self.names,
            outputs=self.output_names,
            source=self.source,
            title="component_value",
            base={"intercept": self.intercept},
            link=self.link,
        )

    def _repr_html_(self) -> str:
        return columns_html(self._title, "component", self.names, self.array, self.output_names)

    def __repr__(self) -> str:
        return f"<Decomposition: {self._title}>"

    @property
    def _title(self) -> str:
        end = "complete" if self.complete else "with a remainder"
        return (
            f"{len(self)} components up to order {self.max_order} of {len(self.array)} rows, "
            f"{end}, {self.link} scale"
        )
