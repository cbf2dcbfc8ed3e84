"""How closely a surrogate follows the model that it stands for, on rows held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fidelity", "fidelity_of"]

_QUANTILES = (0.5, 0.9, 0.99, 1.0)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fidelity:
    """Errors of a surrogate on rows that were held out.

    Attributes
    ----------
    r2
        Share of the model's variance that the surrogate has; of several outputs the smallest.
    rmse
        Root of the mean squared difference; of several outputs the largest.
    quantiles
        Absolute differences at which half, 90 %, 99 % and all of the rows are.
    spread
        Standard deviation of the model's predictions, to measure these by.
    n_rows
        Number of rows that were held out.
    """

    r2: float
    rmse: float
    quantiles: dict[float, float]
    spread: float
    n_rows: int

    def __str__(self) -> str:
        errors = ", ".join(f"{share:.0%}: {size:.3g}" for share, size in self.quantiles.items())
        return (
            f"R2 {self.r2:.4f} on {self.n_rows:,} rows held out; absolute errors at quantiles "
            f"{errors}, where predictions have a standard deviation of {self.spread:.3g}"
        )


def fidelity_of(model: Floats, surrogate: Floats) -> Fidelity:
    """Compare predictions of both, (rows,) or (rows, outputs)."""
    truth, found = (one.reshape(len(one), -1) for one in (model, surrogate))
    apart = np.abs(truth - found)
    squares, total = (apart**2).mean(axis=0), truth.var(axis=0)
    # A constant is followed wholly or not at all.
    shares = np.where(total > 0, 1 - squares / np.where(total > 0, total, 1), squares == 0)
    return Fidelity(
        r2=float(shares.min()),
        rmse=float(np.sqrt(squares.max())),
        quantiles={share: float(np.quantile(apart, share)) for share in _QUANTILES},
        spread=float(np.sqrt(total.max())),
        n_rows=len(truth),
    )
