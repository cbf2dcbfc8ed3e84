"""Which column of a LightGBM model has which labels.

LightGBM keeps the categories of all columns that were of the dtype category, in the order of these
columns, but not which columns they were: a column of codes may be set as categorical, and ordered
categories are split as numbers. Seen values tell most of them apart. Where they leave a doubt,
columns are read such that a table of labels is understood rightly or refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastpd.forest._categories import Categories
from fastpd.forest.importers.lightgbm.document import Document, damaged

__all__ = ["categories_of"]

_CODES = re.compile(r"-?[0-9]{1,10}(:-?[0-9]{1,10})*", re.ASCII)
_UNSEEN = "none"


@dataclass(frozen=True)
class _Column:
    """What is known of a column: its place, whether it is categorical, and values seen."""

    place: int
    categorical: bool
    low: float
    high: float

    def fits(self, size: int) -> bool:
        """Tell whether all values seen are codes of so many categories."""
        whole = self.low % 1 == 0 and self.high % 1 == 0
        return self.low > self.high or (whole and self.low >= 0 and self.high < size)

    def fills(self, size: int) -> bool:
        """Tell whether the values seen are codes of so many categories, from first to last."""
        return self.fits(size) and self.low == 0 and self.high == size - 1


def categories_of(document: Document) -> tuple[Categories | None, ...]:
    """Return the categories of each column; empty where none has any."""
    columns = [_column(document, place, info) for place, info in enumerate(document.feature_infos)]
    found: list[Categories | None] = [
        Categories(None) if column.categorical else None for column in columns
    ]
    # A column of numbers that may hold codes of such labels must not be read as those labels.
    sizes = [len(labels) for labels in document.labels]
    numeric = [len(labels) for labels in document.labels if Categories(labels).numeric]
    for column in columns:
        if any(column.fits(size) for size in numeric):
            found[column.place] = Categories(None)
    for place, labels in zip(_places(columns, sizes), document.labels, strict=False):
        found[place] = Categories(labels)
    return tuple(found) if any(found) else ()


def _column(document: Document, place: int, info: str) -> _Column:
    """Read ``[low:high]`` of numbers, ``2:0:1`` of codes (below 0: not one), or ``none``."""
    named = place in document.categorical
    if info == _UNSEEN:
        return _Column(place, named, 1.0, 0.0)
    if _CODES.fullmatch(info):
        codes = [code for code in map(int, info.split(":")) if code >= 0]
        return _Column(place, True, min(codes, default=1), max(codes, default=0))
    low, mark, high = info.removeprefix("[").removesuffix("]").partition(":")
    try:
        if mark and info[0] == "[" and info[-1] == "]":
            return _Column(place, named, float(low), float(high))
    except ValueError:
        pass
    raise damaged(document.source, f"'feature_infos' of column {place} is {info!r:.40}")


def _places(columns: Sequence[_Column], sizes: Sequence[int]) -> list[int]:
    """Return the columns that labels of these sizes belong to; empty where that is not certain."""
    every = len(sizes) >= sum(column.categorical for column in columns)
    alone = len(sizes) <= sum(column.categorical for column in columns)
    columns = [
        column
        for column in columns
        if column.categorical or (not alone and any(column.fits(size) for size in sizes))
    ]
    required = [every and column.categorical for column in columns]
    for surely in (False, True):
        table = [
            [column.fits(size) and (needed or not surely or column.fills(size)) for size in sizes]
            for column, needed in zip(columns, required, strict=True)
        ]
        places = _only(table, required, len(sizes))
        if places is not None:
            return [columns[at].place for at in places]
    return []


def _only(
    table: Sequence[Sequence[bool]], required: Sequence[bool], n_labels: int
) -> list[int] | None:
    """Return the one way to put labels to columns in order, each to one that fits; None if several.

    Counted from the last column: the ways to place the labels from `j` on into the columns left.
    """
    ways = [[0] * n_labels + [1]]
    for fits, needed in zip(reversed(table), reversed(required), strict=True):
        after = ways[-1]
        ways.append(
            [
                min(2, (0 if needed else after[j]) + (j < n_labels and fits[j] and after[j + 1]))
                for j in range(n_labels + 1)
            ]
        )
    ways.reverse()
    if ways[0][0] != 1:
        return None
    places: list[int] = []
    for at, fits in enumerate(table):
        j = len(places)
        if j < n_labels and fits[j] and ways[at + 1][j + 1]:
            places.append(at)
    return places
