r"""Interaction indices as rules for the compiled core.

Each index of a set S is a weighted sum of the components of its supersets,

.. math:: I(S) = \sum_{U \supseteq S} w_{|S|}(|U|)\, m_U .

With f the multilinear extension of :math:`U \mapsto v_U`, the derivative of f for all of S at the
diagonal point t is :math:`\sum_{U \supseteq S} t^{|U|-|S|} m_U`. So a rule with
:math:`\sum_i \alpha_i t_i^{u-s} = w_s(u)` for all sizes u turns derivatives at a few points into
the index, without visiting pairs of subsets.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.errors import OptionError, nearest

__all__ = ["Index", "check_index", "index_query"]

Index = Literal["SII", "STII", "FSII", "BII", "Moebius"]
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


def moebius_weight(index: Index, size: int, order: int) -> int:
    """Return the weight that the component of S itself gets apart from the rule for supersets."""
    if index == "Moebius" or (index == "STII" and size < order) or index == "FSII":
        return 1
    return 0


def superset_weight(index: Index, size: int, order: int) -> Weight | None:
    """Return w(u) for sets of u features that contain S, or None where only S itself counts."""
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
    """Return the share of a larger component in a Faith-SHAP index (Tsai, Yeh, Ravikumar 2023)."""
    if u <= order:
        return Fraction(0)
    sign = -1 if (order - size) % 2 else 1
    lead = Fraction(sign * size * comb(order, size), order + size)
    return lead * Fraction(comb(u - 1, order), comb(u + order - 1, order + size))


@lru_cache(maxsize=256)
def rule(index: Index, size: int, order: int, tau: int) -> Rule:
    """Return points and weights with sum(weights * points**(u - size)) == w(u), u = size .. tau."""
    weight = superset_weight(index, size, order)
    if weight is None or tau < size:
        return _NO_RULE
    if index == "BII":
        return np.array([0.5]), np.array([1.0])
    if index == "SII":  # 1 / (u - s + 1) is the integral of t^(u - s)
        nodes, weights = np.polynomial.legendre.leggauss((tau - size) // 2 + 1)
        return (nodes + 1) / 2, weights / 2
    return _fitted_rule([weight(u) for u in range(size, tau + 1)])


def _fitted_rule(moments: list[Fraction]) -> Rule:
    """Solve for weights at fixed points, in exact arithmetic: the system is ill-conditioned."""
    n = len(moments)
    angles = (np.arange(n) + 0.5) * np.pi / n
    points = [Fraction(round((1 - float(np.cos(a))) / 2 * 2**20), 2**20) for a in angles]
    matrix = [[p**k for p in points] + [moments[k]] for k in range(n)]
    for column in range(n):
        pivot = next(row for row in range(column, n) if matrix[row][column])
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        matrix[column] = [entry / matrix[column][column] for entry in matrix[column]]
        for row in range(n):
            factor = matrix[row][column]
            if row != column and factor:
                pairs = zip(matrix[row], matrix[column], strict=True)
                matrix[row] = [a - factor * b for a, b in pairs]
    return np.array([float(p) for p in points]), np.array([float(row[n]) for row in matrix])


@lru_cache(maxsize=64)
def pair_weights(index: Index, order: int, largest: int) -> NDArray[np.float64]:
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
def index_query(index: Index, order: int, largest_deep: int) -> _core.Query:
    """Return what the core needs to compute an index up to an order."""
    sizes = range(1, order + 1)
    rules = [rule(index, size, order, tau) for size, tau in product(sizes, range(_MAX_TABLE + 1))]
    deep = pair_weights(index, order, largest_deep) if largest_deep else np.empty(0)
    return _core.Query.index(
        np.array([float(moebius_weight(index, size, order)) for size in sizes]),
        np.array([len(points) for points, _ in rules], dtype=np.int32),
        np.concatenate([points for points, _ in rules]),
        np.concatenate([weights for _, weights in rules]),
        deep.reshape(-1),
        largest_deep,
    )
