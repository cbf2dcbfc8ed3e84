"""Answers about every kind of model are the same bits however the work is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.testing import MODEL_CASES, ModelCase, Trained, cut

EXACT = [case for case in MODEL_CASES if not case.refused]


@pytest.fixture(params=EXACT, ids=lambda case: case.name, scope="module")
def given(request: pytest.FixtureRequest) -> Trained:
    case: ModelCase = request.param
    if case.lacking:
        pytest.skip(f"{case.name} needs {', '.join(case.lacking)}")
    return case.make()


def answers(ex: Explainer, rows: Any) -> list[Any]:
    every = tuple(range(len(ex.feature_names)))
    return [ex.predict(rows), ex.value([(0,), every[1:]], rows), ex.shap(rows).values]


def test_threads(given: Trained):
    one, three = (
        Explainer(given.model, given.background, n_jobs=n_jobs, **given.options)
        for n_jobs in (1, 3)
    )
    for alone, together in zip(answers(one, given.rows), answers(three, given.rows), strict=True):
        np.testing.assert_array_equal(alone, together)


def test_batches_of_rows(given: Trained):
    ex = Explainer(given.model, given.background, **given.options)
    parts = [answers(ex, part) for part in cut(given.rows, 3)]
    for whole, pieces in zip(answers(ex, given.rows), zip(*parts, strict=True), strict=True):
        np.testing.assert_array_equal(whole, np.concatenate(pieces))


def test_a_background_in_batches_and_merged(given: Trained):
    whole = Explainer(given.model, given.background, **given.options)
    batches = Explainer(given.model, iter(list(cut(given.background, 4))), **given.options)
    first, *others = (
        Explainer(given.model, part, **given.options) for part in cut(given.background, 3)
    )
    for other in reversed(others):
        first.merge(other)
    expected = answers(whole, given.rows)
    for ex in (batches, first):
        for one, other in zip(expected, answers(ex, given.rows), strict=True):
            np.testing.assert_array_equal(one, other)
