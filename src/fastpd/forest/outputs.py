"""One output of several, as a forest of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import OptionError, nearest
from fastpd.forest._forest import Forest

__all__ = ["select_output"]


def select_output(forest: Forest, output: Any) -> Forest:
    """Return the forest of one output, by name or index, or of the sum of all raw scores.

    Parameters
    ----------
    forest
        A forest of any number of outputs.
    output
        None for all of them as they are; a name; an index; or ``"sum"``.

    Raises
    ------
    OptionError
        Where there is no such output, or two that may be meant: of classes that are numbers, such
        as 1, 2 and 3, an index is refused that is also the name of another one.
    """
    if output is None:
        return forest
    if isinstance(output, str) and output == "sum":
        if "sum" in forest.output_names:
            raise OptionError(
                "output is 'sum', which is the sum of all outputs and also the name of one. Give "
                f"output={forest.output_names.index('sum')} for the latter, or rename the class."
            )
        value = forest.value.sum(axis=1, keepdims=True)
        zeros = np.zeros_like(forest.tree_output)
        base = forest.base.sum(keepdims=True)
        # Neither the sum of log-odds nor that of probabilities is one of its own.
        link = forest.link if forest.n_outputs == 1 else "identity"
        return replace(
            forest,
            value=value,
            tree_output=zeros,
            base=base,
            output_names=("sum",),
            link=link,
        )
    chosen = _index(forest, output)
    forest = _keep_trees(forest, (forest.tree_output == chosen) | (forest.tree_output == -1))
    value = forest.value if forest.value.shape[1] == 1 else forest.value[:, [chosen]]
    return replace(
        forest,
        value=np.ascontiguousarray(value),
        tree_output=np.zeros_like(forest.tree_output),
        base=forest.base[[chosen]],
        output_names=(forest.output_names[chosen],),
    )


def _keep_trees(forest: Forest, kept: NDArray[np.bool_]) -> Forest:
    """Leave trees out; nodes of a tree stand together, so positions shift by what went before."""
    sizes = np.diff(np.append(forest.roots, len(forest.feature)))
    nodes = np.repeat(kept, sizes)
    place = (np.cumsum(nodes) - 1).astype(np.int32)

    def moved(children: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.where(children < 0, -1, place[children]).astype(np.int32)[nodes]

    return replace(
        forest,
        feature=forest.feature[nodes],
        threshold=forest.threshold[nodes],
        left=moved(forest.left),
        right=moved(forest.right),
        default_left=forest.default_left[nodes],
        value=forest.value[nodes],
        cover=forest.cover[nodes],
        roots=place[forest.roots[kept]],
        tree_output=forest.tree_output[kept],
        splits=forest.splits.renumbered(place, nodes),
    )


def _index(forest: Forest, output: Any) -> int:
    names = forest.output_names
    if isinstance(output, str) and output in names:
        return names.index(output)
    whole = isinstance(output, (int, np.integer)) and not isinstance(output, bool)
    if whole and 0 <= output < len(names):
        _refuse_ambiguous(names, int(output))
        return int(output)
    known = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    hint = nearest(output, names) if isinstance(output, str) else ""
    raise OptionError(
        f"output is {output!r}; the model has {known}. Give one of these names, an index from 0 to "
        f"{len(names) - 1}, or 'sum'.{hint}"
    )


def _refuse_ambiguous(names: tuple[str, ...], index: int) -> None:
    """Refuse an index that is also the name of another output, as a class may be a number."""
    if str(index) in names and names[index] != str(index):
        raise OptionError(
            f"output={index} may be the output of index {index}, which is {names[index]!r}, or the "
            f"one that is called {str(index)!r}; give the name as text, such as "
            f"output={names[index]!r} or output={str(index)!r}."
        )
