"""What the SHAP values of one feature are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, nearest
from fastpd.frames import NOWHERE, Source
from fastpd.results._axis import Axis
from fastpd.results._columns import Names
from fastpd.results._effect import Effect
from fastpd.results._frames import table
from fastpd.results._html import columns_html

__all__ = ["ShapParts", "shares_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ShapParts:
    """SHAP values of one feature at rows, taken apart into the components that they mix.

    A SHAP value is the main effect, half of each pair with another feature, a third of each
    triple, and so on: ``shap = main + pairs.sum(axis=1) + higher``. The main effect depends on the
    feature alone; the rest is why rows with the same value have other SHAP values.

    Attributes
    ----------
    feature
        The feature.
    partners
        Features that it has a pair component with, by their share of the spread, largest first.
    shap, main, higher
        SHAP values, main effects, and what components of three and more features add: (rows,).
    pairs
        Half of the pair component with each partner: (rows, partners).
    effect
        The main effect as a function.
    axes
        How values become steps, for the feature and for each partner that is one column.
    source
        Where the rows came from, and so where `to_frame` goes.
    """

    feature: str
    partners: Names
    shap: Floats
    main: Floats
    pairs: Floats
    higher: Floats
    effect: Effect
    axes: Mapping[str, Axis]
    _column: Callable[[str], Floats] = field(repr=False)
    source: Source = field(default=NOWHERE, repr=False)

    @property
    def spread(self) -> Floats:
        """What SHAP values add to the main effect: (rows,)."""
        total: Floats = self.pairs.sum(axis=1) + self.higher
        return total

    @property
    def shares(self) -> dict[str, float]:
        """Share of the spread's variance by partner; they add up to 1 with that of `higher`.

        A share is the covariance of a part with the whole spread over the spread's variance.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).shap_parts("x0", X)
        >>> max(parts.shares, key=parts.shares.get)
        'x1'
        """
        return dict(zip(self.partners, shares_of(self.pairs, self.spread).tolist(), strict=True))

    def numbers(self, feature: str) -> Floats:
        """Return the values of the feature, or of a partner, as numbers: codes for labels."""
        if feature in self.axes:
            return self._column(feature)
        raise FeatureError(
            f"{feature!r} is neither {self.feature!r} nor a single column that interacts with it; "
            f"expected one of {', '.join(self.axes):.200}.{nearest(str(feature), tuple(self.axes))}"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the columns of rows, and not the rows that they are read from."""
        columns = {name: self._column(name) for name in self.axes}
        return self.__dict__ | {"_column": columns.__getitem__}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a row for each row: its SHAP value, and the parts that add up to it.

        Rows keep their order, and in pandas their labels.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default what the rows came in, and
            for arrays the first of these that is installed.

        Examples
        --------
        >>> frame = fastpd.Explainer(model, X).shap_parts("x0", X[:5]).to_frame("pandas")
        >>> list(frame.columns)[:3], list(frame.columns)[-1]
        (['shap', 'main', 'with x1'], 'higher')
        """
        return table(self._parts, self.source, backend)

    @property
    def _parts(self) -> dict[str, Floats]:
        pairs = {f"with {name}": self.pairs[:, k] for k, name in enumerate(self.partners)}
        return {"shap": self.shap, "main": self.main, **pairs, "higher": self.higher}

    def plot(self, *, partner: str | None = None, ax: Any = None) -> Any:
        """Draw SHAP values over the feature, and what makes them spread (needs matplotlib).

        Parameters
        ----------
        partner
            Whose pair component the lower picture shows; by default that of the largest share.
        ax
            Two axes to draw on, the upper and the lower; new ones if None.
        """
        from fastpd.plots import plot_shap_parts

        return plot_shap_parts(self, partner=partner, ax=ax)

    def _repr_html_(self) -> str:
        names = [(title,) for title in self._parts]
        values = np.column_stack(list(self._parts.values()))
        outputs = self.effect.output_names
        return columns_html(f"SHAP values of {self._title}", "part", names, values, outputs)

    def __repr__(self) -> str:
        return f"<ShapParts of {self._title}>"

    @property
    def _title(self) -> str:
        return (
            f"{self.feature}: {len(self.shap)} rows, {len(self.partners)} partners, "
            f"{self.effect.link} scale"
        )


def shares_of(parts: Floats, whole: Floats) -> Floats:
    """Return the covariance of each column with the whole, over the variance of the whole."""
    centred = whole - whole.mean() if len(whole) else whole
    variance = float(centred @ centred)
    shares: Floats = centred @ parts / (variance or 1.0)
    return shares
