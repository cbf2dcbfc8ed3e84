"""The calls of `shap.TreeExplainer`, answered exactly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported
from fastpd.explainer import Explainer
from fastpd.frames import frame_names
from fastpd.measures import Path
from fastpd.results import Interactions

__all__ = ["TreeExplainer"]

Floats = NDArray[np.float64]


class TreeExplainer:
    """A stand-in for `shap.TreeExplainer`: one import line changes, and the calls stay.

    Arguments, shapes and the sharing of interactions are those of shap. Answers with a background
    are right where those of shap are not: all of its rows count, of which shap keeps 100;
    categorical splits are followed; interactions, which shap gives as zeros, are there; and the
    expected value is the mean prediction for XGBoost's several classes too. What can not be exact
    is refused.

    Parameters
    ----------
    model
        Any model that `fastpd.Explainer` takes.
    data
        The background; None for path-dependent values from the model's own counts.
    model_output
        ``"raw"`` only: the scale on which the trees add up.
    feature_perturbation
        ``"interventional"`` over the background, ``"tree_path_dependent"`` along the paths of the
        trees, by the counts of data where it is given; or ``"auto"``, the first with data and the
        second without.
    feature_names
        Names for explanations of rows without any.
    approximate, link, linearize_link
        For calls that spell out shap's defaults; anything else is refused.
    **settings
        Further keywords of `fastpd.Explainer`, such as ``weights=`` or ``n_jobs=``.

    Attributes
    ----------
    expected_value
        v_0; one number, or one for each output.
    explainer
        The `fastpd.Explainer` behind it, for all that shap does not answer.

    Examples
    --------
    >>> explainer = fastpd.TreeExplainer(model, X)  # for shap.TreeExplainer(model, X)
    >>> explainer.shap_values(X[:5]).shape
    (5, 4)
    >>> explainer.shap_interaction_values(X[:5]).shape
    (5, 4, 4)
    """

    def __init__(
        self,
        model: Any,
        data: Any = None,
        model_output: str = "raw",
        feature_perturbation: str = "auto",
        feature_names: Any = None,
        approximate: bool = False,
        link: Any = None,
        linearize_link: Any = None,
        **settings: Any,
    ) -> None:
        _check_output(model_output)
        _refuse_approximation(approximate)
        if link is not None or linearize_link is not None:
            raise OptionError("link and linearize_link have no effect in shap; leave them out.")
        self.model = model
        self.data = data
        self.model_output = model_output
        self.feature_perturbation = _perturbation(feature_perturbation, data)
        if self.feature_perturbation == "interventional":
            self.explainer = Explainer(model, data, **settings)
        else:
            weights = settings.pop("weights", None)
            self.explainer = Explainer(model, measure=Path(data, weights), **settings)
        self.data_feature_names = _checked_names(feature_names, self.explainer.feature_names)

    @property
    def expected_value(self) -> Any:
        """v_0, which values add up to predictions from; one number, or one for each output."""
        return self.explainer.expected_value

    def shap_values(
        self,
        X: Any,
        y: Any = None,
        tree_limit: int | None = None,
        approximate: bool = False,
        check_additivity: bool = True,
        from_call: bool = False,
    ) -> Floats:
        """Return SHAP values: (rows, features), with a last axis for several outputs.

        Parameters
        ----------
        X
            Rows, or a single row as a one-dimensional array, which gives an axis less.
        y, check_additivity, from_call
            Accepted and not needed: values add up by how they are made, and the prediction was
            compared with the model's own when it was read.
        tree_limit
            None or -1, for all trees that count.
        approximate
            False, for values are exact.
        """
        _refuse_approximation(approximate)
        _check_limit(tree_limit)
        rows, alone = _two_dimensional(X)
        values: Floats = self.explainer.shap(rows).values
        return values[0] if alone else values

    def shap_interaction_values(
        self, X: Any, y: Any = None, tree_limit: int | None = None
    ) -> Floats:
        """Return SHAP interaction values: (rows, features, features), outputs last.

        An interaction is halved between the two places of its pair; on the diagonal is what is
        left of a feature's SHAP value, so that each row of a matrix adds up to it.

        Parameters
        ----------
        X, y, tree_limit
            As for `shap_values`.
        """
        _check_limit(tree_limit)
        rows, alone = _two_dimensional(X)
        matrices = _matrices(self.explainer.interactions(rows, order=2, index="SII"))
        return matrices[0] if alone else matrices

    def __call__(
        self,
        X: Any,
        y: Any = None,
        interactions: bool = False,
        check_additivity: bool = True,
        approximate: bool = False,
    ) -> Any:
        """Return a `shap.Explanation` of SHAP values, or of interactions (needs shap).

        Parameters
        ----------
        X, y, check_additivity, approximate
            As for `shap_values`.
        interactions
            Whether to explain by interactions.
        """
        _refuse_approximation(approximate)
        shap = imported("shap", "an Explanation")
        rows, alone = _two_dimensional(X)
        phi = self.explainer.shap(rows)
        found = phi.to_shap()
        values = self.shap_interaction_values(rows) if interactions else found.values
        explanation = shap.Explanation(
            values=values,
            base_values=found.base_values,
            data=found.data,
            display_data=found.display_data,
            feature_names=self._names(rows),
            output_names=list(phi.output_names) if phi.values.ndim == 3 else None,
        )
        return explanation[0] if alone else explanation

    def _names(self, rows: Any) -> list[str]:
        """Return the names of a table of as many columns, where the model has none of its own."""
        names, known = frame_names(rows), self.explainer.feature_names
        if names is None:
            return self.data_feature_names
        fits = len(names) == len(known) and not set(known) <= set(names)
        return list(names if fits else known)

    def __repr__(self) -> str:
        return f"<TreeExplainer, {self.feature_perturbation}, of {self.explainer!r}>"


def _perturbation(given: str, data: Any) -> str:
    known = ("auto", "interventional", "tree_path_dependent")
    if not isinstance(given, str) or given not in known:
        raise OptionError(
            f"feature_perturbation is {given!r:.60}; expected 'auto', 'interventional' or "
            "'tree_path_dependent'."
        )
    if given == "interventional" and data is None:
        raise OptionError(
            "feature_perturbation is 'interventional', and there is no background to take values "
            "from. Give data, or 'tree_path_dependent' for the counts that the model keeps."
        )
    if given == "auto":
        return "tree_path_dependent" if data is None else "interventional"
    return given


def _checked_names(given: Any, known: tuple[str, ...]) -> list[str]:
    """Return the names that were given for the features, or else those of the model."""
    if given is None:
        return list(known)
    names = [] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if len(names) != len(known) or not all(isinstance(name, str) for name in names):
        raise OptionError(
            f"feature_names is {given!r:.60}; expected a list of {len(known)} names, one for each "
            "feature."
        )
    return names


def _check_output(model_output: str) -> None:
    if model_output != "raw":
        raise OptionError(
            f"model_output is {model_output!r:.60}; expected 'raw'. Other scales are no sums over "
            "trees, so their SHAP values are not exact. For mean probabilities see "
            "Explainer.value(..., scale='probability'), and fastpd.vanilla for any function."
        )


def _refuse_approximation(approximate: bool) -> None:
    if approximate:
        raise OptionError("approximate is True; nothing is approximated here. Leave it out.")


def _check_limit(tree_limit: int | None) -> None:
    if tree_limit is not None and tree_limit != -1:
        raise OptionError(
            f"tree_limit is {tree_limit!r:.60}; expected None. Say which boosting rounds count "
            "when the explainer is made: TreeExplainer(..., iteration_range=(0, rounds))."
        )


def _two_dimensional(X: Any) -> tuple[Any, bool]:
    """Return rows, and whether they were a single one without an axis for rows.

    A row out of a pandas table keeps the names of its cells, by which they are found.
    """
    series = nw.from_native(X, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        named = series.implementation.is_pandas() and all(isinstance(k, str) for k in X.index)
        row = X.to_frame().T.infer_objects() if named else series.to_numpy().reshape(1, -1)
        return row, True
    if isinstance(X, np.ndarray) and X.ndim == 1:
        return X.reshape(1, -1), True
    return X, False


def _matrices(pairs: Interactions) -> Floats:
    """Share the SII of pairs as shap does."""
    names = pairs.feature_names
    place = {name: k for k, name in enumerate(names)}
    rows, _, *outputs = pairs.array.shape
    matrices = np.zeros((rows, len(names), len(names), *outputs))
    for names_of, column in pairs.items():
        if len(names_of) == 1:
            matrices[:, place[names_of[0]], place[names_of[0]]] += column
            continue
        first, second = (place[name] for name in names_of)
        half = column / 2
        matrices[:, first, second] = matrices[:, second, first] = half
        matrices[:, first, first] -= half
        matrices[:, second, second] -= half
    return matrices
