"""What is read off the partial dependence: SHAP values, interaction indices and importance."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastpd.errors import DataError, OptionError
from fastpd.vanilla._inputs import Floats, Subset, subsets, whole, without
from fastpd.vanilla._partial_dependence import Predict, components, values

__all__ = ["Index", "importance", "interactions", "shap"]

Index: TypeAlias = Literal["SII", "STII", "FSII", "BII", "Moebius"]


def shap(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    weights: ArrayLike | None = None,
) -> Floats:
    """Compute (interventional) SHAP values, the Shapley values of the partial dependence.

    A set of size s is weighted by ``s! (d-s-1)! / d!``. Equation (5) as printed in the paper, with
    ``1 / binomial(d-1, s)``, lacks the factor ``1/d`` that makes the values add up to the
    prediction; the expansion into components that the paper gives right after it has the factor.

    Parameters
    ----------
    predict, background, rows, weights
        As in `value`.

    Returns
    -------
    ndarray
        ``(n, d)`` or ``(n, d, outputs)``; over the features they add up to prediction minus mean.

    Examples
    --------
    >>> from fastpd import vanilla
    >>> vanilla.shap(lambda x: x[:, 0] * x[:, 1], [[1.0, 2.0]], [[5.0, 7.0]])
    array([[18., 15.]])
    """
    v = values(predict, background, rows, weights)
    d = max(map(len, v))
    phi = np.stack([np.zeros_like(v[()])] * d, axis=1)
    for subset, with_feature in v.items():
        for feature in subset:
            rest = without(subset, feature)
            orders = math.factorial(len(rest)) * math.factorial(d - len(subset))
            phi[:, feature] += orders / math.factorial(d) * (with_feature - v[rest])
    return phi


def interactions(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    order: int = 2,
    index: Index = "SII",
    weights: ArrayLike | None = None,
) -> dict[Subset, Floats]:
    """Compute an interaction index of every feature set of size 1 to `order`.

    Parameters
    ----------
    predict, background, rows, weights
        As in `value`.
    order
        Largest size of a set, and the top order of the indices that depend on one.
    index
        ``"SII"``, the Shapley interaction index; ``"BII"``, the Banzhaf interaction index;
        ``"STII"``, Shapley-Taylor; ``"FSII"``, Faith-SHAP; ``"Moebius"``, the components.
        SII and BII of a set are the same whatever `order` is.

    Returns
    -------
    dict
        From each set to its index.

    Examples
    --------
    >>> from fastpd import vanilla
    >>> vanilla.interactions(lambda x: x[:, 0] * x[:, 1], [[1.0, 2.0]], [[5.0, 7.0]], order=2)
    {(0,): array([18.]), (1,): array([15.]), (0, 1): array([20.])}
    """
    if index not in get_args(Index):
        raise OptionError(f"index={index!r} is none of {', '.join(map(repr, get_args(Index)))}.")
    top = whole(order, "order", 1)
    parts = components(predict, background, rows, weights)
    d = max(map(len, parts))
    if top > d:
        raise OptionError(f"order={order} is more than the {d} features; give at most {d}.")
    result = {}
    for subset in subsets(d, 1, top):
        total = np.zeros_like(parts[subset])
        for larger, part in parts.items():
            if set(subset) <= set(larger):
                total += _coefficient(index, top, len(subset), len(larger)) * part
        result[subset] = total
    return result


def importance(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    weights: ArrayLike | None = None,
    max_order: int | None = None,
) -> dict[Subset, np.float64 | Floats]:
    """Compute the importance of every component: the mean of its absolute value over the rows.

    Parameters
    ----------
    predict, background, rows, weights, max_order
        As in `values`. The weights are those of the background; every row counts alike.

    Returns
    -------
    dict
        From each set but the empty one to a number, or to one number an output.

    Examples
    --------
    >>> from fastpd import vanilla
    >>> ranked = vanilla.importance(lambda x: 3 * x[:, 0], [[0.0, 0.0]], [[1.0, 4.0], [-2.0, 5.0]])
    >>> float(ranked[0,]), float(ranked[1,])
    (4.5, 0.0)
    """
    parts = components(predict, background, rows, weights, max_order)
    if not len(parts[()]):
        raise DataError("rows has no row to average over; give at least one.")
    return {subset: np.abs(part).mean(axis=0) for subset, part in parts.items() if subset}


def _coefficient(index: Index, top: int, small: int, large: int) -> float:
    """Return what the component of a set of size `large` adds to the index of a subset."""
    extra = large - small
    if index == "SII":
        return 1 / (extra + 1)
    if index == "BII":
        return 0.5**extra
    if index == "STII" and small == top:
        return 1 / math.comb(large, top)
    if index == "FSII" and large > top:
        # Tsai, Yeh, Ravikumar: components that are too large are projected on the sets that stay.
        scale = math.comb(top, small) * small / (top + small)
        scale = -scale if (top - small) % 2 else scale
        return scale * math.comb(large - 1, top) / math.comb(large + top - 1, top + small)
    return float(extra == 0)
