"""One kind of model: how to train it, and what is expected of an explainer of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

__all__ = ["ModelCase", "Trained"]


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model with all that is needed to check explanations of it.

    Attributes
    ----------
    model
        What is given to `Explainer`: a model object, a path, or a Forest.
    background, rows
        Tables as a user would give them.
    raw
        The library's own raw (link-scale) prediction of such a table, (rows,) or (rows, outputs).
    options
        Further keywords for `Explainer`.
    """

    model: Any
    background: Any
    rows: Any
    raw: Callable[[Any], NDArray[Any]]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ModelCase:
    """A named kind of model.

    Attributes
    ----------
    name
        Unique, such as ``"lightgbm-zero-as-missing"``.
    library, feature
        Row and entry of the table of what is supported, such as ``"LightGBM"`` and
        ``"zero as missing"``; several cases may share both.
    make
        Trains the model; `Trained.raw` and rows may be anything where the case is refused.
    needs
        Modules that must be importable, such as ``("lightgbm", "pandas")``.
    refused
        Empty where the model is explained exactly; else a pattern that the error's message matches.
    """

    name: str
    library: str
    feature: str
    make: Callable[[], Trained]
    needs: tuple[str, ...] = ()
    refused: str = ""

    @property
    def lacking(self) -> tuple[str, ...]:
        """Modules that the case needs and that are not installed."""
        return tuple(name for name in self.needs if importlib.util.find_spec(name) is None)

    def __repr__(self) -> str:
        return f"<ModelCase {self.name}>"
