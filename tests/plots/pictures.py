"""How pictures are compared with the kept ones in the folder `baseline`."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot

_DRAWN_WITH = "3.11"  # the release of matplotlib that `make baselines` last ran with

# Small, since a picture is there to see that nothing moved; what is in it is tested by number.
# Another release sets text otherwise, which alone makes differences of about 20.
picture = pytest.mark.mpl_image_compare(
    style="default",
    tolerance=2 if mpl.__version__.startswith(_DRAWN_WITH) else 40,
    savefig_kwargs={"dpi": 60},
    deterministic=True,
)


def fixed_axes(
    size: tuple[float, float] = (6.0, 4.0), *, left: float = 0.15, right: float = 0.95
) -> Any:
    """Return axes at a place of their own, which the width of text does not move."""
    return pyplot.figure(figsize=size).add_axes((left, 0.15, right - left, 0.75))
