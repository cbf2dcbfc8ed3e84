"""Partial dependence of any feature set, and the functional decomposition that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fastpd.errors import DataError
from fastpd.vanilla._inputs import (
    Floats,
    Numbers,
    Subset,
    checked,
    feature_set,
    subsets,
    whole,
    without,
)

__all__ = ["Predict", "components", "value", "values"]

Predict: TypeAlias = Callable[[Numbers], ArrayLike]

# Mixed rows handed to the model in one call: enough to amortise the call, few enough to stay small.
_BLOCK = 1 << 14


def value(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    subset: Iterable[int],
    weights: ArrayLike | None = None,
) -> Floats:
    """Compute the empirical partial dependence of one feature set, equation (8) of the paper.

    Parameters
    ----------
    predict
        The model, a callable from ``(n, d)`` rows to ``(n,)`` or ``(n, outputs)`` predictions.
    background
        Sample ``(n_b, d)`` over which the other features are averaged.
    rows
        Rows ``(n, d)`` to explain.
    subset
        Columns that keep the row's own values; ``()`` gives the mean prediction for each row.
    weights
        Weight of each background row, all equal by default.

    Returns
    -------
    ndarray
        Mean of ``predict(x_S, X_rest)`` over the background, ``(n,)`` or ``(n, outputs)``.

    Examples
    --------
    >>> import numpy as np
    >>> from fastpd import vanilla
    >>> background = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> vanilla.value(lambda x: x[:, 0] * x[:, 1], background, [[5.0, 7.0]], (0,))
    array([10.])
    """
    sample, points, share = checked(background, rows, weights)
    return _expectation(predict, sample, points, share, feature_set(subset, points.shape[1]))


def values(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    weights: ArrayLike | None = None,
    max_order: int | None = None,
) -> dict[Subset, Floats]:
    """Compute the partial dependence of every feature set, or of those up to a size.

    Parameters
    ----------
    predict, background, rows, weights
        As in `value`.
    max_order
        Largest size of a set; all sizes by default.

    Returns
    -------
    dict
        From each set, smaller ones first, to its values.

    Examples
    --------
    >>> from fastpd import vanilla
    >>> vanilla.values(lambda x: x[:, 0] + x[:, 1], [[1.0, 2.0]], [[5.0, 7.0]])
    {(): array([3.]), (0,): array([7.]), (1,): array([8.]), (0, 1): array([12.])}
    """
    sample, points, share = checked(background, rows, weights)
    d = points.shape[1]
    largest = d if max_order is None else min(whole(max_order, "max_order", 0), d)
    return {
        subset: _expectation(predict, sample, points, share, subset)
        for subset in subsets(d, 0, largest)
    }


def components(
    predict: Predict,
    background: ArrayLike,
    rows: ArrayLike,
    weights: ArrayLike | None = None,
    max_order: int | None = None,
) -> dict[Subset, Floats]:
    """Compute the functional decomposition, equation (4) of the paper.

    Parameters
    ----------
    predict, background, rows, weights, max_order
        As in `values`. `max_order` leaves larger components out and does not change the others.

    Returns
    -------
    dict
        From each set to its component ``m_S``; all of them together add up to the prediction.

    Examples
    --------
    >>> from fastpd import vanilla
    >>> parts = vanilla.components(lambda x: x[:, 0] * x[:, 1], [[1.0, 2.0]], [[5.0, 7.0]])
    >>> parts[()], parts[0, 1]
    (array([2.]), array([20.]))
    """
    parts = values(predict, background, rows, weights, max_order)
    # Taking differences one feature at a time is the alternating sum of (4), in 2^d d steps.
    for feature in range(np.shape(rows)[1]):
        for subset in parts:
            if feature in subset:
                parts[subset] = parts[subset] - parts[without(subset, feature)]
    return parts


def _expectation(
    predict: Predict, sample: Numbers, points: Numbers, share: Floats, subset: Subset
) -> Floats:
    """Average the prediction of a point whose features outside `subset` come from the sample."""
    n, d = points.shape
    if not n:
        return _predicted(predict, sample[:1])[:0]
    if len(subset) == d:
        return _predicted(predict, points)
    if not subset:
        mean = _mixed_mean(predict, sample, points[:1], share, subset)
        return np.repeat(mean, n, axis=0)
    step = max(1, _BLOCK // len(sample))
    starts = range(0, n, step)
    parts = [_mixed_mean(predict, sample, points[i : i + step], share, subset) for i in starts]
    return np.concatenate(parts)


def _mixed_mean(
    predict: Predict, sample: Numbers, points: Numbers, share: Floats, subset: Subset
) -> Floats:
    """Average over the sample, a block of it at a time, for a few points at once."""
    total: Any = 0.0
    for start in range(0, len(sample), _BLOCK):
        others, part = sample[start : start + _BLOCK], share[start : start + _BLOCK]
        mixed = np.tile(others, (len(points), 1))
        mixed[:, subset] = np.repeat(points[:, subset], len(others), axis=0)
        predicted = _predicted(predict, mixed)
        predicted = predicted.reshape(len(points), len(others), *predicted.shape[1:])
        total = total + np.einsum("b,pb...->p...", part, predicted)
    return np.asarray(total, dtype=np.float64)


def _predicted(predict: Predict, mixed: Numbers) -> Floats:
    """Call the model and check that it answered with a number, or several, for each row."""
    predicted = np.asarray(predict(mixed), dtype=np.float64)
    if predicted.ndim not in (1, 2) or len(predicted) != len(mixed):
        raise DataError(
            f"predict returned shape {predicted.shape} for {len(mixed)} rows; "
            f"expected ({len(mixed)},) or ({len(mixed)}, outputs)."
        )
    return predicted
