"""Friedman's H by set of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Source
from fastpd.results._columns import Names
from fastpd.results._frames import per_output, table, titles
from fastpd.results._html import numbers_html
from fastpd.results._named_sets import NamedSets
from fastpd.results._over_outputs import over_outputs, ranking

__all__ = ["HStatistic"]

_SHOWN = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class HStatistic(NamedSets):
    """Friedman's H by set of features, largest first: a mapping from names to H.

    Attributes
    ----------
    names
        Sets of features; one alone stands for its interactions with all others together.
    numerator
        Mean square of the interaction: (sets,), or (sets, outputs).
    denominator
        Mean square of what it is a part of, in the same shape: for one feature the prediction, else
        the joint effect v_S, centred.
    output_names, link
        What is explained, and on which scale.
    library
        Frame library that the rows came in; None for arrays.
    """

    names: tuple[Names, ...]
    numerator: Floats
    denominator: Floats
    output_names: Names
    link: str
    library: str | None = None

    @classmethod
    def ranked(
        cls, names: Sequence[Names], numerator: Floats, denominator: Floats, **others: Any
    ) -> HStatistic:
        """Return the statistics, sorted by H squared; ties keep their order."""
        found = cls(tuple(names), numerator, denominator, **others)
        return found._sorted(found.h2)

    @cached_property
    def h2(self) -> Floats:
        """H squared, the share of the effect's mean square that is interaction.

        0 where there is no interaction, even of an effect that is zero itself.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.numerator > 0, self.numerator / self.denominator, 0.0)

    @cached_property
    def h(self) -> Floats:
        """H itself, the root of `h2`."""
        return np.sqrt(self.h2)

    @property
    def strength(self) -> Floats:
        """Root of the numerator: the size of the interaction on the scale of the prediction.

        Unlike H it can be compared among pairs, as H is large for weak effects as well.
        """
        return np.sqrt(self.numerator)

    def by_strength(self) -> HStatistic:
        """Return the same, sorted by `strength`."""
        return self._sorted(self.strength)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return rank, features, order, H, its square and the strength of each set.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> found = fastpd.Explainer(model, X).h_statistic()
        >>> list(found.to_frame("pandas").columns)
        ['rank', 'features', 'order', 'H', 'H squared', 'strength']
        """
        columns = {
            "rank": np.arange(1, len(self.names) + 1),
            "features": titles(self.names),
            "order": np.array([len(one) for one in self.names], dtype=np.int64),
            **per_output("H", self.h, self.output_names),
            **per_output("H squared", self.h2, self.output_names),
            **per_output("strength", self.strength, self.output_names),
        }
        return table(columns, Source(self.library), backend)

    def _repr_html_(self) -> str:
        labels = [" x ".join(one) for one in self.names]
        numbers = {"strength": self.strength, "H": self.h, "H squared": self.h2}
        return numbers_html("Friedman's H", "features", labels, numbers, self.output_names)

    def _sorted(self, by: Floats) -> HStatistic:
        order = ranking(by)
        return replace(
            self,
            names=tuple(self.names[at] for at in order.tolist()),
            numerator=self.numerator[order],
            denominator=self.denominator[order],
        )

    def _number(self, at: int) -> Any:
        return self.h[at]

    def __repr__(self) -> str:
        columns = [self.h, self.h2, self.strength]
        table = [over_outputs(one) for one in columns]
        lines = [f"{'H':>10}{'H^2':>12}{'strength':>12}  features"]
        for names, h, h2, strength in list(zip(self.names, *table, strict=True))[:_SHOWN]:
            lines.append(f"{h:10.4f}{h2:12.5g}{strength:12.5g}  {' x '.join(names)}")
        if len(self) > _SHOWN:
            lines.append(f"... and {len(self) - _SHOWN} more")
        return "\n".join(lines)
