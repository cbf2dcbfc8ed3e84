"""From a booster, a scikit-learn wrapper or a file to a Forest that predicts the same."""

from __future__ import annotations

import importlib
import json
import math
import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError, ModelFileError, UnsupportedModelError
from fastpd.forest._categories import Categories
from fastpd.forest._forest import Forest
from fastpd.forest.check import check_prediction, validate
from fastpd.forest.importers.common import (
    NodeArrays,
    Rounds,
    not_fitted,
    output_names,
    read_file,
    rounds_of,
)
from fastpd.forest.importers.xgboost.document import NEWEST, Document, decode, parse
from fastpd.forest.importers.xgboost.objectives import base_margin, link_of
from fastpd.forest.importers.xgboost.rewrite import rewritten
from fastpd.forest.importers.xgboost.trees import read_nodes

__all__ = ["from_booster", "from_file"]


def from_booster(model: Any, *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a fitted booster or scikit-learn wrapper.

    Parameters
    ----------
    model
        An `xgboost.Booster`, or a wrapper such as `xgboost.XGBClassifier`.
    iteration_range
        First boosting round that counts and the one after the last; a last one of 0 means all
        rounds. By default the rounds that the model's own `predict` uses: all of a booster, those
        up to the best one of a wrapper with early stopping.

    Returns
    -------
    Forest
        The trees that count, found to predict what XGBoost predicts.

    Raises
    ------
    ModelError
        Where the model is not fitted, is not a sum of trees, or predicts otherwise.
    OptionError
        Where the model has no such rounds.
    """
    library = importlib.import_module("xgboost")
    is_wrapper = hasattr(model, "get_booster")
    booster = _booster_of(model) if is_wrapper else model
    source = f"XGBoost {library.__version__} {type(model).__name__}"
    document = parse(decode(_raw(booster, library, source), source), source)
    if iteration_range is None and is_wrapper:
        iteration_range = _best_rounds(document)
    chosen = rounds_of(iteration_range, len(document.rounds) - 1, may_be_empty=True)
    missing = _missing(model.missing) if is_wrapper else math.nan
    classes = getattr(model, "classes_", None) if is_wrapper else None
    forest = _forest(document, chosen, missing, classes)
    _check(forest, booster, chosen, library)
    return forest


def from_file(path: str | os.PathLike[str], *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a model file, JSON or UBJSON.

    Parameters
    ----------
    path
        What `save_model` wrote. Its content tells the format, not its name.
    iteration_range
        As for `from_booster`. A file that a scikit-learn wrapper wrote counts as a wrapper.

    Returns
    -------
    Forest
        The trees that count; compared with XGBoost's predictions where XGBoost is installed.

    Raises
    ------
    ModelFileError
        Where the file cannot be read or is no XGBoost model.
    ModelError
        Where the model is not a sum of trees, or XGBoost predicts otherwise.
    OptionError
        Where the model has no such rounds.
    """
    source = f"XGBoost file {os.fspath(path)!r}"
    data = read_file(path, source)
    document = parse(decode(data, source), source)
    stored = _wrapper_state(document)
    if iteration_range is None and stored is not None:
        iteration_range = _best_rounds(document)
    chosen = rounds_of(iteration_range, len(document.rounds) - 1, may_be_empty=True)
    stored = stored or {}
    missing = _missing(stored.get("missing"))
    forest = _forest(document, chosen, missing, stored.get("classes_"))
    _check_file(forest, document, chosen)
    return forest


def _booster_of(model: Any) -> Any:
    try:
        return model.get_booster()
    except (ValueError, AttributeError) as error:
        if "Fitted" not in type(error).__name__:
            raise
        raise not_fitted(model) from None


def _raw(booster: Any, library: ModuleType, source: str) -> bytes:
    try:
        return bytes(booster.save_raw("ubj"))
    except library.core.XGBoostError as error:
        reason = str(error).splitlines()[0]
        raise ModelError(
            f"{source} cannot be read, as XGBoost does not save it: {reason}. Train it first."
        ) from None


def _wrapper_state(document: Document) -> Mapping[str, Any] | None:
    """Return what a scikit-learn wrapper stored in its file; None where no wrapper wrote it."""
    text = document.attributes.get("scikit_learn")
    if not isinstance(text, str):
        return None
    try:
        state = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def _best_rounds(document: Document) -> Rounds | None:
    text = str(document.attributes.get("best_iteration", ""))
    return (0, int(text) + 1) if text.isdecimal() and len(text) < 10 else None


def _missing(number: Any) -> float:
    """Return the number that counts as missing as XGBoost compares it, in float32."""
    if isinstance(number, bool) or not isinstance(number, int | float | np.number):
        return math.nan
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _forest(document: Document, rounds: Rounds, missing: float, classes: Any) -> Forest:
    first, last = (int(document.rounds[number]) for number in rounds)
    nodes = read_nodes(document, first, last)
    _refuse_missing_code(document, missing)
    forest = Forest(
        **vars(nodes),
        base=base_margin(document),
        feature_names=document.feature_names,
        output_names=output_names(document.n_outputs, classes),
        link=link_of(document.objective),
        comparison="float32",
        missing=missing,
        source=document.source,
        categories=_categories(document, nodes),
        absent="missing",
    )
    validate(forest)
    return forest


def _refuse_missing_code(document: Document, missing: float) -> None:
    """Refuse a number for missing that is the code of a label, too.

    XGBoost looks for that number among the codes by which a table numbers its labels, so that its
    predictions depend on how the table does that.
    """
    for name, known in zip(document.feature_names, document.categories, strict=True):
        labels = known.labels if known is not None and known.labels else ()
        if missing in range(len(labels)):
            raise UnsupportedModelError(
                f"{document.source} takes {missing:g} for missing, which is also the code of the "
                f"category {labels[int(missing)]!r:.60} of {name!r}; XGBoost then predicts by the "
                "order of categories in a table. Train with missing=numpy.nan."
            )


def _categories(document: Document, nodes: NodeArrays) -> tuple[Categories | None, ...]:
    """Return the categories of every column, also of one that only its splits tell of."""
    known = list(document.categories)
    for column in set(nodes.feature[nodes.splits.node].tolist()):
        if 0 <= column < len(known) and known[column] is None:
            known[column] = Categories(None)
    return tuple(known) if any(known) else ()


def _check(forest: Forest, booster: Any, rounds: Rounds, library: ModuleType) -> None:
    def margin(rows: NDArray[np.float32]) -> NDArray[np.floating]:
        try:
            with library.config_context(verbosity=0):
                raw = booster.inplace_predict(
                    rows,
                    iteration_range=rounds,
                    predict_type="margin",
                    missing=forest.missing,
                    validate_features=False,
                    strict_shape=True,
                )
        except library.core.XGBoostError as error:
            reason = str(error).splitlines()[0]
            raise ModelError(
                f"XGBoost cannot predict with {forest.source}: {reason}. Train or save it again."
            ) from None
        return np.asarray(raw)

    check_prediction(forest, margin)


def _check_file(forest: Forest, document: Document, rounds: Rounds) -> None:
    """Compare with the installed XGBoost, where there is one that knows the file's version."""
    written = document.version[:2]
    try:
        library = importlib.import_module("xgboost")
        installed = tuple(int(part) for part in library.__version__.split(".")[:2])
    except ImportError:
        installed = (0, 0)
    if installed < written:
        if written > NEWEST:
            raise UnsupportedModelError(
                f"{document.source} was written by XGBoost {written[0]}.{written[1]}; versions up "
                f"to {NEWEST[0]}.{NEWEST[1]} are known. Install that XGBoost, so that the model "
                "can be compared with it, or update fastpd."
            )
        return
    # XGBoost 3.2 crashes on vector leaves that an older version wrote, instead of refusing them.
    if forest.value.shape[1] > 1 and installed != written:
        return
    try:
        with library.config_context(verbosity=0):
            booster = library.Booster({"nthread": 1})
            booster.load_model(bytearray(rewritten(document)))
    except library.core.XGBoostError as error:
        # A version may refuse sound files of another, such as 2.1 those of reg:gamma by 1.7.
        if installed != written:
            return
        reason = str(error).splitlines()[0]
        raise ModelFileError(
            f"{document.source} is refused by XGBoost {library.__version__} itself: {reason}. "
            "Save the model again."
        ) from None
    _check(forest, booster, rounds, library)
