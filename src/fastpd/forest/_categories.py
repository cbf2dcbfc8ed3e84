"""How the values of a categorical column become the codes that a model splits by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from fastpd.errors import FeatureError, OptionError, nearest
from fastpd.forest._text_hash import text_hash

__all__ = ["Categories", "HashedCategories", "Label", "with_labels"]

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
    text_only
        Whether the library refuses a number as a label, known or not.

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
    text_only: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        """All that counts, with text for NaN, which is not equal to itself."""
        codes = (self.unseen, self.null, self.nan)
        same = ("nan" if code is not None and code != code else code for code in codes)
        return (self.labels, self.arrays, self.text_only, *same)

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

    @property
    def reads_labels(self) -> bool:
        """Whether labels have codes here, rather than being refused for want of knowing them."""
        return self.labels is not None

    def refusal(self, label: Label) -> str:
        """Return what the library takes instead of a label of this type; empty if it takes it."""
        return ""


@dataclass(frozen=True, eq=False)
class HashedCategories(Categories):
    """Categories of a model that keeps a hash of each label's text, not the labels.

    Any label can be looked up, but what a code stands for can not be listed. Whole numbers and
    bools are labels by their digits: 5 is ``"5"``, True is ``"1"``. Labels that no split of the
    model tells apart may share a code.

    Attributes
    ----------
    codes
        The code of each hash that the model knows; all others are `unseen`.

    Examples
    --------
    >>> from fastpd.forest import HashedCategories
    >>> colours = HashedCategories(unseen=1.0, codes={759035679: 0.0})
    >>> colours.code("p"), colours.code("anything else")
    (0.0, 1.0)
    """

    labels: tuple[Label, ...] | None = None
    null: float | None = None
    arrays: Literal["code", "label"] = "label"
    codes: Mapping[int, float] = field(default_factory=dict, repr=False)

    @property
    def _key(self) -> tuple[Any, ...]:
        return (*super()._key, frozenset(self.codes.items()))

    def code(self, label: Label) -> float | None:
        """Return the code of a label by its hash."""
        return self.codes.get(_hash_of(label), self.unseen)

    def knows(self, label: Label) -> bool:
        """Tell whether the model knows the hash of the label."""
        return _hash_of(label) in self.codes

    @property
    def reads_labels(self) -> bool:
        """Always true, for labels are hashed."""
        return True

    def refusal(self, label: Label) -> str:
        """Return what is expected instead of a float, whose digits are not well defined."""
        return "text or a whole number" if isinstance(label, float) else ""


def _hash_of(label: Label) -> int:
    return text_hash(label if isinstance(label, str) else str(int(label)))


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
        if found is None or found.reads_labels:
            known_labels = "" if found is None or found.labels is None else f": {found.labels}"
            why = "has no categories" if found is None else f"has labels already{known_labels}"
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
