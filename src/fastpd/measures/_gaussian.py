"""The measure of a normal distribution: true probabilities of boxes, without any sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import MemoryLimitError, OptionError, imported
from fastpd.forest.thresholds import rounded_to
from fastpd.measures._boxes import BoxProbability
from fastpd.measures._measure import Fixed

__all__ = ["Gaussian"]

_MOST_CHANCES = 1 << 24
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Average over a normal distribution of the features, as it is known in a simulation.

    This is the partial dependence of the model itself, to which that of a sample converges.
    Probabilities of up to two correlated features are exact; those of more are integrated
    numerically, to `tolerance`.

    Parameters
    ----------
    mean
        Mean of each of the model's columns.
    cov
        Their covariance matrix, positive definite.
    tolerance
        Largest error of a probability of three or more correlated features, as two integrations
        tell it; what they cannot reach is refused.

    Examples
    --------
    >>> measure = fastpd.measures.Gaussian(np.zeros(4), np.eye(4))
    >>> fastpd.Explainer(model, measure=measure).value(("x0",), X[:5]).shape
    (5,)
    """

    mean: ArrayLike
    cov: ArrayLike
    tolerance: float = 1e-5

    @property
    def data(self) -> None:
        """No rows: the distribution says all."""

    @property
    def weights(self) -> None:
        """No weights, as there are no rows."""

    def begin(self, blocks: Blocks) -> Fixed:
        """Return the measure for a model."""
        imported("scipy", "measures.Gaussian")
        if blocks.forest.preparation is not None:
            raise OptionError(
                "Gaussian is a distribution of the columns that the trees see, but steps of the "
                "pipeline change those of your table before. Explain the last step: "
                "Explainer(pipeline[-1], measure=Gaussian(mean, cov)), of the columns that the "
                "steps make."
            )
        mean, cov = _checked(self.mean, self.cov, blocks.forest.feature_names)
        tolerance = _checked_tolerance(self.tolerance)
        if blocks.largest_deep:
            raise MemoryLimitError(
                f"some leaves have up to {blocks.largest_deep} features on their path; Gaussian "
                "takes the probabilities of all sets of them, for up to 8. Train with a smaller "
                "max_depth."
            )
        sizes = _core.leaves(blocks.core)[2]
        first = np.concatenate([[0], np.cumsum(2 ** sizes.astype(np.int64))])
        if first[-1] > _MOST_CHANCES:
            raise MemoryLimitError(
                f"the model's leaves take {first[-1]:,} probabilities of boxes; Gaussian computes "
                f"up to {_MOST_CHANCES:,}. Explain a smaller model."
            )
        chances = _chances(blocks, BoxProbability(mean, cov, tolerance), sizes, first)
        return Fixed(chances, first[:-1].astype(np.uint64), "Gaussian")


def _chances(
    blocks: Blocks, probability: BoxProbability, sizes: NDArray[np.int32], first: NDArray[np.int64]
) -> Floats:
    """Return for every leaf the probability that all of a set of its players pass, set by set."""
    grid, comparison = blocks.grid, blocks.forest.comparison
    # Trees round a value before they compare it, which counts where the mean is far from zero.
    bounds = [
        np.r_[-np.inf, rounded_to(grid.edges(k), comparison), np.inf]
        for k in range(len(grid.feature))
    ]
    chances = np.empty(first[-1])
    for leaf, tau in enumerate(sizes.tolist()):
        sides = _core.leaf_sides(blocks.core, leaf)
        for players in range(1 << tau):
            chosen = [side for side in sides if players >> side[1] & 1]
            # A normal distribution has no missing values. Bins of numbers start at 1.
            boxes = {
                int(grid.feature[column]): tuple(
                    (float(bounds[column][low - 1]), float(bounds[column][high - 1]))
                    for low, high in runs
                )
                for column, _, _, runs in chosen
            }
            chances[first[leaf] + players] = probability.of(boxes)
    return chances


def _checked(mean: ArrayLike, cov: ArrayLike, names: tuple[str, ...]) -> tuple[Floats, Floats]:
    try:
        centre, spread = np.array(mean, dtype=float), np.array(cov, dtype=float)
    except (TypeError, ValueError):
        raise OptionError(
            f"Gaussian got a {type(mean).__name__} and a {type(cov).__name__}; expected arrays of "
            "numbers, one mean a column of the model, and a square matrix."
        ) from None
    d = len(names)
    if centre.shape != (d,) or spread.shape != (d, d):
        raise OptionError(
            f"Gaussian got a mean of shape {centre.shape} and a covariance of shape {spread.shape};"
            f" the model has {d} columns ({', '.join(names):.60}), so ({d},) and ({d}, {d}) were "
            "expected."
        )
    if not np.isfinite(centre).all():
        raise OptionError(
            "the mean of Gaussian holds what is no finite number; expected one for each column."
        )
    if not _positive_definite(spread):
        raise OptionError(
            "the covariance of Gaussian is not symmetric and positive definite, or so nearly "
            "singular that float64 cannot tell. Leave out columns that are functions of others."
        )
    return centre, spread / 2 + spread.T / 2


def _positive_definite(cov: Floats) -> bool:
    """Judge the correlations, so that the units of the columns do not matter."""
    if not np.isfinite(cov).all() or not (np.diag(cov) > 0).all():
        return False
    scale = np.sqrt(np.diag(cov))
    correlation = cov / scale[:, None] / scale
    if not np.isfinite(correlation).all() or not np.allclose(correlation, correlation.T):
        return False
    noise = len(cov) * np.finfo(float).eps
    return bool(np.linalg.eigvalsh(correlation)[0] > noise)


def _checked_tolerance(tolerance: Any) -> float:
    number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if not number or not 0 < tolerance < 1:
        raise OptionError(f"tolerance is {tolerance!r:.60}; expected a number between 0 and 1.")
    return float(tolerance)
