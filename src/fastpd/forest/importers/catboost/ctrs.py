"""Values of CTRs: statistics of the target, or counts, that stand for a label in a split.

CatBoost computes them in float32 when it predicts, from a table of counts by label. A label that is
not in the table gets the value of one that was never counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.catboost.document import Ctr, CtrTable

__all__ = ["COUNTERS", "bins_of", "label_hashes", "table_key"]

# Kinds of CTRs that do not look at the target.
COUNTERS = ("Counter", "FeatureFreq")

_FACTOR = 0x4906BA494954CB65
_INVERSE = np.uint64(pow(_FACTOR, -2, 1 << 64))


def table_key(signed_hash: int) -> int:
    """Return the key in a table of one column's statistics, from the hash of a label."""
    return (signed_hash * _FACTOR * _FACTOR) % (1 << 64)


def label_hashes(table: CtrTable) -> NDArray[np.int64]:
    """Return the signed 32-bit hash of the label behind each key of a table of one column.

    A key that no label has, which no row can meet therefore, gives a number beyond 32 bits.
    """
    with np.errstate(over="ignore"):
        return (table.keys * _INVERSE).view(np.int64)


def bins_of(ctr: Ctr, table: CtrTable) -> tuple[NDArray[np.int64], int]:
    """Return how many borders the value of each label of a table is above, and that of others."""
    values, other = _values(ctr, table)
    above = np.searchsorted(ctr.borders, values, side="left")
    # A value that is no number is above no border.
    above[np.isnan(values)] = 0
    return above, 0 if np.isnan(other) else int(np.searchsorted(ctr.borders, other, side="left"))


def _values(ctr: Ctr, table: CtrTable) -> tuple[NDArray[np.float32], np.float32]:
    counts, kind = table.counts, ctr.base.kind
    if kind in COUNTERS:
        total = np.full(len(counts), float(table.denominator))
        return _value(ctr, counts[:, 0], total), _value(ctr, 0.0, float(table.denominator))
    if kind == "Buckets":
        good, total = counts[:, ctr.target_border], counts.sum(axis=1)
    elif kind == "Borders":
        good, total = counts[:, ctr.target_border + 1 :].sum(axis=1), counts.sum(axis=1)
    else:
        good, total = counts[:, 0], counts[:, 1]
    return _value(ctr, good, total), _value(ctr, 0.0, 0.0)


def _value(ctr: Ctr, good: Any, total: Any) -> Any:
    with np.errstate(all="ignore"):
        upper = np.float32(good) + ctr.prior_numerator
        ratio = upper / (np.float32(total) + ctr.prior_denominator)
        return (ratio + ctr.shift) * ctr.scale
