"""How the values of a categorical column become the codes that a model splits by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from fastpd.errors import FeatureError, OptionError, nearest

__all__ = ["Categories", "Label", "with_labels"]

Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True, eq=False)
class Categories:
    """The labels of one categorical column, and the number that stands for each in the trees.

    Attributes
    ----------
    labels
        Label of code 0, of code 1, and so on. None where the model splits by codes and does not
        keep what they stand for; text is then refused, for its codes could only be guessed.
    unseen
        The code of a label that the model does not know, NaN for a missing value; None where the
        library refuses such a label.
    null
        The code of a missing label, by default NaN; None where the library refuses it.
    nan
        The code of a label that is NaN, where the library tells it from one that is missing;
        ``"null"``, as in most libraries, where it does not.
    arrays
        What a number in an array without labels is: a ``"code"`` as in most libraries, or itself a
        ``"label"``.

    Examples
    --------
    >>> from fastpd.forest import Categories
    >>> Categories(("red", "blue")).code("blue")
    1.0
    >>> Categories(("red", "blue")).code("green")
    nan
    """

    labels: tuple[Label, ...] | None
    unseen: float | None = float("nan")
    null: float | None = float("nan")
    nan: float | Literal["null"] = "null"
    arrays: Literal["code", "label"] = "code"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        """All that counts, with text for NaN, which is not equal to itself."""
        codes = (self.unseen, self.null, self.nan)
        same = ("nan" if code is not None and code != code else code for code in codes)
        return (self.labels, self.arrays, *same)

    @cached_property
    def _codes(self) -> Mapping[Label, float]:
        return {label: float(code) for code, label in enumerate(self.labels or ())}

    def code(self, label: Label) -> float | None:
        """Return the code of a label; None where it is unseen and the library refuses that."""
        return self._codes.get(label, self.unseen)

    def knows(self, label: Label) -> bool:
        """Tell whether the model met the label when it was trained."""
        return label in self._codes

    @property
    def numeric(self) -> bool:
        """Whether labels are numbers, so that a column of plain numbers can hold them."""
        return any(not isinstance(label, str) for label in self.labels or ())


def with_labels(
    known: Sequence[Categories | None], names: Sequence[str], given: Any
) -> tuple[Categories | None, ...]:
    """Return categories with labels from the user, where the model keeps only their codes.

    Parameters
    ----------
    known, names
        Categories and names of the model's columns.
    given
        A mapping from the name of a column to its labels, code 0 first.
    """
    if not isinstance(given, Mapping):
        raise OptionError(
            f"categories is a {type(given).__name__}; expected a mapping from the name of a column "
            "to its labels, code 0 first, such as {'sex': ['Female', 'Male']}."
        )
    categories = list(known) or [None] * len(names)
    for name, labels in given.items():
        if name not in names:
            raise FeatureError(
                f"categories names {name!r:.60}, which is no column of the model."
                f"{nearest(str(name), names)}"
            )
        at = list(names).index(name)
        found = categories[at]
        if found is None or found.labels is not None:
            why = "has no categories" if found is None else f"has labels already: {found.labels}"
            raise OptionError(
                f"categories names {name!r}, but in the model that column {why:.200}; leave it out."
            )
        categories[at] = replace(found, labels=_distinct(name, labels), unseen=None)
    return tuple(categories)


def _distinct(name: str, labels: Any) -> tuple[Label, ...]:
    """Return labels as a tuple; refuse what is no list of labels, or has one twice."""
    given = list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else []
    plain = [label.item() if hasattr(label, "item") else label for label in given]
    if not plain or not all(isinstance(label, Label) for label in plain):
        raise OptionError(
            f"categories of {name!r} are {labels!r:.60}; expected a list of labels, code 0 first."
        )
    if len(set(plain)) < len(plain):
        raise OptionError(f"categories of {name!r} have a label twice; expected each once.")
    return tuple(plain)
