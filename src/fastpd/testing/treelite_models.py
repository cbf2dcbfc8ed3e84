"""treelite models of trees written down as nested tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["built", "margins"]


def built(
    trees: Sequence[Any],
    *,
    kind: str = "float32",
    n_features: int = 3,
    targets: Sequence[int] | None = None,
    classes: Sequence[int] | None = None,
    n_classes: Sequence[int] = (1,),
    leaf_shape: tuple[int, int] = (1, 1),
    mean: bool = False,
    base: Sequence[float] = (0.0,),
    postprocessor: str = "identity",
    alpha: float = 1.0,
) -> Any:
    """Return a model by treelite's builder.

    Parameters
    ----------
    trees
        A leaf is a number or a list of numbers. A split is an operator such as ``"<"``, a feature,
        a threshold, both branches, and whether missing values go left; or ``"in"``, a feature, a
        list of categories, both branches, whether missing values go left, and whether the
        categories go right.
    kind
        Type of thresholds and leaves.
    n_features, n_classes, leaf_shape
        Numbers of features, of classes of each target, and of targets and classes in a leaf.
    targets, classes
        Target and class to which each tree adds, -1 for all; by default the first.
    mean
        Whether trees are averaged.
    base
        What is added to each output.
    postprocessor, alpha
        Transformation of the sums, and the slope of a sigmoid.
    """
    import treelite.model_builder as tl

    count = len(trees)
    metadata = tl.Metadata(
        num_feature=n_features,
        task_type="kMultiClf" if max(n_classes) > 1 else "kRegressor",
        average_tree_output=mean,
        num_target=len(n_classes),
        num_class=list(n_classes),
        leaf_vector_shape=leaf_shape,
    )
    owners = [list(given or [0] * count) for given in (targets, classes)]
    builder: Any = tl.ModelBuilder(
        threshold_type=kind,
        leaf_output_type=kind,
        metadata=metadata,
        tree_annotation=tl.TreeAnnotation(count, *owners),
        postprocessor=tl.PostProcessorFunc(postprocessor, sigmoid_alpha=alpha),
        base_scores=[float(score) for score in base],
    )
    for tree in trees:
        builder.start_tree()
        _add(builder, tree)
        builder.end_tree()
    return builder.commit()


def _add(builder: Any, tree: Any) -> None:
    """Add the nodes of a tree, numbered as they are met."""
    waiting, count = [(0, tree)], 1
    while waiting:
        number, node = waiting.pop(0)
        builder.start_node(number)
        if isinstance(node, tuple):
            ends = {"left_child_key": count, "right_child_key": count + 1}
            if node[0] == "in":
                builder.categorical_test(
                    feature_id=node[1],
                    category_list=node[2],
                    default_left=node[5],
                    category_list_right_child=node[6],
                    **ends,
                )
            else:
                builder.numerical_test(
                    feature_id=node[1],
                    threshold=node[2],
                    default_left=node[5],
                    opname=node[0],
                    **ends,
                )
            waiting += [(count, node[3]), (count + 1, node[4])]
            count += 2
        else:
            builder.leaf(node)
        builder.end_node()


def margins(model: Any, table: Any) -> NDArray[np.float64]:
    """Return treelite's raw scores, (rows, outputs), or (rows,) where there is one output."""
    import treelite

    raw = treelite.gtil.predict(model, np.asarray(table), nthread=1, pred_margin=True)
    scores: NDArray[np.float64] = raw.reshape(len(raw), -1).astype(np.float64)
    return scores[:, 0] if scores.shape[1] == 1 else scores
