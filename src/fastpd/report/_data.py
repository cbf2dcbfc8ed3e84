"""What a report says, as plain data: every number comes from a query of the explainer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastpd.results import Adequacy, HStatistic, Importance, VarianceShares
from fastpd.surrogates._fidelity import Fidelity

__all__ = [
    "Bar",
    "Curve",
    "Histogram",
    "Lost",
    "Map",
    "Note",
    "Order",
    "PairSupport",
    "ReportData",
    "Score",
    "Side",
    "Story",
    "Summary",
]

Floats = NDArray[np.float64]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """What was explained, over which rows, and by what.

    Attributes
    ----------
    source, n_trees, n_leaves
        The model.
    features, unused
        All features, and those that no tree asks for.
    outputs, link, expected
        Names of the outputs, the scale, and v_0 of each output.
    measure, n_background, weighted
        What averages are taken over.
    n_rows, own_rows
        Rows that the report is about, and whether they are others than the background.
    low, middle, high
        Smallest, median and largest prediction of each output over these rows.
    precision, version, date
        How it was computed, by which fastpd, and when, where that was given.
    """

    source: str
    n_trees: int
    n_leaves: int
    features: Names
    unused: Names
    outputs: Names
    link: str
    expected: Floats
    measure: str
    n_background: int
    n_rows: int
    own_rows: bool
    weighted: bool
    low: Floats
    middle: Floats
    high: Floats
    precision: str
    version: str
    date: str | None


@dataclass(frozen=True)
class Order:
    """A model that is cut after components of this size.

    Attributes
    ----------
    order, n_components
        Size of the largest sets of features, and how many sets have just that size.
    importance
        Sum of their importances, for each output.
    missed
        Mean absolute difference from the whole model over the rows, for each output.
    explained
        Share of the variance of predictions that the cut model has, for each output; NaN where
        predictions do not vary.
    """

    order: int
    n_components: int
    importance: Floats
    missed: Floats
    explained: Floats


@dataclass(frozen=True)
class Histogram:
    """Shares of rows between edges."""

    edges: Floats
    shares: Floats


@dataclass(frozen=True)
class Curve:
    """The main effect of one feature, step by step, or in stretches of several steps.

    Attributes
    ----------
    feature, index
        Name and position of the feature.
    importance
        Mean absolute main effect, for each output.
    labels
        What each stretch is called, of a feature with labels; None of one with numbers.
    edges
        Ends of the stretches of numbers, from -inf to inf.
    low, high
        Smallest and largest m_k in each stretch, (stretches, outputs); equal where it is one step.
    shares, known
        Share of the rows, and of the background, in each stretch.
    missing, missing_share
        m_k of a missing value, for each output, and the share of rows that lack it; None where the
        model takes no missing values.
    n_steps
        Number of steps of the exact effect.
    domain
        Smallest and largest number that are drawn.
    outside
        Share of rows beyond these.
    histogram
        Rows along the domain; None where there are labels.
    """

    feature: str
    index: int
    importance: Floats
    labels: Names | None
    edges: Floats
    low: Floats
    high: Floats
    shares: Floats
    known: Floats | None
    missing: Floats | None
    missing_share: float
    n_steps: int
    domain: tuple[float, float]
    outside: float
    histogram: Histogram | None

    @property
    def merged(self) -> bool:
        """Whether some stretches are several steps."""
        return len(self.shares) < self.n_steps


@dataclass(frozen=True)
class Side:
    """One side of a map: numbers between edges, or labels."""

    feature: str
    edges: Floats
    labels: Names | None
    n_steps: int


@dataclass(frozen=True)
class Map:
    """The component of two features on its grid.

    Attributes
    ----------
    across, up
        Its sides.
    importance
        Mean absolute component, for each output.
    cells
        m_kl, (across, up, outputs): of one cell of the grid, or the mean over rows of several, or
        at one of them.
    shares
        Share of the rows in each cell.
    largest_merged
        Largest difference between values that were merged into one cell; 0 where none were, and
        NaN where each cell has the value at one step of it.
    """

    across: Side
    up: Side
    importance: Floats
    cells: Floats
    shares: Floats
    largest_merged: float


@dataclass(frozen=True)
class Bar:
    """What one component, or several together, add to a prediction."""

    features: Names
    values: Names
    amount: float


@dataclass(frozen=True)
class Story:
    """One row explained: ``start`` and all amounts add up to the prediction.

    Attributes
    ----------
    why
        Why this row was chosen.
    row
        Its position, from 0.
    output
        Position of the output.
    prediction, start
        The prediction, and v_0.
    bars
        Components, largest first; the last ones stand for all that are not listed.
    """

    why: str
    row: int
    output: int
    prediction: float
    start: float
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Score:
    """One measure of how well the model predicts."""

    name: str
    value: float
    meaning: str


@dataclass(frozen=True)
class PairSupport:
    """How two features go together in the rows.

    Attributes
    ----------
    features
        The pair.
    association, kind
        Its strength, and how that was measured.
    empty
        Share of the combinations that partial dependence averages over which lie in cells of no
        background row, the features cut into at most ten parts each; NaN where rows are few.
    importance
        Mean absolute component of the pair.
    """

    features: Names
    association: float
    kind: str
    empty: float
    importance: float


@dataclass(frozen=True)
class Note:
    """Something that a reader should know before believing a picture."""

    title: str
    detail: str


@dataclass(frozen=True)
class Lost:
    """A part that is left out, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class ReportData:
    """All that a report says.

    Attributes
    ----------
    title
        Its title.
    summary
        Model, rows, and provenance.
    importance
        Mean absolute components over the rows, as `Explainer.importance` returns them.
    orders
        The model cut after each order.
    curves, maps, stories
        Main effects, strongest interactions, rows explained.
    variance, overall, joint
        As `Explainer.variance_shares`, and `Explainer.h_statistic` of features and of pairs, return
        them; None where H was refused.
    adequacy, adequacy_order
        As `Explainer.adequacy` returns it, and up to which order; None where it was refused.
    pairs
        How important features go together.
    scores
        How well the model predicts, where the truth was given.
    fidelity
        Of a surrogate.
    notes, lost
        Warnings, and what is left out.
    """

    title: str
    summary: Summary
    importance: Importance
    orders: tuple[Order, ...]
    curves: tuple[Curve, ...]
    maps: tuple[Map, ...]
    stories: tuple[Story, ...]
    variance: VarianceShares
    overall: HStatistic | None
    joint: HStatistic | None
    adequacy: Adequacy | None
    adequacy_order: int
    pairs: tuple[PairSupport, ...]
    scores: tuple[Score, ...]
    fidelity: Fidelity | None
    notes: tuple[Note, ...]
    lost: tuple[Lost, ...]
