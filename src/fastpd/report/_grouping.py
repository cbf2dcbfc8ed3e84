"""Steps of a feature as they are shown: one by one, or several together where they are many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.results._axis import Axis

__all__ = ["Grouping", "grouped", "pooled"]

Floats = NDArray[np.float64]
_ROOM = 0.05  # of a picture, beside the outermost edges, where rows hardly reach beyond
_THIN = 0.02  # share of a picture that is too little for a step to be seen
_TAIL = 0.01  # share of rows at either end that may be left out of a picture
_LONG = 4  # how many times as long as the rest an axis with its tails must be for that
_NAMED = 3  # labels of one step that are listed


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which steps are shown together.

    Attributes
    ----------
    group
        Group of every step, step 0 (missing) first; -1 of a step that is not shown.
    edges
        Ends of the groups of numbers, from -inf to inf; empty where there are labels.
    labels
        Names of the groups of labels; None where there are numbers.
    domain
        Smallest and largest number to draw.
    ends
        Smallest and largest number of the rows, or room beside the outermost edges.
    pooled
        Whether the last group of labels stands for all that are not named.
    """

    group: NDArray[np.intp]
    edges: Floats
    labels: tuple[str, ...] | None
    domain: tuple[float, float] = (0.0, 1.0)
    ends: tuple[float, float] = (0.0, 1.0)
    pooled: bool = False

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max()) + 1

    def sorted_by(self, levels: Floats) -> Grouping:
        """Return groups of labels by their level, the highest first, and what is pooled last."""
        order = np.argsort(-levels, kind="stable")
        if self.pooled:
            order = np.append(order[order != self.n_groups - 1], self.n_groups - 1)
        place = np.append(np.argsort(order), -1)  # the last one for steps that are not shown
        names = tuple(self.labels[k] for k in order) if self.labels else self.labels
        return replace(self, group=place[self.group], labels=names)


def grouped(
    axis: Axis,
    shares: Floats,
    ends: tuple[float, float] | None,
    most: int,
    *,
    missing: bool = False,
) -> Grouping:
    """Return at most about `most` groups of steps.

    Parameters
    ----------
    axis
        The steps.
    shares
        Share of the rows on each, step 0 first.
    ends
        Smallest and largest number of the rows, where known.
    most
        Steps are shown one by one up to so many.
    missing
        Whether missing values are a group of their own, beside labels.
    """
    if axis.labels is not None:
        return _labels(axis, shares, most, missing=missing)
    return _numbers(axis.edges, shares, ends, most)


def pooled(ufunc: np.ufunc, values: Any, grouping: Grouping, axis: int = 0) -> Any:
    """Reduce values of steps, such as by `np.maximum`, to one for each group."""
    shown = np.flatnonzero(grouping.group >= 0)
    order = shown[np.argsort(grouping.group[shown], kind="stable")]
    starts = np.searchsorted(grouping.group[order], np.arange(grouping.n_groups))
    return ufunc.reduceat(np.take(values, order, axis), starts, axis)


def _numbers(
    edges: Floats, shares: Floats, ends: tuple[float, float] | None, most: int
) -> Grouping:
    inside = edges[np.isfinite(edges)]
    ends = _ends(inside, ends)
    domain = _widened(_domain(edges, shares, ends), ends, inside, shares)
    ends = min(ends[0], domain[0]), max(ends[1], domain[1])
    starts = np.concatenate([[-np.inf], edges])
    group = np.arange(len(starts))
    if len(starts) > most:
        width = (domain[1] - domain[0]) / (0.7 * most)
        place = np.floor((np.clip(starts, *domain) - domain[0]) / width)
        wide = np.diff(np.append(starts, np.inf)) > width
        new = np.ones(len(starts), dtype=bool)
        new[1:] = (np.diff(place) > 0) | wide[1:] | wide[:-1]
        group = np.cumsum(new) - 1
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return Grouping(
        np.concatenate([[-1], group]), np.append(starts[first], np.inf), None, domain, ends
    )


def _ends(edges: Floats, ends: tuple[float, float] | None) -> tuple[float, float]:
    """Return how far numbers reach: those of the rows, or room beside the outermost edges."""
    if ends is None and len(edges):
        room = _ROOM * float(np.ptp(edges)) or max(abs(float(edges[0])), 1.0) / 2
        ends = (float(edges[0]) - room, float(edges[-1]) + room)
    low, high = ends or (0.0, 0.0)
    if low < high:
        return low, high
    half = max(abs(low), 1.0) / 2
    return low - half, high + half


def _widened(
    domain: tuple[float, float], ends: tuple[float, float], edges: Floats, shares: Floats
) -> tuple[float, float]:
    """Give the first and last step a width, where rows stand on them but right at the edge."""
    low, high = domain
    size = high - low
    if len(edges) and shares[1] > 0 and low == ends[0] and edges[0] - low < _THIN * size:
        low = float(edges[0]) - _ROOM * size
    if len(edges) and shares[-1] > 0 and high == ends[1] and high - edges[-1] < _THIN * size:
        high = float(edges[-1]) + _ROOM * size
    return low, high


def _domain(edges: Floats, shares: Floats, ends: tuple[float, float]) -> tuple[float, float]:
    """Return the numbers to draw: all, or without tails that would squeeze the rest."""
    known = shares[1:].sum()
    if not known or len(edges) < 2:
        return ends
    below = np.cumsum(shares[1:]) / known
    first = int(np.searchsorted(below, _TAIL))
    last = int(np.searchsorted(below, 1 - _TAIL))
    bounds = np.clip(np.concatenate([[-np.inf], edges, [np.inf]]), *ends)
    low, high = float(bounds[first]), float(bounds[min(last, len(edges)) + 1])
    return (low, high) if 0 < _LONG * (high - low) < ends[1] - ends[0] else ends


def _labels(axis: Axis, shares: Floats, most: int, *, missing: bool) -> Grouping:
    """Group labels that the trees never tell apart, and beyond `most` those of the fewest rows."""
    names: dict[int, list[str]] = {}
    for label, step in zip(axis.labels or (), axis.steps_of_labels().tolist(), strict=True):
        names.setdefault(step, []).append(str(label))
    if missing and shares[0] > 0:
        names.setdefault(0, []).append("missing")
    # A code that no label stands for is a step too.
    for step in range(1, len(shares)):
        if shares[step] > 0 and step not in names:
            names[step] = ["no known label"]
    steps = sorted(names, key=lambda step: (-shares[step], step))
    kept = sorted(steps[:most]) if len(steps) <= most else sorted(steps[: most - 1])
    rest = [step for step in steps if step not in set(kept)]
    group = np.full(len(shares), -1)
    group[kept] = np.arange(len(kept))
    titles = [_joined(names[step]) for step in kept]
    if rest:
        group[rest] = len(kept)
        titles.append(f"{sum(len(names[step]) for step in rest):,} others, of fewer rows")
    return Grouping(group, np.empty(0), tuple(titles), pooled=bool(rest))


def _joined(labels: list[str]) -> str:
    if len(labels) <= _NAMED + 1:
        return ", ".join(labels)
    return f"{', '.join(labels[:_NAMED])} and {len(labels) - _NAMED:,} others"
