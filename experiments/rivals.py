"""The methods whose run times are compared, each made ready untimed and on one thread."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks import peers
from benchmarks.models import FLOAT32

import fastpd

__all__ = ["METHODS", "Method", "installed"]

Run = Callable[[FLOAT32], Any]


@dataclass(frozen=True)
class Method:
    """One way to explain rows over a background.

    Attributes
    ----------
    name, answers
        What tables call it, and what it finds.
    prepare
        Takes a model and a background; returns what answers rows, from a first look at the
        background on. What it does itself, such as to import the model, is not timed.
    module
        The package that it takes.
    quadratic
        Whether its time grows as background times rows, so that large runs are extended from few
        rows over the whole background.
    paper
        Mean seconds in the paper's figure 4 at 1000 and at 8000 rows.
    """

    name: str
    answers: str
    prepare: Callable[[Any, FLOAT32], Run]
    colour: str
    module: str = "xgboost"
    quadratic: bool = False
    paper: tuple[float, float] | None = None


def installed() -> list[Method]:
    """Return the methods that can be run here."""
    return [method for method in METHODS if find_spec(method.module)]


def _vanilla(model: Any, background: FLOAT32) -> Run:
    """Predict mixed rows for every set of features, as the paper's script does."""
    predict = peers.predictor(model, 1)
    return lambda X: fastpd.vanilla.values(predict, background, X)


def _peer(name: str) -> Callable[[Any, FLOAT32], Run]:
    """Call a tool as the benchmark does."""
    known = {peer.name: peer for peer in peers.PEERS}
    return lambda model, background: known[name].prepare(model, background, 1)


def _shap_path(model: Any, background: FLOAT32) -> Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap

        explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    model.set_param({"nthread": 1})
    return lambda X: explainer.shap_values(X)


def _zern(model: Any, background: FLOAT32) -> Run:
    """Gather split statistics of the background, then explain, as its readme says."""
    from pltreeshap import PLTreeExplainer

    explainer = PLTreeExplainer(model)

    def run(X: FLOAT32) -> Any:
        explainer.aggregate(background)
        return explainer.shap_values(X)

    return run


def _fastpd(
    answer: Callable[[fastpd.Explainer, FLOAT32], Any],
) -> Callable[[Any, FLOAT32], Run]:
    """Time the pass over the background, the tables and the evaluation."""

    def prepare(model: Any, background: FLOAT32) -> Run:
        empty = fastpd.Explainer(model, n_jobs=1, progress=False)

        def run(X: FLOAT32) -> Any:
            empty.update(background)
            return answer(empty, X)

        return run

    return prepare


def _components(explainer: fastpd.Explainer, X: FLOAT32) -> Any:
    return explainer.components(X, max_order=X.shape[1])


def _shap_values(explainer: fastpd.Explainer, X: FLOAT32) -> Any:
    return explainer.shap(X)


_FAST, _INT, _PATH = "FastPD", "SHAP values", "path-dependent SHAP values"
METHODS = (
    Method("VanillaPD", "all PD functions", _vanilla, "#8c8c8c", "xgboost", True, (217, 13722)),
    Method("TreeSHAP-int", _INT, _peer("shap"), "#b03a2e", "shap", True, (4.86, 295)),
    Method("Zern et al.", _INT, _zern, "#6b4c9a", "pltreeshap", paper=(0.181, 1.26)),
    Method("WOODELF", _INT, _peer("woodelf"), "#4a8c5c", "woodelf"),
    Method(
        "TreeSHAP-path (XGBoost)",
        _PATH,
        _peer("pred_contribs"),
        "#c99a2e",
        paper=(0.0157, 0.0899),
    ),
    Method("TreeSHAP-path (shap)", _PATH, _shap_path, "#e0c27a", "shap"),
    Method(_FAST, "all components", _fastpd(_components), "#20639b", paper=(0.161, 1.26)),
    Method("FastPD (SHAP only)", _INT, _fastpd(_shap_values), "#7fa8c9"),
)
