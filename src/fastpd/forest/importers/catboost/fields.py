"""Fields of a JSON document, each checked to be of the kind that is expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError
from fastpd.forest.importers.catboost.document import damaged, unknown

__all__ = ["Fields"]

_ABSENT = object()


class Fields:
    """One mapping of a document.

    Parameters
    ----------
    content
        The mapping; anything else is refused.
    source, name
        What messages call the document and the mapping.
    """

    def __init__(self, content: Any, source: str, name: str) -> None:
        self.source = source
        self.name = name
        if not isinstance(content, Mapping):
            raise self._wrong(content, "a mapping", name)
        self.content = content

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def refuse_others(self, *known: str) -> None:
        """Refuse fields that are none of these, for predictions may depend on them."""
        others = self.content.keys() - set(known)
        if others:
            raise unknown(self.source, f"the field {min(others)!r:.40} in its {self.name!r:.40}")

    def mapping(self, key: str) -> Fields:
        """Return an inner mapping; an empty one where there is none."""
        found = self.content.get(key)
        return Fields({} if found is None else found, self.source, key)

    def mappings(self, key: str) -> list[Fields]:
        """Return a list of mappings; an empty one where there is none."""
        return [Fields(one, self.source, key) for one in self.list(key)]

    def list(self, key: str) -> list[Any]:
        """Return a list; an empty one where there is none."""
        found = self.content.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            raise self._wrong(found, "a list", key)
        return found

    def text(self, key: str, default: str = "") -> str:
        """Return a text."""
        found = self.content.get(key, default)
        if not isinstance(found, str):
            raise self._wrong(found, "a text", key)
        return found

    def integer(self, key: str, default: Any = _ABSENT) -> int:
        """Return a whole number of 32 bits."""
        found = self.content.get(key, default)
        if type(found) is not int or not -(2**31) <= found < 2**31:
            raise self._wrong(found, "a whole number", key)
        return found

    def float32(self, key: str) -> np.float32:
        """Return a number as float32."""
        return np.float32(self.numbers_of([self.content.get(key)], key)[0])

    def integers(self, values: Any, key: str) -> NDArray[np.int64]:
        """Return whole numbers of 32 bits, signed or not, as an array."""
        known = isinstance(values, list) and all(
            type(one) is int and -(2**31) <= one < 2**32 for one in values
        )
        if not known:
            raise self._wrong(values, "a list of whole numbers", key)
        return np.array(values, np.int64)

    def numbers(self, key: str) -> NDArray[np.float64]:
        """Return a list of numbers as an array."""
        return self.numbers_of(self.list(key), key)

    def numbers_of(self, values: Any, key: str) -> NDArray[np.float64]:
        """Return numbers as an array."""
        if isinstance(values, list) and all(type(one) in (int, float) for one in values):
            try:
                return np.array(values, np.float64)
            except OverflowError:
                pass
        raise self._wrong(values, "numbers", key)

    def _wrong(self, found: Any, expected: str, key: str) -> ModelFileError:
        shown = "absent" if found is _ABSENT else f"{str(found)[:60]!r}"
        return damaged(self.source, f"the field {key[:40]!r} is {shown}; expected {expected}")
