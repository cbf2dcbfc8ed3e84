"""Columns of labels, such as category strings, as the codes that the model splits by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import DataError, nearest
from fastpd.forest import Categories, Label
from fastpd.frames._arrays import shortened

__all__ = ["Labels", "is_nan"]

# Stands for every NaN, which is not equal to itself.
_NAN = object()


class Labels:
    """One column's reader of labels, which looks every distinct label up once.

    Parameters
    ----------
    categories
        What the model knows of the column.
    name, what
        What messages call the column and the table.
    strict
        Whether a label that the model does not know is refused even where the library takes it as
        missing: numbers that are labels look like codes, and must not be mistaken for them.
    """

    def __init__(
        self, categories: Categories, name: str, what: str, *, strict: bool = False
    ) -> None:
        self.categories = categories
        self.name = name
        self.what = what
        self.strict = strict
        self._found: dict[Any, float] = {}

    def codes(self, labels: Iterable[Any]) -> NDArray[np.float64]:
        """Return the code of every label; None is a missing one, and NaN in most libraries."""
        given = [_NAN if is_nan(label) else label for label in labels]
        # 5, 5.0 and True are equal, but no library takes one for the other without being asked.
        typed = list(zip(map(type, given), given, strict=True))
        found = self._found
        for one in dict.fromkeys(typed):  # in their order, so that an error names the first
            if one not in found:
                found[one] = self._code(one[1])
        return np.array([found[one] for one in typed], dtype=np.float64)

    def _code(self, label: Any) -> float:
        if label is _NAN and self.categories.nan != "null":
            return self.categories.nan
        if label is None or label is _NAN:
            if self.categories.null is None:
                raise DataError(
                    f"Column {self.name!r} of {self.what} lacks a label in some row, which the "
                    "model's library refuses. Fill it with a label, as for training."
                )
            return self.categories.null
        plain = label.item() if isinstance(label, np.generic) else label
        if not isinstance(plain, Label):
            raise DataError(
                f"Column {self.name!r} of {self.what} holds {shortened(repr(plain))}, a "
                f"{type(plain).__name__}; expected a label: text, or a number."
            )
        if self.categories.text_only and not isinstance(plain, str):
            raise self._unknown(plain)
        expected = self.categories.refusal(plain)
        if expected:
            raise DataError(
                f"Column {self.name!r} of {self.what} holds the label {shortened(repr(plain))}, a "
                f"{type(plain).__name__}, which the model's library refuses; expected {expected}. "
                "Convert the column as for training, say with .astype(int).astype(str)."
            )
        code = self.categories.code(plain)
        if code is None or (self.strict and not self.categories.knows(plain)):
            raise self._unknown(plain)
        return code

    def _unknown(self, label: Label) -> DataError:
        known = [str(one) for one in self.categories.labels or ()]
        shown = shortened(", ".join(known), 80)
        way_out = (
            "As a column of the dtype category it would count as an unknown label."
            if self.strict and self.categories.code(label) is not None
            else "Map it to one of these, or leave the rows out."
        )
        return DataError(
            f"Column {self.name!r} of {self.what} holds {label!r:.60}, which the model was not "
            f"trained with; its labels are {shown}.{nearest(str(label), known)} {way_out}"
        )


def is_nan(label: Any) -> bool:
    """Tell whether a label is the number NaN."""
    return isinstance(label, float) and label != label
