"""What each tensor of a graph is: columns of the input, scores of trees, labels, or not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.onnx.attributes import Attributes, damaged, tensor_values
from fastpd.forest.importers.onnx.ensemble import Ensemble
from fastpd.forest.importers.onnx.inputs import Columns, column_step, inputs_of
from fastpd.forest.importers.onnx.operators import read_operator
from fastpd.forest.importers.onnx.scores import Scores, score_step
from fastpd.forest.importers.onnx.tree_ensemble import read_tree_ensemble

__all__ = ["Graph", "Part", "read_graph"]

_READERS: Mapping[str, Callable[[Any, str], Ensemble]] = {
    "TreeEnsembleClassifier": read_operator,
    "TreeEnsembleRegressor": read_operator,
    "TreeEnsemble": read_tree_ensemble,
}
_DECISIONS = {"ArgMax", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Binarizer"}
_GRAPHS = (5, 10)  # kinds of attributes (onnx.AttributeProto) that hold graphs
_DOMAINS = {"", "ai.onnx", "ai.onnx.ml"}


@dataclass(frozen=True)
class Label:
    """Decisions made from scores; explanations do not need them."""


@dataclass(frozen=True)
class Unknown:
    """A tensor that is not understood: what made it so, and whether scores went into it."""

    what: str
    scored: bool


Constant: TypeAlias = NDArray[Any]
State: TypeAlias = Columns | Scores | Label | Unknown | Constant


@dataclass(frozen=True, eq=False)
class Part:
    """A tree ensemble of a graph, and the columns that it reads."""

    ensemble: Ensemble
    columns: Columns
    node: Any


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph whose output is a weighted sum of tree ensembles.

    Attributes
    ----------
    inputs
        Its inputs, in order, by name.
    parts
        The ensembles.
    scores
        How they make up the output.
    """

    inputs: Mapping[str, Columns]
    parts: tuple[Part, ...]
    scores: Scores


def read_graph(model: Any, source: str) -> Graph:
    """Return the graph of a model, understood from its inputs to its scores.

    Raises
    ------
    UnsupportedModelError
        Where something between input, trees and output is not understood, by its operator's name.
    ModelFileError
        Where the graph or an attribute is damaged.
    """
    _refuse_bytes(model.graph, source)
    reader = _Reader(model, source)
    for node in model.graph.node:
        reader.follow(node)
    scores = reader.scores([output.name for output in model.graph.output])
    return Graph(reader.inputs, tuple(reader.parts), scores)


def _refuse_bytes(graph: Any, source: str) -> None:
    """Refuse names that are not UTF-8, which come as bytes or as an error where they are read."""
    try:
        names = [
            value.name
            for values in (graph.input, graph.output, graph.initializer)
            for value in values
        ]
        for node in graph.node:
            names += [node.op_type, node.domain, *node.input, *node.output]
            names += [attribute.name for attribute in node.attribute]
    except UnicodeDecodeError:
        names = [b""]
    if not all(isinstance(name, str) for name in names):
        raise damaged(source, "a name in it is not UTF-8")


class _Reader:
    """Follows the nodes in their order, which is one in which they can be run."""

    def __init__(self, model: Any, source: str) -> None:
        self.source = source
        self.parts: list[Part] = []
        self.states: dict[str, State] = {}
        graph = model.graph
        if len(graph.sparse_initializer) or len(model.functions):
            raise UnsupportedModelError(
                f"{source} has functions or sparse tensors of its own, which are not read. Export "
                "the trees alone."
            )
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        given = [value for value in graph.input if value.name not in self.constants]
        self.inputs: dict[str, Columns] = {}
        for value, columns in zip(given, inputs_of(given, source), strict=True):
            if columns is None:
                what = f"an input, {value.name!r:.60}, of no known width or of no usual numbers,"
                self.states[value.name] = Unknown(what, False)
            else:
                self.states[value.name] = self.inputs[value.name] = columns
        if len({value.name for value in given}) < len(given):
            raise damaged(source, "two inputs have the same name")

    def state(self, name: str) -> State:
        """Return what a tensor is; a constant is read when it is asked for."""
        if name in self.states:
            return self.states[name]
        if name in self.constants:
            self.states[name] = self._constant(self.constants[name])
            return self.states[name]
        raise damaged(self.source, f"the tensor {name!r:.60} is used before it is made")

    def _constant(self, tensor: Any) -> State:
        # Only numbers are needed, and texts beside them belong to labels.
        return Label() if tensor.data_type == 8 else tensor_values(tensor, self.source)

    def follow(self, node: Any) -> None:
        """Find what the outputs of one node are."""
        states = [self.state(name) for name in node.input if name]
        found = self._outcomes(node, states)
        for name, state in zip(node.output, found, strict=False):
            if name in self.states or name in self.constants:
                raise damaged(self.source, f"the tensor {name!r:.60} is made twice")
            self.states[name] = state

    def _outcomes(self, node: Any, states: Sequence[State]) -> Sequence[State]:
        """Return a state for each output of a node."""
        op, several = str(node.op_type)[:60], max(1, len(node.output))
        scored = any(isinstance(state, Scores) for state in states)
        unclear = [state for state in states if isinstance(state, Unknown)]
        # The graphs within a node may read any tensor outside of them.
        within = any(attribute.type in _GRAPHS for attribute in node.attribute)
        if node.domain not in _DOMAINS or within:
            name = f"{node.domain[:60]}.{op}" if node.domain else op
            return [Unknown(f"the operator {name}", scored or within)] * several
        if op in _READERS:
            return self._ensemble(node, states)
        if op == "Constant":
            return [self._of_constant(node)]
        if unclear:
            touched = scored or any(state.scored for state in unclear)
            return [Unknown(unclear[0].what, touched)] * several
        if op in _DECISIONS and scored:
            return [Label()] * several
        state = self._step(node, states, scored)
        if isinstance(state, Scores) and not state.raw:
            state = replace(state, raw=node.output[0])
        return [Unknown(f"the operator {op}", scored) if state is None else state] * several

    def _step(self, node: Any, states: Sequence[State], scored: bool) -> State | None:
        """Return what a node makes of its inputs, None where it is not understood."""
        given = Attributes(node, self.source)
        if scored:
            numeric = all(isinstance(state, Scores | np.ndarray) for state in states)
            return score_step(given, states) if numeric else None
        if any(isinstance(state, Columns) for state in states):
            return column_step(given, states)
        return Label() if any(isinstance(state, Label) for state in states) else None

    def _of_constant(self, node: Any) -> State:
        """Return the number or numbers of a Constant node."""
        given = Attributes(node, self.source)
        if "value" in given:
            values = [one for one in node.attribute if one.name == "value"]
            return self._constant(values[0].t)
        for name in ("value_float", "value_int", "value_floats", "value_ints"):
            if name in given:
                single = next(one for one in node.attribute if one.name == name)
                field = {1: "f", 2: "i", 6: "floats", 7: "ints"}.get(single.type)
                if field is not None:
                    return np.array(getattr(single, field))
        return Label()

    def _ensemble(self, node: Any, states: Sequence[State]) -> Sequence[State]:
        columns = states[0] if len(states) == 1 else None
        if isinstance(columns, Unknown):
            raise UnsupportedModelError(
                f"{self.source} has {columns.what} before its trees, so that they do not split the "
                "columns that you give. Export the trees without the steps before "
                "them, and give what those steps return; or explain the original model."
            )
        if not isinstance(columns, Columns):
            raise damaged(self.source, f"its operator {node.op_type} does not read the input")
        ensemble = _READERS[node.op_type](node, self.source)
        compared = columns.compared(node.op_type, ensemble.kind, self.source)
        self.parts.append(Part(ensemble, compared, node))
        scores = Scores.of(len(self.parts) - 1, ensemble, node.output)
        return [Label(), scores] if node.op_type == "TreeEnsembleClassifier" else [scores]

    def scores(self, outputs: Sequence[str]) -> Scores:
        """Return the scores that the graph outputs; refuse outputs that are not understood."""
        states = [self.state(name) for name in outputs]
        for state in states:
            if isinstance(state, Unknown) and (state.scored or not self.parts):
                raise UnsupportedModelError(
                    f"{self.source} has {state.what} which is not understood as part of a "
                    "sum of trees (TreeEnsembleRegressor, TreeEnsembleClassifier, TreeEnsemble, "
                    "and sums and multiples of them). Export the trees alone, or explain the "
                    "original model."
                )
        found = [state for state in states if isinstance(state, Scores)]
        if not found:
            raise UnsupportedModelError(
                f"{self.source} has no output of scores of trees. Export the model with them, "
                "say a classifier with its probabilities."
            )
        if not all(one.same_sums(found[0]) for one in found):
            raise UnsupportedModelError(
                f"{self.source} outputs {len(found)} different scores of trees, and one was "
                "expected. Keep one of its outputs."
            )
        return max(found, key=lambda one: one.link is not None)
