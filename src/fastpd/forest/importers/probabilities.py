"""Whether raw scores are probabilities by the way the leaves are, where a model does not say."""

from __future__ import annotations

import numpy as np

from fastpd.forest._forest import Forest

__all__ = ["are_probabilities"]

# Shares of a float32 model, divided by its number of trees, add up to one but for rounding.
ROUNDING = 1e-5


def are_probabilities(forest: Forest) -> bool:
    """Return whether every sum of leaves is a probability, or a distribution over the outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from fastpd.forest import Forest
    >>> from fastpd.forest.importers.probabilities import are_probabilities
    >>> nodes = {name: np.array([-1], np.int32) for name in ("feature", "left", "right")}
    >>> stump = Forest(
    ...     **nodes, threshold=np.zeros(1), default_left=np.zeros(1, bool),
    ...     value=np.array([[0.3, 0.7]]), cover=np.ones(1), roots=np.zeros(1, np.int32),
    ...     tree_output=np.array([-1], np.int32), base=np.zeros(2), feature_names=(),
    ...     output_names=("no", "yes"),
    ... )
    >>> are_probabilities(stump)
    True
    """
    leaf = forest.is_leaf
    if not forest.n_trees or np.any(forest.base < 0) or np.any(forest.value[leaf] < 0):
        return False
    if forest.n_outputs > 1 and forest.value.shape[1] == 1:
        return False
    sums = forest.value.sum(axis=1)
    lowest = np.minimum.reduceat(np.where(leaf, sums, np.inf), forest.roots).sum()
    highest = np.maximum.reduceat(np.where(leaf, sums, -np.inf), forest.roots).sum()
    base = forest.base.sum()
    below = bool(base + highest <= 1 + ROUNDING)
    return below and (forest.n_outputs == 1 or bool(base + lowest >= 1 - ROUNDING))
