"""What scales are called, and what a number on each of them means."""

from __future__ import annotations

__all__ = ["SCALES", "link_words", "meaning_of_scale"]

SCALES = {
    "identity": "prediction",
    "logit": "log-odds",
    "log": "log",
    "softmax": "raw score",
    "probability": "probability",
}

_MEANINGS = {
    "identity": "Effects are in the units of the prediction.",
    "logit": "Effects are in log-odds: +0.69 doubles the odds, \u22120.69 halves them.",
    "log": "Effects are on the log scale: +0.69 doubles the prediction, \u22120.69 halves it.",
    "softmax": "Effects are on the raw score of each class, before the softmax that makes "
    "probabilities of all of them: +0.69 for one class doubles its odds against each other one.",
    "probability": "Effects are in probability: +0.1 is ten percentage points.",
}


def link_words(link: str) -> str:
    """Return what the scale is called in a sentence."""
    return "units of the prediction" if link == "identity" else f"{SCALES.get(link, link)} scale"


def meaning_of_scale(link: str) -> str:
    """Return a sentence about what a number on the scale means."""
    return _MEANINGS.get(link, f"Effects are on the {link} scale of the model's raw prediction.")
