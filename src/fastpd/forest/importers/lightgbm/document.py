"""What the text of a LightGBM model says, cut into its parts and checked line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fastpd.errors import ModelFileError
from fastpd.forest._categories import Label
from fastpd.forest.importers.common import MAX_OUTPUTS

__all__ = ["Document", "damaged", "parse"]

VERSIONS = ("v3", "v4")
_HEADER = frozenset(
    [
        *("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx"),
        *("objective", "average_output", "feature_names", "feature_infos"),
        *("monotone_constraints", "tree_sizes"),
    ]
)
_TREE = frozenset(
    [
        *("num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type"),
        *("left_child", "right_child", "leaf_value", "leaf_weight", "leaf_count", "leaf_parent"),
        *("internal_value", "internal_weight", "internal_count", "cat_boundaries"),
        *("cat_threshold", "is_linear", "leaf_const", "num_features", "leaf_features"),
        *("leaf_coeff", "shrinkage"),
    ]
)
_IMPORTANCES = ("feature_importances:", "feature importances:")
_LABELS = "pandas_categorical:"
# Above this a count is taken for damage; no digits of it are to be converted either.
_LARGEST = 10**9


@dataclass(frozen=True, eq=False)
class Document:
    """The parts of a model's text that decide on its predictions.

    Attributes
    ----------
    source
        What the text was read from, for messages.
    n_outputs
        Number of raw scores, and of trees in a round.
    objective
        As written, with its parameters; empty for one of the user's own.
    averaged
        Whether predictions are the mean over the rounds, as in a random forest, not the sum.
    feature_names, feature_infos
        Name of each column, and the values that it was seen to have.
    trees
        Fields of each tree, as written.
    categorical
        Columns that the parameters of training name as categorical.
    labels
        Categories of each column that had the dtype category in pandas, in the order of columns;
        which columns these were is not written.
    """

    source: str
    n_outputs: int
    objective: str
    averaged: bool
    feature_names: tuple[str, ...]
    feature_infos: tuple[str, ...]
    trees: list[Mapping[str, str]]
    categorical: frozenset[int]
    labels: tuple[tuple[Label, ...], ...]

    @property
    def n_rounds(self) -> int:
        """Number of boosting rounds."""
        return len(self.trees) // self.n_outputs


def damaged(source: str, what: str) -> ModelFileError:
    """Return the error for a text that is no valid LightGBM model."""
    return ModelFileError(
        f"{source} is not a valid LightGBM model: {what}. Save the model again with "
        "`booster.save_model('model.txt')` of LightGBM 3 or newer."
    )


def parse(data: bytes, source: str) -> Document:
    """Return the checked parts of a model's text.

    Raises
    ------
    ModelFileError
        Where a line is absent, unknown, or not of the form that LightGBM writes.
    """
    data = data.replace(b"\r\n", b"\n")
    head, mark, _ = data.partition(b"\n\n")
    lines = _decoded(head, source).split("\n")
    if lines[0] != "tree" or not mark:
        raise damaged(source, "it does not start with 'tree' and a header that ends")
    header = _fields(lines[1:], _HEADER, "the header", source)
    if header.get("version") not in VERSIONS:
        known = " and ".join(VERSIONS)
        raise damaged(
            source,
            f"its format has version {header.get('version')!r:.40}; {known} are known",
        )
    names = tuple(_field(header, "feature_names", source).split(" "))
    count = _count(header, "max_feature_idx", source) + 1
    infos = tuple(_field(header, "feature_infos", source).split(" "))
    if not len(names) == len(set(names)) == len(infos) == count or "" in names:
        raise damaged(source, f"it has not {count} distinct feature names, or as many infos")
    start = len(head) + len(mark)
    sizes = _tree_sizes(header.get("tree_sizes", ""), data.count(b"\nTree="), source)
    trees = _trees(data[start : start + sum(sizes)], sizes, source)
    n_outputs = _outputs(header, len(trees), source)
    categorical, labels = _ending(data[start + sum(sizes) :], count, source)
    return Document(
        source=source,
        n_outputs=n_outputs,
        objective=header.get("objective", ""),
        averaged="average_output" in header,
        feature_names=names,
        feature_infos=infos,
        trees=trees,
        categorical=categorical,
        labels=labels,
    )


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise damaged(source, "it is not text in UTF-8") from None


def _fields(lines: Iterable[str], known: frozenset[str], where: str, source: str) -> dict[str, str]:
    """Return the lines ``key=value`` as a mapping; a key without ``=`` has an empty value."""
    fields: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition("=")
        if key not in known or key in fields:
            raise damaged(source, f"{where} has the line {line!r:.60}, unknown or a second one")
        fields[key] = value
    return fields


def _field(fields: Mapping[str, str], key: str, source: str) -> str:
    if key not in fields:
        raise damaged(source, f"{key!r} is absent")
    return fields[key]


def _number(text: str, key: str, source: str) -> int:
    if not re.fullmatch(r"[0-9]{1,10}", text, re.ASCII) or int(text) > _LARGEST:
        raise damaged(source, f"{key!r} is {text!r:.40}; expected a whole number up to {_LARGEST}")
    return int(text)


def _count(fields: Mapping[str, str], key: str, source: str) -> int:
    return _number(_field(fields, key, source), key, source)


def _tree_sizes(text: str, n_trees: int, source: str) -> list[int]:
    """Return the sizes that the header announces; more of them than trees are not even read."""
    count = len(text.split())
    if count > n_trees:
        raise damaged(source, f"'tree_sizes' has {count} numbers for {n_trees} trees")
    return [_number(one, "tree_sizes", source) for one in text.split()]


def _trees(data: bytes, sizes: list[int], source: str) -> list[Mapping[str, str]]:
    """Return the fields of each tree, which must stand exactly where the header says."""
    trees: list[Mapping[str, str]] = []
    start = 0
    for number, size in enumerate(sizes):
        lines = _decoded(data[start : start + size], source).rstrip("\n").split("\n")
        start += size
        if lines[0] != f"Tree={number}" or data[start - 1 : start] != b"\n":
            raise damaged(source, f"tree {number} is not where 'tree_sizes' says")
        trees.append(_fields(lines[1:], _TREE, f"tree {number}", source))
    return trees


def _outputs(header: Mapping[str, str], n_trees: int, source: str) -> int:
    count = _count(header, "num_tree_per_iteration", source)
    known = 1 <= count <= MAX_OUTPUTS and count == _count(header, "num_class", source)
    if not known or n_trees % count:
        outputs = header.get("num_class", "no")
        raise damaged(source, f"{n_trees} trees of {count} in a round for {outputs:.40} outputs")
    return count


def _ending(
    data: bytes, n_columns: int, source: str
) -> tuple[frozenset[int], tuple[tuple[Label, ...], ...]]:
    """Return what follows the trees: the columns set as categorical, and the labels of pandas."""
    lines = [line for line in _decoded(data, source).split("\n") if line]
    if lines[:1] != ["end of trees"]:
        raise damaged(source, "its trees do not end with 'end of trees'")
    # Written by the Python package, and by it alone.
    has_labels = lines[-1].startswith(_LABELS)
    labels = _labels(lines.pop().removeprefix(_LABELS), source) if has_labels else ()
    if len(lines) < 2 or lines[1] not in _IMPORTANCES:
        raise damaged(source, "no importances of its features follow its trees")
    at = lines.index("parameters:") if "parameters:" in lines else len(lines)
    parameters, end = lines[at + 1 : -1], lines[-1:]
    # Models that were never trained have no parameters.
    if end != ["end of parameters"] and (at < len(lines) or not has_labels):
        raise damaged(source, "it is cut off after its trees")
    odd = [line for line in lines[2:at] if "=" not in line]
    odd += [line for line in parameters if not (line[0] == "[" and line[-1] == "]")]
    if odd:
        raise damaged(source, f"the line {odd[0]!r:.60} follows its trees")
    return _categorical(parameters, n_columns), labels


def _labels(text: str, source: str) -> tuple[tuple[Label, ...], ...]:
    try:
        columns = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged(source, f"{_LABELS!r} is followed by no JSON") from None
    sets = [] if columns is None else columns
    if not isinstance(sets, list) or not all(isinstance(one, list) for one in sets):
        raise damaged(source, f"{_LABELS!r} is followed by no list of lists")
    for labels in sets:
        plain = all(isinstance(label, Label) for label in labels)
        if not plain or len(set(labels)) < len(labels):
            raise damaged(source, f"the categories {labels!r:.60} are no distinct labels")
    return tuple(tuple(labels) for labels in sets)


def _categorical(lines: list[str], n_columns: int) -> frozenset[int]:
    """Return the columns that the parameter names by number; by name they are not understood."""
    found = [re.fullmatch(r"\[categorical_feature: ([0-9]+(,[0-9]+)*)\]", line) for line in lines]
    numbers = [text for match in found if match for text in match[1].split(",")]
    return frozenset(int(text) for text in numbers if len(text) < 10 and int(text) < n_columns)
