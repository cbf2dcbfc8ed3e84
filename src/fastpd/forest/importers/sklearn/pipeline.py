"""Pipelines that end in a model of trees: its forest, and the steps that make its columns."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastpd.errors import ModelError, UnsupportedModelError, imported
from fastpd.forest._forest import Forest
from fastpd.forest._names import made_up_names
from fastpd.forest.importers.sklearn._sources import Source, is_passthrough, sources_after
from fastpd.forest.importers.sklearn._steps import Steps
from fastpd.forest.registry import import_model

__all__ = ["from_pipeline"]

# Pipelines that are known to run every step's `transform` one after another, then the model.
_KNOWN = (("sklearn.pipeline", "Pipeline"), ("imblearn.pipeline", "Pipeline"))
_WAY_OUT = "Explain its last step: Explainer(pipeline[-1], pipeline[:-1].transform(background))."


def from_pipeline(pipeline: Any, *, iteration_range: tuple[int, int] | None = None) -> Forest:
    """Return the forest of a pipeline's last step, with the steps before it as its preparation.

    Steps of other packages, and functions, are taken to make each row of what they make from one
    row alone, as those of scikit-learn do; else not even the pipeline's own `predict` of a row is
    one number.

    Parameters
    ----------
    pipeline
        A fitted `sklearn.pipeline.Pipeline` that ends in a supported model, or imblearn's, whose
        samplers do nothing when it predicts.
    iteration_range
        As the importer of the last step takes it.

    Returns
    -------
    Forest
        The forest of the last step. Its columns are those that the steps make; its `preparation`
        knows the columns of the table that goes into the pipeline.

    Raises
    ------
    ModelError
        Where the pipeline is not fitted, or its last step cannot be represented exactly.
    UnsupportedModelError
        Where the last step is no model of trees, or the pipeline is of a class of its own.
    """
    _check_kind(pipeline)
    forest = _forest_of(pipeline, iteration_range)
    steps = [
        (name, step)
        for name, step in pipeline.steps[:-1]
        if not is_passthrough(step) and not hasattr(step, "fit_resample")
    ]
    if not steps:
        return forest
    _check_fitted(steps)
    transformers = tuple(_copied(name, step) for name, step in steps)
    columns = _columns(*steps[0])
    sources = _sources(transformers, len(columns), forest.n_features)
    owner = tuple(one.column for one in sources if one.column is not None)
    known = len(owner) == len(sources)
    unchanged = frozenset(
        k for k, one in enumerate(sources) if one.same and _keeps_zeros(forest, transformers[-1])
    )
    names = forest.feature_names if forest.named else _names(transformers, columns, forest)
    preparation = Steps(columns, owner if known else None, unchanged, transformers)
    return replace(
        forest,
        feature_names=names,
        preparation=preparation,
        source=f"{forest.source} in a pipeline",
    )


def _check_kind(pipeline: Any) -> None:
    kind = type(pipeline)
    if (kind.__module__, kind.__name__) not in _KNOWN:
        raise UnsupportedModelError(
            f"A {kind.__module__}.{kind.__qualname__} was given, a class of its own that may "
            "predict in another way than scikit-learn's Pipeline. If it does not, give "
            "sklearn.pipeline.Pipeline(pipeline.steps)."
        )


def _forest_of(pipeline: Any, iteration_range: tuple[int, int] | None) -> Forest:
    """Return the forest of the last step; refuse what is no model."""
    if not pipeline.steps:
        raise ModelError("This Pipeline has no steps; expected one that ends in a fitted model.")
    name, last = pipeline.steps[-1]
    if is_passthrough(last) or not hasattr(last, "predict"):
        shown = repr(last) if is_passthrough(last) else f"a {type(last).__name__}"
        raise UnsupportedModelError(
            f"The last step {name!r} of this Pipeline is {shown}, which predicts nothing; expected "
            "a fitted model of trees, such as RandomForestRegressor or XGBClassifier."
        )
    try:
        forest = import_model(last, iteration_range=iteration_range)
    except UnsupportedModelError as error:
        raise UnsupportedModelError(
            f"The last step {name!r} of this Pipeline cannot be explained. {error}"
        ) from error
    if forest.preparation is not None:
        raise UnsupportedModelError(
            f"The last step {name!r} of this Pipeline is itself a pipeline with steps before its "
            "model; put all steps into one Pipeline."
        )
    return forest


def _check_fitted(steps: Sequence[tuple[str, Any]]) -> None:
    """Refuse steps that know nothing yet; those of other packages may have nothing to learn."""
    validation = imported("sklearn.utils.validation", "explaining a pipeline")
    exceptions = imported("sklearn.exceptions", "explaining a pipeline")
    for name, step in steps:
        if not hasattr(step, "transform"):
            raise UnsupportedModelError(
                f"The step {name!r} of this Pipeline is a {type(step).__name__} without "
                f"`transform`, so the pipeline cannot predict. {_WAY_OUT}"
            )
        if type(step).__module__.partition(".")[0] != "sklearn":
            continue
        try:
            validation.check_is_fitted(step)
        except exceptions.NotFittedError:
            raise ModelError(
                f"The step {name!r} of this Pipeline, a {type(step).__name__}, is not fitted. "
                "Call `fit` of the pipeline first."
            ) from None


def _copied(name: str, step: Any) -> Any:
    """Return a copy of a step, which a later fit of the pipeline does not change."""
    try:
        return copy.deepcopy(step)
    except Exception as error:  # a transformer may be anybody's, and fail as it likes
        raise UnsupportedModelError(
            f"The step {name!r} of this Pipeline, a {type(step).__name__}, cannot be copied: "
            f"{error}. {_WAY_OUT}"
        ) from error


def _columns(name: str, first: Any) -> tuple[str, ...]:
    """Return the columns of the user's table; those of an array get made-up names."""
    names = getattr(first, "feature_names_in_", None)
    if names is not None:
        return tuple(map(str, names))
    count = getattr(first, "n_features_in_", None)
    if count is None:
        raise UnsupportedModelError(
            f"The first step {name!r} of this Pipeline, a {type(first).__name__}, does not say "
            "which columns it was fitted with: it has neither feature_names_in_ nor "
            f"n_features_in_. {_WAY_OUT}"
        )
    return made_up_names(count)


def _sources(transformers: Sequence[Any], n_given: int, n_made: int) -> list[Source]:
    """Return where each of the model's columns comes from."""
    sources: list[Source] | None = [Source(k, same=True) for k in range(n_given)]
    for step in transformers:
        if sources is None:
            break
        sources = sources_after(step, sources, n_made if step is transformers[-1] else None)
    if sources is None or len(sources) != n_made:
        return [Source(None)] * n_made
    return sources


def _keeps_zeros(forest: Forest, last: Any) -> bool:
    """Tell whether a zero that is handed on reaches the trees as zero.

    In a sparse matrix it is absent, which is a missing value to some libraries.
    """
    return forest.absent != "missing" or getattr(last, "sparse_output_", None) is False


def _names(
    transformers: Sequence[Any], columns: tuple[str, ...], forest: Forest
) -> tuple[str, ...]:
    """Return names of the model's columns by the steps that make them, or those that it has."""
    names: Any = list(columns)
    try:
        for step in transformers:
            names = step.get_feature_names_out(names)
    except Exception:  # not every transformer has names
        return forest.feature_names
    found = tuple(map(str, names))
    fits = len(found) == forest.n_features and len(set(found)) == len(found)
    return found if fits else forest.feature_names
