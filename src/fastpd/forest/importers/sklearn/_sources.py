"""Which column of the user's table each column comes from that fitted transformers make.

Read off the structure of what was fitted, never from names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from fastpd.forest.importers.sklearn._one_column import inputs_of, keeps_values

__all__ = ["Source", "is_passthrough", "sources_after"]


@dataclass(frozen=True)
class Source:
    """Where a column comes from.

    Attributes
    ----------
    column
        The one column of the user's table; None where there may be several.
    same
        Whether it holds the values of that column as they are.
    """

    column: int | None
    same: bool = False


Sources = list[Source]
_MIXED = Source(None)


def is_passthrough(step: Any) -> bool:
    """Tell whether a step of a pipeline hands its table on as it is."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def sources_after(step: Any, given: Sources, width: int | None = None) -> Sources | None:
    """Return the source of every column that a fitted transformer makes.

    Parameters
    ----------
    step
        The transformer, or ``"passthrough"``.
    given
        Sources of its input columns.
    width
        Number of columns that it makes, where that is known.

    Returns
    -------
    list of Source, or None
        None where not even the number of columns is known.
    """
    if is_passthrough(step):
        return given
    made = _made(step, given, width)
    width = _width(step) if width is None else width
    if made is not None and width in (None, len(made)):
        return made
    if width is None:
        return None
    # All that is made from columns of one source has that source, whatever the step does.
    columns = {source.column for source in given}
    return [Source(columns.pop()) if len(columns) == 1 else _MIXED] * width


def _made(step: Any, given: Sources, width: int | None) -> Sources | None:
    """Return the sources after a step whose structure is known; None after any other."""
    kind = type(step)
    composed = _COMPOSED.get((kind.__module__, kind.__name__))
    if composed is not None:
        return composed(step, given, width)
    if getattr(step, "n_features_in_", len(given)) != len(given):
        return None
    inputs = inputs_of(step, len(given))
    if inputs is None:
        return None
    chosen = [given[k] for k in inputs]
    return chosen if keeps_values(step) else _changed(chosen)


def _changed(sources: Sources) -> Sources:
    return [replace(source, same=False) for source in sources]


def _width(step: Any) -> int | None:
    """Return the number of columns that a transformer says to make; None where it does not."""
    try:
        return len(step.get_feature_names_out())
    except Exception:  # a transformer may be anybody's, and fail as it likes
        return None


def _after_pipeline(pipeline: Any, given: Sources, width: int | None) -> Sources | None:
    sources: Sources | None = given
    last = len(pipeline.steps) - 1
    for at, (_, step) in enumerate(pipeline.steps):
        if sources is None:
            return None
        sources = sources_after(step, sources, width if at == last else None)
    return sources


def _after_union(union: Any, given: Sources, _: int | None) -> Sources | None:
    sources: Sources = []
    weights = union.transformer_weights or {}
    for name, step in union.transformer_list:
        if isinstance(step, str) and step == "drop":
            continue
        part = sources_after(step, given)
        if part is None:
            return None
        sources += part if name not in weights else _changed(part)
    return sources


def _after_columns(transformer: Any, given: Sources, _: int | None) -> Sources | None:
    """Return the sources after a ColumnTransformer, which keeps where each part's columns are."""
    places = transformer.output_indices_
    weights = transformer.transformer_weights or {}
    names = getattr(transformer, "feature_names_in_", None)
    names = None if names is None else list(names)
    bounds = sorted((places[name].start, places[name].stop) for name, _, _ in _parts(transformer))
    if any(one[1] != other[0] for one, other in pairwise([(0, 0), *bounds])):
        return None
    sources = [_MIXED] * (bounds[-1][1] if bounds else 0)
    for name, step, columns in _parts(transformer):
        place = places[name]
        chosen = _positions(columns, names, len(given))
        if chosen is None:
            continue
        part = sources_after(step, [given[k] for k in chosen], place.stop - place.start)
        if part is not None and len(part) == place.stop - place.start:
            sources[place] = part if name not in weights else _changed(part)
    return sources


def _parts(transformer: Any) -> list[tuple[str, Any, Any]]:
    """Return the parts of a ColumnTransformer that make columns."""
    places = transformer.output_indices_
    return [one for one in transformer.transformers_ if places[one[0]].start < places[one[0]].stop]


def _positions(columns: Any, names: list[str] | None, width: int) -> list[int] | None:
    """Return the positions of chosen columns; None for what is no choice known to scikit-learn."""
    try:
        if isinstance(columns, slice):
            return list(range(width))[_slice(columns, names)]
        alone = isinstance(columns, str | int | np.integer)
        chosen = [columns] if alone else list(columns)
        if chosen and all(isinstance(one, bool | np.bool_) for one in chosen):
            return [k for k in range(width) if chosen[k]] if len(chosen) == width else None
        return [_position(one, names, width) for one in chosen]
    except (TypeError, ValueError, IndexError):
        return None


def _slice(columns: slice, names: list[str] | None) -> slice:
    """Return a slice of positions; one of names holds its last, as in pandas."""
    start, stop = columns.start, columns.stop
    if isinstance(start, str):
        start = _position(start, names, 0)
    if isinstance(stop, str):
        stop = _position(stop, names, 0) + 1
    return slice(start, stop, columns.step)


def _position(column: Any, names: Sequence[str] | None, width: int) -> int:
    if isinstance(column, str):
        return list(names or ()).index(column)
    place: int = range(width)[column]
    return place


_COMPOSED = {
    ("sklearn.pipeline", "Pipeline"): _after_pipeline,
    ("sklearn.pipeline", "FeatureUnion"): _after_union,
    ("sklearn.compose._column_transformer", "ColumnTransformer"): _after_columns,
}
