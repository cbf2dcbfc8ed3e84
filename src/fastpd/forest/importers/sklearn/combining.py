"""Forests that are added up: each on some of the columns, weighted, in one precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest._categories import Categories
from fastpd.forest._forest import Absent, Forest
from fastpd.forest._intervals import IntervalSplits

__all__ = ["Part", "combined", "of_float32_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """A forest that is added to others.

    Attributes
    ----------
    forest
        The trees.
    weight
        What its raw predictions are multiplied by.
    columns
        Column of the whole model for each of the part's own; None where they are the same.
    outputs
        Output of the whole model for each of the part's own; None where they are the same.
    """

    forest: Forest
    weight: float = 1.0
    columns: NDArray[np.integer] | None = None
    outputs: NDArray[np.integer] | None = None


def combined(parts: Sequence[Part], like: Forest) -> Forest:
    """Return the sum of parts.

    Parameters
    ----------
    parts
        At least one.
    like
        A forest that has the names, the link and the source that the sum is to have.

    Raises
    ------
    UnsupportedModelError
        Where parts read a column otherwise than others do.
    """
    _refuse_conflicts(parts, like.source)
    mixed = len({part.forest.comparison for part in parts}) > 1
    forests = [_of_float64_rows(part.forest) if mixed else part.forest for part in parts]
    sizes = np.array([len(one.feature) for one in forests])
    starts = (np.cumsum(sizes) - sizes).tolist()

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(one, name) for one in forests])

    def moved(name: str) -> NDArray[Any]:
        shifted = (
            np.where(getattr(one, name) < 0, -1, getattr(one, name) + start)
            for one, start in zip(forests, starts, strict=True)
        )
        return np.concatenate(list(shifted))

    value, tree_output = _scores(parts, like.n_outputs)
    return replace(
        like,
        feature=np.concatenate([_features(part) for part in parts]).astype(np.int32),
        threshold=joined("threshold"),
        left=moved("left").astype(np.int32),
        right=moved("right").astype(np.int32),
        default_left=joined("default_left"),
        value=value,
        cover=joined("cover"),
        roots=moved("roots").astype(np.int32),
        tree_output=tree_output,
        base=_base(parts, like.n_outputs),
        comparison=forests[0].comparison,
        missing=forests[0].missing,
        splits=_joined_splits(forests, starts),
        categories=_categories(parts, like),
        absent=_absent([part.forest.absent for part in parts]),
    )


def _features(part: Part) -> NDArray[np.integer]:
    feature = part.forest.feature
    if part.columns is None:
        return feature
    return np.where(feature < 0, -1, np.asarray(part.columns)[np.maximum(feature, 0)])


def _outputs(part: Part) -> NDArray[np.integer]:
    return np.arange(part.forest.n_outputs) if part.outputs is None else np.asarray(part.outputs)


def _scores(parts: Sequence[Part], n_outputs: int) -> tuple[Floats, NDArray[np.int32]]:
    """Return leaf values and the outputs of trees; leaves are wide where those of any part are."""
    wide = n_outputs > 1 and any(part.forest.value.shape[1] > 1 for part in parts)
    values, outputs = [], []
    for part in parts:
        forest, place = part.forest, _outputs(part)
        value = part.weight * forest.value
        tree_output = np.where(forest.tree_output < 0, -1, place[np.maximum(forest.tree_output, 0)])
        if wide:
            spread = np.zeros((len(value), n_outputs))
            if value.shape[1] > 1:
                spread[:, place] = value
            else:
                sizes = np.diff(np.append(forest.roots, len(value)))
                spread[np.arange(len(value)), np.repeat(tree_output, sizes)] = value[:, 0]
            value, tree_output = spread, np.full(forest.n_trees, -1)
        values.append(value)
        outputs.append(tree_output)
    return np.concatenate(values), np.concatenate(outputs).astype(np.int32)


def _base(parts: Sequence[Part], n_outputs: int) -> Floats:
    base = np.zeros(n_outputs)
    for part in parts:
        base[_outputs(part)] += part.weight * part.forest.base
    return base


def _joined_splits(forests: Sequence[Forest], starts: Sequence[int]) -> IntervalSplits:
    every = [one.splits for one in forests]
    nodes = [splits.node + start for splits, start in zip(every, starts, strict=True)]
    sizes = np.concatenate([np.diff(splits.offsets) for splits in every])
    return IntervalSplits(
        np.concatenate(nodes).astype(np.int32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([splits.low for splits in every]),
        np.concatenate([splits.high for splits in every]),
    )


def _categories(parts: Sequence[Part], like: Forest) -> tuple[Categories | None, ...]:
    """Return the categories of columns, on which all parts that have the column must agree."""
    known: dict[int, Categories | None] = {}
    for part in parts:
        of_part = part.forest.categories or (None,) * part.forest.n_features
        columns = range(len(of_part)) if part.columns is None else part.columns
        for column, categories in zip(columns, of_part, strict=True):
            if known.setdefault(int(column), categories) != categories:
                raise UnsupportedModelError(
                    f"{like.source} holds models that do not read column "
                    f"{like.feature_names[int(column)]!r} alike: as numbers, or as categories of "
                    "the labels that each met in training. Encode the column yourself and train "
                    "again without `categorical_features`."
                )
    if not any(known.values()):
        return ()
    return tuple(known.get(column) for column in range(like.n_features))


def _absent(found: Sequence[Absent]) -> Absent:
    return found[0] if len(set(found)) == 1 else "refused"


def _refuse_conflicts(parts: Sequence[Part], source: str) -> None:
    if any(part.forest.preparation is not None for part in parts):
        raise UnsupportedModelError(
            f"{source} holds a pipeline that prepares rows for one of its models alone. Put the "
            "steps before the whole model: make_pipeline(steps, model)."
        )
    numbers = {str(part.forest.missing) for part in parts}
    if len(numbers) > 1:
        raise UnsupportedModelError(
            f"{source} holds models to which different numbers count as missing: "
            f"{', '.join(sorted(numbers))}. Train all with NaN for a missing value."
        )


def of_float32_rows(forest: Forest) -> Forest:
    """Return a forest that compares in float32, and does the same on rows rounded to float32."""
    if forest.comparison == "float32":
        return forest

    def up(point: Floats) -> Floats:
        # The smallest float32 that is not below the point.
        with np.errstate(over="ignore"):
            rounded = point.astype(np.float32)
            next_one = np.nextafter(rounded, np.float32(np.inf))
        return np.where(rounded < point, next_one, rounded).astype(np.float64)

    return replace(_moved(forest, up), comparison="float32")


def _of_float64_rows(forest: Forest) -> Forest:
    """Return a forest that compares in float64 as the given one does after rounding to float32.

    A value is below a float32 once it is rounded where it lies below the middle between that and
    the one before, or in the middle if that rounds down.
    """
    if forest.comparison == "float64":
        return forest

    def middle(point: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = point.astype(np.float32)
            before = np.nextafter(rounded, np.float32(-np.inf)).astype(np.float64)
            # All beyond the largest float32 round to infinity, as if another one came there.
            before = np.where(np.isneginf(before), -(2.0**128), before)
            half = before / 2 + rounded.astype(np.float64) / 2
            goes_down = half.astype(np.float32) < rounded
        found = np.where(goes_down, np.nextafter(half, np.inf), half)
        return np.where(np.isfinite(point), found, point)

    return replace(_moved(forest, middle), comparison="float64")


def _moved(forest: Forest, place: Callable[[Floats], Floats]) -> Forest:
    """Return a forest with all points at which it splits at other places."""
    plain = ~forest.is_leaf
    plain[forest.splits.node] = False
    threshold = np.where(plain, place(forest.threshold), forest.threshold)
    splits = forest.splits
    low, high = place(splits.low), place(splits.high)
    if np.any(~np.isfinite(threshold[plain])) or np.any(low >= high):
        raise UnsupportedModelError(
            f"{forest.source} has splits that only float64 can tell apart, but gets rows in "
            "float32. Scale the features and train again."
        )
    return replace(
        forest, threshold=threshold, splits=IntervalSplits(splits.node, splits.offsets, low, high)
    )
