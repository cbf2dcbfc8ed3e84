"""What a CatBoost model says of its training: the loss function and the classes of the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["class_names", "link_of", "loss_of", "output_names"]

_LOGIT = frozenset(
    {
        *("Logloss", "CrossEntropy", "Focal", "MultiClassOneVsAll"),
        *("MultiLogloss", "MultiCrossEntropy"),
    }
)
_LOG = frozenset({"Poisson", "Tweedie", "LogLinQuantile", "SurvivalAft", "Cox"})
_CLASSES = frozenset({"MultiClass", "MultiClassOneVsAll"})


def loss_of(params: Any) -> str:
    """Return the name of the loss function, empty where the model does not say it.

    Models that were put together of others, or cut out of one, may not.
    """
    loss = params.get("loss_function", params) if isinstance(params, Mapping) else {}
    name = loss.get("type", "") if isinstance(loss, Mapping) else ""
    return name if isinstance(name, str) else ""


def class_names(params: Any) -> tuple[Any, ...]:
    """Return the labels of the target's classes; none where it has no classes."""
    names = params.get("class_names", ()) if isinstance(params, Mapping) else ()
    known = isinstance(names, list) and all(isinstance(one, str | int | float) for one in names)
    return tuple(names) if known else ()


def link_of(loss: str) -> str:
    """Return the function from the mean to the raw scale.

    A loss that is not known here, such as one of the user's own, has raw scores as they are.
    """
    if loss == "MultiClass":
        return "softmax"
    if loss in _LOGIT:
        return "logit"
    return "log" if loss in _LOG else "identity"


def output_names(count: int, loss: str, classes: tuple[Any, ...]) -> tuple[str, ...]:
    """Return names of the raw scores: of classes, of what is uncertain, or numbers."""
    if count == 1:
        return ("prediction",)
    names = tuple(map(str, classes))
    if loss in _CLASSES and len(names) == count and len(set(names)) == count:
        return names
    if loss == "RMSEWithUncertainty" and count == 2:
        return ("mean", "log_std")
    return tuple(map(str, range(count)))
