"""Standard errors: those of the jackknife done by hand, and of the width that they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, Forest, MemoryLimitError, OptionError
from fastpd.measures import Gaussian, Product
from fastpd.queries._folds import fold_of_row
from oracles import Floats, random_forest, rows_for

RNG = np.random.default_rng(3)
MODEL = random_forest(RNG, 4, 6, outputs="scalar")
BACKGROUND = rows_for(MODEL, 90, RNG)
ROWS = rows_for(MODEL, 7, RNG)
WEIGHTS = RNG.exponential(size=90)
FOLDS = 6


def by_hand(answer: Any, weights: Floats | None, seed: int = 0) -> Floats:
    """Leave each fold out of the background and make the explainer again."""
    place = fold_of_row(len(BACKGROUND), FOLDS, seed)
    without = []
    for k in range(FOLDS):
        left = place != k
        share = None if weights is None else weights[left]
        ex = Explainer(MODEL, BACKGROUND[left], weights=share, precision="double")
        without.append(answer(ex))
    spread = np.stack(without) - np.mean(without, axis=0)
    return np.sqrt((FOLDS - 1) / FOLDS * (spread**2).sum(axis=0))


ANSWERS: dict[str, tuple[Any, Any]] = {
    "expected value": (lambda ex: ex.expected_value, lambda errors: errors.expected_value),
    "value": (
        lambda ex: ex.value([(0,), (1, 3), ()], ROWS),
        lambda errors: errors.value([(0,), (1, 3), ()], ROWS),
    ),
    "one value": (lambda ex: ex.value((2,), ROWS), lambda errors: errors.value((2,), ROWS)),
    "shap": (lambda ex: ex.shap(ROWS).values, lambda errors: errors.shap(ROWS)),
    "effect": (lambda ex: ex.effect(1).pd_steps, lambda errors: errors.effect(1).pd_steps),
    "component of a pair": (
        lambda ex: ex.effect(0, 2).component(ROWS[:, [0, 2]]),
        lambda errors: errors.effect(0, 2).component(ROWS[:, [0, 2]]),
    ),
    "component": (
        lambda ex: ex.components(ROWS)["x0", "x1"],
        lambda errors: errors.components(ROWS)["x0", "x1"],
    ),
}


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", ANSWERS)
def test_are_those_of_explainers_without_a_fold(name: str, weights: Floats | None):
    answer, error = ANSWERS[name]
    ex = Explainer(MODEL, BACKGROUND, weights=weights, precision="double")
    found = error(ex.standard_errors(FOLDS))
    np.testing.assert_allclose(found, by_hand(answer, weights), rtol=1e-9, atol=1e-12)
    assert np.shape(found) == np.shape(answer(ex))


def test_another_seed_makes_other_folds():
    ex = Explainer(MODEL, BACKGROUND, precision="double")
    found = ex.standard_errors(FOLDS, seed=5).shap(ROWS)
    expected = by_hand(lambda one: one.shap(ROWS).values, None, seed=5)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert np.abs(found - ex.standard_errors(FOLDS).shap(ROWS)).max() > 0


def test_intervals_hold_the_truth_as_often_as_they_say():
    pytest.importorskip("scipy")
    rng = np.random.default_rng(0)
    model = random_forest(rng, 3, 5, depth=3)
    cov = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.3], [0.0, 0.3, 1.0]])
    rows = rng.multivariate_normal(np.zeros(3), cov, size=6)
    sets: list[tuple[int, ...]] = [(), (0,), (1, 2)]
    truth = Explainer(model, measure=Gaussian(np.zeros(3), cov, tolerance=1e-6))
    hits = []
    for _ in range(150):
        ex = Explainer(model, rng.multivariate_normal(np.zeros(3), cov, size=300), n_jobs=1)
        errors = ex.standard_errors()
        for found, true, error in [
            (ex.value(sets, rows), truth.value(sets, rows), errors.value(sets, rows)),
            (ex.shap(rows).values, truth.shap(rows).values, errors.shap(rows)),
        ]:
            known = error > 1e-9  # a value that no background changes is held for certain
            within = np.abs(found - true) <= errors.factor(0.95) * error + 1e-5
            hits.append(within[known].mean())
    assert 0.93 < np.mean(hits) < 0.97


def test_a_constant_has_no_error():
    from oracles import forest

    ex = Explainer(forest([2.5], 1), BACKGROUND[:, :1])
    assert ex.standard_errors(5).expected_value == 0
    assert ex.adequacy(folds=5).relative_error == 0


class TestAdequacy:
    def model(self) -> Forest:
        return random_forest(np.random.default_rng(1), 3, 6, depth=3)

    def test_names_sizes_and_errors_go_together(self):
        model = self.model()
        rng = np.random.default_rng(2)
        background = rng.normal(size=(400, 3))
        ex = Explainer(model, background, precision="double")
        found = ex.adequacy(ROWS[:, :3], folds=10)
        parts, errors = ex.components(ROWS[:, :3]), ex.standard_errors(10).components(ROWS[:, :3])
        assert set(found.names) == set(parts)
        assert np.all(np.diff(found.importance) <= 0)
        for at, names in enumerate(found.names):
            np.testing.assert_allclose(found.importance[at], np.abs(parts[names]).mean())
            root = np.sqrt((errors[names] ** 2).mean())
            np.testing.assert_allclose(found.standard_error[at], root, rtol=1e-9, atol=1e-12)
        half = Explainer(model, background[fold_of_row(400, 10, 0) % 2 == 0], precision="double")
        other = half.components(ROWS[:, :3])
        change = [np.abs(parts[names] - other[names]).mean() for names in found.names]
        np.testing.assert_allclose(found.change, change, atol=1e-12)

    def test_more_rows_halve_the_error(self):
        rng = np.random.default_rng(4)
        few, many = (
            Explainer(self.model(), rng.normal(size=(n, 3))).adequacy() for n in (400, 6400)
        )
        assert 3 < few.relative_error / many.relative_error < 5.3
        assert few.rows_for(few.relative_error / 2) == 1600

    def test_averages_over_a_weighted_background(self):
        weights = np.where(np.arange(90) % 3, 1.0, 0.0)
        ex = Explainer(MODEL, BACKGROUND, weights=weights, precision="double")
        kept = Explainer(MODEL, BACKGROUND[weights > 0], precision="double").importance(max_order=1)
        found = ex.adequacy(max_order=1, folds=5)
        for at, names in enumerate(found.names):
            np.testing.assert_allclose(found.importance[at], kept[names])

    def test_says_what_it_found(self):
        said = repr(Explainer(MODEL, BACKGROUND).adequacy(folds=4))
        assert "Background of 90 rows: relative error" in said
        assert "std. error" in said
        assert "x0 x x1" in said


class TestMisuse:
    ex = Explainer(MODEL, BACKGROUND)

    @pytest.mark.parametrize("folds", [1, 0, 2.5, True, "many"])
    def test_numbers_of_folds(self, folds: Any):
        with pytest.raises(OptionError, match=r"folds is .* a whole number of at least 2"):
            self.ex.standard_errors(folds)

    def test_more_folds_than_pairs_of_rows(self):
        with pytest.raises(OptionError, match="90 rows for 46 folds"):
            self.ex.standard_errors(46)

    def test_a_fold_of_nearly_all_weight(self):
        weights = np.append(1.0, np.full(len(BACKGROUND) - 1, 1e-30))
        ex = Explainer(MODEL, BACKGROUND, weights=weights)
        for ask in (ex.standard_errors, ex.adequacy):
            with pytest.raises(OptionError, match="all of its weight but a share"):
                ask(folds=5)

    def test_folds_without_weight(self):
        ex = Explainer(MODEL, BACKGROUND, weights=np.arange(90) < 2)
        with pytest.raises(OptionError, match="no weight"):
            ex.standard_errors(20)

    def test_measures_without_a_background(self):
        ex = Explainer(MODEL, measure=Product(BACKGROUND))
        with pytest.raises(OptionError, match="the measure is Product"):
            ex.standard_errors()

    def test_a_background_that_was_not_kept(self):
        ex = Explainer(MODEL, np.repeat(BACKGROUND, 200, axis=0), memory_limit="1MB")
        with pytest.raises(MemoryLimitError, match="too large to keep"):
            ex.standard_errors()

    @pytest.mark.parametrize("level", [0.0, 1.0, 95, "95%"])
    def test_levels(self, level: Any):
        with pytest.raises(OptionError, match="expected a number between 0 and 1"):
            self.ex.standard_errors(4).factor(level)

    def test_effects_of_many_features(self):
        with pytest.raises(OptionError, match="expected one, two or three"):
            self.ex.standard_errors(4).effect(0, 1, 2, 3)
