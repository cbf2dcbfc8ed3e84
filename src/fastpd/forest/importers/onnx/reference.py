"""The raw scores of a graph by the reference implementation of ONNX."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.onnx.ensemble import Ensemble
from fastpd.forest.importers.onnx.graph import Graph

__all__ = ["reference_rows", "reference_scores"]

_OPERATORS = ("TreeEnsembleClassifier", "TreeEnsembleRegressor")
_FLOATS = {1: np.float32, 11: np.float64}
# Comparisons that the reference implementation, which is plain Python, makes in about a second.
COMPARISONS = 400_000
# Nodes that it takes in within about a second.
NODES = 200_000
Rows = NDArray[Any]


def reference_rows(graph: Graph) -> int:
    """Return for how many rows the reference implementation can be asked, maybe none.

    It lacks doubles as tensors; and sets of values it reads in another order than is specified.
    """
    parts = [graph.parts[number] for number in graph.scores.weights]
    for part in parts:
        names = {attribute.name for attribute in part.node.attribute}
        tensors = any(name.endswith("_as_tensor") for name in names)
        if part.node.op_type not in _OPERATORS or tensors:
            return 0
    if any(columns.element not in _FLOATS for columns in graph.inputs.values()):
        return 0
    if sum(len(part.ensemble.mode) for part in parts) > NODES:
        return 0
    return int(COMPARISONS / max(1.0, sum(_depth(part.ensemble) for part in parts)))


def _depth(ensemble: Ensemble) -> float:
    """Return about how many nodes a row visits."""
    sizes = np.diff(np.append(ensemble.roots, len(ensemble.mode)))
    return float(np.sum(1 + np.log2(sizes)))


def reference_scores(model: Any, graph: Graph) -> Callable[[Rows], Rows]:
    """Return a function from rows of all columns to raw scores."""
    evaluator = importlib.import_module("onnx.reference").ReferenceEvaluator(_raw(model, graph))
    n_outputs = graph.scores.n_outputs

    def scores(rows: Rows) -> Rows:
        feeds = {
            name: rows[:, slice(None) if columns.number is None else columns.number].astype(
                _FLOATS[columns.element]
            )
            for name, columns in graph.inputs.items()
            if name in evaluator.input_names
        }
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (found,) = evaluator.run(None, feeds)
        columns = np.asarray(found, np.float64).reshape(len(rows), -1)
        return columns[:, -1:] if graph.scores.paired else columns[:, :n_outputs]

    return scores


def _raw(model: Any, graph: Graph) -> Any:
    """Return a model of the nodes up to the raw scores, without any transformation of them."""
    helper = importlib.import_module("onnx.helper")
    wanted, nodes = {graph.scores.raw}, []
    for node in reversed(model.graph.node):
        if wanted.isdisjoint(node.output):
            continue
        wanted.update(node.input)
        plain = type(node)()
        plain.CopyFrom(node)
        if node.op_type in _OPERATORS:
            kept = [one for one in node.attribute if one.name not in _REPLACED]
            del plain.attribute[:]
            plain.attribute.extend([*kept, *_replacements(node, helper)])
        nodes.append(plain)
    whole = helper.make_graph(
        nodes[::-1],
        "raw",
        [value for value in model.graph.input if value.name in wanted & set(graph.inputs)],
        [helper.make_empty_tensor_value_info(graph.scores.raw)],
        [tensor for tensor in model.graph.initializer if tensor.name in wanted],
    )
    opsets = {one.domain: one for one in model.opset_import}
    return helper.make_model(
        whole, opset_imports=list(opsets.values()), ir_version=model.ir_version
    )


_REPLACED = ("post_transform", "nodes_missing_value_tracks_true")


def _replacements(node: Any, helper: Any) -> list[Any]:
    """Return attributes in place of those that are left out."""
    given = {one.name: list(one.ints) for one in node.attribute}
    tracks = given.get("nodes_missing_value_tracks_true") or [0] * len(given["nodes_treeids"])
    return [
        helper.make_attribute("nodes_missing_value_tracks_true", tracks),
        helper.make_attribute("post_transform", "NONE"),
    ]
