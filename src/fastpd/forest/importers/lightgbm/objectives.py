"""From a LightGBM objective to the link and slope that lead from raw scores to means."""

from __future__ import annotations

import math

from fastpd.forest.importers.lightgbm.document import Document, damaged

__all__ = ["link_of"]

_LINKS = {
    "binary": "logit",
    "multiclassova": "logit",
    "cross_entropy": "logit",
    "xentropy": "logit",
    "multiclass": "softmax",
    "poisson": "log",
    "gamma": "log",
    "tweedie": "log",
}
# Their scores are means already, ranks, or of a scale of their own (cross_entropy_lambda); so are
# those of an objective of the user's.
_AS_THEY_ARE = frozenset(
    [
        *("regression", "regression_l1", "regression_l2", "huber", "fair", "quantile", "mape"),
        *("lambdarank", "rank_xendcg", "cross_entropy_lambda", "xentlambda", "custom", "none"),
    ]
)


def link_of(document: Document) -> tuple[str, float]:
    """Return the link of a model's raw scores, and what they are multiplied by before its inverse.

    Raises
    ------
    ModelFileError
        Where the objective is unknown, or its parameters are no numbers.
    """
    name, *params = document.objective.split(" ")
    if name and name not in _LINKS and name not in _AS_THEY_ARE:
        raise damaged(document.source, f"its objective is {document.objective!r:.60}, unknown")
    link = _LINKS.get(name, "identity")
    several = name in ("multiclass", "multiclassova")
    if several != (document.n_outputs > 1) and name not in ("", "custom", "none"):
        raise damaged(document.source, f"{document.n_outputs} outputs of objective {name!r}")
    slopes = [param.removeprefix("sigmoid:") for param in params if param.startswith("sigmoid:")]
    if link != "logit" or not slopes:
        return link, 1.0
    try:
        slope = float(slopes[0])
    except ValueError:
        slope = math.nan
    if not (0 < slope < math.inf and len(slopes) == 1):
        raise damaged(document.source, f"its objective is {document.objective!r:.60}")
    return link, slope
