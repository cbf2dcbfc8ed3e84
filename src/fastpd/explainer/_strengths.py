"""Questions about how much of the prediction is which part of it, over rows."""

from __future__ import annotations

from typing import Any

from fastpd.errors import OptionError
from fastpd.explainer._held import Held
from fastpd.explainer._without import Without
from fastpd.options import check_count
from fastpd.queries import (
    check_order,
    feature_set,
    joint_h,
    overall_h,
    top_interactions,
    variance_shares,
)
from fastpd.results import HStatistic, Importance, VarianceShares

__all__ = ["Strengths"]


class Strengths(Held):
    """How strong interactions are, and how much of the variance each component makes."""

    def h_statistic(self, *features: Any, X: Any = None, order: int | None = None) -> HStatistic:
        r"""Return Friedman's H: how much of an effect is interaction, over rows.

        With :math:`F_S` the partial dependence function v_S, centred at the rows,

        .. math::
            H_j^2 = \frac{\sum [F - F_j - F_{-j}]^2}{\sum F^2}, \qquad
            H_{jk}^2 = \frac{\sum [F_{jk} - F_j - F_k]^2}{\sum F_{jk}^2},

        and so on for more features: what is not explained by effects of fewer of them, as a share
        of the joint effect (Friedman and Popescu 2008). Sums are over all rows, weighted as the
        background is. Nothing is sampled.

        Parameters
        ----------
        features
            One feature, for its interactions with all others together; two or more, for the
            interaction that these have as such. None for all sets of a size.
        X
            Rows to sum over; by default the background.
        order
            Size of the sets where no features are named: 1, the default, for every feature against
            all others; 2 for all pairs and 3 for all triples that any tree joins. All others are
            zero.

        Returns
        -------
        HStatistic
            A mapping from names to H, largest first, with ``.h2`` (H squared, which R's hstats
            shows unless told otherwise), ``.h``, and ``.strength``, the root mean square of the
            numerator alone, on the scale of the prediction (hstats with neither normalising nor
            squaring). Where the numerator is zero, or no more than rounding, H is zero, even if the
            denominator is zero too; where only the denominator is, it is infinite.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> list(explainer.h_statistic())[:2]
        [('x0',), ('x1',)]
        >>> pairs = explainer.h_statistic(order=2)
        >>> pairs["x1", "x0"] == explainer.h_statistic("x0", "x1")["x0", "x1"]
        True
        >>> list(pairs.by_strength())[0]
        ('x0', 'x1')
        """
        chosen = feature_set(features, self.feature_names)
        size = len(chosen) or 1 if order is None else check_order(order, "order")
        if chosen and size != len(chosen):
            raise OptionError(
                f"order is {size} but {len(chosen)} features were named; expected one or the other."
            )
        engine = self._engine()
        rows, weights = self._rows_or_background(X, None, "h_statistic(X={})")
        if size == 1:
            return overall_h(engine, rows, weights, chosen or range(len(self.feature_names)))
        return joint_h(engine, rows, weights, size, chosen or None)

    def top_interactions(self, k: int = 10, order: int = 2, X: Any = None) -> Importance:
        """Return the strongest interactions of exactly so many features, by the mean of abs(m_S).

        Every candidate is evaluated exactly, and no more of them at a time than fit into memory.

        Parameters
        ----------
        k
            How many.
        order
            Features of each.
        X
            Rows to average over; by default the background.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> list(explainer.top_interactions(1))
        [('x0', 'x1')]
        >>> explainer.importance(max_order=2).of_order(2).rank(("x0", "x1"))
        1
        """
        size, count, engine = check_order(order, "order"), check_count(k, "k", 1), self._engine()
        call = "top_interactions(X={})"
        rows, weights = self._rows_or_background(X, None, call)
        return top_interactions(engine, rows, weights, size, count)

    def variance_shares(self, X: Any = None, max_order: int = 2) -> VarianceShares:
        """Return how much of the prediction's variance each component makes, largest first.

        Parameters
        ----------
        X
            Rows to take variances over; by default the background, weighted as it is.
        max_order
            Size of the largest sets of features that are listed. What larger ones make together is
            in ``.remainder_share``.

        Returns
        -------
        VarianceShares
            A mapping from names to Cov(m_S, f) / Var(f), which with the remainder add up to one.
            The plain variances of components are in ``.variance``; they do not add up where
            features are correlated.

        Examples
        --------
        >>> shares = fastpd.Explainer(model, X).variance_shares(max_order=2)
        >>> list(shares)[0]
        ('x0',)
        >>> round(float(shares.share.sum()) + shares.remainder_share, 6)
        1.0
        """
        order, engine = check_order(max_order), self._engine()
        return variance_shares(
            engine, *self._rows_or_background(X, None, "variance_shares({})"), order
        )

    def without(self, features: Any) -> Without:
        """Return the model without every component that touches some features.

        For questions of fairness: what the model says when it must not know the protected
        features, and how much of it they make. No retraining, and exact.

        Parameters
        ----------
        features
            Names or indices, such as ``["sex", "race"]``, or one alone.

        Returns
        -------
        Without
            With ``.predict(X)``, ``.removed(X)``, the difference to the whole model, and
            ``.summary()``, how much that is over rows.

        Examples
        --------
        Say that x0 is protected. What the model makes of it, alone and with others, is removed:

        >>> explainer = fastpd.Explainer(model, X)
        >>> fair = explainer.without(["x0"])
        >>> fair
        <Without x0: 3 of 4 features kept, identity scale>

        The new predictions no longer change with it:

        >>> other = X.copy()
        >>> other[:, 0] = 9
        >>> bool((fair.predict(other) == fair.predict(X)).all())
        True

        Most of the variance was of its making:

        >>> 0.7 < fair.summary().share < 1
        True

        Two rows that differ by more than it, and the gap between them, before and after:

        >>> gap = explainer.predict(X[:2]) - fair.predict(X[:2])
        >>> bool(abs(gap - fair.removed(X[:2])).max() < 1e-9)
        True
        """
        chosen = feature_set(features, self.feature_names)
        if not chosen:
            raise OptionError("without() got no features; expected names such as ['sex'].")
        if len(chosen) == len(self.feature_names):
            raise OptionError(
                f"without() got all {len(chosen)} features, which leaves expected_value for every "
                "row; name fewer of them."
            )
        state = self._ready()
        return Without(
            state.engine,
            state.sample,
            chosen,
            self._rows,
            lambda X, call: self._rows_or_background(X, None, call, state),
        )
