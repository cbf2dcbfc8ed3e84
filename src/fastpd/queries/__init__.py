"""What can be asked: queries compile tables from forest and measure, and look rows up in them."""

from fastpd.queries._adequacy import adequacy
from fastpd.queries._ale import ale
from fastpd.queries._components import component_columns, components
from fastpd.queries._effects import effect
from fastpd.queries._engine import Cache, Engine, Settings, chunks_of
from fastpd.queries._features import (
    FeatureSet,
    check_order,
    effect_features,
    feature_index,
    feature_set,
    feature_sets,
)
from fastpd.queries._folds import Fold, folds_of, jackknife
from fastpd.queries._h_statistics import joint_h, overall_h
from fastpd.queries._ice import ice
from fastpd.queries._importance import importance, top_interactions
from fastpd.queries._indices import check_index
from fastpd.queries._probability import (
    check_scale,
    probabilities,
    probability_effect,
    probability_value,
)
from fastpd.queries._shap_parts import shap_parts
from fastpd.queries._shapley import interactions, shap
from fastpd.queries._support import support
from fastpd.queries._tables import Ask, table_bytes
from fastpd.queries._value import predict, value
from fastpd.queries._variance import variance_shares
from fastpd.queries._without import removal, without

__all__ = [
    "Ask",
    "Cache",
    "Engine",
    "FeatureSet",
    "Fold",
    "Settings",
    "adequacy",
    "ale",
    "check_index",
    "check_order",
    "check_scale",
    "chunks_of",
    "component_columns",
    "components",
    "effect",
    "effect_features",
    "feature_index",
    "feature_set",
    "feature_sets",
    "folds_of",
    "ice",
    "importance",
    "interactions",
    "jackknife",
    "joint_h",
    "overall_h",
    "predict",
    "probabilities",
    "probability_effect",
    "probability_value",
    "removal",
    "shap",
    "shap_parts",
    "support",
    "table_bytes",
    "top_interactions",
    "value",
    "variance_shares",
    "without",
]
