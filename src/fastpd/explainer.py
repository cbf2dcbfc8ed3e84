"""The public face: one object that answers every question about a model."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.blocks import make_blocks
from fastpd.errors import BackgroundError, MergeError, OptionError, WeightError
from fastpd.forest import import_model
from fastpd.forest._categories import with_labels
from fastpd.forest.outputs import select_output
from fastpd.forest.sameness import same_model
from fastpd.frames import Columns, Rows, as_rows, named_by
from fastpd.measures import (
    Choice,
    Derived,
    Empirical,
    Measure,
    Sample,
    merged,
    rows_of,
    weighted_batches,
)
from fastpd.options import as_bytes, as_n_jobs, as_precision, check_count, check_isa
from fastpd.progress import make_progress
from fastpd.queries import (
    Ask,
    Cache,
    Engine,
    FeatureSet,
    Settings,
    adequacy,
    check_index,
    check_order,
    check_scale,
    chunks_of,
    components,
    effect,
    effect_features,
    feature_sets,
    folds_of,
    importance,
    interactions,
    predict,
    probability_effect,
    probability_value,
    shap,
    table_bytes,
    value,
)
from fastpd.results import (
    Adequacy,
    Decomposition,
    Effect,
    Importance,
    Interactions,
    Plan,
    ShapValues,
)
from fastpd.standard_errors import StandardErrors

__all__ = ["Explainer"]

_SAMPLE_SHARE = 32  # of the memory limit that the background's bins may take


@dataclass(frozen=True, eq=False)
class _State:
    """All that depends on the background, changed at once so that no thread sees half of it."""

    engine: Engine
    sample: Sample


class Explainer:
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

    def __init__(
        self,
        model: Any,
        background: Any = None,
        *,
        weights: Any = None,
        measure: Choice | None = None,
        output: Any = None,
        groups: Any = None,
        categories: Any = None,
        iteration_range: tuple[int, int] | None = None,
        n_jobs: int | None = None,
        precision: str = "fast",
        memory_limit: int | str = "2GB",
        progress: Any = None,
    ) -> None:
        check_isa()
        limit = as_bytes(memory_limit)
        self._settings = Settings(
            as_n_jobs(n_jobs), as_precision(precision), limit, make_progress(progress)
        )
        if measure is not None:
            background, weights = rows_of(measure, background, weights)
        forest = select_output(import_model(model, iteration_range=iteration_range), output)
        forest = named_by(forest, background)
        if categories is not None:
            known = with_labels(forest.categories, forest.feature_names, categories)
            forest = replace(forest, categories=known)
        self._columns = Columns.of(forest, named=forest.named)
        self._blocks = make_blocks(forest, groups)
        self._changing = threading.RLock()
        empty = Sample(self._blocks, (), (), limit // _SAMPLE_SHARE)
        begin = Empirical.nothing if measure is None else measure.begin
        self._state = self._with(begin(self._blocks), empty)
        if background is not None:
            self._add(background, weights)
        elif weights is not None:
            raise WeightError("weights were given without a background; pass both, or to update().")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in the model's order, with a group at its first column.

        Of a pipeline they are the columns of the table that goes into it, where each column of its
        last step comes from one of them; else they are those of its last step.
        """
        return self._blocks.players.names

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the model's outputs."""
        return self._blocks.forest.output_names

    @property
    def n_background(self) -> int:
        """Number of background rows seen so far."""
        return self._state.engine.measure.n_rows

    @property
    def expected_value(self) -> Any:
        """v_0, the mean raw prediction over the background; one number, or one for each output."""
        return self._engine().expected_value

    @property
    def nbytes(self) -> int:
        """Memory that the explainer holds, without cached tables."""
        state = self._state
        return self._blocks.nbytes + state.engine.measure.nbytes + state.sample.nbytes

    def update(self, background: Any, weights: Any = None) -> None:
        """Add background rows; in any batches and order the result is that of all at once.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model)
        >>> explainer.update(X[:100])
        >>> explainer.update(X[100:])
        >>> explainer.expected_value == fastpd.Explainer(model, X).expected_value
        True
        """
        self._add(background, weights)

    def merge(self, other: Explainer) -> None:
        """Add the background of another explainer of the same model."""
        if not isinstance(other, Explainer):
            raise MergeError(f"cannot merge a {type(other).__name__}; expected an Explainer.")
        if not same_model(self._blocks.forest, other._blocks.forest):
            raise MergeError(
                "the two explainers were made from different models "
                f"({self._blocks.forest.source} and {other._blocks.forest.source}); "
                "merge explainers of one and the same model only."
            )
        if not self._blocks.players.same_as(other._blocks.players):
            raise MergeError(
                "the two explainers were made with different groups; make both with the same."
            )
        added, limit = other._state, self._settings.memory_limit
        with self._changing:
            known = self._state
            measure = merged(known.engine.measure, added.engine.measure, limit)
            self._state = self._with(measure, known.sample.merged(added.sample))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the raw (link-scale) prediction by the engine itself, in float64."""
        return predict(self._engine(), self._rows(X))

    def value(
        self, features: Any, X: Any, *, scale: str = "link", dtype: Any = np.float64
    ) -> NDArray[Any]:
        """Return the partial dependence function v_S at the rows' values of S.

        Parameters
        ----------
        features
            One set, as a tuple of names or indices (``()`` gives v_0), or a list of sets.
        X
            Rows to evaluate at.
        scale
            ``"link"``, the raw scale; or, for a classifier, ``"probability"``: the mean of the
            predicted probabilities, exact as well, at the cost of predicting every pair of a row
            and a background row.
        dtype
            ``float64`` or ``float32``.

        Returns
        -------
        ndarray
            (rows,) for one set, (rows, sets) for a list; a last axis for several outputs.

        Examples
        --------
        >>> fastpd.Explainer(model, X).value([("x0",), ("x0", "x2")], X[:3]).shape
        (3, 2)
        """
        sets, many = feature_sets(features, self.feature_names)
        state, rows = self._ready(), self._rows(X)
        if check_scale(scale, state.engine.forest):
            found = probability_value(state.engine, state.sample, sets, rows, dtype)
        else:
            found = value(state.engine, sets, rows, dtype)
        return found if many else found[:, 0]

    def shap(self, X: Any, *, dtype: Any = np.float64) -> ShapValues:
        """Return the SHAP values of all features at rows, over the whole background.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> phi = explainer.shap(X)
        >>> bool(abs(phi.base_values + phi.values.sum(axis=1) - explainer.predict(X)).max() < 1e-6)
        True
        """
        rows = self._rows(X)
        steps = self._blocks.forest.preparation
        # Features that a pipeline mixes have values of their own, which the table does not show.
        data = X if steps is None or steps.owner is not None else rows.chunk(0, rows.n_rows)
        return shap(self._engine(), rows, data, dtype)

    def components(self, X: Any, max_order: int = 2, *, dtype: Any = np.float64) -> Decomposition:
        """Return the components m_S of the functional decomposition at rows, up to an order."""
        order = check_order(max_order)
        engine = self._engine()
        return components(engine, self._rows(X), order, engine.expected_value, dtype)

    def interactions(
        self, X: Any, order: int = 2, index: str = "SII", *, dtype: Any = np.float64
    ) -> Interactions:
        """Return interaction indices of all sets of up to `order` features at rows.

        Parameters
        ----------
        X
            Rows to explain.
        order
            Size of the largest sets; the top order of STII and FSII.
        index
            ``"SII"`` (Shapley), ``"STII"`` (Shapley-Taylor), ``"FSII"`` (Faith-SHAP), ``"BII"``
            (Banzhaf) or ``"Moebius"`` (the components themselves).
        dtype
            ``float64`` or ``float32``.
        """
        size, kind = check_order(order, "order"), check_index(index)
        return interactions(self._engine(), self._rows(X), size, kind, dtype)

    def effect(self, *features: Any, scale: str = "link") -> Effect:
        """Return the effect of one or two features as an exact step function.

        On the scale ``"probability"`` of a classifier it is the mean of predicted probabilities, at
        the cost of predicting every pair of a step and a background row. Of the columns that go
        into a pipeline only those have an effect that reach its model as they are.

        Examples
        --------
        >>> effect = fastpd.Explainer(model, X).effect("x0")
        >>> effect.pd([0.0, 0.5]).shape, len(effect.levels) == len(effect.edges) + 1
        ((2,), True)
        """
        ordered = effect_features(features, self.feature_names)
        state = self._ready()
        if check_scale(scale, state.engine.forest):
            return probability_effect(state.engine, state.sample, ordered)
        return effect(state.engine, ordered, state.engine.base)

    def importance(self, X: Any = None, max_order: int = 2) -> Importance:
        """Return the mean of abs(m_S), largest first, over rows or over the background.

        Examples
        --------
        >>> list(fastpd.Explainer(model, X).importance(X, max_order=1))[0]
        ('x0',)
        """
        order = check_order(max_order)
        state = self._ready()
        engine = state.engine
        if X is not None:
            rows = self._rows(X)
            if rows.n_rows == 0:
                raise OptionError("X has no rows; expected at least one to average over.")
            return importance(engine, rows, order, None)
        if engine.measure.n_rows == 0:
            raise OptionError(
                f"the measure {engine.measure.name} has no rows to average over; pass rows, such "
                "as importance(X)."
            )
        kept = state.sample.rows()
        if kept is None:
            raise OptionError(
                "the background was too large to keep for averages over it; pass rows, such as "
                "importance(background), or raise memory_limit."
            )
        return importance(engine, kept[0], order, kept[1])

    def standard_errors(self, folds: int = 20, seed: int = 0) -> StandardErrors:
        """Return the standard errors of answers: how much another background would change them.

        Parameters
        ----------
        folds
            Parts of the background that are left out in turn. The jackknife over more of them is
            steadier, and slower.
        seed
            Decides which rows make a fold.

        Examples
        --------
        >>> explainer = fastpd.Explainer(model, X)
        >>> errors = explainer.standard_errors()
        >>> phi, width = explainer.shap(X).values, errors.factor(0.95) * errors.shap(X)
        >>> low, high = phi - width, phi + width
        """
        state = self._ready()
        parts = folds_of(state.engine, state.sample, check_count(folds, "folds", 2), seed)
        return StandardErrors(state.engine, parts, self._rows)

    def adequacy(
        self, X: Any = None, max_order: int = 2, *, folds: int = 20, seed: int = 0
    ) -> Adequacy:
        """Tell whether the background is large enough for the components up to an order.

        Parameters
        ----------
        X
            Rows to average over; by default the background.
        max_order
            Size of the largest sets of features.
        folds, seed
            As for `standard_errors`.

        Examples
        --------
        >>> 0 < fastpd.Explainer(model, X).adequacy().relative_error < 0.5
        True
        """
        order, state = check_order(max_order), self._ready()
        parts = folds_of(state.engine, state.sample, check_count(folds, "folds", 2), seed)
        kept = state.sample.rows() if X is None else None
        rows, weights = kept if kept is not None else (self._rows(X), None)
        if rows.n_rows == 0:
            raise OptionError("X has no rows; expected at least one to average over.")
        return adequacy(state.engine, parts, rows, order, weights)

    def plan(self) -> Plan:
        """Return how the engine holds the model, and the memory that queries take."""
        blocks, engine = self._blocks, self._engine()
        singles: list[FeatureSet] = [(k,) for k in range(len(self.feature_names))]
        unlimited = engine.measure.max_order >= blocks.core.largest_path
        return Plan(
            n_trees=blocks.forest.n_trees,
            n_leaves=int(blocks.forest.is_leaf.sum()),
            n_blocks=blocks.core.n_blocks,
            n_deep_leaves=len(blocks.deep_sizes),
            largest_path=blocks.core.largest_path,
            deep_order=None if unlimited else engine.measure.max_order,
            explainer_bytes=self.nbytes,
            cached_bytes=engine.cache.nbytes,
            shap_table_bytes=table_bytes(engine, Ask("SII", 1), singles, engine.values(0)),
            memory_limit=self._settings.memory_limit,
            probability_predictions=self.n_background,
        )

    def __repr__(self) -> str:
        forest, measure = self._blocks.forest, self._state.engine.measure
        others = [] if isinstance(measure, Empirical) else [f"measure {measure.name}"]
        if measure.n_rows or not measure.known:
            others.append(f"{measure.n_rows} background rows")
        return (
            f"<Explainer of {forest.source}: {forest.n_trees} trees, {forest.n_features} features, "
            f"{', '.join(others)}>"
        )

    def _add(self, background: Any, weights: Any) -> None:
        with self._changing:  # another thread's rows must not be lost
            known = self._state
            measure, sample = self._counted(known, background, weights)
            if measure.n_rows == known.engine.measure.n_rows:
                raise BackgroundError("the background has no rows; expected at least one.")
            # Taken over at once, so that a stopped update leaves the old background.
            self._state = self._with(measure, sample)

    def _counted(self, known: _State, background: Any, weights: Any) -> tuple[Measure, Sample]:
        measure, sample = known.engine.measure, known.sample
        if not isinstance(measure, Empirical | Derived):
            raise OptionError(
                f"the measure {measure.name} is known without any rows, so none can be added. "
                "To average over rows, make an Explainer with a background instead."
            )
        limit, n_jobs = self._settings.memory_limit, self._settings.n_jobs
        for rows, weight in weighted_batches(background, weights, self._background_rows):
            runs = chunks_of(rows)
            with self._settings.progress.task("background", len(runs)) as task:
                for part, (start, stop) in enumerate(runs):
                    chunk = rows.chunk(start, stop)
                    share = None if weight is None else weight[start:stop]
                    measure = measure.updated(
                        chunk, share, memory_limit=limit, n_jobs=n_jobs, poll=task.poll(part)
                    )
                    sample = sample.updated(chunk, share)
        return measure, sample

    def _with(self, measure: Measure, sample: Sample) -> _State:
        cache = Cache(self._settings.memory_limit)
        engine = Engine(self._blocks, measure, self._settings, cache)
        if measure.known:
            _ = engine.chances  # refuses weights that are all zero
        return _State(engine, sample)

    def _background_rows(self, data: Any) -> Rows:
        return as_rows(data, self._columns, what="background")

    def _rows(self, X: Any) -> Rows:
        return as_rows(X, self._columns)

    def _ready(self) -> _State:
        state = self._state
        if not state.engine.measure.known:
            raise BackgroundError(
                "the explainer has no background yet; add rows with update(rows)."
            )
        return state

    def _engine(self) -> Engine:
        return self._ready().engine
