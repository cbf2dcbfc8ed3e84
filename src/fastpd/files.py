"""Files that are written: whole or not at all, and never over what is no file."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from fastpd.errors import OptionError

__all__ = ["as_path", "check_target", "replacing"]


def as_path(path: Any) -> Path:
    """Return the path of a file, or refuse what is no path.

    Examples
    --------
    >>> from fastpd.files import as_path
    >>> as_path(3)
    Traceback (most recent call last):
    ...
    fastpd.errors.OptionError: 3 was given for a file; expected its path as text.
    """
    if isinstance(path, str | os.PathLike):
        plain = os.fspath(path)
        if isinstance(plain, str) and plain and "\0" not in plain:
            return Path(plain)
    raise OptionError(f"{path!r:.60} was given for a file; expected its path as text.")


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where to write a file; refuse a missing folder, and what is there and no file.

    Examples
    --------
    >>> from fastpd.files import check_target
    >>> check_target("absent/model.fastpd")
    Traceback (most recent call last):
    ...
    fastpd.errors.OptionError: absent/model.fastpd is in a folder that is not there. Make absent
    first.
    """
    target = as_path(path)
    try:
        if target.is_dir():
            raise OptionError(f"{path} is a folder; give the name of a file to write.")
        if not target.parent.is_dir():
            raise OptionError(
                f"{path} is in a folder that is not there. Make {target.parent} first."
            )
        if target.exists() and not target.is_file():
            raise OptionError(f"{path} is a pipe or a device; give the name of a file to write.")
    except OSError as error:
        raise _unwritable(path, error) from error
    return target


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write that takes its place when all of it is written, and else is gone.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fastpd.files import replacing
    >>> target = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> with replacing(target) as file:
    ...     written = file.write(b"whole")
    >>> target.read_bytes()
    b'whole'
    """
    # A link stays one, to the new file.
    target = Path(os.path.realpath(check_target(path)))
    part = target.with_name(f".fastpd-{secrets.token_hex(8)}.part")
    try:
        file = part.open("xb")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def _unwritable(path: str | os.PathLike[str], error: Exception) -> OptionError:
    reason = " ".join(str(getattr(error, "strerror", None) or error).split())
    return OptionError(
        f"{path} can not be written: {reason}. Give a file in a folder of your own, on a disk with "
        "room."
    )
