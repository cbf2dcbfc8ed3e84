"""The container: a zip of one JSON header and of arrays in NumPy's format, none compressed.

Nothing in it is run, and no array takes more memory than its bytes in the file.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError

__all__ = ["FORMAT", "Content", "damaged", "is_saved", "read_content", "write_content"]

FORMAT = 1  # raised when a file of the new kind means something else to an old version
_HEADER = "fastpd.json"
_ENDING = ".npy"
_START = b"PK\x03\x04"
_NAME_AT = 30  # in a zip file, of the name of its first member
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no clock, so that equal explainers make equal files
_MOST_MEMBERS = 64

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds.

    Attributes
    ----------
    header
        What JSON can say.
    arrays
        Numbers, by name.
    source
        What messages call the file.
    """

    header: dict[str, Any]
    arrays: Arrays
    source: str = "the explainer"


def damaged(source: str, what: str) -> ModelFileError:
    """Return the error for a file that no explainer was saved to, or that was changed since."""
    return ModelFileError(
        f"{source} is damaged, or was changed by hand: {what}. Save the explainer again."
    )


def is_saved(start: bytes) -> bool:
    """Tell by its first bytes whether a file holds a saved explainer."""
    name = start[_NAME_AT : _NAME_AT + len(_HEADER)]
    return start.startswith(_START) and name == _HEADER.encode()


def write_content(content: Content, file: BinaryIO) -> None:
    """Write a header and arrays."""
    header = json.dumps({"format": FORMAT} | content.header, allow_nan=False)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as members:
        members.writestr(zipfile.ZipInfo(_HEADER, _EPOCH), header)
        for name, array in content.arrays.items():
            memory = io.BytesIO()
            np.lib.format.write_array(memory, _little(array), allow_pickle=False)
            members.writestr(zipfile.ZipInfo(name + _ENDING, _EPOCH), memory.getbuffer())


def read_content(file: BinaryIO, size: int, source: str) -> Content:
    """Read a header and arrays; what they must be is not checked here."""
    start = file.read(_NAME_AT + len(_HEADER))
    if not is_saved(start):
        raise ModelFileError(
            f"{source} is no explainer that fastpd saved: it "
            f"{f'starts with {start[:16]!r}' if start else 'is empty'}. A model of another library "
            "goes to Explainer(path, background)."
        )
    try:
        members = _members(file, size)
    except Exception as error:  # zipfile has no root of what damaged files raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise damaged(source, f"{reason:.200}") from error
    header = _header(members.pop(_HEADER, b""), source)
    arrays = {
        name.removesuffix(_ENDING): _array(name, stored, source) for name, stored in members.items()
    }
    return Content(header, arrays, source)


def _members(file: BinaryIO, size: int) -> dict[str, bytes]:
    """Return the bytes of all members; refuse any that would be more than is in the file."""
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        names = [info.filename for info in infos]
        if len(names) > _MOST_MEMBERS or len(set(names)) < len(names):
            raise ValueError(f"it has {len(names)} members, some perhaps twice")
        if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
            raise ValueError("a member is compressed, which none is")
        if sum(info.file_size for info in infos) > size:
            raise ValueError("its members are larger than the file")
        return {info.filename: archive.read(info) for info in infos}


def _header(stored: bytes, source: str) -> dict[str, Any]:
    try:
        header = json.loads(stored.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise damaged(source, f"its header can not be read ({error!s:.100})") from error
    if not isinstance(header, Mapping):
        raise damaged(source, "its header is no mapping")
    found = header.get("format")
    if type(found) is not int or found < 1:
        raise damaged(source, f"its format is {found!r:.40}, not a number")
    if found > FORMAT:
        raise ModelFileError(
            f"{source} is of format {found}, written by {header.get('written_by')!s:.40}; this "
            f"version of fastpd reads up to format {FORMAT}. Update fastpd: pip install -U fastpd."
        )
    return {name: value for name, value in header.items() if name != "format"}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _array(name: str, stored: bytes, source: str) -> NDArray[Any]:
    """Return the array of a member, after its own header was held against its size."""
    memory = io.BytesIO(stored)
    try:
        if np.lib.format.read_magic(memory) != (1, 0):
            raise ValueError("it is of another version")
        shape, column_major, dtype = np.lib.format.read_array_header_1_0(memory)
        if column_major or dtype.kind not in "biuf":
            raise ValueError(f"it holds {dtype}")
        if any(extent < 0 for extent in shape):
            raise ValueError(f"it has the shape {shape}")
        body = memory.read()
        if math.prod(shape) * dtype.itemsize != len(body):
            raise ValueError(f"it has {len(body)} bytes for the shape {shape}")
        array = np.frombuffer(body, dtype).reshape(shape)
    except Exception as error:  # NumPy parses its header as Python, which fails in many ways
        reason = " ".join(str(error).split()) or type(error).__name__
        raise damaged(source, f"its array {name!r:.60} can not be read ({reason:.100})") from error
    # The bytes may stand anywhere in memory, and in the order of another machine.
    return array.astype(dtype.newbyteorder("="))


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
