"""Answers as arrays with labelled axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, imported
from fastpd.frames import Source
from fastpd.results._axis import Axis
from fastpd.results._columns import Names
from fastpd.results._frames import titles

__all__ = ["labelled_rows", "labelled_steps"]

Floats = NDArray[np.float64]


def labelled_rows(
    values: NDArray[Any],
    kind: str,
    names: Sequence[Names],
    *,
    outputs: Names,
    source: Source,
    title: str,
    base: Mapping[str, Any],
    link: str,
) -> Any:
    """Return columns at rows as an `xarray.DataArray`.

    Parameters
    ----------
    values
        (rows, sets), or (rows, sets, outputs).
    kind, names
        What the second axis is called, and the sets of features along it.
    outputs
        Names along the last axis.
    source
        Where the rows came from, and so what they are called.
    title
        What the values are called.
    base
        The number that values start from, or one for each output, by what it is called.
    link
        Their scale.
    """
    xarray = imported("xarray", "to_xarray()")
    several = values.ndim == 3
    index = np.arange(len(values)) if source.index is None else source.index
    coordinates = {
        "row": index,
        kind: titles(names),
        "order": (kind, [len(one) for one in names]),
        **{name: ("output", one) if several else one for name, one in base.items()},
        **({"output": list(outputs)} if several else {}),
    }
    axes = ("row", kind, "output") if several else ("row", kind)
    return xarray.DataArray(values, coordinates, axes, title, {"scale": link})


def labelled_steps(
    axes: Sequence[Axis], steps: Mapping[str, Floats], outputs: Names, link: str
) -> Any:
    """Return values on steps as an `xarray.Dataset`, without those of missing values.

    Parameters
    ----------
    axes
        How values of each feature become steps; each is an axis, with the point where each step
        begins, or with labels.
    steps
        Values on every step of every axis, by what they are called; a last axis for outputs where
        there are several.
    outputs
        Their names.
    link
        Their scale.
    """
    xarray = imported("xarray", "to_xarray()")
    names = [axis.name for axis in axes]
    taken = [name for name in names if name in ("output", *steps)]
    if taken:
        raise FeatureError(
            f"the feature {taken[0]!r} is called as a part of the answer is. Rename it, or take "
            "to_frame()."
        )
    several = next(iter(steps.values())).ndim > len(axes)
    known = np.ix_(*(axis.known_steps for axis in axes))
    places = {axis.name: _places(axis) for axis in axes}
    dimensions = [*names, "output"] if several else names
    return xarray.Dataset(
        {what: (dimensions, values[known]) for what, values in steps.items()},
        places | ({"output": list(outputs)} if several else {}),
        {"scale": link},
    )


def _places(axis: Axis) -> Any:
    return axis.starts if axis.labels is None else list(axis.plain_labels)
