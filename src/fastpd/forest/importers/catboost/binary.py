"""CatBoost's binary format, ``.cbm``: a FlatBuffers document, and one more for each CTR table.

The numbers of fields are their places in the published schema of the format.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.catboost.document import (
    CatFeature,
    Ctr,
    CtrBase,
    CtrTable,
    Document,
    FloatFeature,
    OneHot,
    Trees,
    damaged,
)
from fastpd.forest.importers.catboost.flatbuffer import Buffer, Table
from fastpd.forest.importers.catboost.training import class_names, loss_of

__all__ = ["MAGIC", "read_binary"]

MAGIC = b"CBM1"

_FORMAT = "FlabuffersModel_v1"
_CTR_PART = "static_provider_v1"
_KINDS = (
    *("Borders", "Buckets", "BinarizedTargetMeanValue"),
    *("FloatTargetMeanValue", "Counter", "FeatureFreq"),
)
_AS_TRUE = 2  # how missing values are treated that count as the largest number
_NO_LABEL = np.uint64(2**64 - 1)


class _Core(IntEnum):
    """Fields of the outermost table."""

    FORMAT, TREES, INFO, PARTS = range(4)


class _Trees(IntEnum):
    """Fields of the table of all trees."""

    DIMENSION, SPLITS, SIZES, STARTS = range(4)
    CATS, FLOATS, ONE_HOTS, CTRS = range(4, 8)
    LEAF_VALUES, LEAF_WEIGHTS, STEPS, LEAVES = range(8, 12)
    TEXTS, ESTIMATED, SCALE, BIAS, BIASES, BINS, EMBEDDINGS = range(12, 19)


def read_binary(data: bytes, source: str) -> Document:
    """Return the document of a file or of a serialized model.

    Raises
    ------
    ModelFileError
        Where it is truncated, damaged, or of another version of the format.
    UnsupportedModelError
        Where it has columns of text or embeddings.
    """

    def error(what: str) -> Exception:
        return damaged(source, what)

    parts = _Parts(memoryview(data), error)
    if bytes(parts.take(4)) != MAGIC:
        raise damaged(source, "it does not start with CBM1")
    core = Buffer(parts.take(parts.length()), error).root.limited(len(_Core), "the model")
    version = core.text(_Core.FORMAT)
    if version != _FORMAT:
        raise damaged(source, f"its format is {version[:40]!r}; {_FORMAT!r} was expected")
    trees = core.table(_Core.TREES)
    if trees is None:
        raise damaged(source, "it has no trees")
    _refuse_text(trees.limited(len(_Trees), "the table of trees"), source)
    names = core.texts(_Core.PARTS)
    unknown = [name for name in names if name != _CTR_PART]
    if unknown or len(names) > 1:
        raise damaged(source, f"it has the parts {names[:5]!r}")
    tables = _ctr_tables(parts, error) if names else {}
    parts.end()
    info = {entry.text(0): entry.text(1) for entry in core.tables(_Core.INFO)}
    return _document(trees, tables, info, source)


class _Parts:
    """Pieces of a file that follow one another."""

    def __init__(self, data: memoryview, error: Callable[[str], Exception]) -> None:
        self.data = data
        self.at = 0
        self.error = error

    def take(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            left = len(self.data) - self.at
            raise self.error(f"{size} bytes are announced at byte {self.at}, but {left} follow")
        self.at += size
        return self.data[self.at - size : self.at]

    def length(self) -> int:
        """Return a count: of 4 bytes, or of 8 that follow where they do not suffice."""
        count: int = struct.unpack("<I", self.take(4))[0]
        return count if count < 2**32 - 1 else int(struct.unpack("<Q", self.take(8))[0])

    def end(self) -> None:
        if self.at < len(self.data):
            raise self.error(f"{len(self.data) - self.at} bytes follow its end")


def _refuse_text(trees: Table, source: str) -> None:
    for field, kind in ((_Trees.TEXTS, "text"), (_Trees.EMBEDDINGS, "embeddings")):
        columns = trees.tables(field)
        if columns:
            name = columns[0].text(2) or str(columns[0].number(1, "<i", -1))
            raise UnsupportedModelError(
                f"{source} has the column {name:.60} of {kind}, which only CatBoost itself can "
                "read. Turn it into numbers or labels, and train again."
            )
    if len(trees.tables(_Trees.ESTIMATED)):
        raise UnsupportedModelError(
            f"{source} has features estimated from text or embeddings, which are no columns. "
            "Train without them."
        )


def _document(
    trees: Table, tables: dict[CtrBase, CtrTable], info: dict[str, str], source: str
) -> Document:
    dimension = trees.number(_Trees.DIMENSION, "<i")
    if not 1 <= dimension <= 1_000_000:
        raise damaged(source, f"it has {dimension} outputs")
    biases = trees.vector(_Trees.BIASES, "<f8").astype(np.float64)
    if not len(biases):
        biases = np.full(dimension, trees.number(_Trees.BIAS, "<d"))
    params, classes = (
        _parsed(info.get(key, ""), key, source) for key in ("params", "class_params")
    )
    return Document(
        source=source,
        n_outputs=dimension,
        floats=tuple(_float(table) for table in trees.tables(_Trees.FLOATS)),
        cats=tuple(_cat(table) for table in trees.tables(_Trees.CATS)),
        one_hots=tuple(_one_hot(table) for table in trees.tables(_Trees.ONE_HOTS)),
        ctrs=tuple(_ctr(table) for table in trees.tables(_Trees.CTRS)),
        tables=tables,
        trees=_trees(trees, source),
        scale=trees.number(_Trees.SCALE, "<d", 1.0),
        bias=biases,
        loss=loss_of(params or _parsed(info.get("loss_function", ""), "loss_function", source)),
        class_names=class_names(classes or _parsed(info.get("multiclass_params", ""), "", source)),
    )


def _parsed(text: str, key: str, source: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except (ValueError, RecursionError):
        raise damaged(source, f"what it says of {key!r} is no JSON") from None


def _float(table: Table) -> FloatFeature:
    table.limited(6, "a column of numbers")
    column, name = table.number(2, "<i", -1), table.text(4)
    borders = table.vector(3, "<f4").astype(np.float32)
    treatment = table.number(5, "<b")
    if not 0 <= treatment <= _AS_TRUE:
        raise table.buffer.error(f"missing values are treated by the way {treatment}")
    # Where training met no missing value, CatBoost does not look for any either.
    nans_go_right = treatment == _AS_TRUE and table.number(0, "<b") != 0
    return FloatFeature(column, name, borders, nans_go_right)


def _cat(table: Table) -> CatFeature:
    table.limited(4, "a column of labels")
    return CatFeature(table.number(1, "<i", -1), table.text(2), table.number(0, "<i", -1))


def _one_hot(table: Table) -> OneHot:
    table.limited(3, "a one-hot encoded column")
    return OneHot(table.number(0, "<i", -1), table.vector(1, "<i4").astype(np.int64))


def _ctr(table: Table) -> Ctr:
    ctr = table.limited(2, "a CTR feature").table(0)
    if ctr is None:
        raise table.buffer.error("a CTR feature without its CTR")
    ctr.limited(6, "a CTR")
    return Ctr(
        base=_base(ctr.table(0), ctr.buffer),
        target_border=ctr.number(1, "<i"),
        prior_numerator=np.float32(ctr.number(2, "<f")),
        prior_denominator=np.float32(ctr.number(3, "<f", 1.0)),
        shift=np.float32(ctr.number(4, "<f")),
        scale=np.float32(ctr.number(5, "<f", 1.0)),
        borders=table.vector(1, "<f4").astype(np.float32),
    )


def _base(table: Table | None, buffer: Buffer) -> CtrBase:
    combined = None if table is None else table.table(0)
    if table is None or combined is None:
        raise buffer.error("a CTR of no columns")
    table.limited(3, "the base of a CTR")
    combined.limited(3, "a combination of columns")
    number = table.number(1, "<b")
    if not 0 <= number < len(_KINDS):
        raise buffer.error(f"a CTR of the kind {number}")
    others = tuple(
        f"{kind} {condition}"
        for kind, field in (("border", 1), ("label", 2))
        for condition in combined.vector(field, "<i8").tolist()
    )
    indices = tuple(combined.vector(0, "<i4").tolist())
    return CtrBase(_KINDS[number], indices, others, table.number(2, "<i"))


def _ctr_tables(parts: _Parts, error: Callable[[str], Exception]) -> dict[CtrBase, CtrTable]:
    tables = {}
    for _ in range(parts.length()):
        root = Buffer(parts.take(parts.length()), error).root.limited(5, "a CTR table")
        base = _base(root.table(0), root.buffer)
        if base in tables:
            raise error("two tables of one CTR")
        tables[base] = _ctr_table(root, base, error)
    return tables


def _ctr_table(root: Table, base: CtrBase, error: Callable[[str], Exception]) -> CtrTable:
    buckets, blob = root.vector(1, "u1").tobytes(), root.vector(2, "u1").tobytes()
    mean = base.kind.endswith("MeanValue")
    classes = root.number(4, "<i") if base.kind in ("Borders", "Buckets") else 1
    width = 2 if mean else classes
    if width < 1 or len(buckets) % 12 or len(blob) % (4 * width):
        raise error(f"a CTR table of {len(buckets)} and {len(blob)} bytes")
    entries = np.frombuffer(buckets, [("key", "<u8"), ("place", "<u4")])
    entries = entries[entries["key"] != _NO_LABEL]
    counts = np.frombuffer(blob, "<i4").reshape(-1, width).astype(np.float64)
    if mean:
        counts[:, 0] = np.frombuffer(blob, "<f4").reshape(-1, width)[:, 0]
    if len(entries) and entries["place"].max() >= len(counts):
        raise error("a CTR table that lacks the counts of a label")
    keys = entries["key"].astype(np.uint64)
    return CtrTable(keys, counts[entries["place"]], root.number(3, "<i"))


def _trees(table: Table, source: str) -> Trees:
    steps = table.vector(_Trees.STEPS, "<u2,<u2")
    sizes = table.vector(_Trees.SIZES, "<i4").astype(np.int64)
    starts = table.vector(_Trees.STARTS, "<i4").astype(np.int64)
    if not np.array_equal(starts, np.cumsum(sizes) - sizes):
        raise damaged(source, "its trees are not stored one after another")
    leaf = table.vector(_Trees.LEAVES, "<u4").astype(np.int64)
    return Trees(
        symmetric=not len(steps),
        sizes=sizes,
        splits=table.vector(_Trees.SPLITS, "<i4").astype(np.int64),
        leaf_values=table.vector(_Trees.LEAF_VALUES, "<f8").astype(np.float64),
        leaf_weights=table.vector(_Trees.LEAF_WEIGHTS, "<f8").astype(np.float64),
        left=steps["f0"].astype(np.int64),
        right=steps["f1"].astype(np.int64),
        leaf=leaf,
    )
