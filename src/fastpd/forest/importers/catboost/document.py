"""What a CatBoost model consists of, the same for its binary format and for its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError, UnsupportedModelError

__all__ = [
    "CatFeature",
    "Ctr",
    "CtrBase",
    "CtrTable",
    "Document",
    "Feature",
    "FloatFeature",
    "OneHot",
    "Trees",
    "damaged",
    "unknown",
]

NEWEST = "1.2"  # version whose fields are known

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of the table that the model was trained on; its name may be empty."""

    column: int
    name: str


@dataclass(frozen=True, eq=False)
class FloatFeature(Feature):
    """A column of numbers, and the borders that trees split it at.

    `nans_go_right` tells whether a missing value counts as the largest number; else it is below
    all borders.
    """

    borders: NDArray[np.float32]
    nans_go_right: bool


@dataclass(frozen=True, eq=False)
class CatFeature(Feature):
    """A column of labels; other parts of the model refer to its `index`."""

    index: int


@dataclass(frozen=True, eq=False)
class OneHot:
    """The hashes of labels, signed as CatBoost stores them, that trees single out of a column."""

    index: int
    values: Integers


@dataclass(frozen=True)
class CtrBase:
    """What a table of label statistics is over.

    Attributes
    ----------
    kind
        Such as ``"Borders"`` or ``"Counter"``.
    indices
        The categorical features whose labels are combined.
    others
        Further conditions that are combined with them.
    classifier
        Which of several ways to cut the target into classes was counted by; JSON does not say.
    """

    kind: str
    indices: tuple[int, ...]
    others: tuple[str, ...] = ()
    classifier: int = 0


@dataclass(frozen=True, eq=False)
class Ctr:
    """A number made of label statistics, and the borders that trees split it at."""

    base: CtrBase
    target_border: int
    prior_numerator: np.float32
    prior_denominator: np.float32
    shift: np.float32
    scale: np.float32
    borders: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class CtrTable:
    """Statistics of labels.

    Attributes
    ----------
    keys
        Combined hash of each label.
    counts
        Its statistics, ``(labels, width)``: rows per class of the target; or sum and count.
    denominator
        What counters are divided by.
    """

    keys: NDArray[np.uint64]
    counts: Floats
    denominator: int


@dataclass(frozen=True, eq=False)
class Trees:
    """All trees, by the numbers of their splits: borders, then one-hot values, then CTR borders.

    Attributes
    ----------
    symmetric
        Whether all nodes of a level share their split.
    sizes
        Number of levels of each tree where they are symmetric; else its number of nodes.
    splits
        Split of each level, that of the leaves' lowest bit first; else of each node.
    leaf_values, leaf_weights
        Of all leaves; there may be no weights.
    left, right
        How far behind a node its children are, 0 for a leaf in their place; no entries where the
        trees are symmetric.
    leaf
        First of the leaf values that a node has itself.
    """

    symmetric: bool
    sizes: Integers
    splits: Integers
    leaf_values: Floats
    leaf_weights: Floats
    left: Integers
    right: Integers
    leaf: Integers


@dataclass(frozen=True, eq=False)
class Document:
    """The parts of a model that decide on its predictions.

    Attributes
    ----------
    source
        What it was read from, for messages.
    n_outputs
        Number of raw scores.
    floats, cats, one_hots, ctrs
        Columns and what they are split by.
    tables
        Statistics that the CTRs need.
    trees, scale, bias
        A raw score is the scaled sum of the trees' leaves, plus the bias.
    loss
        Name of the loss function, empty where the model does not say.
    class_names
        Labels of the target's classes; may be empty.
    """

    source: str
    n_outputs: int
    floats: tuple[FloatFeature, ...]
    cats: tuple[CatFeature, ...]
    one_hots: tuple[OneHot, ...]
    ctrs: tuple[Ctr, ...]
    tables: Mapping[CtrBase, CtrTable]
    trees: Trees
    scale: float
    bias: Floats
    loss: str
    class_names: tuple[Any, ...]

    @property
    def n_trees(self) -> int:
        """Number of trees, one a boosting round."""
        return len(self.trees.sizes)

    @property
    def features(self) -> tuple[Feature, ...]:
        """All columns, in their order."""
        every: tuple[Feature, ...] = (*self.floats, *self.cats)
        return tuple(sorted(every, key=lambda one: one.column))

    @property
    def n_columns(self) -> int:
        """Number of columns of the table that the model was trained on, as far as it knows."""
        return max((feature.column for feature in self.features), default=-1) + 1


def damaged(source: str, what: str) -> ModelFileError:
    """Return the error for what is no valid CatBoost model."""
    return ModelFileError(
        f"{source} is not a valid CatBoost model: {what:.300}. It is truncated, damaged or of "
        "another version; save the model again with `save_model('model.cbm')`."
    )


def unknown(source: str, what: str) -> UnsupportedModelError:
    """Return the error for a part that may decide on predictions in a way not known here."""
    return UnsupportedModelError(
        f"{source} has {what:.100}, which CatBoost up to {NEWEST} does not write. Update fastpd, "
        "or save the model with such a version."
    )
