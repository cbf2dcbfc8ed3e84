"""Interaction indices at rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from fastpd.results._columns import Names, SetColumns

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
    ) -> None:
        super().__init__(names, values, feature_names, max_order)
        self.index = index
        self.base_values = base_values
        self.output_names = output_names
        self.link = link

    def __repr__(self) -> str:
        return (
            f"<Interactions: {self.index} of {len(self)} sets up to order {self.max_order}, "
            f"{self.array.shape[0]} rows, {self.link} scale>"
        )
