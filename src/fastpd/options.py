"""Options of an explainer: what users write, as what the engine takes."""

from __future__ import annotations

import math
import os
import re
from typing import Any, get_args

import numpy as np

from fastpd import _core
from fastpd.errors import OptionError
from fastpd.queries._engine import Precision

__all__ = ["as_bytes", "as_n_jobs", "as_precision", "check_count", "check_isa"]

_MOST_THREADS = 1024  # more of them can only wait
_MOST_BYTES = 2**62  # no machine has them, and sums of sizes still fit
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def as_n_jobs(n_jobs: Any) -> int:
    """Return a number of threads; None or -1 stands for all cores that this process may use."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is None or (whole and n_jobs == -1):
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if whole and n_jobs >= 1:
        return min(int(n_jobs), _MOST_THREADS)
    raise OptionError(
        f"n_jobs is {n_jobs!r}; expected a number of threads of at least 1, or None for all cores."
    )


def as_bytes(limit: Any) -> int:
    """Return a number of bytes, given as such or like "500MB" or "2 GiB"."""
    number = isinstance(limit, (int, float, np.integer)) and not isinstance(limit, bool)
    if number and 1 <= limit < math.inf:
        return min(int(limit), _MOST_BYTES)
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", limit)
        if match and match[2].upper() in _UNITS:
            bytes_ = float(match[1]) * _UNITS[match[2].upper()]
            if bytes_ >= 1:
                return int(min(bytes_, _MOST_BYTES))
    raise OptionError(
        f"memory_limit is {limit!r}; expected a number of bytes, or text such as '500MB' or '4GiB'."
    )


def check_count(number: Any, what: str, least: int) -> int:
    """Return a whole number of at least so much, or refuse it."""
    whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
    if whole and number >= least:
        return int(number)
    raise OptionError(f"{what} is {number!r:.60}; expected a whole number of at least {least}.")


def as_precision(precision: Any) -> Precision:
    """Return the name of a precision, or refuse an unknown one."""
    for known in get_args(Precision):
        if isinstance(precision, str) and precision == known:
            return known  # type: ignore[no-any-return]
    raise OptionError(
        f"precision is {precision!r}; expected 'fast' (errors of about 1e-9 of the prediction's "
        "range) or 'double' (float64 throughout, slower)."
    )


def check_isa() -> None:
    """Refuse an instruction set that the environment asks for and this processor has not."""
    try:
        _core.isa_in_use()
    except ValueError as error:
        raise OptionError(f"{error}. Set it to one of these, or unset it.") from None
