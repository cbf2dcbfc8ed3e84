"""The public face: one object that answers every question about a model."""

from __future__ import annotations

from fastpd.explainer._answers import Answers
from fastpd.explainer._saving import Saving
from fastpd.explainer._strengths import Strengths
from fastpd.explainer._summaries import Summaries
from fastpd.measures import Empirical

__all__ = ["Explainer"]


class Explainer(Answers, Summaries, Strengths, Saving):
    """Exact partial dependence of a tree ensemble, and all that follows from it.

    The whole background is used, always; nothing is subsampled or approximated. Answers are on the
    model's raw (link) scale.

    Parameters
    ----------
    model
        A trained model of XGBoost, LightGBM, CatBoost or scikit-learn, or a `Pipeline` that ends in
        one; an ONNX or treelite model; the path of a file that one of these libraries wrote; or a
        `fastpd.Forest`, such as `Forest.from_arrays` makes of trees of your own.
    background
        Rows to average over: an array, a pandas, polars or Arrow table, or an iterator over such
        batches. None to begin with no rows and add them with `update`.
    weights
        One number >= 0 for each background row; for an iterator of batches, an iterator of theirs.
    measure
        Instead of a background, another answer to who the others are: `measures.Path`,
        `measures.Product` or `measures.Gaussian`.
    output
        Explain one output of several, by name (as text) or index, or ``"sum"`` for the sum of raw
        scores. A number that is the index of one output and the name of another is refused.
    groups
        Columns that count as one feature everywhere, such as ``{"address": ["street", "zip"]}``.
    categories
        Labels of categorical columns for which the model keeps only codes, code 0 first, such as
        ``{"sex": ["Female", "Male"]}``.
    iteration_range
        Boosting rounds that count, ``(begin, end)``; an end of 0 means all that there are. By
        default those of the model's own `predict`, which early stopping may have shortened.
    n_jobs
        Threads; None for all cores. Results are the same bits for any number.
    precision
        ``"fast"``: 32-bit fixed-point tables, errors of about 1e-9 of the prediction's range, of
        some 1e-8 where a few trees have hundreds of leaves.
        ``"double"``: float64 throughout.
    memory_limit
        Bytes, or text like ``"4GB"``, that compiled tables, and counts at very deep leaves, may
        take. Beyond it tables are made piecewise, or the query is refused.
    progress
        None for a bar on a terminal when work takes seconds, False for none, or a function of the
        work's name and the share done.

    Examples
    --------
    >>> explainer = fastpd.Explainer(model, X)
    >>> explainer.shap(X[:5]).values.shape
    (5, 4)
    >>> explainer.components(X, max_order=2)["x0", "x1"].shape == (len(X),)
    True
    """

    def __repr__(self) -> str:
        forest, measure = self._blocks.forest, self._state.engine.measure
        others = [] if isinstance(measure, Empirical) else [f"measure {measure.name}"]
        if measure.n_rows or not measure.known:
            others.append(f"{measure.n_rows} background rows")
        return (
            f"<Explainer of {forest.source}: {forest.n_trees} trees, {forest.n_features} features, "
            f"{', '.join(others)}>"
        )
