"""Fields of a file's header and its arrays, each checked to be what was written."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError
from fastpd.saved._container import damaged

__all__ = ["Fields", "array_of", "as_json"]

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def as_json(number: float) -> float | str:
    """Return a number as JSON has it, with text for those that it has not.

    Examples
    --------
    >>> from fastpd.saved._fields import as_json
    >>> as_json(0.1), as_json(float("-inf"))
    (0.1, '-inf')
    """
    return float(number) if math.isfinite(number) else str(float(number))


class Fields:
    """The fields of one mapping; those that are asked for, and no others."""

    def __init__(self, given: Any, where: str, source: str, names: Sequence[str]) -> None:
        self.where, self.source = where, source
        if not isinstance(given, Mapping):
            raise self._damaged(f"{where} is {given!r:.40}; expected a mapping")
        if set(given) != set(names):
            odd = sorted(set(given) ^ set(names))[0]
            raise self._damaged(f"{where} {'has' if odd in given else 'lacks'} a field {odd!r:.40}")
        self._given = given

    def of(self, name: str, names: Sequence[str]) -> Fields:
        """Return the fields of a mapping within this one."""
        return Fields(self._given[name], f"{self.where}.{name}", self.source, names)

    def plain(self, name: str) -> Any:
        """Return a value of any kind."""
        return self._given[name]

    def text(self, name: str, known: Sequence[str] = ()) -> str:
        """Return text, one of those known if there are any."""
        value = self._given[name]
        if not isinstance(value, str) or (known and value not in known):
            raise self.wrong(name, f"one of {', '.join(known)}" if known else "text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.items(name)
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(name, "a list of texts")
        return tuple(values)

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        if not isinstance(self._given[name], list):
            raise self.wrong(name, "a list")
        return list(self._given[name])

    def flag(self, name: str) -> bool:
        """Return true or false."""
        if not isinstance(self._given[name], bool):
            raise self.wrong(name, "true or false")
        return bool(self._given[name])

    def whole(self, name: str, least: int, most: int) -> int:
        """Return a whole number in a range."""
        value = self._given[name]
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(name, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str) -> float:
        """Return a number that may be infinite or NaN."""
        return self.number_of(name, self._given[name])

    def number_of(self, name: str, value: Any) -> float:
        """Return the number that a value of the field `name` stands for."""
        if isinstance(value, str) and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        if type(value) not in (int, float) or abs(value) > sys.float_info.max:
            raise self.wrong(name, "a number")
        return float(value)

    def wrong(self, name: str, expected: str) -> ModelFileError:
        """Return the error for a field of another kind."""
        shown = repr(self._given[name])
        return self._damaged(f"{self.where}.{name} is {shown:.40}; expected {expected}")

    def _damaged(self, what: str) -> ModelFileError:
        return damaged(self.source, what)


def array_of(
    arrays: dict[str, NDArray[Any]],
    name: str,
    source: str,
    kind: type[np.generic],
    shape: tuple[int | None, ...],
) -> NDArray[Any]:
    """Take an array out, once it has a type and a shape; None stands for any extent.

    Whole numbers may be stored in fewer bytes than their type has.
    """
    if name not in arrays:
        raise damaged(source, f"it lacks the array {name!r}")
    array = arrays.pop(name)
    fits = array.dtype == kind or (
        np.issubdtype(kind, np.integer)
        and array.dtype.kind in "iu"
        and np.can_cast(array.dtype, kind, "safe")
    )
    if not fits:
        raise damaged(source, f"{name!r} holds {array.dtype}; expected {np.dtype(kind)}")
    same = array.ndim == len(shape) and all(
        extent is None or extent == found for extent, found in zip(shape, array.shape, strict=True)
    )
    if not same:
        expected = " x ".join("any" if one is None else str(one) for one in shape)
        raise damaged(source, f"{name!r} has the shape {array.shape}; expected {expected}")
    return array.astype(kind, copy=False)
