"""The steps of an effect one by one, for tables of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.results._axis import Axis
from fastpd.results._columns import Names
from fastpd.results._frames import per_output
from fastpd.results._html import html, numbers_html

__all__ = ["curves_table", "effect_html", "steps_html", "steps_table"]

Floats = NDArray[np.float64]
Steps = NDArray[np.int64]


def steps_table(
    axes: Sequence[Axis], pd: Floats, component: Floats, outputs: Names
) -> dict[str, Any]:
    """Return where each step is, and the values of v_S and m_S there; the last axis runs fastest.

    Parameters
    ----------
    axes
        How values of each feature become steps.
    pd, component
        Values on every step of every axis; a last axis for outputs where there are several.
    outputs
        Their names.
    """
    steps = [listed_steps(axis) for axis in axes]
    places = np.meshgrid(*(np.arange(len(one)) for one in steps), indexing="ij")
    columns: dict[str, Any] = {}
    for axis, own, place in zip(axes, steps, places, strict=True):
        prefix = f"{axis.name} " if len(axes) > 1 else ""
        for title, cells in _columns(axis, own).items():
            columns[prefix + title] = _taken(cells, place.ravel())
    at = np.ix_(*steps)
    for title, values in (("pd", pd), ("component", component)):
        chosen = values[at].reshape(places[0].size, *values.shape[len(axes) :])
        columns |= per_output(title, chosen, outputs)
    return columns


def effect_html(
    caption: str, axes: Sequence[Axis], pd: Floats, component: Floats, outputs: Names
) -> str:
    """Return the first steps of one feature, or what the steps of several features are."""
    if len(axes) == 1:
        return steps_html(caption, axes[0], {"pd": pd, "component": component}, outputs)
    named = [(axis.name, _step_labels(axis)) for axis in axes]
    rows = [(name, len(labels), labels[0], labels[-1]) for name, labels in named]
    return html(caption, ["feature", "steps", "first", "last"], rows)


def steps_html(caption: str, axis: Axis, numbers: Mapping[str, Floats], outputs: Names) -> str:
    """Return the first steps of one feature, with numbers that every step has."""
    steps = listed_steps(axis)
    listed = {title: values[steps] for title, values in numbers.items()}
    return numbers_html(caption, axis.name, _step_labels(axis), listed, outputs, bars=False)


def _step_labels(axis: Axis) -> list[str]:
    """Return in words where each listed step is."""
    missing = [] if axis.missing_step is None else ["missing"]
    if axis.labels is not None:
        return [*map(str, axis.labels), *missing]
    edges = [f"{edge:.6g}" for edge in axis.edges.tolist()]
    if not edges:
        return ["any", *missing]
    inner = [f"{one} to {other}" for one, other in pairwise(edges)]
    return [f"below {edges[0]}", *inner, f"{edges[-1]} and above", *missing]


def curves_table(axis: Axis, title: str, curves: Floats, outputs: Names) -> dict[str, Any]:
    """Return where each step is, and the values of many curves there, one curve after another.

    Parameters
    ----------
    axis
        How values of the feature become steps.
    title
        What the values are.
    curves
        (curves, steps); a last axis for outputs where there are several.
    outputs
        Their names.
    """
    own = listed_steps(axis)
    place = np.tile(np.arange(len(own)), len(curves))
    columns: dict[str, Any] = {"row": np.repeat(np.arange(len(curves)), len(own))}
    columns |= {name: _taken(cells, place) for name, cells in _columns(axis, own).items()}
    chosen = curves[:, own]
    return columns | per_output(title, chosen.reshape(-1, *chosen.shape[2:]), outputs)


def listed_steps(axis: Axis) -> Steps:
    """Return the step of each label, or of each number from low to high; a missing one last."""
    lost = axis.missing_step
    return axis.known_steps if lost is None else np.append(axis.known_steps, lost)


def _columns(axis: Axis, steps: Steps) -> dict[str, Any]:
    n_known = len(steps) - (axis.missing_step is not None)
    missing = np.arange(len(steps)) >= n_known
    if axis.labels is None:
        ends = np.concatenate([[-np.inf], axis.edges, [np.inf]])
        nothing = np.full(len(steps) - n_known, np.nan)
        start, stop = (np.append(one, nothing) for one in (ends[:-1], ends[1:]))
        return {"from": start, "to": stop, "missing": missing}
    labels = [*axis.plain_labels, *[None] * (len(steps) - n_known)]
    return {"label": labels, "missing": missing}


def _taken(cells: Any, at: Steps) -> Any:
    return [cells[k] for k in at.tolist()] if isinstance(cells, list) else cells[at]
