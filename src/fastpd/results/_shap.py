"""SHAP values at rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported
from fastpd.frames import NOWHERE, Source
from fastpd.results._explained import by_feature
from fastpd.results._frames import table, wide
from fastpd.results._html import columns_html
from fastpd.results._xarray import labelled_rows

__all__ = ["ShapValues"]


@dataclass(frozen=True, eq=False, repr=False)
class ShapValues:
    """Shapley values of the partial dependence functions, on the model's link scale.

    Attributes
    ----------
    values
        (rows, features), or (rows, features, outputs).
    base_values
        v_0: what the values of a row add up to the raw prediction from; one number, or one for
        each output.
    data
        The rows that were explained, as they were given.
    feature_names, output_names
        Names, in the order of the axes.
    link
        The scale: "identity", "logit", "log" or "softmax".
    source
        Where the rows came from, and so where `to_frame` goes.
    columns
        The column of each feature in the rows, if they are an array; None for a group of several.
        None for all where each feature is one column.
    """

    values: NDArray[Any]
    base_values: Any
    data: Any = field(repr=False)
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    link: str
    source: Source = field(default=NOWHERE, repr=False)
    columns: tuple[int | None, ...] | None = field(default=None, repr=False)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each row, and a column for each feature (and output).

        Rows keep their order, and in pandas their labels.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> fastpd.Explainer(model, X).shap(X[:5]).to_frame("pandas").shape
        (5, 4)
        """
        names = [(name,) for name in self.feature_names]
        return table(wide(names, self.values, self.output_names), self.source, backend)

    def to_xarray(self) -> Any:
        """Return an `xarray.DataArray` with axes "row" and "feature" (and "output").

        Rows have the labels that pandas gave them, or else numbers. Needs the package xarray.

        Examples
        --------
        >>> phi = fastpd.Explainer(model, X).shap(X[:5])
        >>> phi.to_xarray().sel(feature="x0").shape
        (5,)
        """
        return labelled_rows(
            self.values,
            "feature",
            [(name,) for name in self.feature_names],
            outputs=self.output_names,
            source=self.source,
            title="shap",
            base={"base_value": self.base_values},
            link=self.link,
        )

    def to_shap(self) -> Any:
        """Return a `shap.Explanation`, for shap's own plots (needs the package shap).

        Labels are in its `display_data`, and their codes, which plots colour by, in its `data`.
        Several outputs are its last axis: ``explanation[:, :, "1"]`` is one of them.
        """
        shap = imported("shap", "to_shap()")

        base = np.asarray(self.base_values, dtype=np.float64)
        repeated = np.broadcast_to(base, (len(self.values), *base.shape)).copy()
        places = range(len(self.feature_names)) if self.columns is None else self.columns
        numbers, shown = by_feature(self.data, self.feature_names, places, len(self.values))
        return shap.Explanation(
            values=self.values,
            base_values=repeated,
            data=numbers,
            display_data=shown,
            feature_names=list(self.feature_names),
            output_names=list(self.output_names) if self.values.ndim == 3 else None,
        )

    def _repr_html_(self) -> str:
        names = [(name,) for name in self.feature_names]
        caption = f"SHAP values of {len(self.values):,} rows, {self.link} scale"
        return columns_html(caption, "feature", names, self.values, self.output_names)

    def __repr__(self) -> str:
        shape = " x ".join(str(n) for n in self.values.shape)
        return f"<ShapValues: {shape} (rows x features...), {self.link} scale>"
