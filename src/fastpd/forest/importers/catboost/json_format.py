"""CatBoost's JSON, read and checked field by field.

What JSON does not keep is refused: several tables of one kind of CTR, and fractional sums.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import UnsupportedModelError
from fastpd.forest.importers.catboost.ctrs import COUNTERS
from fastpd.forest.importers.catboost.document import (
    CatFeature,
    Ctr,
    CtrBase,
    CtrTable,
    Document,
    FloatFeature,
    OneHot,
    damaged,
)
from fastpd.forest.importers.catboost.fields import Fields
from fastpd.forest.importers.catboost.json_trees import read_trees
from fastpd.forest.importers.catboost.training import class_names, loss_of

__all__ = ["read_json"]

_NO_LABEL = 2**64 - 1
# Losses of several targets, which CTRs count one by one.
_SEVERAL_TARGETS = frozenset(
    {"MultiRMSE", "MultiRMSEWithMissingValues", "MultiLogloss", "MultiCrossEntropy"}
)
_NANS = {"AsIs": False, "AsFalse": False, "AsTrue": True}
# Fields of columns of both kinds.
_COLUMN = ("feature_id", "feature_index", "feature_name", "flat_feature_index")


def read_json(data: bytes, source: str) -> Document:
    """Return the document of a JSON file.

    Raises
    ------
    ModelFileError
        Where it is truncated or damaged, or of another program.
    UnsupportedModelError
        Where CatBoost did not write into it all that predictions need.
    """
    content = _decoded(data, source)
    content.refuse_others(
        *("ctr_data", "features_info", "model_info", "oblivious_trees", "scale_and_bias", "trees")
    )
    trees, dimension = read_trees(content)
    info = content.mapping("model_info")
    scale, bias = _scale_and_bias(content, dimension)
    features = content.mapping("features_info")
    features.refuse_others("cat_features_hash", "categorical_features", "ctrs", "float_features")
    cats = features.mappings("categorical_features")
    ctrs = tuple(_ctr(one) for one in features.mappings("ctrs"))
    _refuse_lost_tables(info, ctrs, source)
    params = info.content.get("params") or info.content.get("loss_function")
    classes = info.content.get("class_params") or info.content.get("multiclass_params")
    return Document(
        source=source,
        n_outputs=dimension or len(bias),
        floats=tuple(_float(one) for one in features.mappings("float_features")),
        cats=tuple(_cat(one) for one in cats),
        one_hots=tuple(_one_hot(one) for one in cats if "values" in one),
        ctrs=ctrs,
        tables=_tables(content.mapping("ctr_data")),
        trees=trees,
        scale=scale,
        bias=bias,
        loss=loss_of(params),
        class_names=class_names(classes),
    )


def _decoded(data: bytes, source: str) -> Fields:
    try:
        content = json.loads(data)
    except RecursionError:
        raise damaged(source, "its brackets are nested too deeply") from None
    except ValueError as error:
        raise damaged(source, f"its JSON cannot be read ({error})") from None
    found = Fields(content, source, "model")
    if "oblivious_trees" not in found and "trees" not in found:
        raise damaged(source, "it has neither 'oblivious_trees' nor 'trees'")
    return found


def _refuse_lost_tables(info: Fields, ctrs: tuple[Ctr, ...], source: str) -> None:
    """Refuse a model that may have had several tables of a kind, of which the file has but one."""
    if all(ctr.base.kind in COUNTERS for ctr in ctrs):
        return
    if not _one_target(info) or _several_cuts(info):
        raise UnsupportedModelError(
            f"{source} has CTRs that may count several targets, or classes of the target that are "
            "cut differently, and CatBoost's JSON keeps the statistics of one of them only. Save "
            "the model with `save_model('model.cbm')` instead."
        )


def _one_target(info: Fields) -> bool:
    """Tell whether the model is known to have been trained, as it is, on a single target."""
    loss = loss_of(info.content.get("params"))
    return bool(loss) and loss not in _SEVERAL_TARGETS


def _several_cuts(info: Fields) -> bool:
    """Tell whether CTRs of one kind and column cut the target into different classes."""
    options = info.mapping("params").mapping("cat_feature_params")
    own = options.mapping("per_feature_ctrs")
    for group in [options.mappings("simple_ctrs"), *(own.mappings(key) for key in own.content)]:
        cuts: dict[str, Any] = {}
        for ctr in group:
            cut = ctr.mapping("target_binarization").content.get("border_count")
            if cuts.setdefault(ctr.text("ctr_type"), cut) != cut:
                return True
    return False


def _scale_and_bias(content: Fields, dimension: int) -> tuple[float, NDArray[np.float64]]:
    if "scale_and_bias" not in content:
        return 1.0, np.zeros(max(1, dimension))
    pair = content.list("scale_and_bias")
    if len(pair) != 2:
        raise damaged(content.source, "'scale_and_bias' is no pair")
    # Before there were vectors of biases, this was a number.
    bias = pair[1] if isinstance(pair[1], list) else [pair[1]]
    scale = content.numbers_of(pair[:1], "scale_and_bias")[0]
    return float(scale), content.numbers_of(bias, "scale_and_bias")


def _float(field: Fields) -> FloatFeature:
    field.refuse_others(*_COLUMN, "borders", "has_nans", "nan_value_treatment")
    treatment = field.text("nan_value_treatment", "AsIs")
    if treatment not in _NANS:
        raise damaged(field.source, f"missing values are treated {treatment[:40]!r}")
    with np.errstate(over="ignore"):
        borders = field.numbers("borders").astype(np.float32)
    column, name = field.integer("flat_feature_index"), field.text("feature_id")
    # Where training met no missing value, CatBoost does not look for any either.
    nans_go_right = _NANS[treatment] and field.content.get("has_nans") is True
    return FloatFeature(column, name, borders, nans_go_right)


def _cat(field: Fields) -> CatFeature:
    field.refuse_others(*_COLUMN, "string_values", "values")
    column, index = field.integer("flat_feature_index"), field.integer("feature_index")
    return CatFeature(column, field.text("feature_id"), index)


def _one_hot(field: Fields) -> OneHot:
    values = field.integers(field.list("values"), "values")
    return OneHot(field.integer("feature_index"), values)


def _ctr(field: Fields) -> Ctr:
    field.refuse_others(
        *("borders", "ctr_type", "elements", "identifier", "prior_denomerator"),
        *("prior_numerator", "scale", "shift", "target_border_idx"),
    )
    with np.errstate(over="ignore"):
        return Ctr(
            base=_base(field.mappings("elements"), field.text("ctr_type")),
            target_border=field.integer("target_border_idx"),
            prior_numerator=field.float32("prior_numerator"),
            prior_denominator=field.float32("prior_denomerator"),
            shift=field.float32("shift"),
            scale=field.float32("scale"),
            borders=field.numbers("borders").astype(np.float32),
        )


def _base(elements: list[Fields], kind: str) -> CtrBase:
    indices, others = [], []
    for element in elements:
        if element.text("combination_element") == "cat_feature_value":
            element.refuse_others("cat_feature_index", "combination_element")
            indices.append(element.integer("cat_feature_index"))
        else:
            others.append(json.dumps(element.content, sort_keys=True))
    return CtrBase(kind, tuple(indices), tuple(others))


def _tables(data: Fields) -> dict[CtrBase, CtrTable]:
    tables = {}
    for name in data.content:
        try:
            described = Fields(json.loads(name), data.source, "ctr_data")
        except (ValueError, RecursionError):
            raise damaged(data.source, f"a CTR table is called {name[:40]!r}") from None
        described.refuse_others("identifier", "type")
        base = _base(described.mappings("identifier"), described.text("type"))
        tables[base] = _table(data.mapping(name), base)
    return tables


def _table(field: Fields, base: CtrBase) -> CtrTable:
    field.refuse_others("counter_denominator", "hash_map", "hash_stride")
    entries, stride = field.list("hash_map"), field.integer("hash_stride", 0)
    if stride < 2 or len(entries) % stride:
        raise damaged(field.source, f"a CTR table of {len(entries)} entries, {stride} a label")
    keys = entries[::stride]
    if not all(isinstance(key, str) and key.isascii() and key.isdecimal() for key in keys):
        raise damaged(field.source, "a CTR table has keys that are no numbers")
    numbers = [int(key) if len(key) <= 20 else -1 for key in keys]
    if not all(0 <= number < 2**64 for number in numbers):
        raise damaged(field.source, "a CTR table has keys of more than 64 bits")
    columns = [field.numbers_of(entries[k::stride], "hash_map") for k in range(1, stride)]
    counts = np.stack(columns, axis=1)
    if not np.array_equal(counts, np.floor(counts)):
        raise UnsupportedModelError(
            f"{field.source} has a CTR of the kind {base.kind[:40]} with sums that are no whole "
            "numbers, which CatBoost does not read from JSON as it wrote them. Save the model with "
            "`save_model('model.cbm')` instead."
        )
    found = np.array(numbers, np.uint64)
    met = found != np.uint64(_NO_LABEL)
    return CtrTable(found[met], counts[met], field.integer("counter_denominator", 0))
