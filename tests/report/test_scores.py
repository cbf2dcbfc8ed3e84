"""How well the model predicts, as scikit-learn measures it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)

from fastpd import DataError, Explainer
from fastpd.report._ranks import cramers_v, ranks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
NOISE = RNG.normal(size=300)


def scores(model: object, y: object, **options: object) -> dict[str, float]:
    found = Explainer(model, X, progress=False, **options).report(X, y).data.scores
    return {score.name: score.value for score in found}


def test_regression():
    y = X[:, 0] + NOISE
    model = GradientBoostingRegressor(n_estimators=20).fit(X, y)
    found, predicted = scores(model, pd.Series(y)), model.predict(X)
    assert found["R²"] == pytest.approx(metrics.r2_score(y, predicted))
    assert found["Mean absolute error"] == pytest.approx(metrics.mean_absolute_error(y, predicted))
    squared = metrics.mean_squared_error(y, predicted)
    assert found["Root mean squared error"] == pytest.approx(np.sqrt(squared))
    assert found["Rank correlation"] == pytest.approx(stats.spearmanr(y, predicted).statistic)


def test_counts_are_compared_on_their_own_scale():
    y = RNG.poisson(np.exp(X[:, 0] / 2))
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=20).fit(X, y)
    found = scores(model, y)
    assert found["R²"] == pytest.approx(metrics.r2_score(y, model.predict(X)))


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, RandomForestClassifier])
def test_two_classes(kind: type):
    y = (X[:, 0] + NOISE > 0).astype(int)
    model = kind(n_estimators=10, max_depth=3, random_state=0).fit(X, y)
    chance = model.predict_proba(X)[:, 1]
    found = scores(model, y)
    assert found["Accuracy"] == pytest.approx(metrics.accuracy_score(y, chance > 0.5))
    assert found["Log loss"] == pytest.approx(metrics.log_loss(y, chance))
    if kind is GradientBoostingClassifier:
        assert found["Area under the ROC curve"] == pytest.approx(metrics.roc_auc_score(y, chance))
        assert found["Brier score"] == pytest.approx(metrics.brier_score_loss(y, chance))


@pytest.mark.parametrize("named", [False, True])
def test_several_classes(named: bool):
    data = load_iris()
    y = data.target_names[data.target] if named else data.target
    model = GradientBoostingClassifier(n_estimators=5).fit(data.data, y)
    report = Explainer(model, data.data, progress=False).report(data.data, y)
    found = {score.name: score.value for score in report.data.scores}
    assert found["Accuracy"] == pytest.approx(model.score(data.data, y))
    assert found["Log loss"] == pytest.approx(metrics.log_loss(y, model.predict_proba(data.data)))


def test_one_class_of_several_is_ranked():
    data = load_iris()
    model = GradientBoostingClassifier(n_estimators=5).fit(data.data, data.target)
    ex = Explainer(model, data.data, output="2", progress=False)
    (score,) = ex.report(data.data, data.target == 2).data.scores
    raw = ex.predict(data.data)
    assert score.value == pytest.approx(metrics.roc_auc_score(data.target == 2, raw))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "shape"),
        (["a", "b"] * 150, "expected 0 and 1"),
        ([0.0, 2.0] * 150, "expected 0 and 1"),
        ([0.0, np.nan] * 150, "lacks a value in row 1"),
        ([0, None] * 150, "lacks a value in row 1"),
    ],
)
def test_truth_that_is_none_is_refused(y: object, message: str):
    model = GradientBoostingClassifier(n_estimators=2).fit(X, X[:, 0] > 0)
    with pytest.raises(DataError, match=message):
        scores(model, y)


def test_unknown_classes_are_refused():
    data = load_iris()
    model = GradientBoostingClassifier(n_estimators=2).fit(data.data, data.target)
    with pytest.raises(DataError, match="'7', which is no class"):
        Explainer(model, data.data, progress=False).report(data.data, [7] * 150)


def test_ranks_put_ties_in_the_middle():
    np.testing.assert_allclose(
        ranks(np.array([3.0, 1.0, 3.0]), np.ones(3)) + 0.5, stats.rankdata([3.0, 1.0, 3.0])
    )


def test_cramers_v_is_one_for_the_same_labels_and_none_for_chance():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cramers_v(np.eye(4) / 4, 1000) == pytest.approx(1, abs=1e-9)
        assert cramers_v(np.full((4, 3), 1 / 12), 1000) == 0
        assert cramers_v(np.ones((1, 3)) / 3, 1000) == 0
