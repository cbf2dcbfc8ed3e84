"""From a treelite model to a Forest that predicts the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, imported
from fastpd.forest._forest import Forest
from fastpd.forest._names import made_up_names
from fastpd.forest.check import check_prediction, validate
from fastpd.forest.importers.probabilities import are_probabilities
from fastpd.forest.importers.treelite.header import Header, read_header
from fastpd.forest.importers.treelite.trees import Nodes, categories_of, read_nodes

__all__ = ["from_model"]


def from_model(model: Any, *, iteration_range: tuple[int, int] | None = None) -> Forest:
    """Return the forest of a treelite model.

    It predicts what ``treelite.gtil.predict(model, X, pred_margin=True)`` returns. Where treelite
    itself predicts otherwise than the library that trained the model (it does not know, say, that
    LightGBM may take zeros as missing), explanations are those of the treelite model.

    Parameters
    ----------
    model
        A `treelite.Model` of version 4, imported from another library or built by hand.
    iteration_range
        None; a treelite model does not tell boosting rounds from other trees.

    Returns
    -------
    Forest
        All trees. Features have no names. One that is split by categories takes their codes.

    Raises
    ------
    ModelFileError
        Where fields of the model contradict each other.
    UnsupportedModelError
        Where the model is of an older version, or a threshold parts infinite values from all
        finite ones.
    OptionError
        Where rounds are asked for.
    """
    library = imported("treelite", "Reading a treelite model")
    if iteration_range is not None:
        raise OptionError(
            f"iteration_range is {iteration_range!r}, but a treelite model does not tell boosting "
            "rounds apart; leave it out, or choose rounds when the model is imported to treelite"
        )
    header = read_header(model, f"treelite {library.__version__} Model")
    nodes = Nodes(model, header)
    forest = Forest(
        **read_nodes(nodes),
        base=header.base.reshape(header.present.shape)[header.present],
        feature_names=made_up_names(header.n_features),
        output_names=header.output_names,
        link=header.link,
        slope=header.slope,
        comparison=header.comparison,
        source=header.source,
        categories=categories_of(nodes),
        absent="missing",
    )
    validate(forest)
    _check(forest, model, header)
    shares = header.postprocessor.startswith("identity") and len(header.n_classes) == 1
    if shares and header.n_classes[0] > 1 and are_probabilities(forest):
        return replace(forest, link="probability")
    return forest


def _check(forest: Forest, model: Any, header: Header) -> None:
    """Compare with treelite's own predictions, which trust a model: it was checked before."""
    gtil = imported("treelite.gtil", "Reading a treelite model")

    def margins(rows: NDArray[Any]) -> NDArray[np.floating[Any]]:
        raw = np.asarray(gtil.predict(model, rows, nthread=1, pred_margin=True))
        return raw.reshape(len(rows), *header.present.shape)[:, header.present]

    single = forest.comparison == "float32"
    check_prediction(forest, margins, sums=np.float32 if single else np.float64)
