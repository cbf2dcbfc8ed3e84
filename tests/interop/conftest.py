"""Friends of the package draw here; what they warn about in each other is none of its business."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import shap
    import shapiq

__all__ = ["shap", "shapiq"]


@pytest.fixture(autouse=True)
def _screenless() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")
