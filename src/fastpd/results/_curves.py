"""Predictions along one feature: a curve a row, and accumulated local effects."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError
from fastpd.frames import NOWHERE, Source
from fastpd.results._axis import Axis
from fastpd.results._frames import per_output, table
from fastpd.results._sklearn import as_bunch
from fastpd.results._steps import curves_table, steps_html

__all__ = ["Ale", "Ice"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Ice:
    """Individual conditional expectation: each row's prediction as a function of one feature.

    Curves are exact step functions; their mean over the background is the PD curve.

    Attributes
    ----------
    axis
        How values of the feature become steps.
    steps
        (rows, steps), step 0 standing for a missing value; a last axis for several outputs.
    pd_steps
        v_S on the same steps, over the explainer's background.
    link
        The scale.
    anchor
        Value at which all curves are zero; None where they are as predicted.
    support
        Share of the background on the same steps; None where that is not known.
    source
        Where the rows came from, and so where `to_frame` goes.
    """

    axis: Axis
    steps: Floats
    pd_steps: Floats
    output_names: tuple[str, ...]
    link: str
    anchor: Any = None
    support: Floats | None = None
    source: Source = field(default=NOWHERE, repr=False)

    @property
    def feature(self) -> str:
        """Name of the feature."""
        return self.axis.name

    @property
    def edges(self) -> Floats:
        """Where curves may jump."""
        return self.axis.edges

    @property
    def levels(self) -> Floats:
        """Levels of each row between the edges, one more than there are edges."""
        return self.steps[:, 1:]

    def at(self, values: Any) -> Floats:
        """Return the prediction of each row with the feature at each value: (rows, values)."""
        found: Floats = self.steps[:, np.atleast_1d(self.axis.steps(values))]
        return found

    def centred(self, anchor: Any = None) -> Ice:
        """Return the curves, and the PD curve, moved to zero at one value (c-ICE).

        Parameters
        ----------
        anchor
            The value; by default the lowest step, or the first label.

        Examples
        --------
        >>> curves = fastpd.Explainer(model, X).ice("x0", X[:10]).centred(0.5)
        >>> bool((curves.at(0.5) == 0).all())
        True
        """
        if anchor is None:
            anchor = -np.inf if self.axis.labels is None else self.axis.labels[0]
        step = self.axis.steps(anchor)
        if step.shape != ():
            raise OptionError(f"anchor is {anchor!r:.60}; expected one value of {self.feature!r}.")
        return replace(
            self,
            steps=self.steps - self.steps[:, [int(step)]],
            pd_steps=self.pd_steps - self.pd_steps[int(step)],
            anchor=anchor,
        )

    def plot(self, *, most: int = 200, ax: Any = None) -> Any:
        """Draw the curves with the PD curve over them (needs matplotlib) and return the axes.

        Parameters
        ----------
        most
            Draw no more curves than these, evenly spaced by their mean level; the picture says
            how many of how many they are.
        ax
            Axes to draw on; new ones if None.
        """
        from fastpd.plots import plot_ice

        return plot_ice(self, most=most, ax=ax)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a line for each row and step: the row's number, where the step is, the prediction.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> frame = fastpd.Explainer(model, X).ice("x0", X[:2]).to_frame("pandas")
        >>> list(frame.columns)
        ['row', 'from', 'to', 'missing', 'prediction']
        """
        columns = curves_table(self.axis, "prediction", self.steps, self.output_names)
        return table(columns, Source(self.source.library), backend)

    def to_sklearn(self) -> Any:
        """Return what `sklearn.inspection.partial_dependence` does with ``kind="both"``.

        The grid is that of `Effect.to_sklearn`; `individual` is (outputs, rows, points). Needs
        scikit-learn.

        Examples
        --------
        >>> fastpd.Explainer(model, X).ice("x0", X[:9]).to_sklearn().individual.shape[:2]
        (1, 9)
        """
        return as_bunch((self.axis,), self.pd_steps, self.steps)

    def _repr_html_(self) -> str:
        numbers = {"pd": self.pd_steps}
        if len(self.steps):
            numbers |= {"lowest": self.steps.min(axis=0), "highest": self.steps.max(axis=0)}
        return steps_html(f"ICE curves of {self._title}", self.axis, numbers, self.output_names)

    def __repr__(self) -> str:
        return f"<Ice of {self._title}>"

    @property
    def _title(self) -> str:
        centred = "" if self.anchor is None else f", zero at {self.anchor}"
        return (
            f"{self.feature}: {len(self.steps)} rows, {len(self.edges) + 1} steps, "
            f"{self.link} scale{centred}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Ale:
    """The accumulated local effect of one feature, a step function with mean zero over the rows.

    At the ends of the intervals it is the estimator of Apley and Zhu (2020), moved by a constant;
    between them each threshold's jump is the mean over the rows of its interval.

    Attributes
    ----------
    axis
        How values of the feature become steps.
    steps
        The effect on every step; step 0, that of a missing value, is NaN, for it has no place in
        an order. A last axis for several outputs.
    ends
        Ends of the intervals. Below the first and above the last there are no rows, and the
        effect stays what it is there.
    n_rows, n_missing
        Number of rows, and of those among them that were left out as the feature is missing.
    link
        The scale.
    source
        Where the rows came from, and so where `to_frame` goes.
    """

    axis: Axis
    steps: Floats
    ends: Floats
    n_rows: int
    n_missing: int
    output_names: tuple[str, ...]
    link: str
    source: Source = field(default=NOWHERE, repr=False)

    @property
    def feature(self) -> str:
        """Name of the feature."""
        return self.axis.name

    @property
    def edges(self) -> Floats:
        """Where the effect may jump."""
        return self.axis.edges

    @property
    def levels(self) -> Floats:
        """The effect between the edges, one more than there are edges."""
        return self.steps[1:]

    def at(self, values: Any) -> Floats:
        """Return the effect at values; NaN where they are missing."""
        found: Floats = self.steps[self.axis.steps(values)]
        return found

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the steps (needs matplotlib) and return the axes.

        To draw it over the PD curve: ``effect.plot(ale=ale)``.
        """
        from fastpd.plots import plot_ale

        return plot_ale(self, ax=ax)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each step: where it is, and the effect there.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> frame = fastpd.Explainer(model, X).ale("x0").to_frame("pandas")
        >>> list(frame.columns)
        ['from', 'to', 'ale']
        """
        ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
        columns = {"from": ends[:-1], "to": ends[1:]}
        columns |= per_output("ale", self.levels, self.output_names)
        return table(columns, Source(self.source.library), backend)

    def _repr_html_(self) -> str:
        caption = f"Accumulated local effect of {self._title}"
        return steps_html(caption, self.axis, {"ale": self.steps}, self.output_names)

    def __repr__(self) -> str:
        return f"<Ale of {self._title}>"

    @property
    def _title(self) -> str:
        lost = f" ({self.n_missing} without a value left out)" if self.n_missing else ""
        return (
            f"{self.feature}: {len(self.ends) - 1} intervals of {self.n_rows} rows{lost}, "
            f"{self.link} scale"
        )
