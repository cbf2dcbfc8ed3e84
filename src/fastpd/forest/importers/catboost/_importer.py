"""From a fitted CatBoost model or a file to a Forest that predicts the same."""

from __future__ import annotations

import importlib
import os
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from fastpd.forest._forest import Forest
from fastpd.forest._names import made_up_names
from fastpd.forest.check import check_prediction, validate
from fastpd.forest.importers.catboost.asking import raw_prediction
from fastpd.forest.importers.catboost.binary import MAGIC, read_binary
from fastpd.forest.importers.catboost.document import Document, damaged
from fastpd.forest.importers.catboost.json_format import read_json
from fastpd.forest.importers.catboost.labels import LabelCodes
from fastpd.forest.importers.catboost.rewrite import rewritable, rewritten
from fastpd.forest.importers.catboost.splits import Splits, read_splits
from fastpd.forest.importers.catboost.training import link_of, output_names
from fastpd.forest.importers.catboost.trees import read_nodes
from fastpd.forest.importers.catboost.validation import validate_document
from fastpd.forest.importers.common import Rounds, not_fitted, read_file, rounds_of

__all__ = ["from_file", "from_model"]


def from_model(model: Any, *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a fitted model.

    Parameters
    ----------
    model
        A `catboost.CatBoost`, or a classifier, regressor or ranker.
    iteration_range
        First tree that counts and the one after the last, as `ntree_start` and `ntree_end` of
        CatBoost's `predict`; a last one of 0 means all trees. By default all trees that the model
        has, which are those up to the best one where it was trained with `use_best_model`.

    Returns
    -------
    Forest
        The trees that count, found to predict what CatBoost predicts.

    Raises
    ------
    ModelError
        Where the model is not fitted, has a split of several columns or of text, or predicts
        otherwise.
    OptionError
        Where the model has no such trees.
    """
    library = importlib.import_module("catboost")
    if not model.is_fitted():
        raise not_fitted(model)
    source = f"CatBoost {library.__version__} {type(model).__name__}"
    document = read_binary(_saved(model), source)
    forest, codes, rounds = _forest(document, iteration_range)
    _check(forest, document, codes, rounds, model, library)
    return forest


def from_file(path: str | os.PathLike[str], *, iteration_range: Rounds | None = None) -> Forest:
    """Return the forest of a model file, binary (``.cbm``) or JSON.

    Parameters
    ----------
    path
        What `save_model` wrote. Its content tells the format, not its name.
    iteration_range
        As for `from_model`.

    Returns
    -------
    Forest
        The trees that count; compared with CatBoost's predictions where CatBoost is installed.

    Raises
    ------
    ModelFileError
        Where the file cannot be read or is no CatBoost model.
    ModelError
        Where the model has a split of several columns or of text, or CatBoost predicts otherwise.
    OptionError
        Where the model has no such trees.
    """
    source = f"CatBoost file {os.fspath(path)!r}"
    data = read_file(path, source)
    document = (read_binary if data.startswith(MAGIC) else read_json)(data, source)
    forest, codes, rounds = _forest(document, iteration_range)
    _check_file(forest, document, codes, rounds)
    return forest


def _saved(model: Any) -> bytes:
    """Return the model in CatBoost's binary format, which unlike JSON leaves nothing out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.cbm")
        model.save_model(str(path), format="cbm")
        return path.read_bytes()


def _forest(
    document: Document, asked: Rounds | None
) -> tuple[Forest, dict[int, LabelCodes], Rounds]:
    """Return the forest, the codes of its columns with labels, and the trees that it has."""
    validate_document(document)
    first, last = rounds = rounds_of(asked, document.n_trees, what="trees")
    names, place = _columns(document)
    splits = read_splits(document, place)
    forest = Forest(
        **_node_arrays(document, splits, rounds),
        tree_output=np.full(last - first, -1 if document.n_outputs > 1 else 0, np.int32),
        # CatBoost adds the bias along with the first tree.
        base=document.bias if first == 0 else np.zeros(document.n_outputs),
        feature_names=names,
        output_names=output_names(document.n_outputs, document.loss, document.class_names),
        link=link_of(document.loss),
        comparison="float32",
        source=document.source,
        categories=_categories(splits, len(names)),
        # In a sparse matrix an absent label would be the label 0.
        absent="refused" if splits.codes else "zero",
    )
    validate(forest)
    return forest, splits.codes, rounds


def _columns(document: Document) -> tuple[tuple[str, ...], dict[int, int]]:
    """Return the names of the forest's columns, and where it has each column of the model.

    A model may have lost columns that it does not use. Where columns have names, these go by
    them, so that the lost ones are not asked for; else the others must keep their places.
    """
    features = document.features
    if not any(one.name for one in features):
        count = document.n_columns
        return made_up_names(count), {k: k for k in range(count)}
    names = tuple(one.name or str(one.column) for one in features)
    if len(set(names)) < len(names):
        raise damaged(document.source, "two of its columns have one name")
    return names, {one.column: place for place, one in enumerate(features)}


def _node_arrays(document: Document, splits: Splits, rounds: Rounds) -> dict[str, Any]:
    nodes = read_nodes(document, *rounds)
    leaf = nodes.split < 0
    width = document.n_outputs
    values = document.trees.leaf_values.reshape(-1, width) * document.scale
    value = np.zeros((len(leaf), width))
    value[leaf] = values[nodes.leaf[leaf] // width]
    at = np.where(leaf, len(splits.column), nodes.split)
    return {
        "feature": np.append(splits.column, -1)[at].astype(np.int32),
        "threshold": np.append(splits.threshold, 0.0)[at],
        "left": nodes.left.astype(np.int32),
        "right": nodes.right.astype(np.int32),
        "default_left": np.append(splits.default_left, False)[at],
        "value": value,
        "cover": nodes.cover,
        "roots": nodes.roots.astype(np.int32),
        "splits": splits.at_nodes(nodes.split, document.source),
    }


def _categories(splits: Splits, count: int) -> tuple[Any, ...]:
    if not splits.codes:
        return ()
    return tuple(
        splits.codes[column].categories if column in splits.codes else None
        for column in range(count)
    )


def _check(
    forest: Forest,
    document: Document,
    codes: dict[int, LabelCodes],
    rounds: Rounds,
    model: Any,
    library: ModuleType,
) -> None:
    if rounds[0] == rounds[1]:  # CatBoost does not predict without any tree
        return
    _, place = _columns(document)
    ask = raw_prediction(model, library, place, codes, rounds, document.source)
    check_prediction(forest, ask, sums=np.float64)


def _check_file(
    forest: Forest, document: Document, codes: dict[int, LabelCodes], rounds: Rounds
) -> None:
    """Compare with the installed CatBoost, where there is one and JSON can tell it the model."""
    try:
        library = importlib.import_module("catboost")
    except ImportError:
        return
    if not rewritable(document):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        path.write_bytes(rewritten(document))
        try:
            model = library.CatBoost().load_model(str(path), format="json")
        except library.CatBoostError as error:
            reason = str(error).splitlines()[0]
            raise damaged(document.source, f"CatBoost itself refuses it: {reason}") from None
    _check(forest, document, codes, rounds, model, library)
