"""The labels that histogram-based gradient boosting numbers by itself before it grows trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._categories import Categories, Label
from fastpd.forest.importers.sklearn.names import feature_names

__all__ = ["Encoding", "labelled"]

_N_CODES = 256


@dataclass(frozen=True, eq=False)
class Encoding:
    """How a table becomes the rows that the trees see.

    Attributes
    ----------
    column
        Column of the table for each column of the trees, which put categories first.
    categories
        Of every column of the table; empty where none has any.
    """

    column: NDArray[np.int64]
    categories: tuple[Categories | None, ...]

    @classmethod
    def of(cls, estimator: Any, source: str) -> Encoding:
        """Return the encoding of a fitted model."""
        count = estimator.n_features_in_
        coded = getattr(estimator, "is_categorical_", None)
        if coded is None or not np.any(coded):
            return cls(np.arange(count), ())
        coded = np.asarray(coded, bool)
        preprocessor = getattr(estimator, "_preprocessor", None)
        if preprocessor is None:
            return cls._of_codes(coded)
        order = np.concatenate([np.flatnonzero(coded), np.flatnonzero(~coded)])
        found = iter(preprocessor.named_transformers_["encoder"].categories_)
        names = feature_names(estimator, count)
        known = tuple(
            _categories(next(found).tolist(), name, source) if yes else None
            for yes, name in zip(coded.tolist(), names, strict=True)
        )
        return cls(order, known)

    @classmethod
    def _of_codes(cls, coded: NDArray[np.bool_]) -> Encoding:
        """Return the encoding of scikit-learn 1.3, whose users number categories themselves.

        It takes codes beyond 255 modulo 256, and cuts the digits off other numbers; those are
        refused.
        """
        codes = Categories(tuple(map(float, range(_N_CODES))), unseen=None, arrays="label")
        known = tuple(codes if yes else None for yes in coded)
        return cls(np.arange(len(coded)), known)


def labelled(rows: NDArray[Any], categories: Sequence[Categories | None]) -> NDArray[Any]:
    """Return rows of codes as an array of labels, as users would give it."""
    known = {
        column: one
        for column, one in enumerate(categories)
        if one is not None and one.labels is not None and one.arrays == "label"
    }
    if not known:
        return rows
    cells = rows.astype(object)
    for column, one in known.items():
        labels: list[Any] = [*(one.labels or ()), *([] if one.null != one.null else [None])]
        cells[:, column] = [
            labels[int(code)] if 0 <= code < len(labels) else np.nan for code in rows[:, column]
        ]
    text = any(not one.numeric or one.null == one.null for one in known.values())
    return cells if text else cells.astype(np.float64)


def _categories(given: list[Any], name: str, source: str) -> Categories:
    """Return the categories of a column from the sorted labels of the encoder."""
    null = nan = float("nan")
    labels: list[Label] = []
    for code, label in enumerate(given):
        if label is None:
            # To the encoder None is one more label, while NaN stands for a missing one.
            null = float(code)
        elif isinstance(label, Label) and label == label:
            labels.append(label)
        elif not isinstance(label, float):
            raise UnsupportedModelError(
                f"{source} has labels such as {label!r:.60} in column {name!r}, a "
                f"{type(label).__name__}; expected text or numbers. Rename the categories and "
                "train again."
            )
    text_only = bool(labels) and all(isinstance(label, str) for label in labels)
    return Categories(tuple(labels), null=null, nan=nan, arrays="label", text_only=text_only)
