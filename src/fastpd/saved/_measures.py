"""Measures as a header and arrays, and back: what was counted, not what it was counted from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import FastPDError
from fastpd.measures import DERIVED, ORDERS, DeepCounts, Derived, Empirical, Fixed, Measure
from fastpd.saved._container import Content, damaged
from fastpd.saved._fields import Fields, array_of

__all__ = ["from_measure", "measure_of"]

_KINDS = ("empirical", "derived", "fixed")
_FIELDS = ("kind", "name", "n_rows", "max_order", "totals")
_FIXED = ("Path", "Gaussian")
_MOST_ROWS = 2**62
_FARTHEST_PLACE = 40  # of a digit of a float64, in base 2**32, from the point
_ROUNDING = 1e-9


def from_measure(measure: Measure) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a measure's header and arrays."""
    header = {"name": measure.name, "n_rows": measure.n_rows, "max_order": measure.max_order}
    if isinstance(measure, Fixed):
        arrays = {"chances": measure.chances, "first": measure.first}
        header |= {"kind": "fixed", "totals": []}
        return header, {f"measure/{name}": array for name, array in arrays.items()}
    counted = measure.counted if isinstance(measure, Derived) else measure
    if not isinstance(counted, Empirical):
        raise TypeError(f"a measure of type {type(measure).__name__}")
    header |= {
        "kind": "derived" if isinstance(measure, Derived) else "empirical",
        "max_order": counted.max_order,
        "totals": [[place, counted.totals[place]] for place in sorted(counted.totals)],
    }
    deep = counted.deep
    arrays = {
        "counts": _stacked(counted.counts, counted.blocks.core.n_counts),
        "deep_offsets": deep.offsets,
        "deep_masks": deep.masks,
        "deep_counts": _stacked(deep.counts, len(deep.masks)),
    }
    return header, {f"measure/{name}": array for name, array in arrays.items()}


def measure_of(content: Content, given: Any, blocks: Blocks) -> Measure:
    """Return the measure of a header, and of arrays that are taken out of the content.

    Raises
    ------
    ModelFileError
        Where the counts can not be those of any background.
    """
    fields = Fields(given, "measure", content.source, _FIELDS)
    kind = fields.text("kind", _KINDS)
    if kind == "fixed":
        return _fixed(content, fields, blocks)
    counted = _counted(content, fields, blocks)
    if kind == "empirical":
        return counted
    name = fields.text("name", tuple(DERIVED))
    return Derived(counted, DERIVED[name], name)


def _fixed(content: Content, fields: Fields, blocks: Blocks) -> Fixed:
    source = content.source
    name = fields.text("name", _FIXED)
    _, _, sizes, players = _core.leaves(blocks.core)
    joint = name == "Gaussian"
    if joint and blocks.largest_deep:
        raise damaged(source, "its leaves are too deep for a measure of their own")
    first = np.concatenate([[0], np.cumsum(2 ** sizes.astype(np.int64))]) if joint else [0]
    n_chances = int(first[-1]) if joint else len(players)
    chances = array_of(content.arrays, "measure/chances", source, np.float64, (n_chances,))
    found = array_of(content.arrays, "measure/first", source, np.uint64, (len(first) - 1,))
    if not np.array_equal(found, first[:-1]):
        raise damaged(source, "its probabilities do not fit the leaves")
    if not np.all((chances >= -_ROUNDING) & (chances <= 1 + _ROUNDING)):
        raise damaged(source, "a probability is none")
    return Fixed(chances, found, name)


def _counted(content: Content, fields: Fields, blocks: Blocks) -> Empirical:
    source, arrays = content.source, content.arrays
    n_rows = fields.whole("n_rows", 0, _MOST_ROWS)
    max_order = fields.whole("max_order", 1, max(ORDERS))
    if max_order not in ORDERS:
        raise fields.wrong("max_order", f"one of {ORDERS}")
    totals = _totals(fields, n_rows)
    n_counts, places = blocks.core.n_counts, sorted(totals)
    counts = array_of(arrays, "measure/counts", source, np.int64, (len(places), n_counts))
    n_deep = len(blocks.deep_sizes)
    offsets = array_of(arrays, "measure/deep_offsets", source, np.uint64, (n_deep + 1,))
    masks = array_of(arrays, "measure/deep_masks", source, np.uint64, (None,))
    deep = array_of(arrays, "measure/deep_counts", source, np.int64, (None, len(masks)))
    if len(deep) not in ({len(places)} if len(masks) else {0, len(places)}):
        raise damaged(source, "its counts at deep leaves differ in number")
    measure = Empirical(
        blocks,
        n_rows,
        dict(zip(places, counts, strict=True)),
        totals,
        DeepCounts(offsets, masks, dict(zip(places, deep, strict=False))),
        max_order,
    )
    for found in (counts, deep):
        if np.any(found < 0) or np.any(found > _MOST_ROWS):
            raise damaged(source, "a count is negative, or absurd")
    _check_masks(measure.deep, blocks, source)
    _check_deep_sums(measure, source)
    _check_sums(measure, source)
    return measure


def _totals(fields: Fields, n_rows: int) -> dict[int, int]:
    """Return the sums of the weights' digits by place; no rows have none."""
    pairs = fields.items("totals")
    whole = all(
        isinstance(pair, list) and len(pair) == 2 and all(type(one) is int for one in pair)
        for pair in pairs
    )
    if not whole or bool(pairs) != bool(n_rows):
        raise fields.wrong("totals", "pairs of a place and a sum")
    totals = dict(pairs)
    most = n_rows << 32
    fits = all(abs(p) <= _FARTHEST_PLACE and 0 <= total <= most for p, total in totals.items())
    if len(totals) < len(pairs) or not fits:
        raise fields.wrong("totals", "sums of weights' digits")
    return totals


def _check_masks(deep: DeepCounts, blocks: Blocks, source: str) -> None:
    """Refuse masks that are out of order, or that have more bits than their leaf has features."""
    offsets, masks = deep.offsets, deep.masks
    if int(offsets[0]) != 0 or int(offsets[-1]) != len(masks) or np.any(offsets > len(masks)):
        raise damaged(source, "its masks at deep leaves do not fit the leaves")
    if np.any(offsets[1:] < offsets[:-1]):
        raise damaged(source, "its masks at deep leaves do not fit the leaves")
    leaf = deep.leaf_of_mask()
    ascends = (masks[1:] > masks[:-1]) | (leaf[1:] != leaf[:-1])
    spare = np.uint64(64) - blocks.deep_sizes.astype(np.uint64)[leaf]
    inside = masks <= np.uint64(2**64 - 1) >> spare
    if not (np.all(ascends) and np.all(inside)):
        raise damaged(source, "its masks at deep leaves are none of theirs")


def _check_deep_sums(measure: Empirical, source: str) -> None:
    """Refuse masks at a deep leaf that are not those of all rows, but for orders left out."""
    ends = measure.deep.offsets.astype(np.int64)
    whole = measure.max_order == max(ORDERS)
    for place, counts in measure.deep.counts.items():
        upto = np.append(0, np.cumsum(counts))
        sums, total = upto[ends[1:]] - upto[ends[:-1]], measure.totals[place]
        if not np.all(sums == total if whole else (sums >= 0) & (sums <= total)):
            raise damaged(source, "its counts at deep leaves do not add up to the background")


def _check_sums(measure: Empirical, source: str) -> None:
    """Refuse counts that do not add up: every row reaches one leaf of each tree."""
    if not measure.known:
        return
    forest = measure.blocks.forest
    try:
        total, chances = measure.scaled_total(), measure.core()
    except FastPDError as error:
        raise damaged(source, f"{error}".rstrip(".")) from error
    nodes = _core.leaves(measure.blocks.core)[0]
    tree = np.searchsorted(forest.roots, nodes, side="right") - 1
    reached = np.bincount(tree, _core.leaf_weights(measure.blocks.core, chances), forest.n_trees)
    if not np.allclose(reached, total, rtol=_ROUNDING, atol=0):
        raise damaged(source, "its counts do not add up to the background")


def _stacked(planes: dict[int, NDArray[np.int64]], size: int) -> NDArray[Any]:
    """Return the counts of all places, in as few bytes as they fit in."""
    stacked = np.zeros((len(planes), size), dtype=np.int64)
    for row, place in enumerate(sorted(planes)):
        stacked[row] = planes[place]
    kinds = (np.uint8, np.uint16, np.uint32)
    largest = int(stacked.max(initial=0))
    return stacked.astype(next((k for k in kinds if largest <= np.iinfo(k).max), np.int64))
