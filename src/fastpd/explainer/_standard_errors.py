"""Standard errors of answers: how much they would vary with another background of this size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported
from fastpd.frames import Rows
from fastpd.queries import (
    Engine,
    Fold,
    check_order,
    component_columns,
    effect,
    effect_features,
    feature_sets,
    jackknife,
    shap,
    value,
)
from fastpd.queries._engine import as_answer
from fastpd.results import Effect

__all__ = ["StandardErrors"]

Floats = NDArray[np.float64]


class StandardErrors:
    """Standard errors of an explainer's answers, by the jackknife over folds of its background.

    They tell how far answers are from those of an infinite background. They do not tell how far
    the model is from the truth.

    Made by `Explainer.standard_errors`.

    Examples
    --------
    >>> explainer = fastpd.Explainer(model, X)
    >>> errors = explainer.standard_errors(folds=10)
    >>> errors.shap(X[:5]).shape
    (5, 4)
    >>> bool((errors.value(("x0",), X[:5]) > 0).all())
    True
    """

    def __init__(self, whole: Engine, folds: tuple[Fold, ...], rows: Callable[[Any], Rows]) -> None:
        self._whole = whole
        self._folds = folds
        self._rows = rows

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self._folds)

    @property
    def expected_value(self) -> Any:
        """Standard error of v_0; one number, or one for each output."""
        found = self._of(lambda engine: engine.base)
        return float(found[0]) if len(found) == 1 else found

    def value(self, features: Any, X: Any) -> Floats:
        """Return the standard errors of `Explainer.value`, in the same shape."""
        sets, many = feature_sets(features, self._whole.names)
        rows = self._rows(X)
        found = self._of(lambda engine: value(engine, sets, rows, np.float64))
        return found if many else found[:, 0]

    def shap(self, X: Any) -> Floats:
        """Return the standard errors of SHAP values, in the shape of `Explainer.shap(X).values`."""
        rows = self._rows(X)
        return self._of(lambda engine: shap(engine, rows, None, np.float64).values)

    def components(self, X: Any, max_order: int = 2) -> dict[tuple[str, ...], Floats]:
        """Return the standard errors of all components at rows, by the names of their features."""
        order, rows = check_order(max_order), self._rows(X)
        sets, _ = component_columns(self._whole, rows.part(0, 0), order, np.float64)
        found = self._of(
            lambda engine: as_answer(component_columns(engine, rows, order, np.float64)[1])
        )
        names = self._whole.names
        return {tuple(names[k] for k in one): found[:, at] for at, one in enumerate(sets)}

    def effect(self, *features: Any) -> Effect:
        """Return the standard errors of an effect, on the same steps as the effect itself.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> errors = explainer.standard_errors().effect("x0")
        >>> errors.levels.shape == explainer.effect("x0").levels.shape
        True
        """
        ordered = effect_features(features, self._whole.names)
        known = effect(self._whole, ordered, self._whole.base)
        steps = self._of(lambda engine: _steps(effect(engine, ordered, engine.base)))
        return replace(known, pd_steps=steps[0], component_steps=steps[1])

    def factor(self, level: float = 0.95) -> float:
        """Return by what to multiply a standard error for half the width of an interval.

        Parameters
        ----------
        level
            Probability that such an interval holds the answer of an infinite background; by
            Student's t, as the errors come of few folds.
        """
        if not (isinstance(level, float) and 0 < level < 1):
            raise OptionError(f"level is {level!r}; expected a number between 0 and 1.")
        special = imported("scipy.special", "a confidence interval")
        return float(special.stdtrit(self.n_folds - 1, (1 + level) / 2))

    def __repr__(self) -> str:
        return f"<StandardErrors: {self.n_folds} folds of {self._whole.measure.n_rows} rows>"

    def _of(self, answer: Callable[[Engine], Floats]) -> Floats:
        return jackknife(answer(self._whole), self._folds, answer)


def _steps(found: Effect) -> Floats:
    return np.stack([found.pd_steps, found.component_steps])
