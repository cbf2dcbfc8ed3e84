"""A reader of FlatBuffers tables that trusts nothing: every offset is checked before it is used.

A table starts with the distance back to its list of field positions; a position of 0, or beyond the
list, is a field that was not written. Text, vectors and inner tables are offsets to elsewhere.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Buffer", "Table"]

# An honest file reads every byte about once; many references to one vector are none.
READS_PER_BYTE = 4

Error = Callable[[str], Exception]


class Buffer:
    """The bytes of one FlatBuffers document.

    Parameters
    ----------
    data
        All of them.
    error
        Makes the exception for a document that is damaged, from what is wrong.
    """

    def __init__(self, data: memoryview, error: Error) -> None:
        self.data = data
        self.error = error
        self._unread = READS_PER_BYTE * len(data) + 1024

    @property
    def root(self) -> Table:
        """The outermost table."""
        return Table(self, self.follow(0))

    def take(self, at: int, size: int) -> memoryview:
        """Return some bytes."""
        self._unread -= size
        if at < 0 or size < 0 or at + size > len(self.data) or self._unread < 0:
            raise self.error(f"{size} bytes at {at} are announced, of {len(self.data)}")
        return self.data[at : at + size]

    def number(self, form: str, at: int) -> Any:
        """Return one number of a `struct` format."""
        return struct.unpack(form, self.take(at, struct.calcsize(form)))[0]

    def follow(self, at: int) -> int:
        """Return the position that an offset points to."""
        return at + int(self.number("<I", at))


class Table:
    """One table; its fields go by the number of their place in the schema."""

    def __init__(self, buffer: Buffer, at: int) -> None:
        self.buffer = buffer
        self.at = at
        self._fields = at - buffer.number("<i", at)
        self._end = self._fields + buffer.number("<H", self._fields)

    def limited(self, known: int, what: str) -> Table:
        """Return this table, or refuse it where it has a field behind those that are known."""
        count = (self._end - self._fields - 4) // 2
        for field in range(known, count):
            if self._position(field) is not None:
                raise self.buffer.error(f"{what} has a field of number {field}, which is not known")
        return self

    def number(self, field: int, form: str, default: float = 0) -> Any:
        """Return a number of a `struct` format."""
        at = self._position(field)
        return default if at is None else self.buffer.number(form, at)

    def text(self, field: int) -> str:
        """Return a text, empty where it was not written."""
        at = self._position(field)
        return "" if at is None else self._text_at(self.buffer.follow(at))

    def texts(self, field: int) -> list[str]:
        """Return a vector of texts."""
        return [self._text_at(at) for at in self._targets(field)]

    def table(self, field: int) -> Table | None:
        """Return an inner table; None where it was not written."""
        at = self._position(field)
        return None if at is None else Table(self.buffer, self.buffer.follow(at))

    def tables(self, field: int) -> list[Table]:
        """Return a vector of tables."""
        return [Table(self.buffer, at) for at in self._targets(field)]

    def vector(self, field: int, dtype: str) -> NDArray[Any]:
        """Return a vector of numbers, or of structures of them."""
        kind = np.dtype(dtype)
        at = self._position(field)
        if at is None:
            return np.empty(0, kind)
        start = self.buffer.follow(at)
        size = self.buffer.number("<I", start) * kind.itemsize
        return np.frombuffer(self.buffer.take(start + 4, size), kind)

    def _position(self, field: int) -> int | None:
        entry = self._fields + 4 + 2 * field
        if entry + 2 > self._end:
            return None
        return self.at + shift if (shift := self.buffer.number("<H", entry)) else None

    def _targets(self, field: int) -> list[int]:
        """Return where the offsets of a vector point to."""
        at = self._position(field)
        if at is None:
            return []
        start = self.buffer.follow(at)
        offsets = np.frombuffer(self.buffer.take(start + 4, 4 * self._count(start)), "<u4")
        return [start + 4 + 4 * k + offset for k, offset in enumerate(offsets.tolist())]

    def _count(self, start: int) -> int:
        return int(self.buffer.number("<I", start))

    def _text_at(self, start: int) -> str:
        data = self.buffer.take(start + 4, self._count(start))
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError:
            raise self.buffer.error("a text is not UTF-8") from None
