"""A tree ensemble in the place of a black box, if it follows it closely enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError, FidelityError, OptionError
from fastpd.explainer import Explainer
from fastpd.measures import check_weights
from fastpd.options import as_n_jobs, check_count
from fastpd.surrogates._fidelity import Fidelity, fidelity_of
from fastpd.surrogates._fitting import FITTERS

if TYPE_CHECKING:
    from fastpd.report import Report

__all__ = ["Surrogate", "surrogate"]

Floats = NDArray[np.float64]
_LEAST_ROWS = 50
_HELD_OUT = 0.2


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A tree ensemble that follows a black box, and how closely.

    Attributes
    ----------
    explainer
        The explainer of the ensemble, over all rows that were given.
    fidelity
        How closely the ensemble predicts what the black box does, on rows that were held out.
    model
        The ensemble itself.
    parameters
        Those that cross-validation chose.
    """

    explainer: Explainer
    fidelity: Fidelity
    model: Any
    parameters: Mapping[str, Any]

    def report(self, X: Any = None, y: Any = None, **options: Any) -> Report:
        """Return the ensemble's `Explainer.report`, which says how closely it follows."""
        return self.explainer.report(X, y, fidelity=self.fidelity, **options)


def surrogate(
    predict: Callable[[Any], Any],
    X: Any,
    *,
    weights: Any = None,
    library: str = "xgboost",
    min_r2: float = 0.95,
    trials: int = 15,
    folds: int = 5,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Surrogate:
    """Fit a tree ensemble to any function of rows, and return the explainer of the ensemble.

    Explanations are exact for the ensemble. How far they are from those of the function, the
    fidelity says; where it is poor, there is an error instead.

    Parameters
    ----------
    predict
        Maps a table like `X` to one number a row.
    X
        Rows as they occur: they are what the ensemble is fitted to, and the background.
    weights
        One number >= 0 for each row.
    library
        ``"xgboost"`` or ``"sklearn"`` (histogram-based gradient boosting).
    min_r2
        Least share of the variance on rows held out that is good enough.
    trials, folds
        Draws of parameters that are compared, and the parts of the cross-validation.
    seed
        Of all that is drawn at random.
    n_jobs
        Threads; None for all cores.

    Raises
    ------
    FidelityError
        Where the ensemble follows the function less closely than `min_r2`.

    Examples
    --------
    >>> found = fastpd.surrogate(lambda x: x[:, 0] + (x[:, 1] > 0), X, trials=2, min_r2=0.8)
    >>> found.explainer.effect(1).pd([-1.0, 1.0]).round().tolist()[1] > 0
    True
    """
    fit = _fitter(library)
    if not isinstance(min_r2, int | float) or not min_r2 <= 1:
        raise OptionError(f"min_r2 is {min_r2!r:.60}; expected a number of at most 1.")
    counts = {
        "trials": check_count(trials, "trials", 1),
        "folds": check_count(folds, "folds", 2),
    }
    take, n_rows = _rows_of(X)
    truth = _predictions(predict, X, n_rows)
    shares = None if weights is None else check_weights(weights, n_rows)
    held, kept = _split(n_rows, seed)
    part = None if shares is None else shares[kept]
    threads = as_n_jobs(n_jobs)
    model, follow, parameters = fit(
        take(kept), truth[kept], part, **counts, seed=seed, n_jobs=threads
    )
    fidelity = fidelity_of(truth[held], follow(take(held)))
    if fidelity.r2 < min_r2:
        raise FidelityError(
            f"the tree ensemble that was fitted in its place does not follow the model: {fidelity}."
            f" An R2 of at least min_r2 = {min_r2:g} was expected. Give more rows or more trials; "
            "or say with a smaller min_r2 that explanations this far off will do."
        )
    return Surrogate(
        Explainer(model, X, weights=shares, n_jobs=n_jobs), fidelity, model, parameters
    )


def _fitter(library: Any) -> Callable[..., Any]:
    if not isinstance(library, str) or library not in FITTERS:
        raise OptionError(f"library is {library!r:.60}; expected one of {', '.join(FITTERS)}.")
    return FITTERS[library]


def _rows_of(X: Any) -> tuple[Callable[[NDArray[np.intp]], Any], int]:
    """Return what takes rows out of a table of any kind, and how many rows it has."""
    table = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(table, nw.DataFrame):
        n_rows = len(table)

        def take(at: NDArray[np.intp]) -> Any:
            return table[at.tolist()].to_native()

    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise DataError(f"X has {array.ndim} dimensions; expected rows and columns.")
        n_rows = len(array)

        def take(at: NDArray[np.intp]) -> Any:
            return array[at]

    if n_rows < _LEAST_ROWS:
        raise DataError(
            f"X has {n_rows} rows; expected at least {_LEAST_ROWS}, to fit an ensemble to and to "
            "hold some out."
        )
    return take, n_rows


def _predictions(predict: Callable[[Any], Any], X: Any, n_rows: int) -> Floats:
    if not callable(predict):
        raise OptionError(
            f"predict is a {type(predict).__name__}; expected a function of a table, such as "
            "model.predict."
        )
    try:
        found = np.asarray(predict(X), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"predict(X) gave no array of numbers: {error}. Expected one number a row."
        ) from error
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (n_rows,) or not np.isfinite(found).all():
        raise DataError(
            f"predict(X) has shape {found.shape} for {n_rows} rows, or numbers that are not finite;"
            " expected one finite number a row. Of several outputs choose one, such as "
            "lambda rows: model.predict_proba(rows)[:, 1]."
        )
    return found


def _split(n_rows: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows that are held out, and the others."""
    order = np.random.default_rng(seed).permutation(n_rows)
    n_held = round(_HELD_OUT * n_rows)
    return np.sort(order[:n_held]), np.sort(order[n_held:])
