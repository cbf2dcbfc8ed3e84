"""A report: one page that stands alone."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastpd.errors import OptionError, imported
from fastpd.files import replacing
from fastpd.options import check_count
from fastpd.queries import check_order
from fastpd.report._data import ReportData
from fastpd.report._gather import gather
from fastpd.report._render import render
from fastpd.report._sources import Asked, Sources
from fastpd.surrogates._fidelity import Fidelity

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["Report", "make_report"]

_FRAME = (
    '<iframe title="fastpd report" sandbox="allow-scripts" '
    'style="width:100%;height:720px;border:1px solid #8884;border-radius:6px" srcdoc="{}"></iframe>'
)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a model does, on one page that needs no network and no scripts.

    Made by `Explainer.report`.

    Attributes
    ----------
    data
        All that the page says, as plain data.

    Examples
    --------
    >>> report = fastpd.Explainer(model, X).report(X)
    >>> report.data.curves[0].feature
    'x0'
    >>> report.html.startswith("<!doctype html>")
    True
    """

    data: ReportData

    @cached_property
    def html(self) -> str:
        """The page."""
        return render(self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all, and return its path."""
        # Names may hold what no file of UTF-8 can: half of a surrogate pair.
        text = self.html.encode("utf-8", "xmlcharrefreplace")
        with replacing(path) as file:
            file.write(text)
        return Path(path)

    def _repr_html_(self) -> str:
        return _FRAME.format(html.escape(self.html))

    def __repr__(self) -> str:
        return f"<Report: {self.data.title}, {len(self.html):,} characters; save(path) writes it>"


def make_report(
    explainer: Explainer,
    sources: Sources,
    *,
    title: Any,
    rows: Any,
    max_order: Any,
    pairs: Any,
    date: Any,
    fidelity: Fidelity | None = None,
) -> Report:
    """Return the report of an explainer; the arguments are those of `Explainer.report`."""
    imported("jinja2", "a report")
    asked = Asked(
        title=_text(title, "title"),
        rows=_positions(rows),
        max_order=check_order(max_order),
        pairs=check_count(pairs, "pairs", 0),
        date=_text(None if date is None else str(date), "date"),
        fidelity=fidelity,
    )
    if sources.rows is not None and sources.rows.n_rows == 0:
        raise OptionError("X has no rows; expected at least one to report on.")
    if sources.y is not None and sources.rows is None:
        raise OptionError("y was given without X; pass the rows that it belongs to as well.")
    return Report(gather(explainer, sources, asked))


def _text(value: Any, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise OptionError(f"{what} is {value!r:.60}; expected text.")


def _positions(rows: Any) -> tuple[int, ...]:
    """Return positions of rows as they were given: one, several, or none."""
    given = np.atleast_1d(np.asarray([] if rows is None else rows))
    if given.ndim > 1 or (given.size and given.dtype.kind not in "iu"):
        raise OptionError(
            f"rows is {rows!r:.60}; expected positions of rows to explain, such as [0, 17]."
        )
    return tuple(int(row) for row in given)
