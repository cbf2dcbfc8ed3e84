"""The labels that histogram-based gradient boosting numbers by itself before it grows trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._categories import Categories, Label
from fastpd.forest.importers.sklearn.finish import feature_names

__all__ = ["Encoding"]

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
    encoder_labels
        For each column the labels as the encoder of the model has them, None where it holds
        numbers or is not encoded.
    """

    column: NDArray[np.int64]
    categories: tuple[Categories | None, ...]
    encoder_labels: tuple[list[Any] | None, ...]

    @classmethod
    def of(cls, estimator: Any, source: str) -> Encoding:
        """Return the encoding of a fitted model."""
        count = estimator.n_features_in_
        coded = getattr(estimator, "is_categorical_", None)
        if coded is None or not np.any(coded):
            return cls(np.arange(count), (), (None,) * count)
        coded = np.asarray(coded, bool)
        preprocessor = getattr(estimator, "_preprocessor", None)
        if preprocessor is None:
            return cls._of_codes(coded)
        order = np.concatenate([np.flatnonzero(coded), np.flatnonzero(~coded)])
        found = iter(preprocessor.named_transformers_["encoder"].categories_)
        labels = tuple(next(found).tolist() if yes else None for yes in coded)
        names = feature_names(estimator, count)
        known = tuple(
            None if given is None else _categories(given, name, source)
            for given, name in zip(labels, names, strict=True)
        )
        return cls(order, known, labels)

    @classmethod
    def _of_codes(cls, coded: NDArray[np.bool_]) -> Encoding:
        """Return the encoding of scikit-learn 1.3, whose users number categories themselves.

        It takes codes beyond 255 modulo 256, and cuts the digits off other numbers; those are
        refused.
        """
        codes = Categories(tuple(map(float, range(_N_CODES))), unseen=None, arrays="label")
        known = tuple(codes if yes else None for yes in coded)
        return cls(np.arange(len(coded)), known, (None,) * len(coded))

    def table(self, rows: NDArray[np.float64]) -> NDArray[Any]:
        """Return rows of codes as an array of labels, as users would give it."""
        if all(labels is None for labels in self.encoder_labels):
            return self._of_known_codes(rows)
        cells = rows.astype(object)
        numbers = True
        for column, labels in enumerate(self.encoder_labels):
            if labels is None:
                continue
            codes = rows[:, column]
            cells[:, column] = [
                labels[int(code)] if 0 <= code < len(labels) else np.nan for code in codes
            ]
            numbers &= all(isinstance(label, int | float) for label in labels)
        return cells.astype(np.float64) if numbers else cells

    def _of_known_codes(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        for column, one in enumerate(self.categories):
            if one is not None:
                rows = rows.copy()
                rows[rows[:, column] >= _N_CODES, column] = np.nan
        return rows


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
    return Categories(tuple(labels), null=null, nan=nan, arrays="label")
