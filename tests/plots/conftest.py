"""Draw without a screen, and leave no figure behind."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _no_screen() -> Iterator[None]:
    mpl.use("Agg")
    yield
    pyplot.close("all")
