"""The data generating processes of the paper's appendix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "SECOND", "Process"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Process:
    """Normal covariates and a target function of them.

    Attributes
    ----------
    name
        What results call it.
    n_covariates
        Number of covariates; those beyond what the target uses are noise.
    """

    name: str
    n_covariates: int

    def covariance(self, correlation: float) -> Floats:
        """Return the covariance of covariates whose pairwise correlations are all the same."""
        d = self.n_covariates
        return (1 - correlation) * np.eye(d) + correlation * np.ones((d, d))

    def draw(self, n: int, correlation: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return covariates and targets of a sample."""
        X = rng.multivariate_normal(
            np.zeros(self.n_covariates), self.covariance(correlation), size=n
        )
        noise = 1.0 if self.name == "DGP 1" else np.sqrt(0.1)
        return X, self.mean(X) + noise * rng.normal(size=n)

    def mean(self, X: Floats) -> Floats:
        """Return the target function m."""
        if self.name == "DGP 1":
            return X[:, 0] + X[:, 1] + 2 * X[:, 0] * X[:, 1]
        smooth = 3 * np.sin(X[:, 0]) + 2.5 * np.cos(0.3 * X[:, 1]) + 1.12 * X[:, 2]
        return smooth + np.sin(X[:, 3] * X[:, 4]) + 0.7 * X[:, 5] * X[:, 6]


FIRST = Process("DGP 1", 2)
SECOND = Process("DGP 2", 7)
