"""Main effects at the values that rows have, of columns that are no steps to the model.

Steps of a pipeline before the model, such as encoders, make several columns of one or change it.
What the column does is still a function of its own value, which is known wherever a row has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastpd.frames import Rows
from fastpd.report._data import Curve

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["curve_of_values"]

Floats = NDArray[np.float64]
_SHOWN = 40
_MOST = 1000  # distinct values, beyond which they are hardly labels


def curve_of_values(
    explainer: Explainer,
    index: int,
    importance: Floats,
    rows: Rows,
    texts: Sequence[str],
    shares: Floats,
) -> Curve | None:
    """Return the main effect at every value of a column, or None where they are too many.

    `texts` are the values of the rows.
    """
    names, first, place = np.unique(
        np.array(texts, dtype=object), return_index=True, return_inverse=True
    )
    if len(names) > _MOST:
        return None
    levels = _levels(explainer, index, rows, first)
    sizes = np.asarray(np.bincount(place, shares, len(names)), np.float64)
    frequent = np.argsort(-sizes, kind="stable")
    kept = frequent if len(names) <= _SHOWN else frequent[: _SHOWN - 1]
    kept = kept[np.argsort(-levels[kept, 0], kind="stable")] if levels.shape[1] == 1 else kept
    groups = [np.array([k]) for k in kept.tolist()]
    labels = [str(names[k]) for k in kept.tolist()]
    if len(kept) < len(names):
        groups.append(frequent[len(kept) :])
        labels.append(f"{len(names) - len(kept):,} others, of fewer rows")
    return Curve(
        feature=explainer.feature_names[index],
        index=index,
        importance=importance,
        labels=tuple(labels),
        edges=np.empty(0),
        low=np.stack([levels[group].min(axis=0) for group in groups]),
        high=np.stack([levels[group].max(axis=0) for group in groups]),
        shares=np.array([sizes[group].sum() for group in groups]),
        known=None,
        missing=None,
        missing_share=0.0,
        n_steps=len(names),
        domain=(0.0, 1.0),
        outside=0.0,
        histogram=None,
    )


def _levels(explainer: Explainer, index: int, rows: Rows, at: NDArray[np.intp]) -> Floats:
    """Return the main effect at some rows, (rows, outputs)."""
    block = np.concatenate([rows.chunk(row, row + 1) for row in at.tolist()])
    chosen = Rows(len(block), rows.n_features, lambda start, stop: block[start:stop])
    parts = explainer.components(chosen, 1)
    found: Floats = parts[(index,)].reshape(len(block), -1)
    return found
