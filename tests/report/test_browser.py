"""The page in a real browser: it opens, its controls work, and it asks for nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pages import drawn, explainer_of, number
from test_page import hostile_report

from fastpd import Explainer, Forest
from fastpd.report import Report
from oracles import Split, forest

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
WHERE = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the browser of this machine."""
    sync_api = pytest.importorskip(
        "playwright.sync_api",
        reason="no page was opened, for want of Playwright: pip install playwright",
    )
    if WHERE is None:
        pytest.skip("no Chromium on this machine, so no page was opened: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=WHERE, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Return what opens a report, and check after the test that the page was quiet."""
    heard: list[str] = []
    contexts = []

    def opener(report: Report, **options: Any) -> Any:
        path = report.save(tmp_path / "page.html")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opener
    for context in contexts:
        context.close()
    assert [one for one in heard if not one.startswith("file://")] == []
    assert len(heard) == len(contexts)


@pytest.fixture(scope="module")
def report() -> Report:
    """Report a model with numbers, labels and missing values."""
    rng = np.random.default_rng(0)
    trees = [
        Split(k % 7, float(rng.normal()), float(rng.normal()), Split((k + 1) % 8, 0.0, 1.0, 0.0))
        for k in range(60)
    ]
    names = [f"feature {k}" for k in range(8)]
    rows = rng.normal(size=(300, 8))
    rows[::9, 2] = np.nan
    return explainer_of(forest(trees, 8, names=names), rows).report(rows, rows[:, 0])


def shown(page: Any, selector: str) -> int:
    return len([one for one in page.query_selector_all(selector) if one.is_visible()])


def test_the_page_opens_and_fits(opened: Callable[..., Any], report: Report):
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            page = opened(report, viewport={"width": width, "height": 800}, color_scheme=scheme)
            assert page.title() == report.data.title
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert shown(page, "svg.plot") > 5
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (colour == "rgb(255, 255, 255)") == (scheme == "light")


def test_a_feature_can_be_chosen(opened: Callable[..., Any], report: Report):
    page = opened(report)
    assert shown(page, "figure.curve") == 6
    page.select_option("#feature", "all")
    assert shown(page, "figure.curve") == len(report.data.curves) == 8
    last = report.data.curves[-1]
    page.select_option("#feature", str(last.index))
    assert shown(page, "figure.curve") == 1
    assert last.feature in page.inner_text("figure.curve:visible figcaption")


def test_tables_sort_by_mouse_and_by_keyboard(opened: Callable[..., Any], report: Report):
    page = opened(report)

    def column(k: int) -> list[str]:
        return [
            one.inner_text()
            for one in page.query_selector_all(f"#importances tbody tr > :nth-child({k})")
        ]

    button = page.locator("#importances thead button").nth(2)
    numbers = [number(text) for text in column(3)]
    assert numbers == sorted(numbers, reverse=True)
    button.click()
    button.focus()
    page.keyboard.press("Enter")
    assert [number(text) for text in column(3)] == sorted(numbers)
    assert page.locator("#importances th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator("#importances thead button").nth(0).click()
    assert column(1) == sorted(column(1))


def test_pictures_say_their_numbers(opened: Callable[..., Any], report: Report):
    page = opened(report)
    curve = report.data.curves[0]
    plot = page.locator(f"#f{curve.index} svg.plot")
    readout = page.locator(f"#f{curve.index} .readout")
    plot.hover(position={"x": 2, "y": 60})
    first = readout.inner_text()
    rows = page.locator(f"#f{curve.index} tbody tr")
    cells = rows.nth(0).locator("td").all_text_contents()
    assert first.startswith(f"{cells[0]} to {cells[1]}: m {cells[2]}")
    plot.focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() != first
    page.keyboard.press("ArrowLeft")
    assert readout.inner_text() == first
    for _ in range(400):
        page.keyboard.press("ArrowRight")
    last = len(curve.shares) - 1
    assert readout.inner_text().startswith(rows.nth(last).locator("td").first.text_content())


def test_maps_say_their_numbers(opened: Callable[..., Any], report: Report):
    page = opened(report)
    plot = page.locator("#m0 svg.plot")
    plot.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    one = report.data.maps[0]
    said = page.locator("#m0 .readout").inner_text().partition(": m ")[2].partition(",")[0]
    digits = len(said.partition(".")[2])
    assert number(said) == pytest.approx(one.cells[1, 1, 0], abs=0.51 * 10**-digits)


def test_outputs_can_be_chosen_without_scripts(opened: Callable[..., Any]):
    model, rows = drawn(outputs="vector")
    made = explainer_of(model, rows).report(rows)
    page = opened(made, java_script_enabled=False)
    assert shown(page, "figure.story") == sum(story.output == 0 for story in made.data.stories)
    page.get_by_label(made.data.summary.outputs[2]).check()
    text = page.inner_text("#rows")
    for story in made.data.stories:
        if story.output == 2:
            assert f"Row {story.row}" in text
    assert shown(page, ".o0") == 0
    assert shown(page, ".o2") > 10


def test_without_scripts_everything_is_there(opened: Callable[..., Any], report: Report):
    page = opened(report, java_script_enabled=False)
    assert shown(page, "figure.curve") == len(report.data.curves)
    assert shown(page, ".chooser") == 0
    page.locator("figure details summary").first.click()
    assert shown(page, "table.steps") == 1


def test_the_keyboard_reaches_the_content_first(opened: Callable[..., Any], report: Report):
    page = opened(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    unnamed = page.evaluate(
        "[...document.querySelectorAll('svg[role=img], select, button, input')].filter(one => "
        "!(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).length"
    )
    assert unnamed == 0


def test_hostile_names_do_not_run(opened: Callable[..., Any]):
    page = opened(hostile_report())
    page.select_option("#feature", "all")
    page.locator("svg.plot").first.hover()
    page.locator("#importances thead button").first.click()
    page.wait_for_timeout(50)
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert len(page.query_selector_all("script")) == 1
    assert len(page.query_selector_all("img")) == 0


def test_a_notebook_shows_the_page_in_its_frame(browser: Any):
    page = browser.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.set_content(hostile_report()._repr_html_())
    frame = page.frames[1]
    frame.wait_for_selector("h1")
    assert frame.evaluate("window.hurt") is None
    assert frame.query_selector_all("#importances thead button")
    assert heard == []
    page.close()


def test_the_page_prints_all_features(opened: Callable[..., Any], report: Report):
    page = opened(report)
    page.emulate_media(media="print")
    assert shown(page, "figure.curve") == len(report.data.curves)
    assert shown(page, "nav") == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_labels_are_shown_with_bars(opened: Callable[..., Any]):
    model = Forest.from_arrays(
        feature=[[0, -1, -1]],
        threshold=[[0.0, 0, 0]],
        left=[[1, -1, -1]],
        right=[[2, -1, -1]],
        value=[[0.0, 1, 5]],
        left_codes=[{0: [0]}],
        categories={"city": ["Rome", "Oslo"]},
        feature_names=["city"],
    )
    rows = pd.DataFrame({"city": ["Rome", "Oslo", "Oslo"]})
    page = opened(Explainer(model, rows, progress=False).report(rows))
    names = page.locator("table.labels tbody th").all_inner_texts()
    assert names == ["Oslo", "Rome"]
    assert shown(page, "table.labels svg.bar") == 2
