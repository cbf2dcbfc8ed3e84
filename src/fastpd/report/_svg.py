"""SVG as text: elements whose attributes and text are always escaped, scales and ticks."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

from fastpd.report._format import decimals_of, fixed, plain_number

__all__ = [
    "Scale",
    "element",
    "foot",
    "label",
    "nice_ticks",
    "shortened",
    "side_by_side",
    "stretched",
]

_ROOM = 30  # characters that fit under a picture on a phone
SIZE = 1000  # of the square that pictures are drawn on, before it is stretched


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` on the way from 0 to 1000."""

    low: float
    high: float

    def __call__(self, value: float) -> int:
        """Return the place of a number; one outside is at the nearer end."""
        share = (value - self.low) / (self.high - self.low)
        return round(SIZE * min(max(share, 0.0), 1.0))

    def percent(self, value: float) -> str:
        """Return the place as an attribute."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"


def element(tag: str, *children: str, **attributes: object) -> str:
    """Return an element; children are markup, attributes are text and are escaped.

    Examples
    --------
    >>> from fastpd.report._svg import element
    >>> element("text", "a", x=1, class_='"', text_anchor="end")
    '<text x="1" class="&quot;" text-anchor="end">a</text>'
    """
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for name, value in attributes.items()
    )
    inside = "".join(children)
    return f"<{tag}{named}>{inside}</{tag}>" if inside else f"<{tag}{named}/>"


def label(text: str, most: int, **attributes: object) -> str:
    """Return text of at most so many characters, with the whole in a title."""
    shown = shortened(text, most)
    title = element("title", html.escape(text)) if shown != text else ""
    return element("text", title, html.escape(shown), **attributes)


def shortened(text: str, most: int) -> str:
    r"""Return text in one line of at most so many characters.

    Examples
    --------
    >>> from fastpd.report._svg import shortened
    >>> shortened("a\nlong name", 6), shortened("", 6)
    ('a lon…', '(no name)')
    """
    line = " ".join(text.split())
    if not line:
        return "(no name)" if not text else "(blank)"
    return line if len(line) <= most else line[: most - 1] + "…"


def stretched(content: str, *, y: int, height: int) -> str:
    """Return a picture on the square from 0 to 1000, stretched to the width that there is."""
    return element(
        "svg",
        content,
        x=0,
        y=y,
        width="100%",
        height=height,
        viewBox=f"0 0 {SIZE} {SIZE}",
        preserveAspectRatio="none",
    )


def foot(place: str, text: str, y: int) -> str:
    """Return a number under a picture, within its ends."""
    share = float(place[:-1])
    anchor = "start" if share < 1.5 else "end" if share > 98.5 else "middle"
    return label(text, 14, x=place, y=y, text_anchor=anchor)


def side_by_side(low: float, high: float) -> list[tuple[float, str]]:
    """Return round numbers that have room beside one another.

    Examples
    --------
    >>> from fastpd.report._svg import side_by_side
    >>> [text for _, text in side_by_side(0, 790_000)]
    ['0', '200,000', '400,000', '600,000']
    """
    ticks = nice_ticks(low, high, 5)
    crowded = sum(len(text) for _, text in ticks) > _ROOM
    return nice_ticks(low, high, 3) if crowded else ticks


def nice_ticks(low: float, high: float, about: int) -> list[tuple[float, str]]:
    """Return round numbers from `low` to `high`, and how they are written.

    Examples
    --------
    >>> from fastpd.report._svg import nice_ticks
    >>> nice_ticks(-0.3, 1.1, 3)
    [(0.0, '0.0'), (0.5, '0.5'), (1.0, '1.0')]
    """
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [(low, plain_number(low))]
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * min((1, 2, 5, 10), key=lambda size: abs(math.log(size * power / rough)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [step * k for k in range(first, last + 1)]
    if step >= 1e-6 and max(abs(low), abs(high)) < 1e9:
        decimals = decimals_of([step], 1)
        return [(value, fixed(value, decimals)) for value in values]
    return [(value, plain_number(value)) for value in values]
