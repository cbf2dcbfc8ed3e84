"""Estimators that are built of trees and yet are no sum of them, and what to do instead."""

from __future__ import annotations

__all__ = ["reason_against"]

_REASONS: dict[tuple[str, str], str] = {
    ("sklearn.ensemble._weight_boosting", "AdaBoostRegressor"): (
        "it predicts the weighted median of its trees, which is no sum. Train a "
        "GradientBoostingRegressor instead, or explain one of its `estimators_`."
    ),
    ("sklearn.ensemble._weight_boosting", "AdaBoostClassifier"): (
        "its trees vote for whole classes, with weights. Train a GradientBoostingClassifier "
        "instead, or explain one of its `estimators_`."
    ),
    ("sklearn.ensemble._stacking", "_BaseStacking"): (
        "its last model is fed with predictions of the others. Explain one of its `estimators_`, "
        "or average them in a VotingRegressor."
    ),
    ("sklearn.multioutput", "_BaseChain"): (
        "each of its models is fed with predictions of those before. Train a MultiOutputRegressor "
        "or MultiOutputClassifier instead, or explain one of its `estimators_`."
    ),
    ("sklearn.calibration", "CalibratedClassifierCV"): (
        "it bends the scores of its models by a curve. Explain the model that was calibrated."
    ),
    ("sklearn.compose._target", "TransformedTargetRegressor"): (
        "it transforms predictions back to the scale of the target. Explain its `regressor_`, "
        "which predicts on the transformed scale."
    ),
    ("sklearn.ensemble._forest", "RandomTreesEmbedding"): (
        "it encodes rows and predicts nothing. Explain the model that takes what it makes."
    ),
    ("sklearn.multiclass", "OneVsRestClassifier"): (
        "it divides the probabilities of its models by their sum. Explain one of its "
        "`estimators_`, or train a classifier of several classes."
    ),
    ("sklearn.dummy", "DummyRegressor"): "it has no trees, and predicts a constant for every row.",
    ("sklearn.dummy", "DummyClassifier"): "it has no trees, and looks at no feature.",
}


def reason_against(kind: tuple[str, str]) -> str:
    """Return why models of a type, given by module and name, are refused; empty if unknown."""
    return _REASONS.get(kind, "")
