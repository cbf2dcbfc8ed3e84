"""The numbers on the front page are those that the benchmark wrote."""

from __future__ import annotations

import pytest

pytest.importorskip("benchmarks.readme", reason="the benchmarks are not beside the tests")


def test_the_front_page_shows_the_kept_results():
    from benchmarks.readme import PAGE, with_numbers

    page = PAGE.read_text(encoding="utf-8")
    assert with_numbers(page) == page
