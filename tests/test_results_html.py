"""Answers as HTML, for notebooks."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.forest import Categories
from oracles import Split, forest, path_forest, random_forest

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b\n'c'" * 90)
MODEL = forest(
    [Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0)), Split(2, 0.25, 1.0, 2.0, missing="right")],
    3,
    names=HOSTILE,
)
ROWS = np.array([[0, 0, 0], [0, 1, 0.5], [1, 0, np.nan], [1, 1.0, 1.0]])
SEVERAL = random_forest(np.random.default_rng(0), 3, outputs="vector")


class Page(HTMLParser):
    """The tags of a page, its text, and the cells of its table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[list[str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.cells and self.cells[-1]:
            self.cells[-1][-1] += data


def answers(ex: Explainer, rows: Any) -> list[Any]:
    return [
        ex.shap(rows),
        ex.components(rows),
        ex.interactions(rows),
        ex.effect(0),
        ex.effect(0, 1),
        ex.importance(rows),
        ex.ice(0, rows),
        ex.ale(0, rows),
        ex.adequacy(rows, folds=2),
        ex.plan(),
        *([ex.shap_parts(0, rows)] if len(ex.output_names) == 1 else []),
    ]


@pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["one output", "several outputs"])
def test_names_are_text_and_nothing_else(model: Any):
    for answer in answers(Explainer(model, ROWS), ROWS):
        page = Page(answer._repr_html_())
        assert page.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "span"}
        assert len(page.cells) > 1


def test_hostile_names_are_shown_as_they_are():
    ex = Explainer(MODEL, ROWS)
    labels = [cells[0] for cells in Page(ex.shap(ROWS)._repr_html_()).cells[1:]]
    assert sorted(labels) == sorted(HOSTILE)


def test_the_largest_come_first_with_their_numbers():
    ex = Explainer(MODEL, ROWS, precision="double")
    phi = ex.shap(ROWS)
    head, *rows = Page(phi._repr_html_()).cells
    assert head == ["feature", "mean size", "smallest", "largest"]
    means = np.abs(phi.values).mean(axis=0)
    order = np.argsort(-means, kind="stable")
    assert [row[0] for row in rows] == [HOSTILE[k] for k in order]
    assert [float(row[1]) for row in rows] == pytest.approx(means[order], rel=1e-3)
    assert float(rows[0][2]) == pytest.approx(phi.values[:, order[0]].min(), rel=1e-3)


def test_what_is_left_out_is_counted():
    rows = np.random.default_rng(0).normal(size=(9, 8))
    ex = Explainer(path_forest(8), rows)
    found = ex.importance(rows)
    page = Page(found._repr_html_())
    assert len(page.cells) == 11
    assert page.text[-1] == f"and {len(found) - 10} more"
    leaves = [float(k) for k in range(6)]
    many = Explainer(forest([Split(0, 0.5, leaves, leaves[::-1])], 3, n_outputs=6), ROWS)
    text = many.shap(ROWS)._repr_html_()
    assert "4 of 6 outputs" in text
    assert "[y3]" in text
    assert "[y4]" not in text


def test_steps_are_told_in_words():
    ex = Explainer(MODEL, ROWS, precision="double")
    cells = Page(ex.effect(2)._repr_html_()).cells[1:]
    assert [row[0] for row in cells] == ["below 0.25", "0.25 and above", "missing"]
    colours = Explainer(
        forest([Split(0, 0.5, 1.0, Split(0, 1.5, 2.0, 5.0))], 2, names=["colour", "shape"]),
        ROWS[:, :2],
    )
    cells = Page(colours.effect("colour")._repr_html_()).cells[1:]
    assert [row[0] for row in cells] == ["below 0.5", "0.5 to 1.5", "1.5 and above", "missing"]
    assert Page(colours.effect("shape")._repr_html_()).cells[1][0] == "any"


def test_categories_have_their_labels():
    model = forest([Split(0, 0.5, 1.0, 2.0)], 1)
    model = replace(model, categories=(Categories(("<b>red</b>", "blue")),))
    effect = Explainer(model, [[0.0], [1.0]]).effect(0)
    cells = Page(effect._repr_html_()).cells[1:]
    assert [row[0] for row in cells] == ["<b>red</b>", "blue", "missing"]
    assert "2 steps" in repr(effect)


def test_there_may_be_no_rows_or_no_parts():
    ex = Explainer(MODEL, ROWS)
    for answer in (ex.shap(ROWS[:0]), ex.components(ROWS[:0]), ex.interactions(ROWS[:0])):
        assert "0 rows" in answer._repr_html_()
    constant = Explainer(forest([3.0], 1), [[0.0]])
    for answer in (constant.components([[0.0]]), constant.importance(), constant.effect(0)):
        assert "<table" in answer._repr_html_()
