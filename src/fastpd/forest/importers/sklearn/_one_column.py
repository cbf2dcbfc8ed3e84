"""Transformers of scikit-learn that make every column from one column, told by what they learnt."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["inputs_of", "keeps_values"]

Inputs = list[int]

_EACH = (
    "Binarizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "StandardScaler",
)


def inputs_of(transformer: Any, width: int) -> Inputs | None:
    """Return for each column that a transformer makes the input column that it is made from.

    Parameters
    ----------
    transformer
        A fitted transformer.
    width
        Number of its input columns.

    Returns
    -------
    list of int, or None
        None where the transformer is not known to make each column from one alone.
    """
    kind = type(transformer)
    if kind.__module__.partition(".")[0] != "sklearn":
        return None
    if hasattr(transformer, "get_support"):
        return [int(k) for k in transformer.get_support(indices=True)]
    rule = _RULES.get(kind.__name__)
    return None if rule is None else rule(transformer, width)


def keeps_values(transformer: Any) -> bool:
    """Tell whether the columns that a transformer of these makes are copies."""
    if type(transformer).__name__ == "FunctionTransformer":
        return transformer.func is None
    return hasattr(transformer, "get_support")


def _each(_: Any, width: int) -> Inputs:
    return list(range(width))


def _repeated(counts: list[int]) -> Inputs:
    return [k for k, count in enumerate(counts) for _ in range(count)]


def _one_hot(encoder: Any, width: int) -> Inputs:
    counts = [len(labels) for labels in encoder.categories_]
    # Rare categories share one column.
    for k, rare in enumerate(getattr(encoder, "infrequent_categories_", ())):
        counts[k] -= 0 if rare is None else len(rare) - 1
    if encoder.drop_idx_ is not None:
        counts = [n - (at is not None) for n, at in zip(counts, encoder.drop_idx_, strict=True)]
    return _repeated(counts) if len(counts) == width else []


def _target(encoder: Any, width: int) -> Inputs:
    several = getattr(encoder, "target_type_", "") == "multiclass"
    return _repeated([len(encoder.classes_) if several else 1] * width)


def _bins(binner: Any, width: int) -> Inputs:
    return _each(binner, width) if binner.encode == "ordinal" else _repeated(list(binner.n_bins_))


def _splines(splines: Any, width: int) -> Inputs:
    return _repeated([splines.n_features_out_ // width] * width)


def _imputed(imputer: Any, width: int) -> Inputs:
    kept = [
        k
        for k, filled in enumerate(imputer.statistics_)
        if imputer.keep_empty_features or not _is_nan(filled)
    ]
    indicator = getattr(imputer, "indicator_", None)
    return kept if indicator is None else kept + _indicated(indicator, width)


def _indicated(indicator: Any, _: int) -> Inputs:
    return [int(k) for k in indicator.features_]


def _function(transformer: Any, width: int) -> Inputs | None:
    """Return what is sure of a function: none at all, or one that works on each cell alone."""
    function = transformer.func
    by_cell = isinstance(function, np.ufunc) and function.nin == function.nout == 1
    sure = function is None or (by_cell and not transformer.kw_args)
    return list(range(width)) if sure else None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | np.floating) and math.isnan(value)


_RULES: dict[str, Callable[[Any, int], Inputs | None]] = {
    **dict.fromkeys(_EACH, _each),
    "FunctionTransformer": _function,
    "KBinsDiscretizer": _bins,
    "MissingIndicator": _indicated,
    "OneHotEncoder": _one_hot,
    "SimpleImputer": _imputed,
    "SplineTransformer": _splines,
    "TargetEncoder": _target,
}
