"""The inputs of a graph as columns, and the steps that only pick, join or round columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._forest import Comparison
from fastpd.forest._names import made_up_names
from fastpd.forest.importers.onnx.attributes import Attributes, damaged

__all__ = ["Columns", "column_names", "column_step", "inputs_of"]

# Numbers of element types (onnx.TensorProto): floats, and whole numbers that casts keep.
_FLOAT, _DOUBLE, _TEXT = 1, 11, 8
_WHOLE = (2, 3, 4, 5, 6, 7, 9, 12, 13)
# Above this a count in a file is taken for damage: names are made up for every column.
MAX_COLUMNS = 1_000_000


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of the model's input, in the order in which a tensor holds them.

    Attributes
    ----------
    number
        Places among all columns of all inputs; None where a single input is of unknown width.
    element
        Type of the values, as ONNX numbers it.
    rounded
        Whether some step on the way held them in 32 bits.
    """

    number: NDArray[np.int64] | None
    element: int
    rounded: bool

    @property
    def comparison(self) -> Comparison:
        """Precision of the values."""
        return "float32" if self.rounded else "float64"

    def cast(self, element: int) -> Columns | None:
        """Return the columns in another type; None where that changes more than the last digit."""
        if element not in (_FLOAT, _DOUBLE):
            return self if element == self.element else None
        return replace(self, element=element, rounded=self.rounded or element == _FLOAT)

    def compared(self, op: str, kind: np.dtype[Any], source: str) -> Columns:
        """Return the columns as an operator compares them with thresholds of a precision."""
        if self.element in (_FLOAT, _DOUBLE):
            if self.element == _DOUBLE or kind == np.float32:
                return self
            raise UnsupportedModelError(
                f"{source} compares 32-bit values with 64-bit thresholds, and runtimes differ in "
                "how they round those. Export it with an input of type tensor(double)."
            )
        # Classifiers round whole numbers to 32 bits, as is agreed upon; regressors may not.
        if op == "TreeEnsembleClassifier" and kind == np.float32:
            return replace(self, rounded=True)
        raise UnsupportedModelError(
            f"{source} gives whole numbers to the operator {op} without a Cast, and runtimes "
            "differ in how it compares those. Export it with an input of type tensor(float)."
        )


def inputs_of(values: Sequence[Any], source: str) -> list[Columns | None]:
    """Return the columns of each input of a graph; None for an input that holds no numbers."""
    found: list[Columns | None] = []
    start = 0
    for value in values:
        tensor = value.type.tensor_type
        numeric = value.type.HasField("tensor_type") and tensor.elem_type in (
            _FLOAT,
            _DOUBLE,
            *_WHOLE,
        )
        if not numeric:
            found.append(None)
            continue
        width = _width(tensor)
        start += width or 0
        if start > MAX_COLUMNS:
            raise damaged(source, f"its inputs have {start} columns or more")
        if width is None and len(values) > 1:
            found.append(None)
            continue
        number = None if width is None else np.arange(start - width, start)
        found.append(Columns(number, tensor.elem_type, tensor.elem_type == _FLOAT))
    return found


def _width(tensor: Any) -> int | None:
    """Return the number of columns that an input says it has."""
    sizes = [int(size.dim_value) for size in tensor.shape.dim]
    return sizes[1] if len(sizes) == 2 and sizes[1] > 0 else None


def column_names(values: Sequence[tuple[str, Columns]]) -> tuple[str, ...]:
    """Return names of the columns of all inputs: those of the inputs, where there are several."""
    sizes = [0 if columns.number is None else len(columns.number) for _, columns in values]
    if len(values) == 1:
        return made_up_names(sizes[0])
    return tuple(
        name if size == 1 else f"{name}.{column}"
        for (name, _), size in zip(values, sizes, strict=True)
        for column in range(size)
    )


def column_step(given: Attributes, states: Sequence[Any]) -> Columns | None:
    """Return what a node makes of columns, None where that is more than picking and rounding."""
    first = states[0]
    if isinstance(first, Columns) and all(isinstance(state, Columns) for state in states):
        if given.op == "Concat" and given.integer("axis", 0) in (1, -1):
            return _joined(states)
        if len(states) > 1:
            return None
        if given.op == "Identity":
            return first
        return first.cast(given.integer("to", 0)) if given.op == "Cast" else None
    picked = states[1] if len(states) == 2 and isinstance(states[1], np.ndarray) else None
    if picked is None or not isinstance(first, Columns) or picked.dtype.kind not in "iu":
        return None
    along = given.op == "Gather" and given.integer("axis", 0) in (1, -1) and picked.ndim == 1
    if not along and given.op != "ArrayFeatureExtractor":
        return None
    return _picked(first, picked.ravel().astype(np.int64))


def _picked(columns: Columns, at: NDArray[np.int64]) -> Columns | None:
    number = columns.number
    if number is None or np.any((at < 0) | (at >= len(number))):
        return None
    return replace(columns, number=number[at])


def _joined(parts: Sequence[Columns]) -> Columns | None:
    numbers = [part.number for part in parts if part.number is not None]
    same = len({part.element for part in parts}) == 1
    # Rounding may differ between columns, whereas trees compare all of them alike.
    alike = len({part.rounded for part in parts}) == 1
    if len(numbers) < len(parts) or not (same and alike):
        return None
    # Columns joined with themselves again and again would soon fill the memory.
    if sum(len(number) for number in numbers) > MAX_COLUMNS:
        return None
    return replace(parts[0], number=np.concatenate(numbers))
