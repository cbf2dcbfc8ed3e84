"""The product measure: features independent, each with its empirical marginal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd import _core
from fastpd.blocks import Blocks
from fastpd.errors import MemoryLimitError
from fastpd.measures._derived import Derived
from fastpd.measures._empirical import Empirical

__all__ = ["Product", "marginal_chances"]


@dataclass(frozen=True, eq=False)
class Product:
    """Average over features that are independent, each distributed as in the background.

    A group of columns counts as one feature, and keeps the dependence within.

    Parameters
    ----------
    data
        Background rows, as `fastpd.Explainer` takes them.
    weights
        One number >= 0 for each.

    Examples
    --------
    >>> explainer = fastpd.Explainer(model, measure=fastpd.measures.Product(X))
    >>> explainer.shap(X[:5]).values.shape
    (5, 4)
    """

    data: Any
    weights: Any = None

    def begin(self, blocks: Blocks) -> Derived:
        """Return the measure for a model, before any rows."""
        return Derived(Empirical.nothing(blocks), marginal_chances, "Product")


def marginal_chances(counted: Empirical) -> NDArray[np.float64]:
    """Return for every clause the share of the rows that pass it: p_j of one feature alone."""
    largest = counted.blocks.largest_deep
    if largest > counted.max_order:
        raise MemoryLimitError(
            f"the marginals at leaves with up to {largest} features on their path take the counts "
            "of all the background's patterns, which do not fit into memory_limit. Raise it, or "
            "use a smaller background."
        )
    chances: NDArray[np.float64] = _core.player_weights(counted.blocks.core, counted.core())
    return chances / counted.scaled_total()
