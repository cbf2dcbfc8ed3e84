"""The axes of a picture: what is drawn from edge to edge, or label by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.plots._style import shown

if TYPE_CHECKING:
    from fastpd.results._axis import Axis

__all__ = ["Span", "beyond_note", "labels_note", "name_labels", "others_of", "span_of"]

Floats = NDArray[np.float64]

_CROWDED = 40  # characters of labels that stand side by side
_ROOM = 0.05  # of the range of the edges, for the first and the last step
_BEYOND = 0.25  # of the background's range, how far from it a picture goes


@dataclass(frozen=True, eq=False)
class Span:
    """One axis of a picture.

    Attributes
    ----------
    name
        The feature, as it can be drawn.
    edges
        Where the stretches that are drawn end; labels are 1 wide.
    steps
        Step of the effect that each stretch shows.
    labels
        Names of the stretches; None where they are numbers.
    others
        Step of each label that is not drawn by itself.
    shared
        Whether the model holds the label of a stretch together with others, on one step.
    lost
        Whether the last stretch is that of a missing value.
    n_beyond
        Number of steps that are not drawn, as they lie far from all of the background.
    """

    name: str
    edges: Floats
    steps: NDArray[np.intp]
    labels: tuple[str, ...] | None
    others: NDArray[np.intp]
    shared: NDArray[np.bool_] | None = None
    lost: bool = False
    n_beyond: int = 0

    @property
    def n_labels(self) -> int:
        """Number of labels, those that are not drawn one by one included."""
        return len(self.steps) + len(self.others)

    @property
    def middles(self) -> Floats:
        """The middle of each stretch."""
        return self.edges[:-1] / 2 + self.edges[1:] / 2

    @property
    def range(self) -> float:
        """From the first edge to the last."""
        return float(self.edges[-1] - self.edges[0])


def span_of(
    axis: Axis,
    size: Floats | None = None,
    most: int | None = None,
    *,
    missing: int | None = None,
) -> Span:
    """Return what is drawn of an axis.

    Parameters
    ----------
    axis
        The axis of an effect.
    size
        For each step how much of the background is there; None where it is not known. Of many
        labels the largest are drawn, and of numbers those near to any.
    most
        How many labels are drawn at most.
    missing
        Step of a missing value, to be drawn after the labels; None for no such place.
    """
    name = shown(axis.name)
    if axis.categories is not None and axis.labels is None:
        name = f"{name} (codes of categories)"
    if axis.labels is None:
        inside, first = _inside(axis.edges, size)
        edges = _with_room(inside)
        steps = first + np.arange(len(edges) - 1)
        beyond = len(axis.edges) + 2 - len(edges)
        return Span(name, edges, steps, None, np.empty(0, dtype=np.intp), n_beyond=beyond)
    steps, labels = axis.steps_of_labels(), [shown(label) for label in axis.labels]
    kept = np.ones(len(steps), dtype=bool)
    if most is not None and len(steps) > most:
        weight = np.zeros(len(steps)) if size is None else size[steps]
        kept[np.argsort(-weight, kind="stable")[most:]] = False
    names, drawn = [labels[k] for k in np.flatnonzero(kept)], steps[kept]
    if missing is not None:
        names, drawn = [*names, "missing"], np.append(drawn, missing)
    places: Floats = np.arange(len(drawn) + 1, dtype=np.float64) - 0.5
    every = steps if missing is None else np.append(steps, missing)
    shared = np.bincount(every)[drawn] > 1
    return Span(name, places, drawn, tuple(names), steps[~kept], shared, missing is not None)


def _inside(edges: Floats, size: Floats | None) -> tuple[Floats, int]:
    """Return the edges that are drawn, and the step below them.

    Some libraries test whether a value is there by an edge far beyond all values. So edges far
    from the background are left out, and the last step that holds any of it ends with the picture.
    """
    kept = np.isfinite(edges)
    held = np.flatnonzero(size[1:] > 0) if size is not None else np.empty(0, dtype=np.intp)
    if len(held) > 1:
        low, high = edges[held[0]], edges[held[-1] - 1]
        margin = _BEYOND * (high - low)
        kept &= (edges >= low - margin) & (edges <= high + margin)
    first = int(np.argmax(kept)) if kept.any() else 0
    return edges[kept], 1 + first


def _with_room(inside: Floats) -> Floats:
    """Return edges with room on both sides, where the first and the last step are seen."""
    if not len(inside):
        return np.array([0.0, 1.0])
    width = float(inside[-1] - inside[0])
    room = _ROOM * width if width else 0.5 * max(abs(float(inside[0])), 1.0)
    ends: Floats = np.concatenate([[inside[0] - room], inside, [inside[-1] + room]])
    return ends


def name_labels(side: Any, labels: tuple[str, ...]) -> None:
    """Name the stretches along one side of a picture."""
    side.set_ticks(np.arange(len(labels)), labels)
    if side.axis_name == "x" and sum(map(len, labels)) > _CROWDED:
        side.set_tick_params(rotation=90)


def others_of(span: Span) -> str:
    """Return what the labels are called that are not drawn one by one."""
    n = len(span.others)
    return "1 other" if n == 1 else f"{n:,} others"


def labels_note(span: Span) -> str:
    """Say how many of how many labels are drawn, where they are not all."""
    if span.labels is None or not len(span.others):
        return ""
    n = len(span.labels) - span.lost
    return f"{n} of {n + len(span.others):,} labels of {span.name}, those with most background"


def beyond_note(*spans: Span) -> str:
    """Say how many steps are not drawn, where that is not said otherwise."""
    n = sum(span.n_beyond for span in spans)
    steps = "1 step" if n == 1 else f"{n:,} steps"
    return f"{steps} beyond the background not drawn" if n else ""
