"""Cases of XGBoost."""

from __future__ import annotations

from fastpd.testing._model_case import ModelCase

__all__ = ["CASES"]

CASES: tuple[ModelCase, ...] = ()
