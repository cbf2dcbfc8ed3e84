"""Answers: small objects with names and numbers, which know nothing of the engine."""

from fastpd.results._adequacy import Adequacy
from fastpd.results._curves import Ale, Ice
from fastpd.results._decomposition import Decomposition
from fastpd.results._effect import Effect
from fastpd.results._importance import Importance
from fastpd.results._interactions import Interactions
from fastpd.results._plan import Plan
from fastpd.results._shap import ShapValues
from fastpd.results._shap_parts import ShapParts

__all__ = [
    "Adequacy",
    "Ale",
    "Decomposition",
    "Effect",
    "Ice",
    "Importance",
    "Interactions",
    "Plan",
    "ShapParts",
    "ShapValues",
]
