"""Random search of XGBoost's parameters, each draw judged on the same five folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xgboost as xgb
from numpy.typing import NDArray

from experiments.realdata import Table

__all__ = ["Draw", "Search", "drawn", "fitted", "searched"]

_FOLDS = 5


@dataclass(frozen=True)
class Draw:
    """Parameters of one candidate: the number of rounds, and what else XGBoost is told."""

    rounds: int
    params: dict[str, Any]


@dataclass(frozen=True)
class Search:
    """Candidates with their errors; the best one's model is fitted to all rows."""

    draws: Sequence[Draw]
    errors: NDArray[np.float64]

    @property
    def best(self) -> Draw:
        """The draw of the smallest error, the first of equals."""
        return self.draws[int(np.argmin(self.errors))]


def drawn(searches: int, seed: int) -> list[Draw]:
    """Return draws of the paper's ranges for the two suites, all uniform."""
    rng = np.random.default_rng(seed)
    return [
        Draw(
            int(rng.integers(10, 201)),
            {
                "max_depth": int(rng.integers(1, 6)),
                "eta": float(rng.uniform(0, 0.5)),
                "colsample_bytree": float(rng.uniform(0.5, 1)),
                "subsample": float(rng.uniform(0.5, 1)),
            },
        )
        for _ in range(searches)
    ]


def searched(table: Table, draws: Sequence[Draw], seed: int) -> Search:
    """Judge draws by cross-validation: mean squared error, or log loss of classes."""
    n = len(table.y)
    parts = np.array_split(np.random.default_rng(seed).permutation(n), _FOLDS)
    errors = np.zeros(len(draws))
    for part in parts:
        rest = np.setdiff1d(np.arange(n), part)
        train = xgb.QuantileDMatrix(table.X[rest], table.y[rest], nthread=1)
        test = xgb.DMatrix(table.X[part], nthread=1)
        for k, draw in enumerate(draws):
            found = xgb.train(_params(table, draw, seed), train, draw.rounds).predict(test)
            errors[k] += _loss(table.n_classes, table.y[part], found).sum() / n
    return Search(draws, errors)


def fitted(table: Table, draw: Draw, seed: int) -> xgb.Booster:
    """Return the model of a draw, fitted to all rows."""
    data = xgb.QuantileDMatrix(table.X, table.y, nthread=1)
    return xgb.train(_params(table, draw, seed), data, draw.rounds)


def _params(table: Table, draw: Draw, seed: int) -> dict[str, Any]:
    fixed: dict[str, Any] = {"tree_method": "hist", "nthread": 1, "seed": seed}
    if table.n_classes > 2:
        fixed |= {"objective": "multi:softprob", "num_class": table.n_classes}
    elif table.n_classes:
        fixed |= {"objective": "binary:logistic"}
    return fixed | draw.params


def _loss(
    n_classes: int, y: NDArray[np.float64], found: NDArray[np.float32]
) -> NDArray[np.float64]:
    if not n_classes:
        return np.asarray((y - found) ** 2, dtype=np.float64)
    if n_classes == 2:
        found = np.column_stack([1 - found, found])
    right = found[np.arange(len(y)), y.astype(int)].astype(np.float64)
    return -np.log(np.maximum(right, 1e-15))
