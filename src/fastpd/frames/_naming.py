"""Features named by the table that a user brings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastpd.forest import Forest
from fastpd.frames._rows import frame_names, is_batches

__all__ = ["named_by"]


def named_by(forest: Forest, background: Any) -> Forest:
    """Return a forest whose features have the names of a table's columns, where it lacks them.

    A model without names takes those of a table with as many columns. One whose library wrote
    underscores for spaces gets the spaces of a table that has them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from fastpd.forest import Forest
    >>> from fastpd.frames import named_by
    >>> stump = Forest.from_arrays([[0, -1, -1]], [[0.5, 0, 0]], [[1, -1, -1]], [[2, -1, -1]],
    ...                            [[0.0, 1.0, 2.0]], n_features=1)
    >>> named_by(stump, pd.DataFrame({"age": [31.0]})).feature_names
    ('age',)
    """
    if forest.preparation or background is None or is_batches(background):
        return forest
    if forest.named and not forest.underscored:
        return forest
    names = frame_names(background, what="background")
    if names is None:
        return forest
    if forest.underscored:
        return replace(forest, feature_names=_spaced(forest.feature_names, names))
    return replace(forest, feature_names=names) if len(names) == forest.n_features else forest


def _spaced(known: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the known names, with spaces where just one of the table's names has them."""
    spaced: dict[str, list[str]] = {}
    for name in set(names).difference(known):
        spaced.setdefault(name.replace(" ", "_"), []).append(name)
    there = set(names)
    return tuple(
        spaced[one][0] if one not in there and len(spaced.get(one, ())) == 1 else one
        for one in known
    )
