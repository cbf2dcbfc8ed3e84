"""Attributes and tensors of an ONNX node, each checked for its kind before it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError, UnsupportedModelError

__all__ = ["Attributes", "damaged", "tensor_values"]

# Numbers of the kinds of an attribute (onnx.AttributeProto), and the field that holds each.
_KINDS = {
    "float": (1, "f"),
    "int": (2, "i"),
    "text": (3, "s"),
    "tensor": (4, "t"),
    "floats": (6, "floats"),
    "ints": (7, "ints"),
    "texts": (8, "strings"),
}
# Numbers of the element types of a tensor (onnx.TensorProto) that are read.
_DTYPES: dict[int, Any] = {
    1: np.float32,
    2: np.uint8,
    6: np.int32,
    7: np.int64,
    9: np.bool_,
    11: np.float64,
}
_FIELDS = {1: "float_data", 2: "int32_data", 6: "int32_data", 9: "int32_data", 7: "int64_data"}
_EXTERNAL = 1


def damaged(source: str, what: str) -> ModelFileError:
    """Return an error that says what in a model makes no sense."""
    return ModelFileError(
        f"{source} is damaged or no ONNX model of trees: {what:.300}. Export the model again."
    )


class Attributes:
    """The attributes of one node, by name.

    Parameters
    ----------
    node
        An `onnx.NodeProto`.
    source
        What the model was read from, for messages.
    """

    def __init__(self, node: Any, source: str) -> None:
        self.source = source
        self.op = node.op_type
        self._by_name: dict[str, Any] = {}
        for attribute in node.attribute:
            if attribute.name in self._by_name:
                raise self.error(f"has the attribute {attribute.name!r:.60} twice")
            self._by_name[attribute.name] = attribute

    def error(self, what: str) -> ModelFileError:
        """Return an error about this node."""
        return damaged(self.source, f"its operator {self.op:.60} {what}")

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def refuse_others(self, known: Iterable[str]) -> None:
        """Refuse attributes whose meaning is not known."""
        others = sorted(set(self._by_name) - set(known))
        if others:
            raise UnsupportedModelError(
                f"The operator {self.op} of {self.source} has the attribute {others[0]!r:.60}, "
                "which is not known and could change its meaning. Export the model for an "
                "ai.onnx.ml opset from 1 to 5."
            )

    def _value(self, name: str, kind: str) -> Any:
        attribute = self._by_name.get(name)
        if attribute is None:
            return None
        number, field = _KINDS[kind]
        if attribute.type != number or attribute.ref_attr_name:
            raise self.error(f"has an attribute {name!r} that is no {kind}")
        return getattr(attribute, field)

    def integer(self, name: str, default: int) -> int:
        """Return a whole number."""
        found = self._value(name, "int")
        return default if found is None else int(found)

    def text(self, name: str, default: str) -> str:
        """Return a text."""
        found = self._value(name, "text")
        return default if found is None else bytes(found).decode("utf-8", "replace")

    def texts(self, name: str) -> list[bytes]:
        """Return several texts, none where the attribute is absent."""
        return list(self._value(name, "texts") or ())

    def integers(self, name: str) -> NDArray[np.int64]:
        """Return several whole numbers, none where the attribute is absent."""
        return np.array(self._value(name, "ints") or (), np.int64)

    def floats(self, name: str) -> NDArray[Any]:
        """Return several numbers, given as such or as a tensor; none where both are absent.

        The array has the type in which the model holds them.
        """
        plain, tensor = self._value(name, "floats"), self._value(f"{name}_as_tensor", "tensor")
        if plain and tensor is not None:
            raise self.error(f"has both {name!r} and {name + '_as_tensor'!r}")
        if tensor is None:
            return np.array(plain or (), np.float32)
        return self._flat(name, tensor)

    def tensor(self, name: str) -> NDArray[Any]:
        """Return the numbers of a tensor of one dimension, none where it is absent."""
        found = self._value(name, "tensor")
        return np.zeros(0, np.float32) if found is None else self._flat(name, found)

    def _flat(self, name: str, tensor: Any) -> NDArray[Any]:
        values = tensor_values(tensor, self.source)
        if values.ndim != 1:
            raise self.error(f"has a tensor {name!r} of {values.ndim} dimensions")
        return values


def tensor_values(tensor: Any, source: str) -> NDArray[Any]:
    """Return the numbers of a tensor that the model itself holds.

    Raises
    ------
    UnsupportedModelError
        Where they are in another file, or of a type that is no number of a usual precision.
    ModelFileError
        Where they are not as many as its shape says.
    """
    if tensor.data_location == _EXTERNAL or tensor.external_data:
        raise UnsupportedModelError(
            f"{source} keeps numbers in another file, which is not read. Save the model with all "
            "of its data in one file (onnx.save without save_as_external_data)."
        )
    dtype = _DTYPES.get(tensor.data_type)
    if dtype is None:
        raise UnsupportedModelError(
            f"{source} has a tensor of the ONNX type {tensor.data_type}; float, double and whole "
            "numbers are supported. Export the model with 32-bit or 64-bit floats."
        )
    if tensor.raw_data:
        raw = bytes(tensor.raw_data)
        wire = np.dtype(dtype).newbyteorder("<")
        if len(raw) % wire.itemsize:
            raise damaged(source, f"a tensor has {len(raw)} bytes")
        values = np.frombuffer(raw, wire).astype(dtype)
    else:
        values = np.array(getattr(tensor, _FIELDS.get(tensor.data_type, "double_data")))
        values = values.astype(dtype)
    if values.dtype.kind == "f":
        # A damaged number may be a NaN that signals when it is used.
        values[np.isnan(values)] = np.nan
    shape = [int(size) for size in tensor.dims]
    # Python's integers do not overflow, whatever sizes a damaged file has.
    count = 1
    for size in shape:
        count *= size
    if any(size < 0 for size in shape) or count != values.size:
        raise damaged(source, f"a tensor of shape {shape[:8]} has {values.size} numbers")
    return values.reshape(shape)
