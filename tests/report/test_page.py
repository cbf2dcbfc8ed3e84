"""The page: it stands alone, and nothing that is in the data runs or breaks it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import HOSTILE, Tables, drawn, explainer_of

from fastpd import Explainer, Forest, OptionError, Surrogate
from fastpd.report import Report
from fastpd.surrogates import Fidelity
from oracles import Split, forest


def hostile_report(**options: object) -> Report:
    """Report a model whose names and labels are those of `HOSTILE`."""
    names = list(HOSTILE)
    model = Forest.from_arrays(
        feature=[[0, 1, -1, -1, -1], [2, 3, -1, -1, -1], [4, 5, -1, -1, -1], [6, 7, -1, -1, -1]],
        threshold=[[0.0, 0.5, 0, 0, 0]] * 4,
        left=[[1, 2, -1, -1, -1]] * 4,
        right=[[4, 3, -1, -1, -1]] * 4,
        value=[[0.0, 0, 1, 2, 5]] * 4,
        left_codes=[{0: [0, 2]}, {}, {}, {}],
        categories={names[0]: names},
        feature_names=names,
        output_names=[names[0]],
    )
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.random((60, 8)).round(1), columns=names)
    rows[names[0]] = [names[k % 8] for k in range(60)]
    return Explainer(model, rows, progress=False).report(rows, title=names[2], date=names[1])


def tags_and_attributes(page: str) -> tuple[list[str], set[str]]:
    """Return the tags of a page, and the names of all attributes, as a browser reads them."""
    found: tuple[list[str], set[str]] = ([], set())

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            found[0].append(tag)
            found[1].update(name for name, _ in attributes)

    Reader().feed(page)
    return found


def test_names_are_escaped_wherever_they_stand():
    page = hostile_report().html
    assert page.count("<script>") == 1
    assert page.count("</script>") == 1
    tags, attributes = tags_and_attributes(page)
    assert {"img", "iframe", "object", "link"}.isdisjoint(tags)
    assert tags.count("script") == tags.count("style") == 1
    assert [name for name in attributes if name.startswith("on") or name == "style"] == []
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.S)[0]
    assert "{{ 7*7 }}" in page
    assert "&lt;script&gt;" in page


def test_long_and_empty_names_are_shortened_and_said():
    page = hostile_report().html
    assert "(no name)" in page
    assert all(
        len(text) < 2000
        for text in re.findall(r">([^<>]+)<", page.split("<body>")[1].split("<script>")[0])
    )


def test_the_page_forbids_the_network_and_asks_for_nothing():
    page = hostile_report().html
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert len(policy) == 1
    assert policy[0].startswith("default-src &#39;none&#39;;") or policy[0].startswith(
        "default-src 'none';"
    )
    assert "unsafe" not in policy[0]
    body = page.split("</style>")[1].split("<script>")[0]
    assert re.findall(r"""(?:src|href)=["'](?!#)""", body) == []
    assert "url(" not in page


def test_links_stand_in_the_order_of_the_page():
    model = forest([Split(0, 0.0, Split(1, 0.0, -1.0, 0.5), 1.0)], 2)
    rows = np.random.default_rng(0).normal(size=(30, 2))
    page = Explainer(model, rows).report(rows, y=rows[:, 0]).html
    _, *links = re.findall(r'<a href="#(\w+)">', page.partition("<main")[0])
    assert "performance" in links
    assert links == [one for one in re.findall(r'<section id="(\w+)"', page) if one in links]


def test_the_same_input_gives_the_same_page():
    model, rows = drawn()
    pages = {
        explainer_of(model, rows, n_jobs=jobs).report(rows, date="today").html for jobs in (1, 2)
    }
    assert len(pages) == 1
    assert "today" in pages.pop()


def test_saving_writes_the_page_whole_or_not_at_all(tmp_path: Path):
    model, rows = drawn(n=30)
    report = explainer_of(model, rows).report(rows)
    path = report.save(tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == report.html
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(OptionError, match="folder that is not there"):
        report.save(tmp_path / "none" / "page.html")
    with pytest.raises(OptionError, match="is a folder"):
        report.save(tmp_path)
    with pytest.raises(OptionError, match="expected its path"):
        report.save(None)  # type: ignore[arg-type]


def test_names_that_no_file_can_hold_are_saved(tmp_path: Path):
    model = forest([Split(0, 0.5, 0.0, 1.0)], 1, names=["half \ud800"])
    report = explainer_of(model, np.array([[0.0], [1.0]])).report()
    assert "half" in report.save(tmp_path / "page.html").read_text(encoding="utf-8")


def test_notebooks_get_a_frame_that_is_shut_in():
    frame = hostile_report()._repr_html_()
    assert frame.startswith("<iframe")
    assert 'sandbox="allow-scripts"' in frame
    assert "<script" not in frame
    assert frame.count('"') == len(re.findall(r'="', frame)) * 2


def test_repr_is_short():
    assert len(repr(hostile_report(title="A page"))) < 3000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": np.zeros((0, 4))}, "no rows"),
        ({"y": [1.0]}, "without X"),
        ({"title": 3}, "title is 3"),
        ({"rows": [400]}, "rows has 400"),
        ({"rows": ["a"]}, "positions of rows"),
        ({"rows": [0.5]}, "positions of rows"),
        ({"max_order": 0}, "max_order is 0"),
        ({"pairs": -1}, "pairs is -1"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, object], message: str):
    model, rows = drawn()
    with pytest.raises(OptionError, match=message):
        explainer_of(model, rows).report(**{"X": None if "y" in given else rows, **given})


def test_more_outputs_than_can_be_shown_are_refused():
    model = forest([Split(0, 0.5, [0.0] * 13, [1.0] * 13)], 1, n_outputs=13)
    with pytest.raises(OptionError, match="13 outputs"):
        explainer_of(model, np.array([[0.0], [1.0]])).report()


def test_one_row_one_feature():
    model = forest([Split(0, 0.5, 0.0, 1.0)], 1)
    report = explainer_of(model, np.array([[0.0], [1.0]])).report(np.array([[1.0]]))
    assert len(report.data.stories) == 1
    assert "nan" not in report.html.split("<body>")[1].split("<script>")[0].lower()
    alone = explainer_of(model, np.array([[0.0]])).report()
    assert alone.data.importance["x0"] == 0
    assert "Few rows" in alone.html
    assert not re.findall(r"\b1 (background )?rows", alone.html)


def test_features_that_do_not_vary_and_those_in_no_tree():
    model = forest([Split(0, 0.5, 0.0, 1.0), 3.0], 3)
    report = explainer_of(model, np.zeros((120, 3))).report()
    assert report.data.summary.unused == ("x1", "x2")
    assert len(report.data.curves) == 1
    assert "x1, x2" in re.sub(r"<[^>]*>", "", report.html)


def test_a_model_of_no_features_at_all():
    model = forest([3.0], 1)
    report = explainer_of(model, np.zeros((50, 1))).report()
    assert report.data.curves == ()
    assert report.data.stories[0].prediction == 3.0
    assert "Main effects</h2>" not in report.html


def test_columns_of_missing_values_only():
    model = forest([Split(0, 0.5, 0.0, Split(1, 0.0, 1.0, 4.0)), Split(0, 0.7, 1.0, 2.0)], 2)
    rows = np.column_stack([np.full(200, np.nan), np.random.default_rng(0).normal(size=200)])
    report = explainer_of(model, rows).report(rows)
    curve = next(one for one in report.data.curves if one.feature == "x0")
    assert curve.missing_share == pytest.approx(1)
    assert curve.shares.sum() == 0
    assert "100.0 %" in report.html


def test_ten_thousand_categories():
    labels = [f"city {k}" for k in range(10_000)]
    rng = np.random.default_rng(0)
    model = Forest.from_arrays(
        feature=[[0, -1, -1]] * 200,
        threshold=[[0.0, 0, 0]] * 200,
        left=[[1, -1, -1]] * 200,
        right=[[2, -1, -1]] * 200,
        value=[[0.0, *rng.normal(size=2)] for _ in range(200)],
        left_codes=[{0: np.flatnonzero(rng.random(10_000) < 0.5).tolist()} for _ in range(200)],
        categories={"city": labels},
        feature_names=["city", "size"],
    )
    rows = pd.DataFrame({"city": rng.choice(labels, 3000), "size": 0.0})
    report = Explainer(model, rows, progress=False).report(rows)
    (curve,) = report.data.curves
    assert curve.labels is not None
    assert len(curve.labels) == 40
    assert "others, of fewer rows" in curve.labels[-1]
    assert curve.shares.sum() == pytest.approx(1)
    assert len(report.html) < 200_000


def test_many_classes_keep_the_page_small():
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.normal(size=80)).tolist()
    trees = [
        Split(
            k,
            cuts[j],
            rng.normal(size=10).tolist(),
            Split(
                (k + 1) % 12, cuts[-j], rng.normal(size=10).tolist(), rng.normal(size=10).tolist()
            ),
        )
        for k in range(12)
        for j in range(80)
    ]
    model = forest(trees, 12, n_outputs=10)
    report = explainer_of(model, rng.normal(size=(500, 12))).report()
    assert len(report.html) < 3_000_000
    assert {story.output for story in report.data.stories} == set(range(10))
    assert report.html.count('type="radio"') == 10


def test_groups_are_said_to_have_no_curve():
    model, rows = drawn()
    ex = explainer_of(model, rows, groups={"both": [0, 1]})
    report = ex.report(rows)
    assert {one.feature for one in report.data.curves} == {"x2", "x3"}
    assert any("both" in one.what for one in report.data.lost)
    assert "Left out" in report.html


def test_surrogates_show_how_closely_they_follow():
    model, rows = drawn()
    fidelity = Fidelity(0.97, 0.1, {0.5: 0.05, 1.0: 0.4}, 1.5, 80)
    found = Surrogate(explainer_of(model, rows), fidelity, model, {})
    report = found.report(rows)
    assert report.data.fidelity == fidelity
    assert "97.0 %" in report.html


def test_tables_have_heads():
    model, rows = drawn()
    for table in Tables(explainer_of(model, rows).report(rows).html).tables.values():
        assert len(table) > 1
        assert len({len(row) for row in table[:-1]}) == 1


def test_the_page_does_not_grow_with_rows():
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.normal(size=60)).tolist()
    trees = [
        Split(k, cuts[j], 0.0, Split((k + j) % 50, cuts[-j], 1.0, float(rng.normal())))
        for k in range(50)
        for j in range(60)
    ]
    model = forest(trees, 50)
    rows = rng.normal(size=(8000, 50))
    ex = explainer_of(model, rows[:500])
    sizes = [len(ex.report(part).html) for part in (rows[:1000], rows)]
    assert sizes[1] < 1.1 * sizes[0] < 3_000_000
