"""From an ONNX model or file to a Forest that predicts the same."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError, OptionError, UnsupportedModelError, imported
from fastpd.forest._forest import Forest
from fastpd.forest.check import check_prediction, validate
from fastpd.forest.importers.onnx.attributes import damaged
from fastpd.forest.importers.onnx.graph import Graph, Part, read_graph
from fastpd.forest.importers.onnx.inputs import MAX_COLUMNS, column_names
from fastpd.forest.importers.onnx.reference import reference_rows, reference_scores
from fastpd.forest.importers.onnx.spec import sums
from fastpd.forest.importers.onnx.trees import joined, node_arrays
from fastpd.forest.importers.probabilities import are_probabilities

__all__ = ["from_file", "from_model"]

Floats = NDArray[np.float64]
# Later operator sets may give the same operators another meaning.
_NEWEST = 5


def from_model(model: Any, *, iteration_range: tuple[int, int] | None = None) -> Forest:
    """Return the forest of an ONNX model.

    Explained are the raw scores: sums of trees before a softmax or the like. A missing value goes
    where `nodes_missing_value_tracks_true` says, at nodes of every mode, as is specified. (Some
    runtimes send it to the true branch of BRANCH_NEQ always.)

    Parameters
    ----------
    model
        An `onnx.ModelProto` whose graph is a tree ensemble operator, or a weighted sum of several,
        behind nothing but casts, choices and joins of columns.
    iteration_range
        None; an ONNX model has no boosting rounds.

    Returns
    -------
    Forest
        All trees, found to predict what the operators' specification says. Columns are named after
        the inputs where there are several. Of an input of unknown width they are as many as trees
        need.

    Raises
    ------
    UnsupportedModelError
        Where the graph is anything else, by the name of the operator.
    ModelFileError
        Where the graph or an attribute is damaged.
    OptionError
        Where rounds are asked for.
    """
    return _forest(model, "The ONNX model", iteration_range)


def from_file(
    path: str | os.PathLike[str], *, iteration_range: tuple[int, int] | None = None
) -> Forest:
    """Return the forest of an ONNX file; see `from_model`.

    Parameters
    ----------
    path
        A file in the binary format, with all numbers in it.
    iteration_range
        None; an ONNX model has no boosting rounds.

    Raises
    ------
    ModelFileError
        Where the file cannot be read or is no ONNX model.
    """
    source = f"ONNX file {os.fspath(path)!r}"
    library = imported("onnx", "Reading an ONNX file")
    errors = imported("google.protobuf.message", "Reading an ONNX file")
    try:
        model = library.ModelProto.FromString(Path(path).read_bytes())
    except (OSError, ValueError) as error:  # a ValueError for a path with a null in it
        raise ModelFileError(f"{source} cannot be read: {error}. Check the path.") from None
    except errors.DecodeError:
        raise damaged(source, "it is no sound protocol buffer") from None
    return _forest(model, source, iteration_range)


def _forest(model: Any, source: str, rounds: tuple[int, int] | None) -> Forest:
    if rounds is not None:
        raise OptionError(
            f"iteration_range is {rounds!r}, but an ONNX model has no boosting rounds; leave it "
            "out, or choose rounds when the model is exported"
        )
    newest = max(
        (one.version for one in model.opset_import if one.domain == "ai.onnx.ml"), default=1
    )
    if newest > _NEWEST:
        raise UnsupportedModelError(
            f"{source} uses version {newest} of the operators ai.onnx.ml; 1 to {_NEWEST} are "
            "supported. Export it for one of those."
        )
    graph = read_graph(model, source)
    forest = _assembled(graph, source)
    validate(forest)
    _check(forest, graph, model)
    return _with_link(forest, graph)


def _assembled(graph: Graph, source: str) -> Forest:
    """Return the forest of the weighted sum of ensembles."""
    chosen = [(graph.parts[number], weight) for number, weight in graph.scores.weights.items()]
    comparisons = sorted({part.columns.comparison for part, _ in chosen})
    if len(comparisons) > 1:
        raise UnsupportedModelError(
            f"{source} adds up trees that compare 32-bit values and trees that compare 64-bit "
            "values. Export it with one type of float."
        )
    graph = _with_widths(graph, chosen, source)
    wide = len({part.ensemble.value.shape[1] for part, _ in chosen}) > 1
    base = graph.scores.offset.copy()
    arrays = []
    for part, weight in chosen:
        ensemble = replace(part.ensemble, column=_columns(part, source))
        found = node_arrays(ensemble, part.columns.comparison, source)
        arrays.append(_weighted(found, weight, wide))
        base += ensemble.base * weight
    return Forest(
        **joined(arrays),
        base=base,
        feature_names=column_names(list(graph.inputs.items())),
        output_names=_output_names(graph, [part for part, _ in chosen]),
        link=graph.scores.link or "identity",
        comparison=comparisons[0],
        source=source,
    )


def _with_widths(graph: Graph, chosen: list[tuple[Part, Floats]], source: str) -> Graph:
    """Return the graph with as many columns of an input of unknown width as trees need."""
    if all(columns.number is not None for columns in graph.inputs.values()):
        return graph
    width = max(int(part.ensemble.column.max(initial=-1)) for part, _ in chosen) + 1
    if width > MAX_COLUMNS:
        raise damaged(source, f"it compares column {width - 1}")
    known = {
        name: replace(columns, number=np.arange(width)) for name, columns in graph.inputs.items()
    }
    return replace(graph, inputs=known)


def _columns(part: Part, source: str) -> NDArray[np.int64]:
    """Return the columns that nodes compare, as numbered in the whole input; -1 at leaves."""
    column, number = part.ensemble.column, part.columns.number
    if number is None:
        return column
    if column.max(initial=-1) >= len(number):
        raise damaged(source, f"trees split column {column.max()} of {len(number)}")
    return np.where(column < 0, -1, number[column])


def _weighted(arrays: dict[str, Any], weight: Floats, wide: bool) -> dict[str, Any]:
    """Return the arrays with weighted leaves, which hold a value for each output if `wide`."""
    value, output = arrays["value"], arrays["tree_output"]
    if value.shape[1] > 1:
        return {**arrays, "value": value * weight}
    sizes = np.diff(np.append(arrays["roots"], len(value)))
    mine = np.repeat(output, sizes)
    value = value * weight[mine][:, None]
    if not wide:
        return {**arrays, "value": value}
    table = np.zeros((len(value), len(weight)))
    table[np.arange(len(value)), mine] = value[:, 0]
    return {**arrays, "value": table, "tree_output": np.full_like(output, -1)}


def _output_names(graph: Graph, parts: list[Part]) -> tuple[str, ...]:
    count = graph.scores.n_outputs
    if count == 1:
        return ("prediction",)
    labels = parts[0].ensemble.labels
    if len(parts) == 1 and len(set(labels)) == count:
        return labels
    return tuple(str(output) for output in range(count))


def _check(forest: Forest, graph: Graph, model: Any) -> None:
    """Compare with the reference implementation, beyond its means with the specification."""
    asked = reference_rows(graph)
    try:
        reference = reference_scores(model, graph) if asked else None
    except Exception:  # it is not made for every operator set, and raises anything
        reference = None
    chosen = [(graph.parts[number], weight) for number, weight in graph.scores.weights.items()]

    def scores(rows: NDArray[Any]) -> Floats:
        total = np.tile(graph.scores.offset, (len(rows), 1))
        for part, weight in chosen:
            number = part.columns.number
            total += weight * sums(part.ensemble, rows if number is None else rows[:, number])
        if reference is not None:
            try:
                total[:asked] = reference(rows[:asked])
            except Exception:  # a leaf without a weight is one of the things that it cannot do
                return total
        return total

    single = forest.comparison == "float32" or any(part.ensemble.labels for part, _ in chosen)
    check_prediction(forest, scores, sums=np.float32 if single else np.float64)


def _with_link(forest: Forest, graph: Graph) -> Forest:
    """Return the forest of raw scores with the link that a classifier without one has."""
    scores = graph.scores
    (number, *others) = scores.weights
    ensemble = graph.parts[number].ensemble
    alone = not others and np.all(scores.weights[number] == 1.0) and not np.any(scores.offset)
    bare = scores.link is None or (scores.paired and ensemble.transform == "NONE")
    if ensemble.labels and alone and bare and are_probabilities(forest):
        return replace(forest, link="probability")
    return forest
