"""Exact partial dependence of tree ensembles, at the cost of prediction.

Given a trained tree model and a background sample, an `Explainer` computes partial dependence
functions, the functional decomposition, SHAP values and interactions, over the whole background.
"""

from fastpd import datasets, measures, plots, vanilla
from fastpd.compat import TreeExplainer
from fastpd.errors import (
    BackgroundError,
    DataError,
    FastPDError,
    FeatureError,
    FidelityError,
    MemoryLimitError,
    MergeError,
    MissingPackageError,
    ModelError,
    ModelFileError,
    ModelMismatchError,
    OptionError,
    UnsupportedModelError,
    WeightError,
)
from fastpd.explainer import Explainer, StandardErrors, Without, load
from fastpd.forest import Forest
from fastpd.results import (
    Adequacy,
    Ale,
    Decomposition,
    Effect,
    HStatistic,
    Ice,
    Importance,
    Interactions,
    Plan,
    Removal,
    ShapParts,
    ShapValues,
    VarianceShares,
)
from fastpd.surrogates import Surrogate, surrogate

__version__ = "0.1.0"

__all__ = [
    "Adequacy",
    "Ale",
    "BackgroundError",
    "DataError",
    "Decomposition",
    "Effect",
    "Explainer",
    "FastPDError",
    "FeatureError",
    "FidelityError",
    "Forest",
    "HStatistic",
    "Ice",
    "Importance",
    "Interactions",
    "MemoryLimitError",
    "MergeError",
    "MissingPackageError",
    "ModelError",
    "ModelFileError",
    "ModelMismatchError",
    "OptionError",
    "Plan",
    "Removal",
    "ShapParts",
    "ShapValues",
    "StandardErrors",
    "Surrogate",
    "TreeExplainer",
    "UnsupportedModelError",
    "VarianceShares",
    "WeightError",
    "Without",
    "datasets",
    "load",
    "measures",
    "plots",
    "surrogate",
    "vanilla",
]
