"""What an explainer holds: the model on its grid, and what was counted over the background."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.blocks import Blocks, make_blocks
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
    check_weights,
    merged,
    rows_of,
    scaled,
    weighted_batches,
)
from fastpd.options import as_bytes, as_n_jobs, as_precision, check_isa
from fastpd.progress import make_progress
from fastpd.queries import Cache, Engine, Settings, chunks_of

__all__ = ["SAMPLE_SHARE", "Asked", "Held"]

SAMPLE_SHARE = 32  # of the memory limit that the background's bins may take


@dataclass(frozen=True, eq=False)
class _State:
    """All that depends on the background, changed at once so that no thread sees half of it."""

    engine: Engine
    sample: Sample


@dataclass(frozen=True)
class Asked:
    """Settings of a machine as the user gave them, for another machine to take."""

    n_jobs: int | None
    progress: Any


class Held:
    """The state of an explainer, and how it takes in background rows."""

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
        blocks = make_blocks(forest, groups)
        begin = Empirical.nothing if measure is None else measure.begin
        self._asked = Asked(n_jobs, progress)
        self._hold(blocks, begin(blocks), Sample.nothing(blocks, limit // SAMPLE_SHARE))
        if background is not None:
            self._add(background, weights)
        elif weights is not None:
            raise WeightError("weights were given without a background; pass both, or to update().")

    def _hold(self, blocks: Blocks, measure: Measure, sample: Sample) -> None:
        """Begin with a model and what was counted for it; settings are there already."""
        self._blocks = blocks
        self._columns = Columns.of(blocks.forest, named=blocks.forest.named)
        self._changing = threading.RLock()
        self._library: str | None = None  # that the background came in
        self._state = self._with(measure, sample)

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

    def merge(self, other: Held) -> None:
        """Add the background of another explainer of the same model."""
        if not isinstance(other, Held):
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
            self._library = self._library or other._library
            self._state = self._with(measure, known.sample.merged(added.sample))

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
        engine = Engine(self._blocks, measure, self._settings, cache, self._library)
        if measure.known:
            _ = engine.chances  # refuses weights that are all zero
        return _State(engine, sample)

    def _background_rows(self, data: Any) -> Rows:
        rows = as_rows(data, self._columns, what="background")
        self._library = self._library or rows.source.library
        return rows

    def _rows(self, X: Any) -> Rows:
        """Read rows; those that were read before are taken as they are."""
        return X if isinstance(X, Rows) else as_rows(X, self._columns)

    def _rows_or_background(
        self, X: Any, weights: Any, call: str, state: _State | None = None
    ) -> tuple[Rows, NDArray[np.float64] | None]:
        """Return rows to average over, by default the background's, and their weights."""
        if X is not None:
            rows = self._rows(X)
            if rows.n_rows == 0:
                raise OptionError("X has no rows; expected at least one to average over.")
            return rows, None if weights is None else scaled(check_weights(weights, rows.n_rows))
        if weights is not None:
            raise WeightError("weights were given without X; those of the background are known.")
        state = state or self._ready()
        if state.engine.measure.n_rows == 0:
            raise OptionError(
                f"the measure {state.engine.measure.name} has no rows to average over; pass rows, "
                f"such as {call.format('X')}."
            )
        kept = state.sample.rows()
        if kept is None:
            raise state.sample.refusal(
                f"{call.partition('(')[0]}() averages over rows of the background",
                f"Pass rows, such as {call.format('background')}",
            )
        return kept

    def _ready(self) -> _State:
        state = self._state
        if not state.engine.measure.known:
            raise BackgroundError(
                "the explainer has no background yet; add rows with update(rows)."
            )
        return state

    def _engine(self) -> Engine:
        return self._ready().engine
