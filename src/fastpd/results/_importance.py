"""How much each component matters on average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Source
from fastpd.results._columns import Names
from fastpd.results._frames import per_output, table, titles
from fastpd.results._html import numbers_html
from fastpd.results._named_sets import NamedSets
from fastpd.results._over_outputs import over_outputs, ranking

__all__ = ["Importance", "mean_size"]


def mean_size(columns: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the mean absolute value of every column over the rows."""
    return np.average(np.abs(columns).astype(np.float64), axis=0, weights=weights)


class Importance(NamedSets):
    """Mean absolute component (eq. 9 of the paper) by set of features, largest first.

    Attributes
    ----------
    names
        Sets of features, most important first (on average, for several outputs).
    scores
        Their importance, in the same order: (sets,), or (sets, outputs).
    link
        The scale.
    max_order
        Size of the largest sets that were asked for.
    complete
        Whether no component of higher order exists.
    library
        Frame library that the rows came in; None for arrays.
    """

    def __init__(
        self,
        names: Sequence[Names],
        values: NDArray[np.float64],
        output_names: Names,
        *,
        link: str,
        max_order: int,
        complete: bool,
        library: str | None = None,
    ) -> None:
        self.names = tuple(names)
        self.scores = values
        self.output_names = output_names
        self.link = link
        self.max_order = max_order
        self.complete = complete
        self.library = library

    @classmethod
    def ranked(
        cls,
        names: Sequence[Names],
        values: NDArray[np.float64],
        output_names: Names,
        **others: Any,
    ) -> Importance:
        """Return the importances, sorted; ties keep their order."""
        order = ranking(values)
        return cls([names[i] for i in order], values[order], output_names, **others)

    def _number(self, at: int) -> Any:
        return self.scores[at]

    @property
    def shares(self) -> NDArray[np.float64]:
        """Each score as a share of the sum of all that are listed, in the shape of `scores`."""
        total = self.scores.sum(axis=0)
        return self.scores / np.where(total > 0, total, 1)

    def rank(self, features: Any) -> int:
        """Return the rank of a set of features, named in any order: 1 for the most important.

        Examples
        --------
        >>> fastpd.Explainer(model, X).importance(X).rank("x0")
        1
        """
        return self._place(features) + 1

    def of_order(self, order: int) -> Importance:
        """Return only the sets of so many features, such as 1 for main effects.

        Examples
        --------
        >>> list(fastpd.Explainer(model, X).importance(X, max_order=2).of_order(2))[0]
        ('x0', 'x1')
        """
        return self._only([i for i, one in enumerate(self.names) if len(one) == order])

    def top(self, k: int) -> Importance:
        """Return only the k most important."""
        return self._only(list(range(min(k, len(self)))))

    def _only(self, at: list[int]) -> Importance:
        return Importance(
            [self.names[i] for i in at],
            self.scores[at],
            self.output_names,
            link=self.link,
            max_order=self.max_order,
            complete=self.complete,
            library=self.library,
        )

    def plot(self, *, top: int = 15, ax: Any = None) -> Any:
        """Draw the most important components as bars (needs matplotlib) and return the axes.

        Parameters
        ----------
        top
            Components that have a bar of their own; the others are summed.
        ax
            Axes to draw on; new ones if None.
        """
        from fastpd.plots import plot_importance

        return plot_importance(self, top=top, ax=ax)

    def plot_orders(self, *, ax: Any = None) -> Any:
        """Draw the share of main effects, of pairs, and so on (needs matplotlib)."""
        from fastpd.plots import plot_orders

        return plot_orders(self, ax=ax)

    def plot_network(self, *, top: int = 20, ax: Any = None) -> Any:
        """Draw features and their `top` strongest pairs as a network (needs matplotlib)."""
        from fastpd.plots import plot_network

        return plot_network(self, top=top, ax=ax)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return rank, features, order and importance of each component, largest first.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> ranked = fastpd.Explainer(model, X).importance(X)
        >>> list(ranked.to_frame("pandas").columns)
        ['rank', 'features', 'order', 'importance']
        """
        columns = {
            "rank": np.arange(1, len(self.names) + 1),
            "features": titles(self.names),
            "order": np.array([len(one) for one in self.names], dtype=np.int64),
            **per_output("importance", self.scores, self.output_names),
        }
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        labels = [" x ".join(one) for one in self.names]
        numbers = {"importance": self.scores}
        return numbers_html(
            "Mean size of components", "component", labels, numbers, self.output_names
        )

    def __repr__(self) -> str:
        rows = list(zip(self.names, over_outputs(self.scores), strict=True))
        lines = [f"{value:12.6g}  {' x '.join(names)}" for names, value in rows[:20]]
        if len(rows) > 20:
            lines.append(f"... and {len(rows) - 20} more")
        return "\n".join(["  mean |m_S|  component", *lines])
