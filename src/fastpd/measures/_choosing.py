"""The measure that a user chose: what it takes beside a background, and what merges with it."""

from __future__ import annotations

from typing import Any

from fastpd.errors import MergeError, OptionError
from fastpd.measures._derived import Derived
from fastpd.measures._empirical import Empirical
from fastpd.measures._measure import Measure
from fastpd.measures._path import recounted_chances
from fastpd.measures._product import marginal_chances

__all__ = ["DERIVED", "merged", "rows_of"]

# How the chances of a derived measure follow from counts, by what chose it.
DERIVED = {"Path": recounted_chances, "Product": marginal_chances}
_INSTANCES = {"Product": "Product(rows)", "Gaussian": "Gaussian(mean, cov)"}


def rows_of(measure: Any, background: Any, weights: Any) -> tuple[Any, Any]:
    """Return the rows that a measure is made from, and their weights."""
    if isinstance(measure, type) and hasattr(measure, "begin"):
        name = measure.__name__
        raise OptionError(
            f"measure is the class {name}; expected an instance of it, such as "
            f"{_INSTANCES.get(name, name + '()')}."
        )
    if not hasattr(measure, "begin"):
        raise OptionError(
            f"measure is {measure!r:.60}; expected fastpd.measures.Path(), Product(rows) or "
            "Gaussian(mean, cov)."
        )
    if background is not None or weights is not None:
        raise OptionError(
            f"both a background and the measure {type(measure).__name__} were given; expected one "
            "of them. Rows of a measure are its own: Path(rows), Product(rows, weights)."
        )
    return measure.data, measure.weights


def merged(one: Measure, other: Measure, limit: int) -> Measure:
    """Return the measure of the rows of both."""
    if isinstance(one, Empirical) and isinstance(other, Empirical):
        return one.merged(other, memory_limit=limit)
    if isinstance(one, Derived) and isinstance(other, Derived) and one.name == other.name:
        return one.merged(other, memory_limit=limit)
    raise MergeError(
        f"the two explainers average over different measures, {one.name} and {other.name}, or "
        "over ones that have no rows; merge explainers of one kind over rows."
    )
