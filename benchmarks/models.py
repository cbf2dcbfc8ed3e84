"""The data and the models that everything is measured on, made from fixed seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

__all__ = ["FLOAT32", "LARGE", "LARGER", "PAPER", "SMALL", "Setup", "rows_of", "trained"]

FLOAT32 = NDArray[np.float32]
_GRID = np.float32(4096)  # steps a unit


@dataclass(frozen=True)
class Setup:
    """A model to train: on what data, and how large."""

    name: str
    n_trees: int
    depth: int
    n_features: int
    n_train: int
    paper: bool = False  # second data generating process of the paper, default learning rate

    @property
    def title(self) -> str:
        """What a table calls it."""
        return f"{self.n_trees} trees, depth {self.depth}, {self.n_features} features"


PAPER = Setup("paper", n_trees=20, depth=5, n_features=7, n_train=8000, paper=True)
LARGE = Setup("large", n_trees=200, depth=6, n_features=20, n_train=10_000)
LARGER = Setup("larger", n_trees=500, depth=6, n_features=30, n_train=20_000)
SMALL = Setup("small", n_trees=20, depth=4, n_features=10, n_train=1000)


def rows_of(setup: Setup, n_rows: int) -> FLOAT32:
    """Return the first rows of the setup's distribution; the model was trained on the first.

    They lie on a grid, so that none is one float32 step below a threshold: woodelf 0.4.8 sends
    such a value to the wrong side, and its answers could not be compared.
    """
    normal = np.random.default_rng(1).standard_normal((n_rows, setup.n_features), np.float32)
    X = normal @ _paper_root().T.astype(np.float32) if setup.paper else normal
    return np.asarray(np.rint(X * _GRID) / _GRID, dtype=np.float32)


@cache
def trained(setup: Setup) -> Any:
    """Return the trained XGBoost model."""
    X = rows_of(setup, setup.n_train)
    options: dict[str, Any] = {"max_depth": setup.depth, "seed": 0}
    if not setup.paper:
        options["eta"] = 0.1
    target = _paper_target(X) if setup.paper else _target(X)
    return xgb.train(options, xgb.DMatrix(X, target), setup.n_trees)


def _paper_root() -> NDArray[np.float64]:
    """Return a root of Sigma = 3 I + 0.6 J, where J is the antidiagonal identity."""
    sigma = 3.0 * np.eye(7) + 0.6 * np.fliplr(np.eye(7))
    return np.asarray(np.linalg.cholesky(sigma), dtype=np.float64)


def _paper_target(X: FLOAT32) -> NDArray[np.float64]:
    x1, x2, x3, x4, x5, x6, x7 = X.T.astype(np.float64)
    mean = 3 * np.sin(x1) + 2.5 * np.cos(0.3 * x2) + 1.12 * x3 + np.sin(x4 * x5) + 0.7 * x6 * x7
    noise = np.random.default_rng(2).normal(scale=np.sqrt(0.1), size=len(X))
    return np.asarray(mean + noise)


def _target(X: FLOAT32) -> NDArray[np.float64]:
    """Return a smooth function of all features and of neighbouring pairs, with noise."""
    random = np.random.default_rng(2)
    weights, pairs = random.normal(size=(2, X.shape[1]))
    mean = np.sin(X) @ weights + (X * np.roll(X, 1, axis=1)) @ (0.5 * pairs)
    return np.asarray(mean + random.normal(scale=0.3, size=len(X)))
