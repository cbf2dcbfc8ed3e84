"""Sets of features: from what users write to sorted indices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, nearest

__all__ = [
    "FeatureSet",
    "check_order",
    "effect_features",
    "encode",
    "feature_index",
    "feature_set",
    "feature_sets",
]

FeatureSet = tuple[int, ...]


def feature_index(feature: Any, names: Sequence[str]) -> int:
    """Return the position of a feature given by name or by index."""
    if isinstance(feature, str):
        if feature in names:
            return names.index(feature)
        known = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        hint = nearest(feature, names)
        raise FeatureError(f"unknown feature {feature!r}; the model has {known}.{hint}")
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
        if 0 <= feature < len(names):
            return int(feature)
        raise FeatureError(
            f"feature index {feature} is out of range; the model has {len(names)} features, "
            f"0 to {len(names) - 1}."
        )
    raise FeatureError(
        f"feature {feature!r} is a {type(feature).__name__}; expected a name or an index."
    )


def feature_set(features: Any, names: Sequence[str]) -> FeatureSet:
    """Return a sorted set of feature indices; one name or index alone is a set of one."""
    if isinstance(features, (str, int, np.integer)):
        return (feature_index(features, names),)
    scalar = isinstance(features, np.ndarray) and features.ndim == 0
    if scalar or not isinstance(features, Collection) or isinstance(features, (bytes, Mapping)):
        raise FeatureError(
            f"feature set {features!r} is a {type(features).__name__}; "
            "expected a tuple of names or indices, such as ('age', 'sex')."
        )
    indices = sorted(feature_index(feature, names) for feature in features)
    for one, following in pairwise(indices):
        if one == following:
            raise FeatureError(
                f"feature {names[one]!r} stands twice in {tuple(features)!r}; name it once."
            )
    return tuple(indices)


def feature_sets(features: Any, names: Sequence[str]) -> tuple[list[FeatureSet], bool]:
    """Return the sets of a list of them, or of one alone, and whether it was a list."""
    many = isinstance(features, list)
    return [feature_set(one, names) for one in (features if many else [features])], many


def effect_features(features: tuple[Any, ...], names: Sequence[str]) -> FeatureSet:
    """Return the features of an effect, three at most, in the order in which they were given."""
    if not 1 <= len(features) <= 3:
        raise OptionError(
            f"effect() got {len(features)} features; expected one, two or three, such as "
            "effect('age') or effect('age', 'sex')."
        )
    feature_set(features, names)  # refuses one that stands twice
    return tuple(feature_index(one, names) for one in features)


def check_order(order: Any, what: str = "max_order") -> int:
    """Return an order of interaction, or refuse what is not a whole number from 1 on."""
    if isinstance(order, (int, np.integer)) and not isinstance(order, bool) and order >= 1:
        return int(order)
    raise OptionError(
        f"{what} is {order!r}; expected a whole number of at least 1 "
        "(1: main effects, 2: pairs as well, ...)."
    )


def encode(sets: Iterable[FeatureSet]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Write sets one after another, with where each starts, as the core reads them."""
    chosen = list(sets)
    offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in chosen], out=offsets[1:])
    return offsets, np.array([i for one in chosen for i in one], dtype=np.int32)


def decode(offsets: NDArray[np.int64], players: NDArray[np.int32]) -> list[FeatureSet]:
    """Read sets back."""
    flat, starts = players.tolist(), offsets.tolist()
    return [tuple(flat[a:b]) for a, b in pairwise(starts)]
