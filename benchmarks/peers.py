"""The tools that fastpd is measured against, each called as its documentation advises."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import xgboost as xgb

from benchmarks.models import FLOAT32

__all__ = ["PEERS", "Peer", "missing_peers", "predictor"]

Run = Callable[[FLOAT32], Any]


@dataclass(frozen=True)
class Peer:
    """A tool: how to make it ready (untimed), which returns what answers rows (timed)."""

    name: str
    module: str
    prepare: Callable[[Any, FLOAT32, int], Run]
    first: int  # rows of a first try, enough for more than the cost of a call as such
    share: float = 1.0  # of the time that a peer is given
    threads: bool = False  # whether it can use several
    interventional: bool = True  # whether it answers the question that fastpd answers
    arbiter: bool = True  # whether a difference means that fastpd is wrong

    @property
    def installed(self) -> bool:
        """Whether it can be run here."""
        return find_spec(self.module) is not None


def predictor(model: Any, n_threads: int) -> Run:
    """Return XGBoost's fastest prediction, in place and on the raw scale."""

    def run(X: FLOAT32) -> Any:
        return model.inplace_predict(X, predict_type="margin")

    model.set_param({"nthread": n_threads})
    return run


def missing_peers() -> list[str]:
    """Return the names of the tools that are not installed."""
    return [peer.name for peer in PEERS if not peer.installed]


def _pred_contribs(model: Any, background: FLOAT32, n_threads: int) -> Run:
    """TreeSHAP-path by XGBoost itself; it takes no background."""

    def run(X: FLOAT32) -> Any:
        return model.predict(xgb.DMatrix(X, nthread=n_threads), pred_contribs=True)

    model.set_param({"nthread": n_threads})
    return run


def _woodelf(model: Any, background: FLOAT32, n_threads: int) -> Run:
    """Interventional SHAP by woodelf, of float64 frames, which it takes fastest.

    Its import of the model is in the preparation; its pass over the background is in every call.
    """
    import pandas as pd
    from woodelf import WoodelfExplainer

    names = model.feature_names or [f"f{i}" for i in range(background.shape[1])]
    explainer = WoodelfExplainer(model, pd.DataFrame(background.astype("float64"), columns=names))

    def run(X: FLOAT32) -> Any:
        frame = pd.DataFrame(X.astype("float64"), columns=names)
        return explainer.shap_values(frame, verbose=False)

    return run


def _shap(model: Any, background: FLOAT32, n_threads: int) -> Run:
    """Interventional SHAP by shap's TreeExplainer, with the whole background."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap

        masker = shap.maskers.Independent(background, max_samples=len(background))
        explainer = shap.TreeExplainer(model, masker, feature_perturbation="interventional")

    def run(X: FLOAT32) -> Any:
        return explainer.shap_values(X, check_additivity=False)

    return run


PEERS = (
    Peer("pred_contribs", "xgboost", _pred_contribs, 64, threads=True, interventional=False),
    # A rival, not an authority: the table says how far its answers are, and shap's arbitrate.
    Peer("woodelf", "woodelf", _woodelf, 5000, arbiter=False),
    Peer("shap", "shap", _shap, 1, share=0.2),
)
