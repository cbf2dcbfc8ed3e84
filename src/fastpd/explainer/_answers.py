"""Questions about single rows and single features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.explainer._held import Held
from fastpd.frames import cells_of
from fastpd.options import check_count
from fastpd.queries import (
    ale,
    check_index,
    check_order,
    check_scale,
    components,
    effect,
    effect_features,
    feature_index,
    feature_sets,
    ice,
    interactions,
    predict,
    probability_effect,
    probability_value,
    shap,
    shap_parts,
    support,
    value,
)
from fastpd.results import Ale, Decomposition, Effect, Ice, Interactions, ShapParts, ShapValues

__all__ = ["Answers"]


class Answers(Held):
    """What the model does at rows, and along one or two features."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the raw (link-scale) prediction by the engine itself, in float64."""
        return predict(self._engine(), self._rows(X))

    def value(
        self, features: Any, X: Any, *, scale: str = "link", dtype: Any = np.float64
    ) -> NDArray[Any]:
        """Return the partial dependence function v_S at the rows' values of S.

        Parameters
        ----------
        features
            One set, as a tuple of names or indices (``()`` gives v_0), or a list of sets.
        X
            Rows to evaluate at.
        scale
            ``"link"``, the raw scale; or, for a classifier, ``"probability"``: the mean of the
            predicted probabilities, exact as well, at the cost of predicting every pair of a row
            and a background row.
        dtype
            ``float64`` or ``float32``.

        Returns
        -------
        ndarray
            (rows,) for one set, (rows, sets) for a list; a last axis for several outputs.

        Examples
        --------
        >>> fastpd.Explainer(model, X).value([("x0",), ("x0", "x2")], X[:3]).shape
        (3, 2)
        """
        sets, many = feature_sets(features, self.feature_names)
        state, rows = self._ready(), self._rows(X)
        if check_scale(scale, state.engine.forest):
            found = probability_value(state.engine, state.sample, sets, rows, dtype)
        else:
            found = value(state.engine, sets, rows, dtype)
        return found if many else found[:, 0]

    def shap(self, X: Any, *, dtype: Any = np.float64) -> ShapValues:
        """Return the SHAP values of all features at rows, over the whole background.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> phi = explainer.shap(X)
        >>> bool(abs(phi.base_values + phi.values.sum(axis=1) - explainer.predict(X)).max() < 1e-6)
        True
        """
        rows = self._rows(X)
        steps = self._blocks.forest.preparation
        # Features that a pipeline mixes have values of their own, which the table does not show.
        data = X if steps is None or steps.owner is not None else rows.chunk(0, rows.n_rows)
        return shap(self._engine(), rows, data, dtype)

    def shap_parts(self, feature: Any, X: Any) -> ShapParts:
        """Return the SHAP values of one feature with the components that they mix.

        Examples
        --------
        >>> parts = fastpd.Explainer(model, X).shap_parts("x0", X)
        >>> mixed = parts.main + parts.pairs.sum(axis=1) + parts.higher
        >>> float(abs(parts.shap - mixed).max()) < 1e-9
        True
        """
        index = feature_index(feature, self.feature_names)
        return shap_parts(self._engine(), index, self._rows(X))

    def components(self, X: Any, max_order: int = 2, *, dtype: Any = np.float64) -> Decomposition:
        """Return the components m_S of the functional decomposition at rows, up to an order."""
        order = check_order(max_order)
        engine, rows = self._engine(), self._rows(X)
        return components(engine, rows, order, cells_of(X, self._columns), dtype)

    def interactions(
        self, X: Any, order: int = 2, index: str = "SII", *, dtype: Any = np.float64
    ) -> Interactions:
        """Return interaction indices of all sets of up to `order` features at rows.

        Parameters
        ----------
        X
            Rows to explain.
        order
            Size of the largest sets; the top order of STII and FSII.
        index
            ``"SII"`` (Shapley), ``"STII"`` (Shapley-Taylor), ``"FSII"`` (Faith-SHAP), ``"BII"``
            (Banzhaf) or ``"Moebius"`` (the components themselves).
        dtype
            ``float64`` or ``float32``.
        """
        size, kind = check_order(order, "order"), check_index(index)
        return interactions(self._engine(), self._rows(X), size, kind, dtype)

    def effect(self, *features: Any, scale: str = "link") -> Effect:
        """Return the effect of one, two or three features as an exact step function.

        On the scale ``"probability"`` of a classifier it is the mean of predicted probabilities, at
        the cost of predicting every pair of a step and a background row. Of the columns that go
        into a pipeline only those have an effect that reach its model as they are.

        Examples
        --------
        >>> effect = fastpd.Explainer(model, X).effect("x0")
        >>> effect.pd([0.0, 0.5]).shape, len(effect.levels) == len(effect.edges) + 1
        ((2,), True)
        """
        ordered = effect_features(features, self.feature_names)
        state = self._ready()
        if check_scale(scale, state.engine.forest):
            found = probability_effect(state.engine, state.sample, ordered)
        else:
            found = effect(state.engine, ordered, state.engine.base)
        return replace(found, support=support(state.engine, state.sample, ordered))

    def ice(self, feature: Any, X: Any, *, scale: str = "link") -> Ice:
        """Return each row's prediction as an exact step function of one feature.

        Parameters
        ----------
        feature
            Its name or index.
        X
            Rows, one curve for each.
        scale
            ``"link"``, or ``"probability"`` of a classifier.

        Examples
        --------
        >>> curves = fastpd.Explainer(model, X).ice("x0", X[:10])
        >>> curves.at([0.0, 0.5]).shape
        (10, 2)
        """
        known = self.effect(feature, scale=scale)
        state, rows = self._ready(), self._rows(X)
        transformed = check_scale(scale, state.engine.forest)
        place = feature_index(feature, self.feature_names)
        return ice(state.engine, place, rows, known, transformed=transformed)

    def ale(
        self,
        feature: Any,
        X: Any = None,
        *,
        weights: Any = None,
        intervals: int = 40,
        scale: str = "link",
    ) -> Ale:
        """Return the accumulated local effect of a feature that holds numbers.

        It averages how the prediction changes at each threshold over the rows near it, where the
        PD curve averages over all rows, whether or not such rows are likely. Categories have no
        order to accumulate along, and are refused; rows whose value is missing are left out.

        Parameters
        ----------
        feature
            Its name or index.
        X
            Rows; by default the background. Of that only the steps that its values are on are
            kept, so that intervals end at the model's own thresholds.
        weights
            One number >= 0 for each row of X.
        intervals
            Number of intervals of about equal weight; fewer where values repeat.
        scale
            ``"link"``, or ``"probability"`` of a classifier.

        Examples
        --------
        >>> local = fastpd.Explainer(model, X).ale("x0", X)
        >>> local.at([0.0, 0.5]).shape, bool(abs(local.at(X[:, 0]).mean()) < 1e-12)
        ((2,), True)
        """
        state, place = self._ready(), feature_index(feature, self.feature_names)
        transformed = check_scale(scale, state.engine.forest)
        rows, shares = self._rows_or_background(X, weights, "ale(feature, {})")
        n = check_count(intervals, "intervals", 1)
        return ale(state.engine, place, rows, shares, n, transformed=transformed)
