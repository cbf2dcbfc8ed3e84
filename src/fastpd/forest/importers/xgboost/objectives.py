"""From an XGBoost objective and base score to a link and a base on the raw scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.xgboost.document import Document
from fastpd.forest.importers.xgboost.fields import damaged

__all__ = ["base_margin", "link_of"]

_LOGIT = frozenset({"binary:logistic", "reg:logistic"})
_LOG = frozenset(
    {"count:poisson", "reg:gamma", "reg:tweedie", "survival:aft", "survival:cox"},
)
_SOFTMAX = frozenset({"multi:softmax", "multi:softprob"})


def link_of(objective: str) -> str:
    """Return the function from the mean to the raw scale.

    An objective that is not known here (one of the user's own, say) has raw predictions as they
    are: ``"identity"``.
    """
    # The scores of binary:logitraw are log-odds, though its base score is one of them, no mean.
    if objective in _LOGIT or objective == "binary:logitraw":
        return "logit"
    if objective in _LOG:
        return "log"
    return "softmax" if objective in _SOFTMAX else "identity"


def base_margin(document: Document) -> NDArray[np.float64]:
    """Return the raw prediction of each output before any tree, rounded as XGBoost does.

    Raises
    ------
    ModelFileError
        Where the base score is no number or has no finite counterpart on the raw scale.
    """
    scores = _base_scores(document)
    # From 3.1 on a base score that was to be estimated, but never was, is taken as it stands.
    estimated = document.user_base_score or len(document.trees) > 0
    if document.version >= (3, 1) and not estimated:
        margins = scores
    else:
        margins = _to_margin(scores, document)
    if not np.all(np.isfinite(margins)):
        raise damaged(
            document.source,
            f"base_score {document.base_score!r} has no finite value on the raw scale of "
            f"{document.objective!r}; set another `base_score` and train again",
        )
    return margins.astype(np.float64)


def _base_scores(document: Document) -> NDArray[np.float32]:
    parts = document.base_score.strip().removeprefix("[").removesuffix("]").split(",")
    try:
        scores = np.array([float(part) for part in parts], np.float64)
    except ValueError:
        raise damaged(document.source, f"base_score is {document.base_score[:60]!r}") from None
    if len(scores) not in (1, document.n_outputs):
        raise damaged(
            document.source,
            f"base_score has {len(scores)} values; the model has {document.n_outputs} outputs",
        )
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32)
    return np.ascontiguousarray(np.broadcast_to(rounded, document.n_outputs))


def _to_margin(scores: NDArray[np.float32], document: Document) -> NDArray[np.float32]:
    """Map means to raw scores in float32, as the objective's own code does."""
    one = np.float32(1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if document.objective in _LOGIT:
            # From 3.2 on a mean of 0 or 1 is moved inside instead of refused.
            if document.version >= (3, 2):
                edge = np.float32(1e-6)
                inside = np.clip(scores, edge, one - edge)
                scores = np.where((scores >= 0) & (scores <= one), inside, np.float32(np.nan))
            return np.asarray(-np.log(one / scores - one), np.float32)
        if document.objective in _LOG:
            return np.asarray(np.log(scores), np.float32)
    return scores
