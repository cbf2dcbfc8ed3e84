"""Surrogates: close to what they stand for, and refused where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fastpd
from fastpd import DataError, FidelityError, OptionError, surrogate, vanilla
from fastpd.surrogates import fidelity_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 3))
QUICK: dict[str, Any] = {"trials": 3, "folds": 3, "n_jobs": 1}


def black_box(rows: Any) -> Any:
    cells = np.asarray(rows, dtype=float)
    return 2 * cells[:, 0] + np.abs(cells[:, 1])


@pytest.mark.parametrize("library", ["xgboost", "sklearn"])
def test_explanations_are_near_those_of_the_black_box(library: str):
    pytest.importorskip(library)
    found = surrogate(black_box, X, library=library, **(QUICK | {"trials": 2, "folds": 2}))
    assert found.fidelity.r2 > 0.98
    assert found.fidelity.n_rows == 300
    assert found.explainer.n_background == len(X)
    phi = found.explainer.shap(X[:100]).values
    expected = vanilla.shap(black_box, X[:200], X[:100])
    assert np.corrcoef(phi[:, 0], expected[:, 0])[0, 1] > 0.99
    assert np.abs(phi[:, 2]).mean() < 0.05


def test_the_fidelity_is_that_of_the_model_which_is_explained():
    found = surrogate(black_box, X, **QUICK)
    fresh = np.random.default_rng(1).normal(size=(4000, 3))
    again = fidelity_of(black_box(fresh), found.explainer.predict(fresh))
    assert abs(again.r2 - found.fidelity.r2) < 0.01
    assert again.rmse == pytest.approx(found.fidelity.rmse, rel=0.4)


def test_what_cannot_be_followed_is_refused():
    noise = np.random.default_rng(2).normal(size=len(X))
    with pytest.raises(FidelityError, match=r"R2 -?0\.\d+ on 300 rows .* at least min_r2 = 0\.95"):
        surrogate(lambda rows: noise, X, **QUICK)
    assert surrogate(lambda rows: noise, X, min_r2=-9.0, **QUICK).fidelity.r2 < 0.1


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_tables_with_categories(frame: str):
    city = np.array(["Bern", "Chur", "Genf"])[RNG.integers(0, 3, len(X))]
    if frame == "pandas":
        table: Any = pd.DataFrame({"x": X[:, 0], "city": pd.Categorical(city)})
    else:
        labels = pl.Series(city, dtype=pl.Enum(["Bern", "Chur", "Genf"]))
        table = pl.DataFrame({"x": X[:, 0], "city": labels})
    found = surrogate(
        lambda rows: np.asarray(rows["x"]) + 5.0 * (np.asarray(rows["city"]) == "Chur"),
        table,
        **QUICK,
    )
    levels = found.explainer.effect("city").by_label()
    assert levels["Chur"] - levels["Bern"] == pytest.approx(5, abs=0.2)


def test_weights_count_in_the_fit_and_in_the_background():
    weights = (X[:, 0] > 0).astype(float)
    found = surrogate(black_box, X, weights=weights, min_r2=-9.0, **QUICK)
    assert (
        found.explainer.expected_value > surrogate(black_box, X, **QUICK).explainer.expected_value
    )


def test_the_same_seed_finds_the_same():
    one, other = (surrogate(black_box, X, seed=3, **QUICK) for _ in range(2))
    assert one.parameters == other.parameters
    np.testing.assert_array_equal(one.explainer.predict(X), other.explainer.predict(X))


class TestFidelity:
    def test_is_what_it_says(self):
        found = fidelity_of(np.array([0.0, 2.0, 4.0]), np.array([0.0, 2.0, 5.0]))
        assert found.r2 == pytest.approx(1 - (1 / 3) / (8 / 3))
        assert found.rmse == pytest.approx(np.sqrt(1 / 3))
        assert found.quantiles[0.5] == 0
        assert found.quantiles[1.0] == 1

    def test_of_several_outputs_is_the_poorest(self):
        truth = np.array([[0.0, 0.0], [2.0, 2.0]])
        assert fidelity_of(truth, truth * [1.0, 0.5]).r2 == pytest.approx(0.5)

    def test_of_a_constant(self):
        assert fidelity_of(np.ones(3), np.ones(3)).r2 == 1
        assert fidelity_of(np.ones(3), np.zeros(3)).r2 == 0


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"predict": 3}, OptionError, "predict is a int; expected a function"),
        ({"predict": lambda rows: ["a"] * len(rows)}, DataError, "no array of numbers"),
        ({"predict": lambda rows: rows}, DataError, r"shape \(1500, 3\) for 1500 rows"),
        ({"predict": lambda rows: rows[:, 0] / 0}, DataError, "not finite"),
        ({"X": X[:20]}, DataError, "X has 20 rows; expected at least 50"),
        ({"X": X[:, 0]}, DataError, "X has 1 dimensions"),
        ({"library": "torch"}, OptionError, "expected one of xgboost, sklearn"),
        ({"trials": 0}, OptionError, "trials is 0"),
        ({"folds": 1}, OptionError, "folds is 1"),
        ({"min_r2": 2}, OptionError, "min_r2 is 2"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_misuse(given: dict[str, Any], error: type[fastpd.FastPDError], said: str):
    with pytest.raises(error, match=said):
        surrogate(**{"predict": black_box, "X": X, **given})
