"""Models, and how to read the numbers of a page back."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
from numpy.typing import NDArray

from fastpd import Explainer, Forest
from oracles import random_forest, rows_for

HOSTILE = (
    "<script>window.hurt=1</script>",
    '"><img src=x onerror="window.hurt=1">',
    "</title></style></script><svg onload=window.hurt=1>",
    "{{ 7*7 }}{% raise %}",
    "it's \u2028 \u202e right to left \x07 &amp; \n and a new line",
    "",
    "long " * 100,
    "' onmouseover='window.hurt=1",
)


class Tables(HTMLParser):
    """The text of all cells of all tables, by the id of the table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.names: list[str] = []
        self._rows: list[list[str]] = []
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "table":
            name = given.get("id") or f"table-{len(self.names)}"
            self.names.append(name)
            self._rows = self.tables[name] = []
        elif tag == "tr" and self.names:
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._open = True
        elif tag in ("svg", "p", "div", "details", "figure", "section"):
            self._open = False

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self._rows[-1][-1] += data


def number(text: str) -> float:
    """Read a number as the page writes it."""
    plain = re.sub(r"[,+<>]", "", text.strip()).replace("\u2212", "-")
    return float(plain.removesuffix("%")) / 100 if plain.endswith("%") else float(plain)


def close(texts: list[str], values: NDArray[np.float64]) -> None:
    """Check that numbers on a page are those, to the digits that are shown."""
    assert len(texts) == len(values) > 0
    for text, value in zip(texts, values, strict=True):
        digits = len(text.strip().removesuffix("%").strip().partition(".")[2])
        unit = 10.0**-digits * (0.01 if text.strip().endswith("%") else 1)
        slack = 1e-3 if re.search("[<>]", text) else 0.5001 * unit
        assert abs(number(text) - value) <= slack


def drawn(seed: int = 0, n: int = 400, **options: object) -> tuple[Forest, NDArray[np.float64]]:
    """Draw a forest, and rows with missing values."""
    rng = np.random.default_rng(seed)
    model = random_forest(rng, 4, n_trees=12, **options)  # type: ignore[arg-type]
    return model, rows_for(model, n, rng)


def explainer_of(model: Forest, rows: NDArray[np.float64], **options: object) -> Explainer:
    """Return an explainer without a progress bar."""
    return Explainer(model, rows, progress=False, **options)  # type: ignore[arg-type]
