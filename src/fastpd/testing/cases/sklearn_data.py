"""Tables that the cases of scikit-learn train on, and rows at the spots where reading errs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "features", "labels_of", "near", "target", "with_gaps"]

COLUMNS = ("age", "hours", "wage", "tenure")


def features(n: int, seed: int = 3) -> NDArray[np.float64]:
    """Return rows of four columns, the last one of small whole numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 5, n)
    return X


def with_gaps(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows with a fifth of the values missing."""
    rng = np.random.default_rng(len(X))
    return np.where(rng.random(X.shape) < 0.2, np.nan, X)


def target(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers that depend on all columns, also on whether they are there."""
    whole = np.nan_to_num(X, nan=-0.7)
    return np.asarray(whole[:, 0] + whole[:, 1] * (whole[:, 2] > 0) + (whole[:, 3] % 2))


def labels_of(X: NDArray[np.float64]) -> NDArray[Any]:
    """Return one of three classes for each row."""
    return np.array(["low", "mid", "top"])[np.digitize(target(X), [0.0, 0.9])]


def near(points: NDArray[Any], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows at points where models split, a step of either precision beside, and of X."""
    points = np.unique(points[np.abs(points) < 1e30])
    chosen = np.random.default_rng(9).choice(points, (8, X.shape[1]))
    single = chosen.astype(np.float32)
    middle = single.astype(float) / 2 + np.nextafter(single, np.float32(np.inf)).astype(float) / 2
    ways = [
        chosen,
        np.nextafter(chosen, np.inf),
        single,
        np.nextafter(single, np.float32(np.inf)),
        np.nextafter(single, np.float32(-np.inf)),
        middle,
    ]
    rows = np.choose(np.arange(8 * X.shape[1]).reshape(8, -1) % len(ways), ways).astype(np.float64)
    rows[0, 0], rows[1, 0] = 0.0, -0.0
    rows[6:, ::2] = X[-2:, ::2]
    return rows
