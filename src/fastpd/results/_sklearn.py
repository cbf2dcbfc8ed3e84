"""Effects in the conventions of scikit-learn, whose displays join grid points by lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, imported, nearest
from fastpd.results._axis import Axis
from fastpd.results._columns import Names

__all__ = ["as_bunch", "as_display", "output_index"]

Floats = NDArray[np.float64]


def as_bunch(axes: Sequence[Axis], steps: Floats, curves: Floats | None = None) -> Any:
    """Return the keys of `sklearn.inspection.partial_dependence`, exact on lines between points.

    Parameters
    ----------
    axes
        How values of each feature become steps.
    steps
        v_S on every step of every axis; a last axis for outputs where there are several.
    curves
        Of each row a curve on the steps of a single feature.
    """
    utils = imported("sklearn.utils", "to_sklearn()")
    grids = [_grid(axis) for axis in axes]
    several = steps.ndim > len(axes)

    def outputs_first(values: Floats) -> Floats:
        return np.moveaxis(values, -1, 0) if several else values[None]

    average = outputs_first(steps[np.ix_(*(at for _, at in grids))])
    found = utils.Bunch(grid_values=[points for points, _ in grids], average=average)
    if curves is not None:
        found["individual"] = outputs_first(curves[:, grids[0][1]])
    return found


def as_display(axes: Sequence[Axis], bunch: Any, target: int, ax: Any) -> Any:
    """Return a drawn `PartialDependenceDisplay`; refuse what it does not draw."""
    inspection = imported("sklearn.inspection", "display()")
    labelled = tuple(axis.labels is not None for axis in axes)
    if len(axes) > 2 or len(set(labelled)) > 1:
        names = " and ".join(axis.name for axis in axes)
        raise OptionError(
            f"scikit-learn draws one feature, two of numbers or two with labels, which {names} "
            "are not. Use plot()."
        )
    display = inspection.PartialDependenceDisplay(
        [bunch],
        features=[tuple(range(len(axes)))],
        feature_names=[axis.name for axis in axes],
        target_idx=target,
        deciles={} if len(axes) == 1 else {0: [], 1: []},
        is_categorical=[labelled],
    )
    low, high = bunch.average[target].min(), bunch.average[target].max()
    margin = (high - low) / 20 or 1.0  # scikit-learn has no room around a level effect
    return display.plot(ax=ax, pdp_lim={len(axes): (low - margin, high + margin)})


def output_index(outputs: Names, output: Any) -> int:
    """Return which of the outputs is meant; it need not be said where there is one."""
    if output is None and len(outputs) == 1:
        return 0
    if isinstance(output, str) and output in outputs:
        return outputs.index(output)
    whole = isinstance(output, int | np.integer) and not isinstance(output, bool)
    if whole and output in range(len(outputs)):
        return int(output)
    shown = ", ".join(map(repr, outputs[:8]))
    raise FeatureError(
        f"output is {output!r:.60}; expected one of {shown}, or 0 to {len(outputs) - 1}."
        f"{nearest(str(output), outputs)}"
    )


def _grid(axis: Axis) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return points on both sides of each edge, and their steps; or labels and theirs."""
    if axis.labels is not None:
        return np.array(axis.plain_labels, dtype=object), axis.known_steps
    inside = np.flatnonzero(np.isfinite(axis.edges))
    edges = axis.edges[inside]
    first = int(inside[0]) if len(inside) else 0
    steps = np.repeat(np.arange(first + 1, first + len(edges) + 2), 2)
    if not len(edges):
        return np.array([0.0, 1.0]), steps
    kind = np.dtype(axis.comparison).type
    # The last value below each edge, in the precision that the model compares in.
    below = np.nextafter(edges.astype(kind), kind(-np.inf)).astype(np.float64)
    margin = max((edges[-1] - edges[0]) / 20, np.abs(edges).max() / 1000) or 1.0
    jumps = np.column_stack([below, edges]).ravel()
    return np.concatenate([[edges[0] - margin], jumps, [edges[-1] + margin]]), steps
