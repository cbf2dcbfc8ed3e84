"""Codes of labels: labels that no split of the model tells apart share one.

A split by a CTR, or by a single label, divides the labels of its column into two sets. Labels with
the same place in all of these splits are one class, and classes are numbered so that neighbours
agree in most splits. The last code is that of all labels that the model does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._categories import HashedCategories
from fastpd.forest.importers.catboost.ctrs import bins_of, label_hashes
from fastpd.forest.importers.catboost.document import Document

__all__ = ["LabelCodes", "label_codes"]

# Codes must be exact in float32, in which the model compares.
MOST_CODES = 1 << 24


@dataclass(frozen=True, eq=False)
class LabelCodes:
    """The codes of one column's labels.

    Attributes
    ----------
    categories
        From labels to codes.
    example
        For each code the signed hash of one of its labels.
    holds
        For each split of the column, in the model's order, one-hot values before CTR borders:
        whether its condition holds for each code.
    """

    categories: HashedCategories
    example: NDArray[np.int64]
    holds: list[NDArray[np.bool_]]


def label_codes(document: Document, index: int) -> LabelCodes:
    """Return the codes of the labels of the column that other parts call by this index."""
    singles = [hash_ for one in document.one_hots if one.index == index for hash_ in one.values]
    ctrs = [ctr for ctr in document.ctrs if ctr.base.indices[0] == index]
    hashes = _known_hashes(document, index, np.array(singles, np.int64))
    places = _places(document, index, hashes, singles)
    ordered = sorted(range(1, len(ctrs) + 1), key=lambda k: -len(ctrs[k - 1].borders))
    order = [*ordered, 0]
    classes, first, code = np.unique(
        places[:, order], axis=0, return_index=True, return_inverse=True
    )
    if len(classes) > MOST_CODES:
        raise UnsupportedModelError(
            f"{document.source} tells {len(classes)} sets of labels apart in one column; at most "
            f"{MOST_CODES} are supported. Train with fewer labels."
        )
    # The row behind those of the known labels is that of all others; its class gets the last code.
    other, count = code.ravel()[-1], len(classes)
    renumbered = np.where(np.arange(count) > other, np.arange(count) - 1, np.arange(count))
    renumbered[other] = count - 1
    codes = renumbered[code.ravel()]
    example = np.empty(count, np.int64)
    example[renumbered] = np.append(hashes, _free(hashes))[first]
    place = places[first[np.argsort(renumbered)]]
    holds = [place[:, 0] == k for k in range(len(singles))]
    for k, ctr in enumerate(ctrs, 1):
        holds += [place[:, k] > border for border in range(len(ctr.borders))]
    known = dict(
        zip((hashes & 0xFFFFFFFF).tolist(), codes[:-1].astype(float).tolist(), strict=True)
    )
    return LabelCodes(HashedCategories(unseen=count - 1.0, codes=known), example, holds)


def _known_hashes(document: Document, index: int, singles: NDArray[np.int64]) -> NDArray[np.int64]:
    bases = {ctr.base for ctr in document.ctrs if ctr.base.indices[0] == index}
    parts = [label_hashes(document.tables[base]) for base in bases]
    hashes = np.unique(np.concatenate([singles, *parts]))
    return hashes[(hashes >= -(2**31)) & (hashes < 2**31)]


def _places(
    document: Document, index: int, hashes: NDArray[np.int64], singles: list[int]
) -> NDArray[np.int64]:
    """Return where each label is in the column's splits, and in a last row where others are.

    The first entry is the position among the labels that are singled out, -1 for none; each of the
    others is the number of a CTR's borders that the label is above.
    """
    ctrs = [ctr for ctr in document.ctrs if ctr.base.indices[0] == index]
    places = np.zeros((len(hashes) + 1, 1 + len(ctrs)), np.int64)
    places[:, 0] = -1
    places[np.searchsorted(hashes, singles), 0] = np.arange(len(singles))
    for k, ctr in enumerate(ctrs, 1):
        table = document.tables[ctr.base]
        bins, other = bins_of(ctr, table)
        places[:, k] = other
        keys = label_hashes(table)
        at = np.minimum(np.searchsorted(hashes, keys), max(0, len(hashes) - 1))
        met = hashes[at] == keys if len(hashes) else np.zeros(len(keys), bool)
        places[at[met], k] = bins[met]
    return places


def _free(hashes: NDArray[np.int64]) -> int:
    """Return the lowest hash from 0 on that is not among some."""
    positive = hashes[hashes >= 0]
    gaps = np.flatnonzero(positive != np.arange(len(positive)))
    return int(gaps[0]) if len(gaps) else len(positive)
