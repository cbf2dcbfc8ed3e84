"""Small CatBoost models, trained or put together by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

SETTINGS: dict[str, Any] = {
    "iterations": 4,
    "depth": 2,
    "learning_rate": 0.5,
    "max_ctr_complexity": 1,
    "random_seed": 1,
    "thread_count": 1,
    "verbose": False,
    "allow_writing_files": False,
}


def numbers() -> Any:
    """Return rows of three columns, and a target."""
    rows = np.random.default_rng(0).normal(size=(80, 3))
    return rows, rows[:, 0] * rows[:, 1] + rows[:, 2]


def cells() -> Any:
    """Return rows of a label and a number, and a target."""
    rng = np.random.default_rng(1)
    labels, weights = rng.integers(0, 5, 120), rng.normal(size=120)
    rows = [[f"label {label}", weight] for label, weight in zip(labels, weights, strict=True)]
    return np.array(rows, dtype=object), np.sin(labels * 2.0) + weights * (labels > 2)


def trained(rows: Any, target: Any, cats: Any = None, **settings: Any) -> Any:
    import catboost

    return catboost.CatBoost(SETTINGS | settings).fit(
        catboost.Pool(rows, target, cat_features=cats)
    )


def raw(model: Any, rows: Any) -> Any:
    """Return CatBoost's raw prediction."""
    import catboost

    return catboost.CatBoost.predict(model, rows, "RawFormulaVal")


def ctr_model(path: Path, kind: str, table: list[Any], stride: int, **of_ctr: Any) -> Path:
    """Write a model of one split, of one column, by a CTR whose table is given by hand."""
    elements = [{"cat_feature_index": 0, "combination_element": "cat_feature_value"}]
    identifier = json.dumps({"identifier": elements, "type": kind})
    ctr = {
        "borders": [0.4],
        "ctr_type": kind,
        "elements": elements,
        "identifier": identifier,
        "prior_denomerator": 1,
        "prior_numerator": 0.5,
        "scale": 1,
        "shift": 0,
        "target_border_idx": 0,
    } | of_ctr
    content = {
        "ctr_data": {
            identifier: {"counter_denominator": 10, "hash_map": table, "hash_stride": stride}
        },
        "features_info": {
            "categorical_features": [
                {"feature_id": "c", "feature_index": 0, "flat_feature_index": 0}
            ],
            "ctrs": [ctr],
        },
        "model_info": {"params": {"loss_function": {"type": "RMSE", "params": {}}}},
        "oblivious_trees": [{"leaf_values": [-1.0, 1.0], "splits": [{"split_index": 0}]}],
        "scale_and_bias": [1, [0.25]],
    }
    path.write_text(json.dumps(content))
    return path
