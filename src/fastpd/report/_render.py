"""Data and pictures into one page, by templates that escape whatever they are given."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

from fastpd.errors import imported
from fastpd.report import _draw, _draw_maps, _format
from fastpd.report._data import ReportData
from fastpd.report._orders import by_output
from fastpd.report._svg import shortened
from fastpd.report._words import SCALES, link_words, meaning_of_scale

__all__ = ["render"]

_FOLDER = "templates"
_LONGEST_NAME = 80
_LISTED = 25  # components in the table of importances
_MORE = 300  # components in the folded table below it


def render(data: ReportData) -> str:
    """Return the page."""
    jinja2 = imported("jinja2", "a report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fastpd.report", _FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _FILTERS
    page: str = environment.get_template("report.html.j2").render(
        **_words_and_numbers(data), **_drawing_and_style(data)
    )
    return page


_FILTERS = {
    "percent": _format.percent,
    "fixed": _format.fixed,
    "signed": _format.signed,
    "plain": _format.plain_number,
    "decimals": lambda values, digits=4: _format.decimals_of(_flat(values), digits),
    "each": lambda values: _flat(values),
    "edges": _format.distinct_texts,
    "reach": _draw.reach,
    "reach_of_labels": _draw.reach_of_labels,
    "short": lambda text, most=_LONGEST_NAME: shortened(text, most),
}
_DRAWN = {
    "curve_axis": _draw.curve_axis,
    "curve_plot": _draw.curve_plot,
    "bar": _draw.bar,
    "map_axis": _draw_maps.map_axis,
    "map_plot": _draw_maps.map_plot,
    "colour_scale": _draw_maps.colour_scale,
}


def _words_and_numbers(data: ReportData) -> dict[str, Any]:
    sizes = by_output(data.importance)
    return {
        "data": data,
        "summary": data.summary,
        "outputs": range(len(data.summary.outputs)),
        "scale": SCALES.get(data.summary.link, data.summary.link),
        "link_words": link_words(data.summary.link),
        "meaning": meaning_of_scale(data.summary.link),
        "listed": _LISTED,
        "more": _LISTED + _MORE,
        "sizes": sizes,
        "largest": sizes.max(axis=0, initial=0.0),
        "rest": sizes[_LISTED:].sum(axis=0),
        "variance": [data.variance[names] for names in data.importance.names[:_LISTED]],
    }


def _drawing_and_style(data: ReportData) -> dict[str, Any]:
    """Return what draws, and the page's style and script with the hashes that allow them."""
    markup = imported("markupsafe", "a report").Markup
    style = _read("report.css") + _rules_of_outputs(len(data.summary.outputs))
    script = _read("report.js")
    return {
        "limit_of": _draw_maps.limit_of,
        "style": markup(style),
        "script": markup(script),
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        **{name: _marked(function, markup) for name, function in _DRAWN.items()},
    }


def _marked(function: Any, markup: Any) -> Any:
    """Return a function whose text, escaped where it was made, templates take as it is."""
    return lambda *values: markup(function(*values))


def _flat(values: Any) -> list[float]:
    """Return numbers in lists of any depth as one list."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, int | float):
        return [float(values)]
    return [number for part in values for number in _flat(part)]


def _rules_of_outputs(n_outputs: int) -> str:
    """Return the rules that show the chosen one of several outputs, without any script."""
    if n_outputs == 1:
        return ""
    return "".join(
        f"body:has(#output-{k}:checked) .o:not(.o{k}){{display:none}}\n" for k in range(n_outputs)
    )


def _read(name: str) -> str:
    return resources.files("fastpd.report").joinpath(_FOLDER, name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the digest by which the page allows this text alone to run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
