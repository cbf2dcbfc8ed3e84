"""A forest as a header and arrays, and back."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Forest, IntervalSplits, Preparation
from fastpd.forest._forest import Absent, Comparison
from fastpd.forest._from_arrays import LINKS
from fastpd.forest.check import canonical
from fastpd.saved._categories import categories_of, from_categories
from fastpd.saved._container import Content, damaged
from fastpd.saved._fields import Fields, array_of, as_json

__all__ = ["forest_of", "from_forest"]

_NODES: dict[str, type[np.generic]] = {
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "default_left": np.bool_,
    "cover": np.float64,
}
_TREES = ("roots", "tree_output")
# Texts, and which each may be where not any.
_TEXTS: dict[str, tuple[str, ...]] = {
    "source": (),
    "link": LINKS,
    "comparison": get_args(Comparison),
    "absent": get_args(Absent),
    "integers": get_args(Comparison),
}
_FLAGS = ("underscored", "takes_missing")
_NUMBERS = ("slope", "missing")
_NAMES = ("feature_names", "output_names")
_FIELDS = (*_TEXTS, *_FLAGS, *_NUMBERS, *_NAMES, "categories")


def from_forest(forest: Forest) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return a forest's header and arrays."""
    header = {name: getattr(forest, name) for name in (*_TEXTS, *_FLAGS)}
    header |= {name: as_json(getattr(forest, name)) for name in _NUMBERS}
    header |= {name: list(getattr(forest, name)) for name in _NAMES}
    header["categories"] = [from_categories(one) for one in forest.categories]
    arrays = {name: getattr(forest, name) for name in (*_NODES, "value", *_TREES, "base")}
    splits = forest.splits
    arrays |= {
        "split_node": splits.node,
        "split_offsets": splits.offsets,
        "split_low": splits.low,
        "split_high": splits.high,
    }
    return header, {f"forest/{name}": array for name, array in arrays.items()}


def forest_of(content: Content, given: Any, preparation: Preparation | None) -> Forest:
    """Return the forest of a header, and of arrays that are taken out of the content.

    Raises
    ------
    ModelFileError
        Where they describe no trees.
    """
    fields = Fields(given, "forest", content.source, _FIELDS)

    def array(name: str, kind: type[np.generic], *shape: int | None) -> NDArray[Any]:
        return array_of(content.arrays, f"forest/{name}", content.source, kind, shape)

    nodes: dict[str, Any] = {name: array(name, kind, None) for name, kind in _NODES.items()}
    said: dict[str, Any] = {name: fields.flag(name) for name in _FLAGS}
    said |= {name: fields.number(name) for name in _NUMBERS}
    said |= {name: fields.texts(name) for name in _NAMES}
    said |= {name: fields.text(name, known) for name, known in _TEXTS.items()}
    forest = Forest(
        **nodes,
        **said,
        value=array("value", np.float64, None, None),
        roots=array("roots", np.int32, None),
        tree_output=array("tree_output", np.int32, None),
        base=array("base", np.float64, None),
        splits=_splits(content),
        categories=tuple(categories_of(one, content.source) for one in fields.items("categories")),
        preparation=preparation,
    )
    if not (forest.feature_names and forest.output_names):
        raise damaged(content.source, "its model has no features or no outputs")
    return canonical(forest)


def _splits(content: Content) -> IntervalSplits:
    source, arrays = content.source, content.arrays
    node = array_of(arrays, "forest/split_node", source, np.int32, (None,))
    low = array_of(arrays, "forest/split_low", source, np.float64, (None,))
    high = array_of(arrays, "forest/split_high", source, np.float64, (len(low),))
    offsets = array_of(arrays, "forest/split_offsets", source, np.int64, (len(node) + 1,))
    # Differences of numbers beyond these might overflow, and look like sizes.
    if np.any((offsets < 0) | (offsets > len(low))):
        raise damaged(source, "its sets of intervals do not fit their nodes")
    return IntervalSplits(node, offsets, low, high)
