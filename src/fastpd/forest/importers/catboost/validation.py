"""Checks of a document, whichever format it came from, before anything is computed from it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.catboost.ctrs import COUNTERS
from fastpd.forest.importers.catboost.document import Ctr, Document, Trees, damaged

__all__ = ["validate_document"]

MOST_LEVELS = 31
# Columns that the trees do not use may be dropped from a model; so many in a row are damage.
MOST_ABSENT_COLUMNS = 200_000
KINDS = ("Borders", "Buckets", "BinarizedTargetMeanValue", "FloatTargetMeanValue")


def validate_document(document: Document) -> None:
    """Check that numbers are finite and in order, and that what is referred to exists.

    Raises
    ------
    ModelFileError
        Where that is not so.
    UnsupportedModelError
        Where a split depends on several columns.
    """
    source = document.source
    _check_columns(document)
    for border in [feature.borders for feature in document.floats]:
        _check_borders(source, border)
    indices = [feature.index for feature in document.cats]
    _require(len(set(indices)) == len(indices), source, "two columns of labels have one index")
    singled = [one.index for one in document.one_hots]
    _require(len(set(singled)) == len(singled), source, "a column is one-hot encoded twice")
    # Their order numbers the splits, and CatBoost takes it to be that of the columns.
    _require(singled == sorted(singled), source, "one-hot encoded columns that are out of order")
    for one_hot in document.one_hots:
        _require(one_hot.index in indices, source, f"no column of labels {one_hot.index}")
        values = one_hot.values
        inside = np.all((values >= -(2**31)) & (values < 2**31))
        _require(inside and len(np.unique(values)) == len(values), source, "one-hot values")
    for ctr in document.ctrs:
        _refuse_combination(document, ctr)
        _check_ctr(document, ctr, indices)
    _check_trees(document)
    finite = np.isfinite(document.scale) and np.all(np.isfinite(document.bias))
    _require(finite, source, "its scale or bias is not finite")
    expected = f"a bias of {len(document.bias)} values for {document.n_outputs} outputs"
    _require(len(document.bias) == document.n_outputs, source, expected)


def _require(holds: bool | np.bool_, source: str, what: str) -> None:
    if not holds:
        raise damaged(source, what)


def _check_columns(document: Document) -> None:
    columns = [feature.column for feature in document.features]
    twice = [column for column, number in Counter(columns).items() if number > 1]
    _require(not twice, document.source, f"two features have column {twice[:1]}")
    _require(min(columns, default=0) >= 0, document.source, "a feature has no column")
    most = MOST_ABSENT_COLUMNS + 2 * len(columns)
    _require(document.n_columns <= most, document.source, f"{document.n_columns} columns")


def _check_borders(source: str, borders: NDArray[np.float32]) -> None:
    sound = np.all(np.isfinite(borders)) and np.all(borders[1:] > borders[:-1])
    _require(sound, source, "borders that are not finite, or not ascending")


def _refuse_combination(document: Document, ctr: Ctr) -> None:
    base = ctr.base
    if len(base.indices) == 1 and not base.others:
        return
    names = [repr(one.name) for one in document.cats if one.index in base.indices]
    if base.others:
        names.append(f"{len(base.others)} conditions on other splits")
    raise UnsupportedModelError(
        f"{document.source} splits on statistics of several columns together (a CTR of "
        f"{' and '.join(names)[:200]}), which is no split of one column. Train with "
        "max_ctr_complexity=1, or with one_hot_max_size at least the number of labels."
    )


def _check_ctr(document: Document, ctr: Ctr, indices: list[int]) -> None:
    source, base = document.source, ctr.base
    _check_borders(source, ctr.borders)
    _require(base.indices[0] in indices, source, f"no column of labels {base.indices[0]}")
    settings = (ctr.prior_numerator, ctr.prior_denominator, ctr.shift, ctr.scale)
    _require(np.all(np.isfinite(settings)), source, "settings of a CTR that are not finite")
    _require(base in document.tables, source, "a CTR without its table")
    _require(base.kind in (*KINDS, *COUNTERS), source, f"a CTR of the kind {base.kind!r}")
    table = document.tables[base]
    width = table.counts.shape[1]
    _require(len(np.unique(table.keys)) == len(table.keys), source, "a CTR has a label twice")
    _require(np.all(np.isfinite(table.counts)), source, "statistics that are not finite")
    classes = base.kind in ("Borders", "Buckets")
    counts = table.counts if classes or base.kind in COUNTERS else table.counts[:, -1:]
    sound = np.all(counts >= 0) and np.all(counts.sum(axis=1) < 2**31)
    _require(sound, source, "counts that are no counts")
    last = width - 1 if base.kind == "Borders" else width
    known = not classes or (width > 1 and 0 <= ctr.target_border < last)
    wide = width == (1 if base.kind in COUNTERS else 2)
    _require(known and (classes or wide), source, f"a {base.kind} of {width} numbers a label")


def _check_trees(document: Document) -> None:
    source, trees = document.source, document.trees
    _require(np.all(np.isfinite(trees.leaf_values)), source, "leaf values that are not finite")
    _require(np.all(np.isfinite(trees.leaf_weights)), source, "leaf weights that are not finite")
    _require(len(trees.leaf_values) % document.n_outputs == 0, source, "leaf values of no leaf")
    leaves = len(trees.leaf_values) // document.n_outputs
    _require(len(trees.leaf_weights) in (0, leaves), source, "not one weight a leaf")
    smallest = 0 if trees.symmetric else 1
    sound = np.all((trees.sizes >= smallest) & (trees.sizes < 2**31))
    _require(sound and trees.sizes.sum() == len(trees.splits), source, "sizes of trees")
    bins = sum(len(one.borders) for one in document.floats)
    bins += sum(len(one.borders) for one in document.ctrs)
    bins += sum(len(one.values) for one in document.one_hots)
    if trees.symmetric:
        _require(np.all(trees.sizes <= MOST_LEVELS), source, "a tree of too many levels")
        _require((1 << trees.sizes).sum() == leaves, source, f"{leaves} leaves")
        used = trees.splits
    else:
        _check_nodes(document, trees)
        used = trees.splits[(trees.left > 0) | (trees.right > 0)]
    _require(np.all((used >= 0) & (used < bins)), source, f"a split that is none of {bins}")


def _check_nodes(document: Document, trees: Trees) -> None:
    """Check that children are in their tree, and leaves at whole numbers of leaf values."""
    source, count = document.source, len(trees.splits)
    same = len(trees.left) == len(trees.right) == len(trees.leaf) == count
    _require(same, source, "arrays of nodes that differ in length")
    ends = np.repeat(np.cumsum(trees.sizes), trees.sizes)
    at = np.arange(count)
    for child in (trees.left, trees.right):
        _require(np.all((child >= 0) & (at + child < ends)), source, "a child that is no node")
    leaf = trees.leaf[(trees.left == 0) | (trees.right == 0)]
    inside = (leaf >= 0) & (leaf < len(trees.leaf_values)) & (leaf % document.n_outputs == 0)
    _require(np.all(inside), source, "a leaf without values")
