"""Every error that fastpd raises on purpose.

Each message says what was given, what was expected, and the way out.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from typing import Any

__all__ = [
    "BackgroundError",
    "DataError",
    "FastPDError",
    "FeatureError",
    "FidelityError",
    "MemoryLimitError",
    "MergeError",
    "MissingPackageError",
    "ModelError",
    "ModelFileError",
    "ModelMismatchError",
    "OptionError",
    "UnsupportedModelError",
    "WeightError",
]


class FastPDError(Exception):
    """Root of all errors of this package."""


class OptionError(FastPDError, ValueError):
    """An argument has a value outside what it may be."""


class DataError(FastPDError, ValueError):
    """Rows with wrong columns or with values that are no numbers."""


class BackgroundError(DataError):
    """A background sample that no expectation can be taken over."""


class WeightError(FastPDError, ValueError):
    """Background weights that are no weights."""


class FeatureError(FastPDError, KeyError):
    """A feature that the model does not know, or one named twice in a set."""

    def __str__(self) -> str:
        """Return the message as it is (a KeyError would show its repr)."""
        return str(self.args[0]) if self.args else ""


class ModelError(FastPDError):
    """A model that cannot be explained."""


class UnsupportedModelError(ModelError, TypeError):
    """A model that is not a sum of trees, or uses what is not represented exactly."""


class ModelFileError(ModelError, ValueError):
    """A model file that is truncated, damaged or of another program."""


class ModelMismatchError(ModelError):
    """The engine's prediction differs from that of the model's own library."""


class FidelityError(FastPDError):
    """A surrogate that follows the model it stands for less closely than was asked."""


class MemoryLimitError(FastPDError, MemoryError):
    """An exact answer needs more memory than the limit that was set."""


class MergeError(FastPDError, ValueError):
    """Two explainers that do not explain the same model."""


class MissingPackageError(FastPDError, ImportError):
    """A package that only this answer needs is not installed."""


def imported(module: str, what: str) -> Any:
    """Return a module of a package that users may not have, or say what asks for it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"{what} needs the package {package} ({error}). Run `pip install {package}`."
        ) from error


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint with the known name closest to ``name``, or an empty string."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if not close:
        folded = {one.casefold(): one for one in known}
        close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        close = [folded[one] for one in close]
    return f" Did you mean {close[0]!r}?" if close else ""
