"""What to know before believing a picture: features that go together, and rows outside the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.report._data import Curve, Note, Order, PairSupport
from fastpd.report._ranks import cramers_v, ranks, standardised, tenths
from fastpd.report._rows import Standing
from fastpd.results import Adequacy

__all__ = ["Feature", "notes_of", "pair_supports", "share_outside"]

Floats = NDArray[np.float64]
_STRONG = 0.7  # association that is warned of
_PARTS = 10
_ROWS_A_CELL = 10  # that chance would put there, below which an empty cell means little
_OUTSIDE = 0.01  # share of rows outside the background that is warned of
_UNSURE = 0.1  # relative error of components that is warned of
_UNEXPLAINED = 0.05  # share of variance beyond the highest order that is warned of
_NAMED = 5


@dataclass(frozen=True)
class Feature:
    """A feature by its position and name, and whether its values have an order."""

    index: int
    name: str
    ordered: bool


def pair_supports(
    features: Sequence[Feature],
    background: Standing,
    importance: Mapping[tuple[str, ...], float],
) -> tuple[PairSupport, ...]:
    """Return how each two of the features go together, the strongest pair first."""
    shares = background.shares
    n_rows = len(shares)
    parts = min(_PARTS, int(np.sqrt(n_rows / _ROWS_A_CELL)))
    cuts = {one.index: _cut(one, background, max(parts, 2)) for one in features}
    places = {
        one.index: standardised(ranks(background.steps[one.index], shares), shares)
        for one in features
        if one.ordered
    }
    known = {frozenset(names): score for names, score in importance.items()}
    found = []
    for one, other in combinations(features, 2):
        table = _table(cuts[one.index], cuts[other.index], shares)
        if one.ordered and other.ordered:
            kind = "Spearman"
            strength = float(places[one.index] @ places[other.index])
        else:
            kind, strength = "Cramér's V", cramers_v(table, n_rows)
        alone = np.outer(table.sum(axis=1), table.sum(axis=0))
        empty = float(alone[table == 0].sum()) if parts >= 3 else float("nan")
        names = (one.name, other.name)
        found.append(PairSupport(names, strength, kind, empty, known.get(frozenset(names), 0.0)))
    return tuple(sorted(found, key=lambda pair: -abs(pair.association)))


def share_outside(curve: Curve) -> float:
    """Return the share of rows whose value of a feature no row of the background comes near."""
    return 0.0 if curve.known is None else float(curve.shares[curve.known == 0].sum())


def notes_of(
    curves: Sequence[Curve],
    pairs: Sequence[PairSupport],
    orders: Sequence[Order],
    adequacy: Adequacy | None,
    n_rows: int,
) -> tuple[Note, ...]:
    """Return what a reader should know before believing the pictures."""
    found = [
        _outside_note(curves),
        _together_note(pairs),
        _unexplained_note(orders),
        _unsure_note(adequacy),
    ]
    if n_rows < 100:
        detail = f"Averages and extremes here are those of {n_rows:,} row{'s' * (n_rows != 1)}."
        found.append(Note("Few rows", detail))
    return tuple(note for note in found if note is not None)


def _outside_note(curves: Sequence[Curve]) -> Note | None:
    far = [(share_outside(curve), curve.feature) for curve in curves]
    far = sorted((one for one in far if one[0] > _OUTSIDE), reverse=True)
    if not far:
        return None
    listed = _listed([f"{name} ({share:.1%} of rows)" for share, name in far])
    return Note(
        "Rows outside the background",
        f"Values of these features occur in no row of the background: {listed}. Averages there "
        "combine values that were never seen together.",
    )


def _together_note(pairs: Sequence[PairSupport]) -> Note | None:
    strong = [pair for pair in pairs if abs(pair.association) >= _STRONG]
    if not strong:
        return None
    listed = _listed([f"{' and '.join(p.features)} ({p.association:.2f})" for p in strong])
    return Note(
        "Features that go together",
        f"Strongly associated: {listed}. Partial dependence changes one and leaves the other, so "
        "it asks the model about combinations that hardly occur. That is what it is defined to "
        "do; read their effects together.",
    )


def _unexplained_note(orders: Sequence[Order]) -> Note | None:
    share = 1 - float(np.nanmin(orders[-1].explained)) if _varies(orders) else 0.0
    if share <= _UNEXPLAINED:
        return None
    return Note(
        f"Interactions of more than {orders[-1].order} features matter",
        f"Components up to order {orders[-1].order} leave {share:.1%} of the variance of "
        "predictions to higher orders. A larger max_order shows more of it.",
    )


def _varies(orders: Sequence[Order]) -> bool:
    return bool(orders) and not np.isnan(orders[-1].explained).all()


def _unsure_note(adequacy: Adequacy | None) -> Note | None:
    if adequacy is None or adequacy.relative_error <= _UNSURE:
        return None
    return Note(
        "A small background",
        f"Another background of {adequacy.n_background:,} rows would change components by about "
        f"{adequacy.relative_error:.0%} of their size. About "
        f"{adequacy.rows_for(_UNSURE):,} rows bring that down to {_UNSURE:.0%}.",
    )


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more


def _cut(feature: Feature, background: Standing, parts: int) -> NDArray[np.intp]:
    """Cut numbers into parts of about equal weight; of labels the rarest become one part."""
    steps, shares = background.steps[feature.index], background.shares
    if feature.ordered:
        return tenths(steps, shares, parts)
    sizes = np.bincount(steps, shares)
    place = np.empty(len(sizes), dtype=np.intp)
    place[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    found: NDArray[np.intp] = np.minimum(place, parts - 1)[steps]
    return found


def _table(one: NDArray[Any], other: NDArray[Any], shares: Floats) -> Floats:
    wide = int(other.max(initial=0)) + 1
    size = (int(one.max(initial=0)) + 1) * wide
    return np.asarray(np.bincount(one * wide + other, shares, size), np.float64).reshape(-1, wide)
