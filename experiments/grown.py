"""Full random trees of a given depth and number of features, the same for every method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastpd

__all__ = ["Grown", "grown"]


@dataclass(frozen=True)
class Grown:
    """Full trees, node k of each with the children 2 k + 1 and 2 k + 2; ``x <= threshold`` left.

    Attributes
    ----------
    feature, threshold, value
        One row a tree, one column a node; leaves have the feature -1.
    n_features
        Number of columns.
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]
    n_features: int

    def forest(self) -> fastpd.Forest:
        """Return the trees for fastpd."""
        left, right = self._children()
        n_trees = len(self.feature)
        return fastpd.Forest.from_arrays(
            self.feature.tolist(),
            self.threshold.tolist(),
            [left] * n_trees,
            [right] * n_trees,
            self.value.tolist(),
            left_if="<=",
            n_features=self.n_features,
            cover=[self._cover().tolist()] * n_trees,
        )

    def for_shap(self) -> dict[str, Any]:
        """Return the trees in the form in which shap takes those of no library."""
        left, right = map(np.array, self._children())
        return {
            "trees": [
                {
                    "children_left": left,
                    "children_right": right,
                    "children_default": right,
                    "features": feature,
                    "thresholds": threshold,
                    "values": value[:, None],
                    "node_sample_weight": self._cover(),
                }
                for feature, threshold, value in zip(
                    self.feature, self.threshold, self.value, strict=True
                )
            ]
        }

    def _children(self) -> tuple[list[int], list[int]]:
        leaf = self.feature[0] < 0
        nodes = np.arange(len(leaf))
        return tuple(np.where(leaf, -1, 2 * nodes + k).tolist() for k in (1, 2))

    def _cover(self) -> NDArray[np.float64]:
        """Count as if every split halved its rows."""
        level = np.floor(np.log2(np.arange(len(self.feature[0])) + 1))
        return np.asarray(2.0 ** (level.max() - level), dtype=np.float64)


def grown(n_trees: int, depth: int, n_features: int, seed: int = 0) -> Grown:
    """Return trees whose nodes split on one of the features that are rarest on their path.

    So every path has as many distinct features as there are, up to its depth.
    """
    rng = np.random.default_rng(seed)
    n_nodes, n_splits = 2 ** (depth + 1) - 1, 2**depth - 1
    feature = np.full((n_trees, n_nodes), -1)
    for tree in feature:
        used = {0: np.zeros(n_features, dtype=int)}
        for node in range(n_splits):
            counts = used.pop(node)
            tree[node] = rng.choice(np.flatnonzero(counts == counts.min()))
            below = counts + (np.arange(n_features) == tree[node])
            used |= {2 * node + 1: below, 2 * node + 2: below}
    threshold = np.where(feature < 0, 0.0, rng.normal(size=feature.shape))
    value = np.where(feature < 0, rng.normal(size=feature.shape), 0.0)
    return Grown(feature, threshold, value, n_features)
