"""Where a report takes its numbers from, and the rows that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastpd.errors import OptionError
from fastpd.frames import Rows
from fastpd.measures import Sample
from fastpd.queries import Engine
from fastpd.report._rows import Standing, standing, standing_of_sample
from fastpd.surrogates._fidelity import Fidelity

if TYPE_CHECKING:
    from fastpd.explainer import Explainer

__all__ = ["Asked", "Ground", "Sources", "check_outputs", "ground_of"]

_MOST_OUTPUTS = 12


@dataclass(frozen=True)
class Asked:
    """What the caller of a report chose.

    Attributes
    ----------
    title, date
        As they are to be written; None for a title of its own and no date.
    rows
        Rows to explain beside the extreme ones.
    max_order
        Largest sets of features.
    pairs
        How many interactions are drawn.
    fidelity
        Of a surrogate.
    """

    title: str | None
    rows: tuple[int, ...]
    max_order: int
    pairs: int
    date: str | None
    fidelity: Fidelity | None


@dataclass(frozen=True, eq=False)
class Sources:
    """Where a report takes its numbers from.

    Attributes
    ----------
    engine, sample
        The model with its measure, and the background as far as it is kept.
    rows, table, y
        Rows that were given, the table that they came in, and the truth; None without.
    """

    engine: Engine
    sample: Sample
    rows: Rows | None
    table: Any
    y: Any


@dataclass(frozen=True, eq=False)
class Ground:
    """The rows that a report is about."""

    rows: Rows
    here: Standing
    background: Standing | None  # where it is known
    own: bool

    @property
    def other(self) -> Standing | None:
        """The background, where it is known and not the very rows of the report."""
        return self.background if self.own else None


def check_outputs(explainer: Explainer) -> None:
    n_outputs = len(explainer.output_names)
    if n_outputs > _MOST_OUTPUTS:
        raise OptionError(
            f"the model has {n_outputs} outputs; a report shows at most {_MOST_OUTPUTS}. Make the "
            "explainer for one of them, such as Explainer(..., output=0)."
        )


def ground_of(sources: Sources) -> Ground:
    engine = sources.engine
    background = standing_of_sample(engine, sources.sample) if sources.sample.weights else None
    if sources.rows is not None:
        here, same = standing(engine, sources.rows)
        return Ground(same, here, background, own=True)
    if sources.sample.bins is None:
        raise sources.sample.refusal(
            "a report without X is about rows of the background", "Pass rows, such as report(X)"
        )
    kept = sources.sample.rows() if background is not None else None
    if kept is None or background is None:
        raise OptionError(
            f"the measure {engine.measure.name} has no rows for a report to be about; pass some, "
            "such as report(X)."
        )
    return Ground(kept[0], background, background, own=False)
