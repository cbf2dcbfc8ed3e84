"""What a treelite model says of itself beside its trees: outputs, base scores and link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.forest._forest import Comparison

__all__ = ["Header", "damaged", "read_header"]

# treelite's numbers for the types of thresholds.
_PRECISIONS: dict[int, Comparison] = {2: "float32", 3: "float64"}
# Postprocessor -> link; all others leave raw scores that have no link known here.
_LINKS = {
    "sigmoid": "logit",
    "multiclass_ova": "logit",
    "exponential": "log",
    "softmax": "softmax",
}


def damaged(source: str, what: str) -> ModelFileError:
    """Return an error that says what in a model makes no sense."""
    return ModelFileError(
        f"{source} does not describe trees: {what:.300}. Import or build it anew in treelite."
    )


@dataclass(frozen=True, eq=False)
class Header:
    """The fields of a model that concern all of its trees.

    Attributes
    ----------
    source
        What the model is called in messages.
    comparison
        Precision of thresholds, leaves and input.
    n_trees, n_features
        Numbers of them.
    n_classes
        Number of outputs of each target.
    leaf_shape
        Targets and classes of which a leaf holds values.
    target, label
        Target and class to which each tree adds; -1 for all.
    mean
        Whether the outputs are means over the trees that add to them.
    base
        What is added, (targets, most classes of any target).
    postprocessor, alpha
        Transformation of the sums, and the slope of a sigmoid.
    """

    source: str
    comparison: Comparison
    n_trees: int
    n_features: int
    n_classes: tuple[int, ...]
    leaf_shape: tuple[int, int]
    target: NDArray[np.int64]
    label: NDArray[np.int64]
    mean: bool
    base: NDArray[np.float64]
    postprocessor: str
    alpha: float

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which cells of the table of targets and classes are outputs; the others are padding."""
        return np.arange(max(self.n_classes)) < np.array(self.n_classes)[:, None]

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs: classes, targets, or both."""
        targets, labels = np.nonzero(self.present)
        if len(targets) == 1:
            return ("prediction",)
        if len(self.n_classes) == 1:
            return tuple(str(label) for label in labels.tolist())
        if max(self.n_classes) == 1:
            return tuple(str(target) for target in targets.tolist())
        pairs = zip(targets.tolist(), labels.tolist(), strict=True)
        return tuple(f"target {target} class {label}" for target, label in pairs)

    @property
    def link(self) -> str:
        """Link whose inverse the postprocessor is; the identity where it is of no known link."""
        link = _LINKS.get(self.postprocessor, "identity")
        # A softmax is taken over the classes of each target apart, and over one class it is 1.
        alone = len(self.n_classes) == 1 and self.n_classes[0] > 1
        return link if link != "softmax" or alone else "identity"

    @property
    def slope(self) -> float:
        """Factor of the raw scores within the postprocessor."""
        return self.alpha if self.link == "logit" else 1.0


def read_header(model: Any, source: str) -> Header:
    """Return the header of a model.

    Raises
    ------
    UnsupportedModelError
        Where the model is of another version of treelite.
    ModelFileError
        Where fields contradict each other.
    """
    if not hasattr(model, "get_header_accessor"):
        raise UnsupportedModelError(
            f"{source} is of a treelite before version 4, whose fields cannot be read. Run "
            "`pip install -U treelite` and import the model anew."
        )
    field = model.get_header_accessor().get_field
    number = {
        name: int(field(name)[0])
        for name in ("threshold_type", "num_target", "num_feature", "average_tree_output")
    }
    if number["threshold_type"] not in _PRECISIONS:
        raise damaged(source, f"thresholds of the type {number['threshold_type']}")
    header = Header(
        source=source,
        comparison=_PRECISIONS[number["threshold_type"]],
        n_trees=int(model.num_tree),
        n_features=number["num_feature"],
        n_classes=tuple(field("num_class").tolist()),
        leaf_shape=_pair(field("leaf_vector_shape").tolist(), source),
        target=field("target_id").astype(np.int64),
        label=field("class_id").astype(np.int64),
        mean=bool(number["average_tree_output"]),
        base=field("base_scores").astype(np.float64),
        postprocessor=str(field("postprocessor")),
        alpha=float(field("sigmoid_alpha")[0]),
    )
    _check(header, number["num_target"])
    return header


def _pair(shape: list[int], source: str) -> tuple[int, int]:
    if len(shape) != 2:
        raise damaged(source, f"leaves of shape {shape[:8]}")
    return int(shape[0]), int(shape[1])


def _check(header: Header, n_targets: int) -> None:
    """Refuse a header whose parts do not fit each other."""
    source, classes = header.source, header.n_classes
    if len(classes) != n_targets or not classes or min(classes) < 1:
        raise damaged(source, f"{n_targets} targets of {list(classes)[:8]} classes")
    if header.n_features < 0 or header.n_features > 10_000_000:
        raise damaged(source, f"{header.n_features} features")
    most = max(classes)
    if header.base.size != n_targets * most:
        raise damaged(source, f"{header.base.size} base scores for {n_targets} x {most} outputs")
    if not len(header.target) == len(header.label) == header.n_trees:
        raise damaged(source, f"outputs of another number of trees than {header.n_trees}")
    sizes = np.array([1, *classes])[np.clip(header.target + 1, 0, n_targets)]
    limit = np.where(header.target < 0, min(classes), sizes)
    wrong = (header.target < -1) | (header.target >= n_targets)
    if np.any(wrong | (header.label < -1) | (header.label >= limit)):
        raise damaged(source, "a tree adds to an output that is not there")
    if not np.isfinite(header.alpha) or header.alpha <= 0:
        raise damaged(source, f"a sigmoid of slope {header.alpha}")
