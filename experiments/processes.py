"""The data generating processes of the paper's appendix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "SECOND", "Process"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Process:
    """Normal covariates of one variance and one pairwise correlation, and a target function.

    The paper's DGP 2 itself has the covariance 3 I + 3/5 J, J with ones from one lower corner to
    the upper other. Where its appendix takes pairwise correlations instead, the variance stays 3.

    Attributes
    ----------
    name
        ``"DGP 1"`` or ``"DGP 2"``.
    n_covariates
        Number of covariates; those beyond what the target uses are noise.
    """

    name: str
    n_covariates: int

    @property
    def variance(self) -> float:
        """Variance of each covariate."""
        return 1.0 if self.name == "DGP 1" else 3.0

    @property
    def noise(self) -> float:
        """Variance of the target about its mean."""
        return 1.0 if self.name == "DGP 1" else 0.1

    def covariance(self, correlation: float) -> Floats:
        """Return the covariance of covariates whose pairwise correlations are all the same."""
        d = self.n_covariates
        return self.variance * ((1 - correlation) * np.eye(d) + correlation * np.ones((d, d)))

    def draw(self, n: int, correlation: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return covariates and targets of a sample."""
        X = rng.multivariate_normal(
            np.zeros(self.n_covariates), self.covariance(correlation), size=n
        )
        return X, self.mean(X) + np.sqrt(self.noise) * rng.normal(size=n)

    def mean(self, X: Floats) -> Floats:
        """Return the target function m."""
        if self.name == "DGP 1":
            return X[:, 0] + X[:, 1] + 2 * X[:, 0] * X[:, 1]
        smooth = 3 * np.sin(X[:, 0]) + 2.5 * np.cos(0.3 * X[:, 1]) + 1.12 * X[:, 2]
        return smooth + np.sin(X[:, 3] * X[:, 4]) + 0.7 * X[:, 5] * X[:, 6]


FIRST = Process("DGP 1", 2)
SECOND = Process("DGP 2", 7)
