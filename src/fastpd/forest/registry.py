"""Which importer reads a model, found by the name of its type so that no library is imported."""

from __future__ import annotations

import importlib
import os
import re
from typing import Any, cast

from fastpd.errors import ModelFileError, OptionError, UnsupportedModelError
from fastpd.forest._forest import Forest
from fastpd.forest.check import canonical
from fastpd.forest.importers.common import read_file

__all__ = ["import_model"]

# Module and name of a type -> folder of importers, and the function that reads it.
_IMPORTERS = {
    ("xgboost.core", "Booster"): ("xgboost", "from_booster"),
    ("xgboost.sklearn", "XGBModel"): ("xgboost", "from_booster"),
    ("lightgbm.basic", "Booster"): ("lightgbm", "from_booster"),
    ("lightgbm.sklearn", "LGBMModel"): ("lightgbm", "from_booster"),
    ("catboost.core", "CatBoost"): ("catboost", "from_model"),
    ("sklearn.base", "BaseEstimator"): ("sklearn", "from_estimator"),
    ("onnx.onnx_ml_pb2", "ModelProto"): ("onnx", "from_model"),
    ("treelite.model", "Model"): ("treelite", "from_model"),
}
# What the first bytes of a model file match -> as above; other files are XGBoost's.
_FILE_IMPORTERS: tuple[tuple[bytes, tuple[str, str]], ...] = (
    (rb"tree\r?\n", ("lightgbm", "from_file")),
    (rb"CBM1", ("catboost", "from_file")),
    (
        rb'\s*\{\s*"(ctr_data|features_info|model_info|oblivious_trees|trees|scale_and_bias)"',
        ("catboost", "from_file"),
    ),
    (rb"\x08[\x03-\x20]", ("onnx", "from_file")),
)
_FILE_IMPORTER = ("xgboost", "from_file")
# How its files start, those too that it refuses with a reason of its own: old ones and pickles.
_FILE_START = rb"\s*\{|\s{4096}|binf|bs64|CONFIG-offset:|\x80"
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_LONGEST_START = 4096
_SAVED = "XGBoost (.json, .ubj), LightGBM (.txt), CatBoost (.cbm, .json) or as ONNX (.onnx)"
_SUPPORTED = (
    "a model of XGBoost, LightGBM, CatBoost or scikit-learn (also a pipeline that ends in one), an "
    f"ONNX or treelite model, the path of a model saved by {_SAVED}, or a fastpd Forest"
)


def import_model(model: Any, *, iteration_range: tuple[int, int] | None = None) -> Forest:
    """Return the forest of any supported model.

    Parameters
    ----------
    model
        A Forest, a path to a model file, or a fitted model of a supported library.
    iteration_range
        First boosting round that counts and the one after the last; by default those that the
        model's own `predict` uses.

    Returns
    -------
    Forest
        The trees that count.

    Raises
    ------
    UnsupportedModelError
        Where the type of the model is not known.
    ModelError
        Where the model cannot be represented exactly.
    OptionError
        Where the model has no such rounds.
    """
    if isinstance(model, Forest):
        if iteration_range is not None:
            raise OptionError(
                f"iteration_range is {iteration_range!r} for a Forest, which has no boosting "
                "rounds any more; give it where the model is imported"
            )
        return canonical(model)
    if isinstance(model, str | os.PathLike):
        return _run(_file_importer(model), model, iteration_range)
    for base in type(model).__mro__:
        importer = _IMPORTERS.get((base.__module__, base.__name__))
        if importer is not None:
            return _run(importer, model, iteration_range)
    if isinstance(model, type):
        raise UnsupportedModelError(
            f"The class {model.__name__} itself was given; expected {_SUPPORTED}. "
            f"Make one, such as {model.__name__}(...), and train it."
        )
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    raise UnsupportedModelError(f"A model of type {kind} was given; expected {_SUPPORTED}.")


def _file_importer(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the importer that a file's first bytes ask for."""
    start = read_file(path, f"The model file {os.fspath(path)!r}", most=_LONGEST_START)
    for mark, importer in (*_FILE_IMPORTERS, (_FILE_START, _FILE_IMPORTER)):
        if re.match(mark, start):
            return importer
    raise _unknown_file(path, start)


def _unknown_file(path: str | os.PathLike[str], start: bytes) -> ModelFileError:
    """Return the error for a file of which no library is known to write the first bytes."""
    found = f"starts with {start[:16]!r}" if start else "is empty"
    way_out = "Check the path, or save the model again with its library."
    if start.startswith(b"PK") and b"fastpd.json" in start:
        way_out = "It is an explainer that fastpd saved; open it with fastpd.load(path)."
    if start.startswith(_BYTE_ORDER_MARKS):
        way_out = (
            "A text editor or a shell has written it anew, with a byte order mark; save the model "
            "again with its library."
        )
    elif start.lstrip().startswith(b"["):
        way_out = "A dump does not hold all of a model; save it with `save_model`."
    return ModelFileError(
        f"The file {os.fspath(path)!r} {found}; expected a model saved by {_SAVED}. {way_out}"
    )


def _run(importer: tuple[str, str], model: Any, iteration_range: tuple[int, int] | None) -> Forest:
    folder, name = importer
    read = getattr(importlib.import_module(f"fastpd.forest.importers.{folder}"), name)
    return cast(Forest, read(model, iteration_range=iteration_range))
