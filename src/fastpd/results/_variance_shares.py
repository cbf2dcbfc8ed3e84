"""How much of the prediction's variance each component makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Source
from fastpd.results._columns import Names
from fastpd.results._frames import per_output, table, titles
from fastpd.results._html import numbers_html
from fastpd.results._named_sets import NamedSets
from fastpd.results._over_outputs import over_outputs, ranking

__all__ = ["VarianceShares"]

_SHOWN = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class VarianceShares(NamedSets):
    """Shares of the prediction's variance by component, largest first: a mapping to shares.

    The share of a component is Cov(m_S, f) / Var(f), so that shares and `remainder_share` add up to
    one whatever the features' correlations. It is below zero for a component that takes back what
    others say. Where the prediction does not vary, shares are NaN.

    Attributes
    ----------
    names
        Features of each component.
    share, variance
        Its share, and its own variance: (sets,), or (sets, outputs).
    remainder_share, remainder_variance
        The same of all components of more than `max_order` features together; for each output where
        there are several.
    total
        Variance of the prediction.
    library
        Frame library that the rows came in; None for arrays.
    """

    names: tuple[Names, ...]
    share: Floats
    variance: Floats
    remainder_share: Any
    remainder_variance: Any
    total: Any
    max_order: int
    output_names: Names
    link: str
    library: str | None = None

    @classmethod
    def ranked(
        cls, names: Sequence[Names], share: Floats, variance: Floats, **others: Any
    ) -> VarianceShares:
        """Return the shares, sorted; ties keep their order."""
        order = ranking(share)
        return cls(tuple(names[at] for at in order), share[order], variance[order], **others)

    def _number(self, at: int) -> Any:
        return self.share[at]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return features, order, share and variance of each component, the remainder last.

        The remainder has no order.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> shares = fastpd.Explainer(model, X).variance_shares(X)
        >>> frame = shares.to_frame("pandas")
        >>> list(frame.columns), round(float(frame["share"].sum()), 6)
        (['features', 'order', 'share', 'variance'], 1.0)
        """
        orders: list[int | None] = [len(one) for one in self.names]
        columns = {
            "features": [*titles(self.names), self._rest],
            "order": [*orders, None],
            **per_output("share", self._with_rest("share"), self.output_names),
            **per_output("variance", self._with_rest("variance"), self.output_names),
        }
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        labels = [self._rest, *(" x ".join(one) for one in self.names)]
        numbers = {one: np.roll(self._with_rest(one), 1, axis=0) for one in ("share", "variance")}
        caption = "Shares of the prediction's variance"
        return numbers_html(caption, "component", labels, numbers, self.output_names, bars=False)

    @property
    def _rest(self) -> str:
        return f"(more than {self.max_order} features)"

    def _with_rest(self, column: str) -> Floats:
        rest = np.reshape(getattr(self, f"remainder_{column}"), (1, *self.share.shape[1:]))
        return np.concatenate([getattr(self, column), rest])

    def __repr__(self) -> str:
        table = [self._with_rest(one) for one in ("share", "variance")]
        means = [over_outputs(one) for one in table]
        labels = [*(" x ".join(one) for one in self.names), self._rest]
        lines = [f"{a:10.2%}{b:12.5g}  {what}" for a, b, what in zip(*means, labels, strict=True)]
        if len(self) > _SHOWN:
            lines[_SHOWN:-1] = [f"... and {len(self) - _SHOWN} more"]
        return "\n".join([f"{'share':>10}{'variance':>12}  component", *lines])
