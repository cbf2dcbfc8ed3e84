"""Models of CatBoost, with tables that meet their nasty spots."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import Trained

__all__ = [
    "of_category_dtype",
    "of_classes",
    "of_labels",
    "of_loss",
    "of_mixed_cells",
    "of_numbers",
    "of_polars",
    "of_ranking",
    "of_targets",
    "of_text",
    "rescaled",
    "saved",
    "some_rounds",
    "stopped_early",
    "summed",
]

N_TRAINING, N_BACKGROUND, N_ROWS = 160, 24, 6
SETTINGS: dict[str, Any] = {
    "iterations": 8,
    "depth": 3,
    "learning_rate": 0.3,
    "max_ctr_complexity": 1,
    "random_seed": 3,
    "thread_count": 1,
    "verbose": False,
    "allow_writing_files": False,
}


def regressor(**settings: Any) -> Any:
    """Return a regressor that is not fitted yet."""
    return importlib.import_module("catboost").CatBoostRegressor(**SETTINGS | settings)


def classifier(**settings: Any) -> Any:
    """Return a classifier that is not fitted yet."""
    return importlib.import_module("catboost").CatBoostClassifier(**SETTINGS | settings)


def trained(model: Any, table: Any, **options: Any) -> Trained:
    """Return a case of a fitted model; the last rows of a table are those to be explained."""
    return Trained(
        options.pop("given", model),
        table[:N_BACKGROUND],
        table[-N_ROWS:],
        partial(raw, model, options.get("iteration_range")),
        options,
    )


def raw(model: Any, rounds: tuple[int, int] | None, table: Any) -> NDArray[Any]:
    """Return CatBoost's raw prediction."""
    start, end = rounds or (0, 0)
    predict = importlib.import_module("catboost").CatBoost.predict
    found: NDArray[Any] = predict(
        model, table, "RawFormulaVal", ntree_start=start, ntree_end=end, thread_count=1
    )
    return found


def numbers(missing: float = 0.1) -> NDArray[np.float64]:
    """Return columns of numbers, some cells missing."""
    rng = np.random.default_rng(8)
    table = rng.normal(size=(N_TRAINING, 4))
    table[:, 3] = np.round(table[:, 3])
    table[rng.random(table.shape) < missing] = np.nan
    return table


def target_of(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a target with interactions of numbers."""
    a, b, c, d = np.nan_to_num(table, nan=1.5).T
    return np.asarray(a * b + np.sin(2 * c) + np.where(d > 0, a, b))


def nasty(table: NDArray[np.float64], model: Any) -> NDArray[np.float64]:
    """Return the background's rows and more: on borders, beside them, infinite and missing."""
    rows = table[-N_ROWS:].copy()
    borders = model.get_borders()
    for column in range(rows.shape[1]):
        if borders.get(column):
            border = np.float32(borders[column][0])
            above = np.nextafter(border, np.float32(np.inf))
            # Nearer to the border than to the next float32, so that rounding decides.
            between = 0.6 * float(border) + 0.4 * float(above)
            rows[:4, column] = border, above, between, -np.inf
    rows[4], rows[5, 0] = np.nan, np.inf
    return np.concatenate([table[:N_BACKGROUND], rows])


def of_numbers(missing: float, **settings: Any) -> Trained:
    """Return a regressor of numbers, met with nasty rows."""
    table = numbers(missing)
    model = regressor(**settings).fit(table, target_of(table))
    return trained(model, nasty(table, model))


def labels() -> tuple[Any, NDArray[np.float64]]:
    """Return a data frame with labels and whole numbers as categories, and a target."""
    pd = importlib.import_module("pandas")
    rng = np.random.default_rng(5)
    colours, sizes = rng.integers(0, 6, N_TRAINING), rng.integers(0, 3, N_TRAINING)
    zones, weight = rng.integers(0, 9, N_TRAINING) - 2, rng.normal(size=N_TRAINING)
    target = np.sin(3 * colours) + (sizes == 1) * weight + (zones % 3) * (colours > 2)
    table = {
        "colour": [f"colour {number}" for number in colours],
        "size": np.array(["S", "M", "L"])[sizes],
        "zone": zones,
        "weight": weight,
    }
    return pd.DataFrame(table), target


def with_strangers(table: Any) -> Any:
    """Return the background's rows and more, with labels that no model has seen."""
    rows = table[-N_ROWS:].copy()
    rows.loc[rows.index[0], "colour"] = "colour of nothing"
    rows.loc[rows.index[1], "size"] = ""
    rows.loc[rows.index[2], "zone"] = 10**12
    rows.loc[rows.index[3], ["colour", "size"]] = [
        "a label of more than sixty-four bytes " * 3,
        "é",
    ]
    pd = importlib.import_module("pandas")
    return pd.concat([table[:N_BACKGROUND], rows], ignore_index=True)


def of_labels(make: Callable[..., Any] = regressor, **settings: Any) -> Trained:
    """Return a model of labels."""
    table, target = labels()
    model = make(**settings).fit(table, target, cat_features=["colour", "size", "zone"])
    return trained(model, with_strangers(table))


def of_classes(loss: str, **settings: Any) -> Trained:
    """Return a classifier of labels."""
    table, target = labels()
    classes = np.array(["low", "middle", "high"])[np.digitize(target, [0.0, 1.0])]
    if loss == "Logloss":
        classes = np.where(classes == "low", "no", "yes")
    model = classifier(loss_function=loss, **settings)
    model.fit(table, classes, cat_features=["colour", "size", "zone"])
    return trained(model, with_strangers(table))


def of_targets(loss: str) -> Trained:
    """Return a model of two targets, of which CTRs are taken one by one."""
    table, target = labels()
    targets = np.stack([target, np.cos(target)], axis=1)
    if loss == "MultiLogloss":
        targets = (targets > 0.5).astype(int)
    model = (classifier if loss == "MultiLogloss" else regressor)(loss_function=loss)
    model.fit(table, targets, cat_features=["colour", "size", "zone"])
    return trained(model, with_strangers(table))


def of_loss(loss: str) -> Trained:
    """Return a regressor with some loss and no labels."""
    table = numbers()
    model = regressor(loss_function=loss).fit(table, np.abs(target_of(table)))
    return trained(model, nasty(table, model))


def of_ranking() -> Trained:
    """Return a ranker."""
    catboost = importlib.import_module("catboost")
    table, target = labels()
    groups = np.arange(N_TRAINING) // 16
    pool = catboost.Pool(
        table, np.digitize(target, [0.0, 1.0]), cat_features=[0, 1, 2], group_id=groups
    )
    model = catboost.CatBoostRanker(**SETTINGS, loss_function="YetiRank").fit(pool)
    return trained(model, with_strangers(table))


def of_category_dtype() -> Trained:
    """Return a model of a frame with the dtype category, of text and of whole numbers."""
    table, target = labels()
    model = regressor(one_hot_max_size=4)
    cats = ["colour", "size", "zone"]
    model.fit(table.astype(dict.fromkeys(cats, "category")), target, cat_features=cats)
    return trained(model, with_strangers(table).astype(dict.fromkeys(cats, "category")))


def of_polars() -> Trained:
    """Return a model of a polars frame."""
    pl = importlib.import_module("polars")
    table, target = labels()
    model = regressor(grow_policy="Depthwise", one_hot_max_size=4)
    model.fit(pl.DataFrame(table.to_dict("list")), target, cat_features=["colour", "size", "zone"])
    return trained(model, pl.DataFrame(with_strangers(table).to_dict("list")))


def of_mixed_cells() -> Trained:
    """Return a model of an array of objects: text, whole numbers, bools and floats."""
    table, target = labels()
    cells = table.assign(size=table["size"] == "S").to_numpy(dtype=object)
    model = regressor(one_hot_max_size=2).fit(cells, target, cat_features=[0, 1, 2])
    rows = with_strangers(table).assign(size=True).to_numpy(dtype=object)
    return trained(model, np.concatenate([cells[:N_BACKGROUND], rows[-N_ROWS:]]))


def rescaled() -> Trained:
    """Return a model with a scale and a bias set by hand."""
    table, target = labels()
    model = regressor().fit(table, target, cat_features=["colour", "size", "zone"])
    model.set_scale_and_bias(-1.75, 0.6)
    return trained(model, with_strangers(table))


def stopped_early() -> Trained:
    """Return a model that was cut back to its best iteration."""
    table = numbers()
    target = target_of(table) + 2 * np.random.default_rng(0).normal(size=len(table))
    model = regressor(iterations=60, learning_rate=0.1)
    model.fit(table[50:], target[50:], eval_set=(table[:50], target[:50]))
    assert 0 < model.tree_count_ < 60
    return trained(model, nasty(table, model))


def some_rounds() -> Trained:
    """Return a model of which some trees count, without the bias that goes with the first."""
    table, target = labels()
    model = regressor().fit(table, target, cat_features=["colour", "size", "zone"])
    return trained(model, with_strangers(table), iteration_range=(2, 6))


def summed() -> Trained:
    """Return a weighted sum of two models."""
    catboost = importlib.import_module("catboost")
    table, target = labels()
    models = [
        regressor(random_seed=seed).fit(table, target, cat_features=["colour", "size", "zone"])
        for seed in (1, 2)
    ]
    return trained(catboost.sum_models(models, weights=[0.3, 0.7]), with_strangers(table))


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for files of models, which lives as long as the process."""
    return tempfile.TemporaryDirectory()


def saved(kind: str, make: Callable[[], Trained]) -> Trained:
    """Return a case of the file that a model was saved to."""
    case = make()
    path = Path(folder().name, f"{id(case)}.{kind}")
    case.model.save_model(str(path), format=kind)
    return Trained(str(path), case.background, case.rows, case.raw, case.options)


def of_text() -> Trained:
    """Return a model of a column of text."""
    catboost = importlib.import_module("catboost")
    table = [[f"word{number % 3} and more"] for number in range(60)]
    pool = catboost.Pool(table, np.arange(60) % 3, text_features=[0])
    model = regressor().fit(pool)
    return trained(model, np.array(table, dtype=object))
