"""Names and categories of a user's own trees, checked against what the trees split on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, nearest
from fastpd.forest._categories import Categories, with_labels
from fastpd.forest._names import made_up_names

__all__ = ["MOST_OUTPUTS", "categories_of", "feature_names", "output_names"]

# Names are made up for every column and output that has none: more are taken for a mistake.
MOST_COLUMNS = 10_000_000
MOST_OUTPUTS = 1_000_000


def feature_names(given: Any, count: Any, used: NDArray[Any]) -> tuple[str, ...]:
    """Return names of the columns, made up where none are given."""
    names = () if given is None else _texts("feature_names", given)
    if count is None:
        count = len(names) or (max(int(used.max()) + 1, 1) if used.size else 0)
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not whole or not 0 < count <= MOST_COLUMNS:
        raise OptionError(
            f"{count!r:.60} features are asked for; expected a number from 1 to {MOST_COLUMNS}. "
            "Give feature_names or n_features."
        )
    if names and count != len(names):
        raise OptionError(
            f"n_features is {count} for {len(names)} feature_names; expected as many. Leave "
            "n_features out."
        )
    if names:
        return names
    return made_up_names(count)


def output_names(
    given: Any, width: int, tree_output: NDArray[np.int64], base: NDArray[np.float64]
) -> tuple[str, ...]:
    """Return names of the outputs, made up where none are given: as many as are added to."""
    if given is not None:
        return _texts("output_names", given)
    count = max(width, base.size, int(tree_output.max(initial=0)) + 1)
    return ("prediction",) if count == 1 else tuple(map(str, range(count)))


def categories_of(
    given: Any,
    names: tuple[str, ...],
    columns: NDArray[np.int64],
    sets: Mapping[int, list[int]],
) -> tuple[Categories | None, ...]:
    """Return the categories of every column: of those that are named, or split by codes."""
    if given is not None and not isinstance(given, Mapping):
        raise OptionError(
            f"categories is a {type(given).__name__}; expected a mapping from the name of a column "
            "to its labels, code 0 first, to Categories, or to None where there are codes only."
        )
    found: list[Categories | None] = [None] * len(names)
    for column in {int(columns[node]) for node in sets}:
        found[column] = Categories(None)
    labels = {}
    for name, one in (given or {}).items():
        if name not in names:
            raise FeatureError(
                f"categories names {name!r:.60}, which is no feature.{nearest(str(name), names)}"
            )
        found[names.index(name)] = one if isinstance(one, Categories) else Categories(None)
        if one is not None and not isinstance(one, Categories):
            labels[name] = one
    known = with_labels(found, names, labels)
    for node, codes in sets.items():
        one = known[int(columns[node])]
        if one is not None and one.labels is not None and codes[-1] >= len(one.labels):
            name = names[int(columns[node])]
            raise OptionError(
                f"left_codes has the code {codes[-1]} of {name!r}, which has {len(one.labels)} "
                f"categories; expected codes from 0 to {len(one.labels) - 1}."
            )
    return known if any(known) else ()


def _texts(name: str, given: Any) -> tuple[str, ...]:
    """Return a list of distinct strings as a tuple."""
    try:
        texts = () if isinstance(given, str) else tuple(given)
    except TypeError:
        texts = ()
    if not texts or not all(isinstance(text, str) for text in texts):
        raise OptionError(f"{name} is {given!r:.60}; expected a list of strings.")
    if len(set(texts)) < len(texts):
        twice = next(text for k, text in enumerate(texts) if text in texts[:k])
        raise OptionError(f"{name} has {twice!r:.60} twice; expected each name once.")
    return tuple(map(str, texts))
