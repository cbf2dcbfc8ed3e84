"""Effects of one, two or three features as exact step functions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError, OptionError
from fastpd.forest import Label
from fastpd.frames import NOWHERE, Source
from fastpd.results._axis import Axis
from fastpd.results._frames import table
from fastpd.results._sklearn import as_bunch, as_display, output_index
from fastpd.results._steps import effect_html, steps_table
from fastpd.results._xarray import labelled_steps

if TYPE_CHECKING:
    from fastpd.results._curves import Ale

__all__ = ["Axis", "Effect"]


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The partial dependence function and the component of one, two or three features.

    Both are step functions and known exactly everywhere, not on a grid of chosen points.

    Attributes
    ----------
    axes
        One for each feature.
    pd_steps, component_steps
        v_S and m_S on every step of every axis, step 0 standing for a missing value; a last axis
        for outputs where there are several.
    link
        The scale.
    source
        Where the background came from, and so where `to_frame` goes.
    support
        Share of the background's weight on every step, or cell of steps; None where there is no
        background, or where its rows were not kept.
    """

    axes: tuple[Axis, ...]
    pd_steps: NDArray[np.float64]
    component_steps: NDArray[np.float64]
    output_names: tuple[str, ...]
    link: str
    source: Source = field(default=NOWHERE, repr=False)
    support: NDArray[np.float64] | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(axis.name for axis in self.axes)

    @property
    def edges(self) -> Any:
        """Where the function may jump: an array, or a tuple of them for several features."""
        return self.axes[0].edges if len(self.axes) == 1 else tuple(a.edges for a in self.axes)

    @property
    def levels(self) -> NDArray[np.float64]:
        """v_S between the edges, one more than there are edges along each axis."""
        return self.pd_steps[(slice(1, None),) * len(self.axes)]

    @property
    def missing_level(self) -> NDArray[np.float64]:
        """v_S where (all of) the features are missing."""
        for axis in self.axes:
            if not axis.takes_missing:
                raise DataError(
                    f"the effect of {axis.name!r} has no level of a missing value, for the model "
                    "refuses missing values. Use pd(values)."
                )
        level: NDArray[np.float64] = self.pd_steps[(0,) * len(self.axes)]
        return level

    def pd(self, *values: Any) -> NDArray[np.float64]:
        """Return v_S at values: an array for each feature, or one array with a column for each."""
        return self._at(self.pd_steps, values)

    def component(self, *values: Any) -> NDArray[np.float64]:
        """Return m_S at values, given as for `pd`."""
        return self._at(self.component_steps, values)

    def by_label(self) -> dict[Label, NDArray[np.float64]]:
        """Return v_S of every label, for the effect of one feature that has labels."""
        labels = self.axes[0].labels if len(self.axes) == 1 else None
        if labels is None:
            raise OptionError(
                f"the effect of {' and '.join(self.features)} is no effect of one feature with "
                "labels; use pd(values)."
            )
        at = self.axes[0].steps_of_labels()
        return dict(zip(labels, self.pd_steps[at], strict=True))

    def plot(
        self,
        *,
        component: bool = False,
        errors: Effect | None = None,
        ale: Ale | None = None,
        most: int | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw the steps (needs matplotlib) and return the axes; see `plots.plot_effect`.

        Parameters
        ----------
        component
            Draw m_S instead of v_S.
        errors
            Half the width of a band around the steps, such as ``1.96 *`` the effect that
            `StandardErrors.effect` returns.
        ale
            The accumulated local effect of the same feature, as a second line.
        most
            Draw no more labels, or values of a third feature, than these.
        ax
            Axes to draw on, for three features an array of them; new ones if None.
        """
        from fastpd.plots import plot_effect

        return plot_effect(self, component=component, errors=errors, ale=ale, most=most, ax=ax)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each step, with where it is, and the values of v_S and m_S there.

        A step goes ``from`` one edge, which it holds, ``to`` the next, which it does not; or it
        is a ``label``; or it is ``missing``. Of several features each has such columns of its own,
        as in "age from". Where a number stands for missing it is no part of the step around it.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the background came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> frame = fastpd.Explainer(model, X).effect("x0").to_frame("pandas")
        >>> list(frame.columns)
        ['from', 'to', 'missing', 'pd', 'component']
        """
        columns = steps_table(self.axes, self.pd_steps, self.component_steps, self.output_names)
        return table(columns, self.source, backend)

    def __mul__(self, factor: float) -> Effect:
        """Return the effect with all its numbers multiplied."""
        return replace(
            self, pd_steps=factor * self.pd_steps, component_steps=factor * self.component_steps
        )

    __rmul__ = __mul__

    def _at(self, steps: NDArray[np.float64], values: tuple[Any, ...]) -> NDArray[np.float64]:
        if len(values) == 1 and len(self.axes) > 1:
            values = self._columns(values[0])
        if len(values) != len(self.axes):
            raise DataError(
                f"{len(values)} arrays of values for the effect of {self.features}; expected "
                f"{len(self.axes)}, one for each feature."
            )
        at = [axis.steps(given) for axis, given in zip(self.axes, values, strict=True)]
        try:
            np.broadcast_shapes(*(one.shape for one in at))
        except ValueError:
            raise DataError(
                f"values of {' and '.join(self.features)} have shapes "
                f"{' and '.join(str(one.shape) for one in at)}; expected as many of each, "
                "or shapes that broadcast."
            ) from None
        found: NDArray[np.float64] = steps[tuple(at)]
        return found

    def _columns(self, table: Any) -> tuple[Any, ...]:
        """Return the columns of an array of all features' values."""
        try:
            array = np.asarray(table)
        except (TypeError, ValueError):
            array = np.empty(0, dtype=np.void)
        if array.dtype.kind not in "biufOUT":
            raise DataError(
                f"values of {self.features} are {table!r:.60}; expected numbers, NaN for missing."
            )
        return tuple(array.T) if array.shape[1:] == (len(self.axes),) else (table,)

    def to_xarray(self) -> Any:
        """Return an `xarray.Dataset` of "pd" and "component", with an axis for each feature.

        An axis has the point where each step begins, so that ``sel(..., method="ffill")`` finds the
        step of any number; or labels. Steps of missing values are left out; `to_frame` has them.
        Needs the package xarray.

        Examples
        --------
        >>> effect = fastpd.Explainer(model, X).effect("x0")
        >>> found = effect.to_xarray().sel(x0=[0.25, 0.5], method="ffill")
        >>> bool((found.pd.values == effect.pd([0.25, 0.5])).all())
        True
        """
        steps = {"pd": self.pd_steps, "component": self.component_steps}
        return labelled_steps(self.axes, steps, self.output_names, self.link)

    def to_sklearn(self) -> Any:
        """Return what `sklearn.inspection.partial_dependence` does: grid values and averages.

        Between edges v_S is constant, so that the grid has a point on both sides of each, and
        lines between points are the steps. There is no point for missing values. Averages are
        (outputs, points of the first feature, ...). Needs scikit-learn.

        Examples
        --------
        >>> effect = fastpd.Explainer(model, X).effect("x0")
        >>> found = effect.to_sklearn()
        >>> bool((found.average[0] == effect.pd(found.grid_values[0])).all())
        True
        """
        return as_bunch(self.axes, self.pd_steps)

    def display(self, output: str | int | None = None, *, ax: Any = None) -> Any:
        """Draw through scikit-learn and return its `PartialDependenceDisplay`.

        Parameters
        ----------
        output
            One output of several, by name or index.
        ax
            Axes to draw on; new ones if None.

        Examples
        --------
        >>> display = fastpd.Explainer(model, X).effect("x0").display()
        >>> display.lines_.shape
        (1, 1)
        """
        target = output_index(self.output_names, output)
        return as_display(self.axes, self.to_sklearn(), target, ax)

    def _repr_html_(self) -> str:
        return effect_html(
            f"Effect of {self._title}",
            self.axes,
            self.pd_steps,
            self.component_steps,
            self.output_names,
        )

    def __repr__(self) -> str:
        return f"<Effect of {self._title}>"

    @property
    def _title(self) -> str:
        known = [axis.labels or range(len(axis.edges) + 1) for axis in self.axes]
        steps = " x ".join(str(len(one)) for one in known)
        return f"{' and '.join(self.features)}: {steps} steps, {self.link} scale"
