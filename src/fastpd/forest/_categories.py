"""How the values of a categorical column become the codes that a model splits by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

__all__ = ["Categories", "Label"]

Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
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
    arrays: Literal["code", "label"] = "code"

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
