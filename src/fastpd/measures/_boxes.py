"""Probabilities that normal variables lie in boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError

__all__ = ["BoxProbability"]

Interval = tuple[float, float]
Floats = NDArray[np.float64]
_SEEDS = (0, 1)  # of the numerical integrations, so that they give the same bits again


class BoxProbability:
    """Probabilities of boxes under one normal distribution, each computed once.

    Parameters
    ----------
    mean, cov
        The distribution.
    tolerance
        Largest error of the numerical integration, for three or more correlated variables.
    """

    def __init__(self, mean: Floats, cov: Floats, tolerance: float) -> None:
        scale = np.sqrt(np.diag(cov))
        self.mean, self.scale, self.tolerance = mean, scale, tolerance
        self.correlation = cov / scale[:, None] / scale
        self._found: dict[tuple[tuple[int, Interval], ...], float] = {}

    def of(self, sides: Mapping[int, Sequence[Interval]]) -> float:
        """Return the probability that each variable lies in one of its intervals."""
        variables = sorted(sides)
        # The intervals of a variable are apart from each other, so their probabilities add up.
        return sum(
            self._of_box(dict(zip(variables, box, strict=True)))
            for box in product(*(sides[one] for one in variables))
        )

    def _of_box(self, box: dict[int, Interval]) -> float:
        probability = 1.0
        for group in self._correlated(sorted(box)):
            key = tuple((one, box[one]) for one in group)
            if key not in self._found:
                self._found[key] = self._integral(group, [box[one] for one in group])
            probability *= self._found[key]
        return probability

    def _correlated(self, variables: list[int]) -> list[list[int]]:
        """Split variables into groups that are independent of each other."""
        groups: list[list[int]] = []
        for one in variables:
            linked = [group for group in groups if self.correlation[one, group].any()]
            joined = sorted([one, *(other for group in linked for other in group)])
            groups = [group for group in groups if group not in linked] + [joined]
        return groups

    def _integral(self, group: list[int], box: list[Interval]) -> float:
        ends = (np.array(box) - self.mean[group, None]) / self.scale[group, None]
        if len(group) == 1:
            return _interval(*ends[0])
        correlation = self.correlation[np.ix_(group, group)]
        if len(group) == 2:
            return _rectangle(ends, float(correlation[0, 1]))
        return self._integrated(ends, correlation)

    def _integrated(self, ends: Floats, correlation: Floats) -> float:
        """Integrate twice: SciPy stops at a number of points and does not say how far it came."""
        from scipy.stats import multivariate_normal

        both = [
            multivariate_normal(cov=correlation, seed=seed, abseps=self.tolerance).cdf(
                ends[:, 1], lower_limit=ends[:, 0]
            )
            for seed in _SEEDS
        ]
        apart = abs(both[1] - both[0])
        # Each may be off by the tolerance. NaN is no agreement.
        if not apart <= 2 * self.tolerance:
            raise OptionError(
                f"two integrations over {len(correlation)} correlated features differ by "
                f"{apart:.1g}, more than tolerance={self.tolerance:g} allows. Raise the tolerance "
                "of Gaussian; features that are nearly functions of each other need most."
            )
        return float(np.mean(both))


def _interval(low: float, high: float) -> float:
    """Return the probability of an interval; in the upper tail by its mirror image."""
    from scipy.special import ndtr

    if low > 0:
        low, high = -high, -low
    return float(ndtr(high) - ndtr(low))


def _rectangle(ends: Floats, correlation: float) -> float:
    (a, b), (c, d) = ends
    corners = ((b, d, 1), (a, d, -1), (b, c, -1), (a, c, 1))
    total = sum(sign * _quadrant(h, k, correlation) for h, k, sign in corners)
    return max(0.0, float(total))


def _quadrant(h: float, k: float, correlation: float) -> float:
    """Return P(X < h, Y < k) of a standard bivariate normal, by Owen's T function (1956)."""
    from scipy.special import ndtr, owens_t

    if not (np.isfinite(h) and np.isfinite(k)):
        return float(ndtr(min(h, k)) if max(h, k) == np.inf else 0.0)
    root = np.sqrt((1 - correlation) * (1 + correlation))
    if h == 0 and k == 0:
        return float(0.25 + np.arcsin(correlation) / (2 * np.pi))
    with np.errstate(divide="ignore", over="ignore"):
        slope_h = (np.divide(k, h) - correlation) / root if h else np.copysign(np.inf, k)
        slope_k = (np.divide(h, k) - correlation) / root if k else np.copysign(np.inf, h)
    signs = np.sign(h) * np.sign(k)  # the product of h and k might underflow
    apart = signs < 0 or (signs == 0 and h + k < 0)
    return float(ndtr(h) / 2 + ndtr(k) / 2 - owens_t(h, slope_h) - owens_t(k, slope_k) - apart / 2)
