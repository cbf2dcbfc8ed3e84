"""Leaf values of a treelite model: numbers or tables of targets and classes, summed or averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastpd.forest.importers.treelite.header import Header, damaged

if TYPE_CHECKING:
    from fastpd.forest.importers.treelite.trees import Nodes

__all__ = ["leaf_values"]

Floats = NDArray[np.float64]


def leaf_values(nodes: Nodes, header: Header) -> tuple[Floats, NDArray[np.int32]]:
    """Return values of all nodes, and the output to which each tree adds, as a Forest has them."""
    outputs = _outputs(header)
    single = (header.target >= 0) & (header.label >= 0)
    output = np.where(single, outputs[header.target, header.label], -1)
    if np.all(single):
        value = np.where(nodes.leaf, nodes["leaf_value"], 0.0).astype(np.float64)
        _refuse_vectors(nodes, header)
        counts = np.bincount(output, minlength=int(outputs.max()) + 1) if header.mean else None
        if counts is not None:
            value /= np.repeat(counts[output], nodes.sizes)
        return value[:, None], output.astype(np.int32)
    return _tables(nodes, header, outputs), np.full(header.n_trees, -1, np.int32)


def _outputs(header: Header) -> NDArray[np.int64]:
    """Return the number of the output in each cell of the targets' classes; -1 in padding."""
    present = header.present
    return np.where(present, np.cumsum(present).reshape(present.shape) - 1, -1)


def _refuse_vectors(nodes: Nodes, header: Header) -> None:
    if np.any(nodes.leaf & (nodes["leaf_vector_end"] != nodes["leaf_vector_begin"])):
        raise damaged(header.source, "a leaf of several values adds to one output")


def _tables(nodes: Nodes, header: Header, outputs: NDArray[np.int64]) -> Floats:
    """Return a value for every output in every node."""
    n_outputs = int(outputs.max()) + 1
    value = np.zeros((len(nodes.leaf), n_outputs))
    counts = np.zeros(n_outputs)
    for tree, (start, size) in enumerate(zip(nodes.roots, nodes.sizes, strict=True)):
        target, label = int(header.target[tree]), int(header.label[tree])
        rows = outputs if target < 0 else outputs[[target]]
        cells = rows if label < 0 else rows[:, [label]]
        if header.leaf_shape != cells.shape:
            raise damaged(
                header.source, f"leaves of shape {header.leaf_shape} for {cells.shape} outputs"
            )
        at = start + np.flatnonzero(nodes.leaf[start : start + size])
        mine = cells.ravel()
        vectors = _vectors(nodes, at, len(mine))
        value[np.ix_(at, mine[mine >= 0])] = vectors[:, mine >= 0]
        counts[mine[mine >= 0]] += 1
    return value / np.maximum(counts, 1) if header.mean else value


def _vectors(nodes: Nodes, at: NDArray[np.int64], width: int) -> Floats:
    """Return the values in some leaves of one tree."""
    if width == 1 and np.all(nodes["leaf_vector_end"][at] == nodes["leaf_vector_begin"][at]):
        return nodes["leaf_value"][at].astype(np.float64)[:, None]
    lists = nodes.lists("leaf_vector", at)
    if any(len(one) != width for one in lists):
        raise damaged(nodes.header.source, f"a leaf holds no {width} values")
    return np.array(lists, np.float64).reshape(len(at), width)
