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
    places = _places(columns, sizes)
    for place in {place for way in places for place in way}:
        found[place] = Categories(None)
    for way, labels in zip(places, document.labels, strict=True):
        if len(way) == 1:
            found[way[0]] = Categories(labels)
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


def _places(columns: Sequence[_Column], sizes: Sequence[int]) -> list[list[int]]:
    """Return the columns that each set of labels may belong to; one where that is certain.

    Columns of codes are left over where there are fewer sets than categorical columns; where there
    are more, ordered categories are among the numbers.
    """
    n_categorical = sum(column.categorical for column in columns)
    every, alone = len(sizes) >= n_categorical, len(sizes) <= n_categorical
    columns = [
        column
        for column in columns
        if column.categorical or (not alone and any(column.fits(size) for size in sizes))
    ]
    required = [every and column.categorical for column in columns]
    for surely in (True, False):
        table = [
            [column.fits(size) and (needed or not surely or column.fills(size)) for size in sizes]
            for column, needed in zip(columns, required, strict=True)
        ]
        ways = _ways(table, required, len(sizes))
        if all(ways):
            break
    return [[columns[at].place for at in way] for way in ways]


def _ways(
    table: Sequence[Sequence[bool]], required: Sequence[bool], n_sets: int
) -> list[list[int]]:
    """Return the columns that each set may belong to, where sets follow the order of columns.

    `table` says for each column which sets fit it, `required` whether it must have one.
    """
    before = _reached(table, required, n_sets)
    turned = [list(reversed(fits)) for fits in reversed(table)]
    after = [row[::-1] for row in reversed(_reached(turned, list(reversed(required)), n_sets))]
    return [
        [
            column
            for column, fits in enumerate(table)
            if fits[at] and before[column][at] and after[column + 1][at + 1]
        ]
        for at in range(n_sets)
    ]


def _reached(
    table: Sequence[Sequence[bool]], required: Sequence[bool], n_sets: int
) -> list[list[bool]]:
    """Return whether the first columns can have the first sets, for any number of both."""
    rows = [[True] + [False] * n_sets]
    for fits, needed in zip(table, required, strict=True):
        last = rows[-1]
        given = [False, *(last[at] and fits[at] for at in range(n_sets))]
        rows.append([one or (kept and not needed) for one, kept in zip(given, last, strict=True)])
    return rows
