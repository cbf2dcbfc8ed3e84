"""Scores of trees on their way to the output: weighted sums, then at most one link function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.onnx.attributes import Attributes
from fastpd.forest.importers.onnx.ensemble import Ensemble

__all__ = ["Scores", "score_step"]

Floats = NDArray[np.float64]

_SHAPES = {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}
_LINKS = {"Exp": "log", "Sigmoid": "logit", "Softmax": "softmax"}
_SUMS = {"Add": 1.0, "Sum": 1.0, "Sub": -1.0}


@dataclass(frozen=True, eq=False)
class Scores:
    """Raw scores as a weighted sum of ensembles, and what was made of them.

    Attributes
    ----------
    weights
        For each ensemble that takes part a factor for each output.
    offset
        What is added to each output.
    raw
        Name of the tensor that holds the raw scores; empty where that is yet to be given.
    paired
        Whether the tensor has a second column, for the first of two classes.
    link
        Link whose inverse was applied; None while the scores are raw.
    reshaped
        Whether the tensor's shape was changed, so that it may no longer go with that of others.
    """

    weights: dict[int, Floats]
    offset: Floats
    raw: str
    paired: bool = False
    link: str | None = None
    reshaped: bool = False

    @classmethod
    def of(cls, number: int, ensemble: Ensemble, outputs: Sequence[str]) -> Scores:
        """Return the scores that one ensemble outputs, after its own transformation."""
        n_outputs = ensemble.n_outputs
        links = {"LOGISTIC": "logit", "SOFTMAX_ZERO": "identity", "PROBIT": "identity"}
        # Runtimes disagree on what a softmax of one score for two classes is.
        links["SOFTMAX"] = "softmax" if n_outputs > 1 else "identity"
        link = links.get(ensemble.transform)
        if ensemble.paired and link is None:
            link = "identity"
        return cls(
            {number: np.ones(n_outputs)},
            np.zeros(n_outputs),
            outputs[-1] if len(outputs) else "",
            ensemble.paired,
            link,
        )

    @property
    def n_outputs(self) -> int:
        """Number of raw scores."""
        return len(self.offset)

    def same_sums(self, other: Scores) -> bool:
        """Tell whether both are the same raw scores."""
        return (
            list(self.weights) == list(other.weights)
            and np.array_equal(self.offset, other.offset)
            and all(np.array_equal(self.weights[k], other.weights[k]) for k in self.weights)
        )

    def scaled(self, factor: Floats) -> Scores:
        """Return the scores times a factor for each output."""
        weights = {part: weight * factor for part, weight in self.weights.items()}
        return replace(self, weights=weights, offset=self.offset * factor, raw="")

    def plus(self, other: Scores) -> Scores:
        """Return the sum of both."""
        zeros = np.zeros(self.n_outputs)
        parts = sorted({*self.weights, *other.weights})
        weights = {k: self.weights.get(k, zeros) + other.weights.get(k, zeros) for k in parts}
        return replace(self, weights=weights, offset=self.offset + other.offset, raw="")


def score_step(given: Attributes, states: Sequence[Any]) -> Scores | None:
    """Return what a node makes of scores and constants, None where it is not understood.

    Scores that are a new tensor of raw scores have no name yet.
    """
    scored = [state for state in states if isinstance(state, Scores)]
    first, op = scored[0], given.op
    alone = len(states) == 1
    if alone and (op in ("Identity", "ZipMap") or (op == "Cast" and _widens(given))):
        return first
    if alone and op == "Flatten" and given.integer("axis", 1) == 1 and not first.reshaped:
        return first
    if op in _SHAPES and states[0] is first:
        return replace(first, reshaped=True) if _keeps_shape(given, first, states) else None
    if alone and op == "Normalizer":
        shares = first.link == "softmax"
        return first if shares and given.text("norm", "MAX") == "L1" else None
    if any(one.link is not None for one in scored):
        return None
    if alone and op in _LINKS:
        if op == "Softmax" and (given.integer("axis", -1) not in (1, -1) or first.n_outputs < 2):
            return None
        return replace(first, link=_LINKS[op])
    return _arithmetic(op, scored, states)


def _widens(given: Attributes) -> bool:
    return given.integer("to", 0) in (1, 11)


def _keeps_shape(given: Attributes, scores: Scores, states: Sequence[Any]) -> bool:
    """Tell whether a change of shape keeps a column for each output."""
    if scores.n_outputs == 1 and not scores.paired:
        return True
    shape = states[1] if given.op == "Reshape" and len(states) == 2 else None
    width = 2 if scores.paired else scores.n_outputs
    return isinstance(shape, np.ndarray) and shape.tolist() in ([-1, width], [0, width])


def _arithmetic(op: str, scored: Sequence[Scores], terms: Sequence[Any]) -> Scores | None:
    """Return sums of scores, and sums and products with constants."""
    n_outputs = scored[0].n_outputs
    numbers = [_broadcast(term, n_outputs) for term in terms if not isinstance(term, Scores)]
    if any(one is None for one in numbers) or {one.n_outputs for one in scored} != {n_outputs}:
        return None
    if len(scored) > 1 and any(one.reshaped for one in scored):
        return None
    if op == "Neg" and len(terms) == 1:
        return scored[0].scaled(np.full(n_outputs, -1.0))
    if op in _SUMS and (op == "Sum" or len(terms) == 2):
        total = _as_scores(terms[0], n_outputs)
        for term in terms[1:]:
            signed = _as_scores(term, n_outputs).scaled(np.full(n_outputs, _SUMS[op]))
            total = total.plus(signed)
        return total
    factor = numbers[0] if len(numbers) == 1 and len(terms) == 2 else None
    if factor is None or op not in ("Mul", "Div"):
        return None
    if op == "Mul":
        return scored[0].scaled(factor)
    return scored[0].scaled(1.0 / factor) if terms[0] is scored[0] and np.all(factor) else None


def _broadcast(constant: Any, n_outputs: int) -> Floats | None:
    """Return a constant's number for each output; None where it has no such shape."""
    values = np.asarray(constant)
    if values.dtype.kind != "f" or not np.all(np.isfinite(values)) or values.ndim > 2:
        return None
    if values.size == 1:
        return np.full(n_outputs, float(values.ravel()[0]))
    fits = values.shape in ((n_outputs,), (1, n_outputs))
    return values.ravel().astype(np.float64) if fits and n_outputs > 1 else None


def _as_scores(term: Any, n_outputs: int) -> Scores:
    if isinstance(term, Scores):
        return term
    found = _broadcast(term, n_outputs)
    return Scores({}, np.zeros(n_outputs) if found is None else found, "")
