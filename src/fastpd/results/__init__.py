"""Answers: small objects with names and numbers, which know nothing of the engine."""

from fastpd.results._adequacy import Adequacy
from fastpd.results._curves import Ale, Ice
from fastpd.results._decomposition import Decomposition
from fastpd.results._effect import Effect
from fastpd.results._h_statistic import HStatistic
from fastpd.results._importance import Importance
from fastpd.results._interactions import Interactions
from fastpd.results._plan import Plan
from fastpd.results._removal import Removal
from fastpd.results._shap import ShapValues
from fastpd.results._shap_parts import ShapParts
from fastpd.results._variance_shares import VarianceShares

__all__ = [
    "Adequacy",
    "Ale",
    "Decomposition",
    "Effect",
    "HStatistic",
    "Ice",
    "Importance",
    "Interactions",
    "Plan",
    "Removal",
    "ShapParts",
    "ShapValues",
    "VarianceShares",
]
