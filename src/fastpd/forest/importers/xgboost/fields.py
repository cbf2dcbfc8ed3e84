"""Fields of a decoded model document, each checked to be of the kind that XGBoost writes."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError

__all__ = ["FieldReader", "damaged"]

# Above this a count in a file is taken for damage: names are made up for every column.
MAX_COLUMNS = 1_000_000


def damaged(source: str, what: str) -> ModelFileError:
    """Return the error for a document that is no valid XGBoost model."""
    return ModelFileError(
        f"{source} is not a valid XGBoost model: {what}. Save the model again with "
        "`save_model('model.ubj')` or `save_model('model.json')` of XGBoost 1.7 or newer."
    )


class FieldReader:
    """Fields of a mapping, each checked to be of the kind that is expected."""

    def __init__(self, source: str) -> None:
        self.source = source

    def field(self, of: Mapping[str, Any], key: str, default: Any) -> Any:
        """Return a value; None, as one that is absent and has no default, is refused."""
        value = of.get(key, default)
        if value is None:
            raise damaged(self.source, f"the field {key!r} is absent")
        return value

    def wrong(self, key: str, value: Any, expected: str) -> ModelFileError:
        """Return the error for a field of another kind."""
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return damaged(self.source, f"the field {key!r} is {shown}; expected {expected}")

    def mapping(self, of: Mapping[str, Any], key: str, default: Any = None) -> Mapping[str, Any]:
        """Return a mapping."""
        value = self.field(of, key, default)
        if not isinstance(value, Mapping):
            raise self.wrong(key, value, "a mapping")
        return value

    def list(self, of: Mapping[str, Any], key: str, default: Any = None) -> list[Any]:
        """Return a list of plain Python objects."""
        value = self.field(of, key, default)
        # A typed array of bytes is what an empty list may look like in UBJSON.
        if isinstance(value, np.ndarray):
            return list(value.tolist())
        if not isinstance(value, list):
            raise self.wrong(key, value, "a list")
        return value

    def text(self, of: Mapping[str, Any], key: str) -> str:
        """Return a string."""
        value = self.field(of, key, None)
        if not isinstance(value, str):
            raise self.wrong(key, value, "a string")
        return value

    def count(
        self, of: Mapping[str, Any], key: str, default: int | None = None, most: int = MAX_COLUMNS
    ) -> int:
        """Return a number of things, also where it is written as text."""
        value = self.field(of, key, default)
        try:
            number = int(value if isinstance(value, str) else operator.index(value))
        except (TypeError, ValueError):
            raise self.wrong(key, value, "an integer") from None
        if not 0 <= number <= most:
            raise self.wrong(key, value, f"an integer from 0 to {most}")
        return number

    def integers(self, of: Mapping[str, Any], key: str) -> NDArray[np.int64]:
        """Return a list of integers of 32 bits."""
        values = self.list(of, key)
        if not all(type(value) is int and abs(value) < 2**31 for value in values):
            raise self.wrong(key, values, "a list of integers")
        return np.array(values, np.int64)
