"""Answers as tables of the caller's own frame library."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
from numpy.typing import NDArray

from fastpd.errors import FeatureError, MissingPackageError, OptionError, imported, nearest
from fastpd.frames import Source

__all__ = ["Names", "per_output", "table", "titles", "wide"]

Names = tuple[str, ...]
_LIBRARIES = ("pandas", "polars", "pyarrow")


def table(columns: Mapping[str, Any], source: Source, backend: str | None) -> Any:
    """Return columns as a frame of the library that was asked for, or else of the rows' own.

    Parameters
    ----------
    columns
        Arrays, or lists with None where a cell is empty, by title.
    source
        Where the rows came from; frames of the same library get the labels of its rows back.
    backend
        ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None for the rows' own library, and for the
        first of these that is installed where rows came as arrays.
    """
    library: Any = _library(source, backend)
    native = nw.from_dict(dict(columns), backend=library).to_native()
    if source.index is not None and library == source.library and columns:
        native.index = source.index
    return native


def titles(names: Sequence[Names]) -> list[str]:
    """Return a title for each set of features; sets that would read the same are refused."""
    found = [" x ".join(one) for one in names]
    _refuse_twice(found)
    return found


def per_output(title: str, values: NDArray[Any], outputs: Names) -> dict[str, NDArray[Any]]:
    """Return a column, or, of values with a last axis for outputs, one for each of them."""
    if values.ndim == 1:
        return {title: values}
    return {f"{title} [{output}]": values[:, k] for k, output in enumerate(outputs)}


def wide(names: Sequence[Names], values: NDArray[Any], outputs: Names) -> dict[str, NDArray[Any]]:
    """Return a column for each set of features, or for each set and output.

    Parameters
    ----------
    names
        The sets, along the second axis of the values.
    values
        (rows, sets), or (rows, sets, outputs).
    outputs
        Names along the last axis.
    """
    columns = [per_output(one, values[:, i], outputs) for i, one in enumerate(titles(names))]
    _refuse_twice([title for one in columns for title in one])
    return {title: values for one in columns for title, values in one.items()}


def _refuse_twice(found: Sequence[str]) -> None:
    twice = [title for title, count in Counter(found).items() if count > 1]
    if twice:
        raise FeatureError(
            f"two parts of the answer would be called {twice[0]!r}. Rename the features, so that "
            "none reads like several joined by ' x ', or like one with an output in brackets."
        )


def _library(source: Source, backend: str | None) -> str:
    """Return the name of an installed frame library."""
    if backend is None:
        return source.library or _installed()
    if not isinstance(backend, str) or backend not in _LIBRARIES:
        raise OptionError(
            f"backend is {backend!r:.60}; expected 'pandas', 'polars' or 'pyarrow', or None for "
            f"the library that the rows came in.{nearest(str(backend), _LIBRARIES)}"
        )
    imported(backend, f"to_frame(backend={backend!r})")
    return backend


def _installed() -> str:
    for library in _LIBRARIES:
        if importlib.util.find_spec(library) is not None:
            return library
    raise MissingPackageError(
        "to_frame() needs a frame library, and none is installed. Run `pip install pandas`, or "
        "install polars or pyarrow."
    )
