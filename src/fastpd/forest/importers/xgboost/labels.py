"""Which columns of an XGBoost model hold categories, and the labels that it stores of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastpd.errors import UnsupportedModelError
from fastpd.forest._categories import Categories, Label
from fastpd.forest.importers.xgboost.fields import FieldReader

__all__ = ["read_categories"]

CATEGORICAL = "c"

# How XGBoost numbers the types of labels that are whole numbers: int8, uint8, ..., int64.
_INTEGERS = range(9, 17)


def read_categories(
    read: FieldReader,
    learner: Mapping[str, Any],
    model: Mapping[str, Any],
    names: Sequence[str],
) -> tuple[Categories | None, ...]:
    """Return the categories of every column, None where it holds numbers.

    A label that was not met in training is refused, as by XGBoost where labels are text. Models of
    arrays, slices of boosters and versions before 3.1 have no labels.

    Raises
    ------
    ModelFileError
        Where types or labels are not one for each column, or a label is there twice.
    UnsupportedModelError
        Where labels are neither text nor whole numbers.
    """
    types = read.list(learner, "feature_types", [])
    if types and (len(types) != len(names) or not all(isinstance(one, str) for one in types)):
        raise read.wrong("feature_types", types, f"{len(names)} strings, one for each column")
    stored = read.mapping(model, "cats", {})
    encoded = read.list(stored, "enc", [])
    if encoded and len(encoded) != len(names):
        raise read.wrong("enc", encoded, f"{len(names)} lists of labels, one for each column")
    found: list[Categories | None] = [
        Categories(None) if kind == CATEGORICAL else None for kind in types or [""] * len(names)
    ]
    for column, one in enumerate(encoded):
        if not isinstance(one, Mapping):
            raise read.wrong("enc", encoded, "mappings")
        given = _labels(read, one, names[column])
        if given != ():
            found[column] = Categories(given, unseen=None)
    return tuple(found)


def _labels(read: FieldReader, one: Mapping[str, Any], name: str) -> tuple[Label, ...] | None:
    """Return the labels of a column, code 0 first; none of a number, None where lost."""
    labels = _texts(read, one) if "offsets" in one else _numbers(read, one, name)
    if labels is not None and len(set(labels)) < len(labels):
        raise read.wrong("values", list(labels), f"distinct labels of {name!r}")
    return labels


def _numbers(read: FieldReader, one: Mapping[str, Any], name: str) -> tuple[Label, ...]:
    kind = read.count(one, "type")
    if kind not in _INTEGERS:
        raise UnsupportedModelError(
            f"{read.source} has labels of the unknown type {kind} for categories of {name!r}; "
            "expected text or whole numbers. Make them text and train again."
        )
    values = read.list(one, "values")
    if not all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
        raise read.wrong("values", values, "whole numbers of 64 bits")
    return tuple(values)


def _texts(read: FieldReader, one: Mapping[str, Any]) -> tuple[Label, ...] | None:
    """Return labels that are text, if it is plain ASCII.

    From pandas frames, XGBoost cuts the bytes of all labels at places that it counted in
    characters. Beyond ASCII, what is stored may thus be other labels than those of training.
    """
    offsets, values = read.integers(one, "offsets"), read.integers(one, "values")
    ends = offsets if len(offsets) else np.zeros(1, np.int64)
    if ends[0] != 0 or ends[-1] != len(values) or np.any(np.diff(ends) < 0):
        raise read.wrong("offsets", offsets.tolist(), f"increasing places from 0 to {len(values)}")
    if np.any((values < -128) | (values > 255)):
        raise read.wrong("values", values.tolist(), "bytes")
    if np.any((values < 0) | (values > 127)):
        return None
    text = bytes(values.tolist()).decode("ascii")
    return tuple(text[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
