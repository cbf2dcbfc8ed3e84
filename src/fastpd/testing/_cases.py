"""All cases as one list."""

from __future__ import annotations

from fastpd.testing._model_case import ModelCase
from fastpd.testing.cases import (
    arrays,
    catboost,
    lightgbm,
    onnx,
    pipelines,
    sklearn,
    treelite,
    xgboost,
)

__all__ = ["MODEL_CASES", "cases_of"]

MODEL_CASES: tuple[ModelCase, ...] = (
    *xgboost.CASES,
    *lightgbm.CASES,
    *catboost.CASES,
    *sklearn.CASES,
    *pipelines.CASES,
    *onnx.CASES,
    *treelite.CASES,
    *arrays.CASES,
)


def cases_of(library: str) -> tuple[ModelCase, ...]:
    """Return the cases of one library, such as ``"LightGBM"``."""
    return tuple(case for case in MODEL_CASES if case.library == library)
