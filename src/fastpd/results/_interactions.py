"""Interaction indices at rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported
from fastpd.frames import NOWHERE, Source
from fastpd.results._columns import Names, SetColumns
from fastpd.results._html import columns_html
from fastpd.results._sklearn import output_index
from fastpd.results._xarray import labelled_rows

__all__ = ["Interactions"]


class Interactions(SetColumns):
    """Interaction indices of all sets up to an order: a mapping from feature names to a column.

    Attributes
    ----------
    index
        Which index: SII, STII, FSII, BII or Moebius.
    base_values
        v_0; one number, or one for each output.

    Examples
    --------
    >>> pairs = fastpd.Explainer(model, X).interactions(X, order=2, index="STII")
    >>> pairs["x0", "x1"].shape == (len(X),)
    True
    """

    def __init__(
        self,
        names: Sequence[Names],
        values: NDArray[Any],
        feature_names: Sequence[str],
        max_order: int,
        *,
        index: str,
        base_values: Any,
        output_names: Names,
        link: str,
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
        self.index = index
        self.base_values = base_values

    def to_xarray(self) -> Any:
        """Return an `xarray.DataArray` with axes "row" and "features" (and "output").

        Rows have the labels that pandas gave them, or else numbers. Needs the package xarray.

        Examples
        --------
        >>> pairs = fastpd.Explainer(model, X).interactions(X[:5]).to_xarray()
        >>> pairs.sel(features="x0 x x1").shape
        (5,)
        """
        return labelled_rows(
            self.array,
            "features",
            self.names,
            outputs=self.output_names,
            source=self.source,
            title=self.index,
            base={"base_value": self.base_values},
            link=self.link,
        )

    def to_shapiq(self, output: str | int | None = None) -> list[Any]:
        """Return a `shapiq.InteractionValues` for each row (needs the package shapiq).

        Players are features by their index; `feature_names` has the names that its plots take.

        Parameters
        ----------
        output
            One output of several, by name or index.
        """
        shapiq = imported("shapiq", "to_shapiq()")
        at = output_index(self.output_names, output)
        several = self.array.ndim == 3
        values = self.array[:, :, at] if several else self.array
        base = float(self.base_values[at]) if several else float(self.base_values)
        place = {name: k for k, name in enumerate(self.feature_names)}
        players = [tuple(sorted(place[name] for name in names)) for names in self.names]
        lookup = {one: k for k, one in enumerate([(), *players])}
        return [
            shapiq.InteractionValues(
                np.append(base, row),
                index=self.index,
                max_order=min(self.max_order, len(self.feature_names)),
                n_players=len(self.feature_names),
                min_order=0,
                interaction_lookup=lookup,
                estimated=False,
                baseline_value=base,
            )
            for row in values
        ]

    def _repr_html_(self) -> str:
        return columns_html(self._title, "set", self.names, self.array, self.output_names)

    def __repr__(self) -> str:
        return f"<Interactions: {self._title}>"

    @property
    def _title(self) -> str:
        return (
            f"{self.index} of {len(self)} sets up to order {self.max_order}, "
            f"{len(self.array)} rows, {self.link} scale"
        )
