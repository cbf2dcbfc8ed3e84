"""A reader and writer of UBJSON, the binary notation in which XGBoost stores its models.

Arrays of one numeric type come back as NumPy arrays in native byte order, everything else as the
plain Python objects that `json.loads` would give.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from fastpd.errors import ModelFileError

__all__ = ["dumps", "loads"]

MAX_DEPTH = 64

_DTYPES: dict[int | None, np.dtype[Any]] = {
    ord("i"): np.dtype(">i1"),
    ord("U"): np.dtype(">u1"),
    ord("I"): np.dtype(">i2"),
    ord("l"): np.dtype(">i4"),
    ord("L"): np.dtype(">i8"),
    ord("d"): np.dtype(">f4"),
    ord("D"): np.dtype(">f8"),
}
_NUMBERS = {
    ord("i"): struct.Struct(">b"),
    ord("U"): struct.Struct(">B"),
    ord("I"): struct.Struct(">h"),
    ord("l"): struct.Struct(">i"),
    ord("L"): struct.Struct(">q"),
    ord("d"): struct.Struct(">f"),
    ord("D"): struct.Struct(">d"),
}
_MARKERS = {dtype.str[1:]: bytes([marker or 0]) for marker, dtype in _DTYPES.items()}
_INTEGERS = frozenset(b"iUIlL")
_CONSTANTS = {ord("Z"): None, ord("T"): True, ord("F"): False}


def loads(data: bytes) -> Any:
    """Return the value that a UBJSON document holds.

    Parameters
    ----------
    data
        The whole document.

    Returns
    -------
    object
        Dictionaries, lists, strings, numbers, booleans and None; a typed numeric array is a
        one-dimensional NumPy array.

    Raises
    ------
    ModelFileError
        Where the document is truncated, nested too deeply or no UBJSON.
    """
    reader = _Reader(data)
    value = reader.value(reader.marker(), 0)
    if reader.at != len(data):
        raise reader.error(f"{len(data) - reader.at} bytes follow the end of the document")
    return value


def dumps(value: Any) -> bytes:
    """Return a value of the kinds that `loads` returns as a UBJSON document.

    Plain numbers take the largest type; arrays and NumPy's float32 keep theirs.
    """
    parts: list[bytes] = []
    _write(value, parts)
    return b"".join(parts)


def _write(value: Any, parts: list[bytes]) -> None:
    if isinstance(value, dict):
        parts.append(b"{")
        for key, item in value.items():
            parts.append(_sized(key))
            _write(item, parts)
        parts.append(b"}")
    elif isinstance(value, list):
        parts.append(b"[#L" + len(value).to_bytes(8, "big"))
        for item in value:
            _write(item, parts)
    elif isinstance(value, np.ndarray):
        wide = value.astype(value.dtype.newbyteorder(">"))
        parts.append(b"[$" + _MARKERS[wide.dtype.str[1:]] + b"#L" + len(wide).to_bytes(8, "big"))
        parts.append(wide.tobytes())
    elif isinstance(value, str):
        parts.append(b"S" + _sized(value))
    elif isinstance(value, np.float32):
        parts.append(b"d" + struct.pack(">f", value))
    elif isinstance(value, float):
        parts.append(b"D" + struct.pack(">d", value))
    elif value is None or isinstance(value, bool):
        parts.append({None: b"Z", True: b"T", False: b"F"}[value])
    else:
        parts.append(b"L" + int(value).to_bytes(8, "big", signed=True))


def _sized(text: str) -> bytes:
    data = text.encode()
    return b"L" + len(data).to_bytes(8, "big") + data


class _Reader:
    """A position in a document and the productions of the grammar."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def error(self, what: str) -> ModelFileError:
        return ModelFileError(
            f"Not a readable UBJSON document: {what}, at byte {self.at} of {len(self.data)}. "
            "The file is truncated, damaged or of another program; save the model again."
        )

    def take(self, size: int) -> int:
        """Return the position of the next `size` bytes and move behind them."""
        start = self.at
        if size > len(self.data) - start:
            raise self.error(f"{size} more bytes are announced than {len(self.data) - start} left")
        self.at = start + size
        return start

    def marker(self) -> int:
        """Return the next type marker, skipping no-ops."""
        data, at = self.data, self.at
        while at < len(data) and data[at] == 0x4E:
            at += 1
        if at >= len(data):
            self.at = at
            raise self.error("it ends where a value should follow")
        self.at = at + 1
        return data[at]

    def number(self, marker: int) -> Any:
        form = _NUMBERS[marker]
        return form.unpack_from(self.data, self.take(form.size))[0]

    def length(self) -> int:
        """Return the number that counts bytes or items."""
        marker = self.marker()
        if marker not in _INTEGERS:
            raise self.error(f"a length of type {chr(marker)!r}; an integer was expected")
        count: int = self.number(marker)
        if count < 0:
            raise self.error(f"a length of {count}")
        return count

    def string(self) -> str:
        size = self.length()
        start = self.take(size)
        try:
            return self.data[start : start + size].decode()
        except UnicodeDecodeError:
            raise self.error("a string that is not UTF-8") from None

    def value(self, marker: int, depth: int) -> Any:
        """Return the value that follows its type marker."""
        if marker in _NUMBERS:
            return self.number(marker)
        if marker == 0x53:  # S
            return self.string()
        if marker in _CONSTANTS:
            return _CONSTANTS[marker]
        if depth >= MAX_DEPTH:
            raise self.error(f"more than {MAX_DEPTH} levels of nesting")
        if marker == 0x5B:  # [
            return self.array(depth + 1)
        if marker == 0x7B:  # {
            return self.object(depth + 1)
        if marker == 0x43:  # C
            return chr(self.data[self.take(1)])
        raise self.error(f"the unknown type marker {chr(marker)!r}")

    def header(self) -> tuple[int | None, int | None]:
        """Return type and count of a container, None where they are not given."""
        kind = count = None
        if self.data[self.at : self.at + 1] == b"$":
            self.at += 1
            kind = self.data[self.take(1)]
            if self.data[self.at : self.at + 1] != b"#":
                raise self.error("a typed container without a count")
        if self.data[self.at : self.at + 1] == b"#":
            self.at += 1
            count = self.length()
            # Every item that is not a constant takes a byte at least.
            if kind in _CONSTANTS or count > len(self.data) - self.at:
                raise self.error(f"a container of {count} items")
        return kind, count

    def array(self, depth: int) -> Any:
        kind, count = self.header()
        if kind in _DTYPES and count is not None:
            dtype = _DTYPES[kind]
            start = self.take(count * dtype.itemsize)
            view = np.frombuffer(self.data, dtype, count, start)
            return view.astype(dtype.newbyteorder("="))
        items: list[Any] = []
        while not self.closed(0x5D, count, len(items)):
            items.append(self.value(self.marker() if kind is None else kind, depth))
        return items

    def object(self, depth: int) -> dict[str, Any]:
        kind, count = self.header()
        items: dict[str, Any] = {}
        read = 0
        while not self.closed(0x7D, count, read):
            key = self.string()
            items[key] = self.value(self.marker() if kind is None else kind, depth)
            read += 1
        return items

    def closed(self, end: int, count: int | None, read: int) -> bool:
        """Return whether a container ends here, by its count or by its closing marker."""
        if count is not None:
            return read >= count
        if self.at >= len(self.data):
            raise self.error("it ends inside a container")
        if self.data[self.at] != end:
            return False
        self.at += 1
        return True
