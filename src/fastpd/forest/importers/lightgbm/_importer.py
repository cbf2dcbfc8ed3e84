"""From a booster, a scikit-learn wrapper or a text file to a Forest that predicts the same."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import Any

import numpy as np

from fastpd.errors import ModelError, ModelFileError, OptionError, UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest._names import made_up_names
from fastpd.forest.check import validate
from fastpd.forest.importers.common import Rounds, not_fitted, output_names, read_file, rounds_of
from fastpd.forest.importers.lightgbm.agreement import check
from fastpd.forest.importers.lightgbm.categories import categories_of
from fastpd.forest.importers.lightgbm.document import Document, parse
from fastpd.forest.importers.lightgbm.nodes import nodes_of
from fastpd.forest.importers.lightgbm.objectives import link_of
from fastpd.forest.importers.lightgbm.rewrite import rewritten
from fastpd.forest.importers.lightgbm.trees import Trees, read_trees

__all__ = ["from_booster", "from_file"]


def from_booster(model: Any, *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a fitted booster or scikit-learn wrapper.

    Parameters
    ----------
    model
        A `lightgbm.Booster`, or a wrapper such as `lightgbm.LGBMClassifier`.
    iteration_range
        First boosting round that counts and the one after the last; a last one of 0 means all
        rounds. By default the rounds that the model's own `predict` uses: up to the best one
        after early stopping, else all.

    Returns
    -------
    Forest
        The trees that count, found to predict what LightGBM predicts. Its raw score is the sum of
        the trees; of a random forest their mean, which `predict` takes, though LightGBM's own
        `raw_score=True` returns the sum then.

    Raises
    ------
    ModelError
        Where the model is not fitted, is not a sum of steps, or predicts otherwise.
    OptionError
        Where the model has no such rounds.
    """
    library = importlib.import_module("lightgbm")
    source = f"LightGBM {library.__version__} {type(model).__name__}"
    is_wrapper = hasattr(model, "get_params")
    booster = _booster_of(model, source) if is_wrapper else model
    document = parse(_text(booster, library, source).encode(), source)
    rounds = _rounds(document, iteration_range or _best_rounds(booster, document))
    trees = _trees(document, rounds)
    classes = getattr(model, "classes_", None) if is_wrapper else None
    forest = _forest(document, trees, rounds, classes)
    span = _span(rounds) if iteration_range else {}
    check(forest, trees, booster, span, averaged=document.averaged)
    return forest


def from_file(path: str | os.PathLike[str], *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a model's text file.

    Parameters
    ----------
    path
        What `save_model` wrote.
    iteration_range
        As for `from_booster`; by default all rounds of the file.

    Returns
    -------
    Forest
        The trees that count; compared with LightGBM's predictions where LightGBM is installed.

    Raises
    ------
    ModelFileError
        Where the file cannot be read or is no LightGBM model.
    ModelError
        Where the model is not a sum of steps, or LightGBM predicts otherwise.
    OptionError
        Where the model has no such rounds.
    """
    source = f"LightGBM file {os.fspath(path)!r}"
    data = read_file(path, source)
    document = parse(data, source)
    rounds = _rounds(document, iteration_range)
    trees = _trees(document, rounds)
    forest = _forest(document, trees, rounds, None)
    try:
        library = importlib.import_module("lightgbm")
    except ImportError:
        return forest
    booster = _loaded(document, trees, library)
    check(forest, trees, booster, {}, averaged=document.averaged)
    return forest


def _booster_of(model: Any, source: str) -> Any:
    try:
        booster = model.booster_
    except (ValueError, AttributeError) as error:
        if "NotFitted" not in type(error).__name__:
            raise
        raise not_fitted(model) from None
    stops = model.get_params().get("pred_early_stop", False)
    if str(stops).lower() not in ("false", "0", "-", "none"):
        raise UnsupportedModelError(
            f"{source} has pred_early_stop={stops!r:.20}: its predictions leave trees out for rows "
            "that seem decided, so they are no sum of trees. Call "
            "`model.set_params(pred_early_stop=False)`."
        )
    return booster


def _text(booster: Any, library: ModuleType, source: str) -> str:
    """Return the text of all rounds."""
    try:
        return str(booster.model_to_string(num_iteration=-1))
    except (library.basic.LightGBMError, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"{source} cannot be read, as LightGBM does not write its text: {reason}. Categories "
            "must be text, numbers or bools; train it on such."
        ) from None


def _best_rounds(booster: Any, document: Document) -> Rounds | None:
    best = booster.best_iteration
    return (0, min(int(best), document.n_rounds)) if best is not None and best > 0 else None


def _rounds(document: Document, asked: Rounds | None) -> Rounds:
    """Return the rounds that count; an end of 0 means all."""
    available = document.n_rounds
    first, end = rounds_of(asked, available, may_be_empty=True)
    if first == end and document.averaged:
        raise OptionError(
            f"{document.source} is a mean of trees, and rounds {first} to {end} have none; give an "
            f"iteration_range of one round at least, of {available}."
        )
    return first, end


def _span(rounds: Rounds) -> dict[str, int]:
    return {"start_iteration": rounds[0], "num_iteration": rounds[1] - rounds[0]}


def _trees(document: Document, rounds: Rounds) -> Trees:
    first, last = (number * document.n_outputs for number in rounds)
    return read_trees(document, first, last)


def _forest(document: Document, trees: Trees, rounds: Rounds, classes: Any) -> Forest:
    link, slope = link_of(document)
    divisor = rounds[1] - rounds[0] if document.averaged else 1
    forest = Forest(
        **vars(nodes_of(trees, document.n_outputs, divisor)),
        base=np.zeros(document.n_outputs),
        feature_names=_feature_names(document.feature_names),
        output_names=output_names(document.n_outputs, classes),
        link=link,
        slope=slope,
        comparison="float64",
        source=document.source,
        categories=categories_of(document),
        absent="zero",
        underscored=True,
        integers="float32",
    )
    validate(forest)
    return forest


def _feature_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names; LightGBM makes up others than we do where it was given none."""
    made_up = names == tuple(f"Column_{place}" for place in range(len(names)))
    return made_up_names(len(names)) if made_up else names


def _loaded(document: Document, trees: Trees, library: ModuleType) -> Any:
    try:
        return library.Booster(model_str=rewritten(document, trees))
    except library.basic.LightGBMError as error:
        raise ModelFileError(
            f"{document.source} is refused by LightGBM {library.__version__} itself: "
            f"{str(error).splitlines()[0]}. Save the model again."
        ) from None
