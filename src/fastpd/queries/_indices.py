r"""Interaction indices as rules for the compiled core.

Each index of a set S is a weighted sum of the components of its supersets,

.. math:: I(S) = \sum_{U \supseteq S} w_{|S|}(|U|)\, m_U .

With f the multilinear extension of :math:`U \mapsto v_U`, the derivative of f for all of S at the
diagonal point t is :math:`\sum_{U \supseteq S} t^{|U|-|S|} m_U`. So a rule with
:math:`\sum_i \alpha_i t_i^{u-s} = w_s(u)` for all sizes u turns derivatives at a few points into
the index, without visiting pairs of subsets. The weights of all indices are integrals of
:math:`t^{u-s}` against a polynomial, so that Gauss-Legendre points give such rules.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, factorial, prod
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.errors import OptionError, nearest

__all__ = ["Index", "Rest", "check_index", "index_query"]

Index = Literal["SII", "STII", "FSII", "BII", "Moebius"]
Rest = Literal["Rest"]  # the components of all larger sets that contain S, as they are
Weight = Callable[[int], Fraction]
Rule = tuple[NDArray[np.float64], NDArray[np.float64]]

_MAX_TABLE = 8  # features on the path of a leaf that has a table
_NO_RULE: Rule = (np.empty(0), np.empty(0))


def check_index(index: str) -> Index:
    """Return the name of an index, or refuse an unknown one."""
    for known in get_args(Index):
        if isinstance(index, str) and index == known:
            return known  # type: ignore[no-any-return]
    names = ", ".join(get_args(Index))
    hint = nearest(str(index), get_args(Index))
    raise OptionError(f"index is {index!r}; expected one of {names}.{hint}")


def moebius_weight(index: Index | Rest, size: int, order: int) -> int:
    """Return the weight that the component of S itself gets apart from the rule for supersets."""
    if index == "Rest":
        return -1
    return int(index == "Moebius" or (index == "STII" and size < order))


def superset_weight(index: Index | Rest, size: int, order: int) -> Weight | None:
    """Return w(u) for sets of u features that contain S, or None where only S itself counts."""
    if index == "Rest":
        return lambda u: Fraction(1)
    if index == "SII":
        return lambda u: Fraction(1, u - size + 1)
    if index == "BII":
        return lambda u: Fraction(1, 2 ** (u - size))
    if index == "STII" and size == order:
        return lambda u: Fraction(1, comb(u, order))
    if index == "FSII":
        return lambda u: _faith_weight(u, size, order)
    return None


def _faith_weight(u: int, size: int, order: int) -> Fraction:
    """Return the share of a component in a Faith-SHAP index (Tsai, Yeh, Ravikumar 2023)."""
    if u <= order:
        return Fraction(int(u == size))
    sign = -1 if (order - size) % 2 else 1
    lead = Fraction(sign * size * comb(order, size), order + size)
    return lead * Fraction(comb(u - 1, order), comb(u + order - 1, order + size))


def superset_density(index: Index | Rest, size: int, order: int) -> list[Fraction] | None:
    """Return coefficients of P with w(u) = integral of P(t) t^(u - size) over [0, 1], u >= size.

    None where no supersets count, or w is no such integral.
    """
    if index == "SII":
        return [Fraction(1)]
    if index == "STII" and size == order:
        # 1 / C(u, s) is s B(u - s + 1, s), a Beta integral.
        return [Fraction(size * (-1) ** k * comb(size - 1, k)) for k in range(size)]
    if index == "FSII":
        return _faith_density(size, order)
    return None


def _faith_density(size: int, order: int) -> list[Fraction]:
    """Write the weights of Faith-SHAP in partial fractions, sum_j A_j / (u + j), j < order.

    They are a ratio of polynomials in u: 0 between `size` and `order`, and 1 at `size`.
    """
    sign = -1 if (order - size) % 2 else 1
    lead = Fraction(sign * size * comb(order, size), order + size)
    lead *= Fraction(factorial(order + size), factorial(order))
    coefficients = [Fraction(0)] * size
    for j in range(order):
        above = prod(-j - i for i in range(size + 1, order + 1))
        below = prod(k - j for k in range(order) if k != j)
        # 1 / (u + j) is the integral of t^(u - size) t^(size + j - 1).
        at = size + j - 1
        coefficients += [Fraction(0)] * (at + 1 - len(coefficients))
        coefficients[at] += lead * Fraction(above, below)
    return coefficients


@lru_cache(maxsize=256)
def rule(index: Index | Rest, size: int, order: int, tau: int) -> Rule:
    """Return points and weights with sum(weights * points**(u - size)) == w(u), u = size .. tau."""
    if index in ("BII", "Rest") and tau >= size:
        return np.array([0.5 if index == "BII" else 1.0]), np.array([1.0])
    density = superset_density(index, size, order)
    if density is None or tau < size:
        return _NO_RULE
    nodes, weights = np.polynomial.legendre.leggauss((tau - size + len(density) + 1) // 2)
    points = (nodes + 1) / 2
    # In exact arithmetic: the coefficients are large, and alternate.
    exact = [Fraction(float(point)) for point in points]
    factors = [float(sum(c * t**k for k, c in enumerate(density))) for t in exact]
    return points, weights / 2 * factors


@lru_cache(maxsize=64)
def pair_weights(index: Index | Rest, order: int, largest: int) -> NDArray[np.float64]:
    """Return the index of the game 1[A within S, B apart from S], by |S|, |A|, |B| and |S & B|.

    Its components are (-1)^|U - A| for A within U within A | B, so only sizes matter.
    """
    shape = (order, largest + 1, largest + 1, order + 1)
    table = np.zeros(shape)
    for size, a in product(range(1, order + 1), range(largest + 1)):
        weight = superset_weight(index, size, order) or (lambda _: Fraction(0))
        own = moebius_weight(index, size, order)
        for b, in_b in product(range(largest + 1 - a), range(size + 1)):
            if in_b <= b and size - in_b <= a and a + b >= size:
                table[size - 1, a, b, in_b] = float(_pair_weight(weight, own, size, a, b, in_b))
    return table


def _pair_weight(weight: Weight, own: int, size: int, a: int, b: int, in_b: int) -> Fraction:
    free = b - in_b
    total = sum(
        ((-1) ** (in_b + r) * comb(free, r) * weight(a + in_b + r) for r in range(free + 1)),
        Fraction(0),
    )
    # The component of S itself is there when all of A is in S.
    return total + (own * (-1) ** in_b if size - in_b == a else 0)


@lru_cache(maxsize=64)
def index_query(index: Index | Rest, order: int, largest_deep: int) -> _core.Query:
    """Return what the core needs to compute an index up to an order."""
    sizes = range(1, order + 1)
    taus = range(max(_MAX_TABLE, largest_deep) + 1)
    rules = [rule(index, size, order, tau) for size, tau in product(sizes, taus)]
    deep = pair_weights(index, order, largest_deep) if largest_deep else np.empty(0)
    return _core.Query.index(
        np.array([float(moebius_weight(index, size, order)) for size in sizes]),
        np.array([len(points) for points, _ in rules], dtype=np.int32),
        np.concatenate([points for points, _ in rules]),
        np.concatenate([weights for _, weights in rules]),
        deep.reshape(-1),
        largest_deep,
    )
