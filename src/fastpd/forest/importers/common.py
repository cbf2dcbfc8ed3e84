"""What importers of several libraries do alike: rounds, files, names, and unfitted models."""

from __future__ import annotations

import operator
import os
import stat
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError, ModelFileError, OptionError
from fastpd.forest._intervals import IntervalSplits

__all__ = [
    "MAX_OUTPUTS",
    "NodeArrays",
    "Rounds",
    "not_fitted",
    "output_names",
    "read_file",
    "rounds_of",
]

# Above this a count in a file is taken for damage: a prediction is made of every output.
MAX_OUTPUTS = 100_000

Rounds: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class NodeArrays:
    """The node arrays of a Forest; see there."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    default_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    cover: NDArray[np.float64]
    roots: NDArray[np.int32]
    tree_output: NDArray[np.int32]
    splits: IntervalSplits


def rounds_of(
    asked: Rounds | None, available: int, *, what: str = "rounds", may_be_empty: bool = False
) -> Rounds:
    """Return the first boosting round that counts and the one after the last; by default all.

    Parameters
    ----------
    asked
        The user's iteration_range, where an end of 0 means all.
    available
        Number of rounds that there are.
    what
        What messages call them.
    may_be_empty
        Whether the library predicts with none of them.
    """
    try:
        first, last = (operator.index(number) for number in asked or (0, 0))
    except (TypeError, ValueError):
        raise OptionError(
            f"iteration_range is {asked!r}; expected two whole numbers (first, end), such as "
            f"(0, {available})"
        ) from None
    end = last or available
    ordered = first <= end if may_be_empty or asked is None else first < end
    if not (first >= 0 and ordered and end <= available):
        sign = "<=" if may_be_empty else "<"
        raise OptionError(
            f"iteration_range is {asked!r}; the model has {available} {what}, so "
            f"0 <= first {sign} end <= {available} was expected (an end of 0 means all {what})"
        )
    return first, end


def read_file(path: str | os.PathLike[str], source: str, most: int = -1) -> bytes:
    """Return the content of a model file, or its first bytes.

    Parameters
    ----------
    path
        The file.
    source
        What messages call it.
    most
        Number of bytes to read; -1 for all.

    Raises
    ------
    ModelFileError
        Where it cannot be read.
    """
    try:
        # A pipe may never end, and its first bytes are gone once its format has been told.
        regular = stat.S_ISREG(os.stat(path).st_mode)
        if regular or os.path.isdir(path):
            with open(path, "rb") as file:
                return file.read(most)
    except (OSError, ValueError) as error:  # a ValueError for a path with a null in it
        raise ModelFileError(f"{source} cannot be read: {error}. Check the path.") from None
    except MemoryError:
        size = os.path.getsize(path)
        raise ModelFileError(
            f"{source} of {size:,} bytes does not fit into memory. Check the path, or load the "
            "model on a larger machine."
        ) from None
    raise ModelFileError(
        f"{source} is a pipe or a device, not a file on a disk. Write the model to a file, and "
        "give its path."
    )


def not_fitted(model: Any) -> ModelError:
    """Return the error about a model that was not trained."""
    return ModelError(
        f"This {type(model).__name__} is not fitted, so it has no trees. Call `fit` first."
    )


def output_names(count: int, classes: Any) -> tuple[str, ...]:
    """Return names of outputs: of the classes where there are as many, else numbers."""
    if count == 1:
        return ("prediction",)
    if isinstance(classes, list | np.ndarray) and len(classes) == count:
        names = tuple(str(label) for label in classes)
        if len(set(names)) == count:
            return names
    return tuple(str(output) for output in range(count))
