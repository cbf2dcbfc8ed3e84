"""ONNX models of trees written down as nested tuples, and their predictions by plain Python."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["classifier", "model_of", "reference", "regressor", "tree_ensemble", "walked"]

# A leaf is a number, or a mapping from outputs to numbers. A split is a comparison, a column, what
# is compared with (members of a set for MEMBER), the two branches, and where missing values go.
Tree: TypeAlias = Any
_COMPARE = {
    "LEQ": operator.le,
    "LT": operator.lt,
    "GTE": operator.ge,
    "GT": operator.gt,
    "EQ": operator.eq,
    "NEQ": operator.ne,
}
_MODES = [*_COMPARE, "MEMBER"]


def walked(trees: Sequence[Tree], rows: Any, n_outputs: int = 1) -> NDArray[np.float64]:
    """Return the sums of trees for rows, one row and one tree at a time.

    The shape is (rows, outputs), or (rows,) where there is one output.

    Examples
    --------
    >>> from fastpd.testing.onnx_models import walked
    >>> walked([("LT", 0, 0.5, 1.0, 2.0, 1)], [[0.0], [0.5], [float("nan")]])
    array([1., 2., 1.])
    """
    found = np.zeros((len(rows), n_outputs))
    for number, row in enumerate(np.asarray(rows).tolist()):
        for tree in trees:
            for output, value in _votes(_leaf(tree, row)):
                found[number, output] += value
    return found[:, 0] if n_outputs == 1 else found


def rounded(trees: Sequence[Tree]) -> list[Tree]:
    """Return trees with thresholds of 32 bits, as operators hold them.

    Examples
    --------
    >>> from fastpd.testing.onnx_models import rounded
    >>> rounded([("LT", 0, 0.1, 1.0, 2.0, 1)])
    [('LT', 0, 0.10000000149011612, 1.0, 2.0, 1)]
    """
    return [_rounded(tree) for tree in trees]


def _rounded(tree: Tree) -> Tree:
    if not isinstance(tree, tuple):
        return tree
    mode, column, split, true, false, tracks = tree
    exact = split if mode == "MEMBER" else float(np.float32(split))
    return mode, column, exact, _rounded(true), _rounded(false), tracks


def _leaf(tree: Tree, row: list[float]) -> Tree:
    while isinstance(tree, tuple):
        mode, column, split, true, false, tracks_true = tree
        value = row[column]
        holds = value in split if mode == "MEMBER" else _COMPARE[mode](value, split)
        tree = true if (bool(tracks_true) if math.isnan(value) else holds) else false
    return tree


def _votes(leaf: Tree) -> list[tuple[int, float]]:
    return list(leaf.items()) if isinstance(leaf, Mapping) else [(0, leaf)]


def _numbered(tree: Tree) -> Iterator[tuple[int, Tree, int, int]]:
    """Go over the nodes of a tree: number, node, and numbers of its two branches."""
    waiting, count = [(0, tree)], 1
    while waiting:
        number, node = waiting.pop(0)
        inner = isinstance(node, tuple)
        yield number, node, count * inner, (count + 1) * inner
        if inner:
            waiting += [(count, node[3]), (count + 1, node[4])]
            count += 2


def _attributes(trees: Sequence[Tree], prefix: str, double: bool) -> dict[str, Any]:
    """Return the attributes of an operator of ai.onnx.ml 1 to 3."""
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    lists: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    lists |= {"nodes_missing_value_tracks_true": []}
    lists |= {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for number, tree in enumerate(trees):
        for at, node, true, false in _numbered(tree):
            inner = isinstance(node, tuple)
            mode, column, split = (f"BRANCH_{node[0]}", *node[1:3]) if inner else ("LEAF", 0, 0.0)
            for name, entry in zip(
                names, (number, at, column, mode, split, true, false), strict=True
            ):
                lists[f"nodes_{name}"].append(entry)
            lists["nodes_missing_value_tracks_true"].append(node[5] if inner else 0)
            for output, weight in [] if inner else _votes(node):
                for name, entry in zip(
                    ("treeids", "nodeids", "ids", "weights"),
                    (number, at, output, weight),
                    strict=True,
                ):
                    lists[f"{prefix}_{name}"].append(entry)
    if double:
        for name in ("nodes_values", f"{prefix}_weights"):
            lists[f"{name}_as_tensor"] = _tensor(lists.pop(name), np.float64)
    return lists


def _tensor(values: Sequence[Any], kind: Any) -> Any:
    import onnx.numpy_helper

    return onnx.numpy_helper.from_array(np.array(values, kind))


def _node(op: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Any) -> Any:
    import onnx.helper

    return onnx.helper.make_node(op, inputs, outputs, domain="ai.onnx.ml", **attributes)


def regressor(
    trees: Sequence[Tree],
    *,
    double: bool = False,
    given: str = "X",
    scores: str = "scores",
    **changes: Any,
) -> Any:
    """Return a node of TreeEnsembleRegressor; `changes` are further attributes."""
    attributes = {"n_targets": 1, **_attributes(trees, "target", double), **changes}
    return _node("TreeEnsembleRegressor", [given], [scores], attributes)


def classifier(trees: Sequence[Tree], labels: Sequence[Any], **changes: Any) -> Any:
    """Return a node of TreeEnsembleClassifier; `changes` are further attributes."""
    name = "classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"
    attributes = {name: labels, **_attributes(trees, "class", False), **changes}
    return _node("TreeEnsembleClassifier", ["X"], ["label", "scores"], attributes)


def tree_ensemble(trees: Sequence[Tree], kind: Any = np.float32, **changes: Any) -> Any:
    """Return a node of TreeEnsemble (ai.onnx.ml 5), of leaves with one output each."""
    names = ["featureids", "truenodeids", "trueleafs", "falsenodeids", "falseleafs"]
    names.append("missing_value_tracks_true")
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    roots: list[int] = []
    modes: list[int] = []
    splits: list[float] = []
    members: list[float] = []
    leaves: list[tuple[int, float]] = []
    for tree in trees:
        numbered = list(_numbered(tree))
        place: dict[int, tuple[int, int]] = {}
        n_inner = len(modes)
        for at, node, _, _ in numbered:
            inner = isinstance(node, tuple)
            place[at] = (n_inner, 0) if inner else (len(leaves), 1)
            n_inner += inner
            leaves += [] if inner else _votes(node)
        roots.append(len(modes))
        for _, node, true, false in numbered:
            if isinstance(node, tuple):
                entries = (node[1], *place[true], *place[false], node[5])
                for name, entry in zip(names, entries, strict=True):
                    nodes[f"nodes_{name}"].append(entry)
                modes.append(_MODES.index(node[0]))
                by_set = node[0] == "MEMBER"
                splits.append(0.0 if by_set else node[2])
                members += [*node[2], math.nan] if by_set else []
    attributes = {
        **nodes,
        "n_targets": 1,
        "tree_roots": roots,
        "nodes_modes": _tensor(modes, np.uint8),
        "nodes_splits": _tensor(splits, kind),
        "leaf_targetids": [output for output, _ in leaves],
        "leaf_weights": _tensor([weight for _, weight in leaves], kind),
        **({"membership_values": _tensor(members, kind)} if members else {}),
        **changes,
    }
    return _node("TreeEnsemble", ["X"], ["scores"], attributes)


def model_of(
    nodes: Any,
    width: int | None = 3,
    *,
    kind: str = "FLOAT",
    inputs: Sequence[str] = ("X",),
    outputs: Sequence[str] = ("scores",),
    constants: Mapping[str, Any] | None = None,
    opset: int = 3,
) -> Any:
    """Return a model of some nodes.

    Parameters
    ----------
    nodes
        One node or a list.
    width
        Columns of each input; None for an unknown number.
    kind
        Type of the inputs, such as ``"DOUBLE"``.
    inputs, outputs
        Names of tensors.
    constants
        Arrays by name.
    opset
        Version of the operators ai.onnx.ml.
    """
    import onnx.helper
    import onnx.numpy_helper

    element = getattr(onnx.TensorProto, kind)
    graph = onnx.helper.make_graph(
        nodes if isinstance(nodes, list) else [nodes],
        "trees",
        [onnx.helper.make_tensor_value_info(name, element, [None, width]) for name in inputs],
        [onnx.helper.make_empty_tensor_value_info(name) for name in outputs],
        [
            onnx.numpy_helper.from_array(array, name=name)
            for name, array in (constants or {}).items()
        ],
    )
    versions = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("ai.onnx.ml", opset)]
    return onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)


def reference(model: Any, output: str, feeds: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return an output of a model by the reference implementation of ONNX, shaped as `walked`."""
    from onnx.reference import ReferenceEvaluator

    with np.errstate(all="ignore"):
        (found,) = ReferenceEvaluator(model).run([output], dict(feeds))
    scores = np.asarray(found, np.float64)
    return scores[:, 0] if scores.shape[1:] == (1,) else scores
