"""Exact partial dependence of tree ensembles, at the cost of prediction.

Given a trained tree model and a background sample, an `Explainer` computes partial dependence
functions, the functional decomposition, SHAP values and interactions, over the whole background.
"""

from fastpd import datasets, measures, plots, vanilla
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
from fastpd.explainer import Explainer, StandardErrors, load
from fastpd.forest import Forest
from fastpd.results import (
    Adequacy,
    Ale,
    Decomposition,
    Effect,
    Ice,
    Importance,
    Interactions,
    Plan,
    ShapParts,
    ShapValues,
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
    "ShapParts",
    "ShapValues",
    "StandardErrors",
    "Surrogate",
    "UnsupportedModelError",
    "WeightError",
    "datasets",
    "load",
    "measures",
    "plots",
    "surrogate",
    "vanilla",
]
