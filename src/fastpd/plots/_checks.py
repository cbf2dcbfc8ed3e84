"""What a picture refuses to draw, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastpd.errors import OptionError

__all__ = ["need_components", "need_one_output"]


def need_one_output(output_names: Sequence[str], what: str) -> None:
    """Refuse an answer with several outputs, which one picture cannot show."""
    if len(output_names) > 1:
        raise OptionError(
            f"the {what} has {len(output_names)} outputs; make the explainer for one of them, such "
            "as Explainer(..., output=0), to draw it."
        )


def need_components(names: Sequence[Any], what: str) -> None:
    """Refuse an answer that lists no component, which is that of a constant model."""
    if not names:
        raise OptionError(
            f"the {what} lists no components, for the model gives the same prediction to every "
            "row; expected a model with at least one split."
        )
