"""Questions about the model as a whole, averaged over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from fastpd.errors import OptionError
from fastpd.explainer._held import Held
from fastpd.explainer._standard_errors import StandardErrors
from fastpd.options import check_count
from fastpd.queries import (
    Ask,
    FeatureSet,
    adequacy,
    check_order,
    folds_of,
    importance,
    table_bytes,
)
from fastpd.results import Adequacy, Importance, Plan

if TYPE_CHECKING:
    from fastpd.explainer import Explainer
    from fastpd.report import Report
    from fastpd.surrogates import Fidelity

__all__ = ["Summaries"]


class Summaries(Held):
    """What matters on average, how sure that is, and what it costs."""

    def importance(self, X: Any = None, max_order: int = 2) -> Importance:
        """Return the mean of abs(m_S), largest first, over rows or over the background.

        Examples
        --------
        >>> list(fastpd.Explainer(model, X).importance(X, max_order=1))[0]
        ('x0',)
        """
        order, engine = check_order(max_order), self._engine()
        return importance(engine, *self._rows_or_background(X, None, "importance({})"), order)

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
            library=engine.library,
        )

    def report(
        self,
        X: Any = None,
        y: Any = None,
        *,
        title: str | None = None,
        rows: Any = None,
        max_order: int = 2,
        pairs: int = 8,
        date: Any = None,
        fidelity: Fidelity | None = None,
    ) -> Report:
        """Return a page that says what the model does (needs jinja2).

        Parameters
        ----------
        X
            Rows to report on; by default the background.
        y
            The true values of these rows, to tell how well the model predicts.
        title
            Title of the page.
        rows
            Positions of rows to explain beside the most extreme ones and a typical one.
        max_order
            Largest sets of features.
        pairs
            How many of the strongest interactions are drawn.
        date
            What the page is dated; by default nothing, so that the same input gives the same page.
        fidelity
            How closely the model follows one that it stands for, as `fastpd.surrogate` returns.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> page = fastpd.Explainer(model, X).report(X, title="Made up").save(folder / "page.html")
        >>> page.name
        'page.html'
        """
        from fastpd.report import Sources, make_report  # at call time, for it knows explainers

        state = self._ready()
        given = None if X is None else self._rows(X)
        return make_report(
            cast("Explainer", self),
            Sources(state.engine, state.sample, given, X, y),
            title=title,
            rows=rows,
            max_order=max_order,
            pairs=pairs,
            date=date,
            fidelity=fidelity,
        )
