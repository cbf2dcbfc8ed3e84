"""Every kind of model, explained as brute force on the library's own predictions says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, FastPDError, vanilla
from fastpd.testing import MODEL_CASES, Cells, ModelCase, Trained

EXACT = [case for case in MODEL_CASES if not case.refused]
REFUSED = [case for case in MODEL_CASES if case.refused]


def name_of(case: ModelCase) -> str:
    return case.name


def trained(case: ModelCase) -> Trained:
    if case.lacking:
        pytest.skip(f"{case.name} needs {', '.join(case.lacking)}")
    return case.make()


@dataclass
class Explained:
    """A case's explainer, and brute force on the library's own predictions."""

    given: Trained
    ex: Explainer
    cells: Cells
    predict: Callable[[Any], Any]
    atol: float

    def close(self, found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=self.atol)


@pytest.fixture(params=EXACT, ids=name_of, scope="module")
def explained(request: pytest.FixtureRequest) -> Explained:
    given = trained(request.param)
    ex = Explainer(given.model, given.background, **given.options)
    cells = Cells.of(given.background, given.rows)

    def predict(places: Any) -> Any:
        return np.asarray(given.raw(cells.decoded(places)), dtype=np.float64)

    largest = np.abs(predict(np.concatenate([cells.background, cells.rows]))).max()
    # Libraries add up in float32 at worst; so does the brute force that is built upon them.
    return Explained(given, ex, cells, predict, 2e-6 * max(1.0, float(largest)))


def test_predictions_are_those_of_the_library(explained: Explained):
    given = explained.given
    explained.close(explained.ex.predict(given.rows), given.raw(given.rows))
    explained.close(explained.ex.predict(given.background), given.raw(given.background))


def test_values(explained: Explained):
    ex, cells = explained.ex, explained.cells
    d = len(ex.feature_names)
    sets = [(), *combinations(range(d), 1), (0, d - 1), tuple(range(d - 1))]
    for subset in dict.fromkeys(tuple(sorted(set(one))) for one in sets):
        found = ex.value(subset, explained.given.rows)
        expected = vanilla.value(explained.predict, cells.background, cells.rows, subset)
        explained.close(found, expected)


def test_components(explained: Explained):
    ex, cells = explained.ex, explained.cells
    d = len(ex.feature_names)
    found = ex.components(explained.given.rows, max_order=d)
    expected = vanilla.components(explained.predict, cells.background, cells.rows)
    explained.close(np.broadcast_to(found.intercept, expected[()].shape), expected[()])
    for subset, part in expected.items():
        key = tuple(ex.feature_names[k] for k in subset)
        if key in found:
            explained.close(found[key], part)
        elif subset:
            explained.close(part, 0.0)


def test_shap_values(explained: Explained):
    found = explained.ex.shap(explained.given.rows)
    cells = explained.cells
    explained.close(found.values, vanilla.shap(explained.predict, cells.background, cells.rows))


@pytest.mark.parametrize("index", ["SII", "FSII"])
def test_interactions(explained: Explained, index: Any):
    ex, cells = explained.ex, explained.cells
    found = ex.interactions(explained.given.rows, order=2, index=index)
    expected = vanilla.interactions(explained.predict, cells.background, cells.rows, 2, index)
    for subset, part in expected.items():
        key = tuple(ex.feature_names[k] for k in subset)
        if key in found:
            explained.close(found[key], part)
        else:
            explained.close(part, 0.0)


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_what_is_refused_says_why(case: ModelCase):
    given = trained(case)
    with pytest.raises(FastPDError, match=case.refused):
        Explainer(given.model, given.background, **given.options).predict(given.rows)


def test_names_of_cases_are_unique():
    names = [case.name for case in MODEL_CASES]
    assert len(set(names)) == len(names)
