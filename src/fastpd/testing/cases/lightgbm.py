"""Cases of LightGBM."""

from __future__ import annotations

import atexit
import importlib
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained

__all__ = ["CASES"]

Array = NDArray[Any]
_SMALL = {"num_leaves": 6, "min_child_samples": 4, "verbose": -1, "n_jobs": 1}
_CODES = {"min_data_per_group": 2, "cat_smooth": 1, "max_cat_to_onehot": 2}
# Doubles around the one that LightGBM takes for zero, its smallest ones, and infinities.
_ZERO = float(np.float32(1e-35))
_ODD = np.array(
    [
        *(0.0, -0.0, 5e-324, -5e-324, 1e-36, -1e-36, _ZERO, -_ZERO),
        *(np.nextafter(_ZERO, 1), np.nextafter(-_ZERO, -1), 1e-34, -1e-34),
        *(np.inf, -np.inf, np.nan, np.nan),
    ]
)


def _data(seed: int, n: int = 200, zeros: float = 0.0, missing: float = 0.0) -> Array:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[rng.random(X.shape) < zeros] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return X


def _target(X: Array) -> Array:
    a, b, c = np.nan_to_num(X, nan=0.7).T
    return np.asarray(a + b * c + 2.0 * (a == 0))


def _nasty(model: Any, n_columns: int, n: int = 9) -> Array:
    """Return rows of values on the model's thresholds, a step beside them, and odd ones."""
    text = getattr(model, "booster_", model).model_to_string()
    words = [word for line in re.findall("\nthreshold=(.*)", text) for word in line.split()]
    at = np.array(words or ["0"], dtype=float)
    values = np.concatenate([at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), _ODD])
    return np.random.default_rng(7).choice(values, size=(n, n_columns))


def _raw(model: Any, **options: Any) -> Callable[[Any], Array]:
    return lambda rows: np.asarray(model.predict(rows, raw_score=True, **options))


def _regressor(zeros: float = 0.0, missing: float = 0.0, **options: Any) -> Callable[[], Trained]:
    def make() -> Trained:
        library = importlib.import_module("lightgbm")
        X = _data(1, zeros=zeros, missing=missing)
        model = library.LGBMRegressor(**({"n_estimators": 6} | _SMALL | options))
        model.fit(X, _target(X))
        return Trained(model, X[:25], _nasty(model, 3), _raw(model))

    return make


def _missing_alone() -> Trained:
    """Return a model that splits missing values from all numbers."""
    library = importlib.import_module("lightgbm")
    X = _data(12, missing=0.3)
    lost = np.isnan(X)
    y = 2.0 * lost[:, 0] + lost[:, 1] * np.nan_to_num(X[:, 2]) + np.nan_to_num(X[:, 1])
    model = library.LGBMRegressor(n_estimators=6, **_SMALL).fit(X, y)
    return Trained(model, X[:25], _nasty(model, 3, 12), _raw(model))


def _objective(
    labels: Callable[[Array], Array], *, group: bool = False, raw: bool = True, **params: Any
) -> Callable[[], Trained]:
    """Return what trains a plain booster."""

    def make() -> Trained:
        library = importlib.import_module("lightgbm")
        X = _data(2, missing=0.1)
        y = labels(_target(X))
        data = library.Dataset(X, y, group=[50] * 4 if group else None, params={"verbose": -1})
        model = library.train(_SMALL | params, data, 5)
        return Trained(
            model, X[:25], _nasty(model, 3, 7), lambda rows: model.predict(rows, raw_score=raw)
        )

    return make


def _positive(y: Array) -> Array:
    return np.asarray(y > 0, dtype=int)


def _grades(y: Array) -> Array:
    return np.digitize(y, [-0.5, 0.5])


def _classifier() -> Trained:
    library = importlib.import_module("lightgbm")
    X = _data(3)
    y = np.array(["low", "mid", "top"])[_grades(_target(X))]
    model = library.LGBMClassifier(n_estimators=4, **_SMALL).fit(X, y)
    return Trained(model, X[:25], _nasty(model, 3, 7), _raw(model))


def _codes() -> Trained:
    library = importlib.import_module("lightgbm")
    X = _data(4, missing=0.1)
    X[:, 1] = np.random.default_rng(4).integers(0, 40, len(X))
    y = np.nan_to_num(X[:, 0]) + 3.0 * (X[:, 1] % 3 == 0)
    model = library.LGBMRegressor(n_estimators=6, **_SMALL, **_CODES)
    model.fit(X, y, categorical_feature=[1])
    rows = _nasty(model, 3, 16)
    rows[:, 1] = [0, 3, 31, 32, 39, 40, 63, 64, -0.5, -1, -7, 2.9, np.nan, 2**31, 1e18, 3]
    return Trained(model, X[:25], rows, _raw(model))


def _people(n: int, seed: int) -> Any:
    pandas = importlib.import_module("pandas")
    rng = np.random.default_rng(seed)
    size = pandas.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"])
    return pandas.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "city": pandas.Categorical(rng.choice(list("abcdefgh"), n)),
            "size": size.as_ordered(),
            "month": pandas.Categorical(rng.integers(1, 13, n)),
        }
    )


def _pandas() -> Trained:
    """Return a model whose rows come with categories in another order, unseen and absent ones."""
    library = importlib.import_module("lightgbm")
    pandas = importlib.import_module("pandas")
    table = _people(300, 5)
    y = table["age"] / 20 + 2.0 * table["city"].isin(list("bdg")) + table["size"].cat.codes
    y += 2.0 * (table["month"].astype(int) > 7)
    model = library.LGBMRegressor(n_estimators=8, **_SMALL, **_CODES).fit(table, y)
    rows = _people(32, 6)
    rows["city"] = pandas.Categorical(rows["city"].astype(str), categories=list("zhgfedcba"))
    rows.loc[26:28, "city"] = ["z", None, "b"]
    rows.loc[28:30, "size"] = [None, "L", "S"]
    rows.loc[30, "month"] = None
    return Trained(model, rows[:22], rows[22:], _raw(model))


def _early_stopping() -> Trained:
    library = importlib.import_module("lightgbm")
    X = _data(7, 160)
    y = _target(X) + np.random.default_rng(7).normal(size=160)
    data = library.Dataset(X[:80], y[:80], params={"verbose": -1})
    model = library.train(
        _SMALL | {"learning_rate": 0.5},
        data,
        50,
        valid_sets=[library.Dataset(X[80:], y[80:], reference=data)],
        callbacks=[library.early_stopping(3, verbose=False)],
        keep_training_booster=True,
    )
    return Trained(model, X[:25], _nasty(model, 3), _raw(model))


def _rounds() -> Trained:
    given = _regressor(boosting_type="rf", bagging_freq=1, bagging_fraction=0.7)()

    def raw(rows: Any) -> Array:
        return np.asarray(given.model.predict(rows, start_iteration=2, num_iteration=3))

    return Trained(given.model, given.background, given.rows, raw, {"iteration_range": (2, 5)})


def _file() -> Trained:
    given = _codes()
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "model.txt")
    given.model.booster_.save_model(path)
    return Trained(path, given.background, given.rows, given.raw)


def _sparse() -> Trained:
    scipy = importlib.import_module("scipy.sparse")
    given = _regressor(zeros=0.6, zero_as_missing=True)()
    # Held zeros beside absent cells, and numbers that count as zero.
    held = np.where(np.random.default_rng(8).random(given.rows.shape) < 0.5, given.rows, 0.0)
    held[0, 0] = 1.0
    rows = scipy.csr_matrix(held)
    rows.data[0] = 0.0
    return Trained(given.model, scipy.csr_matrix(given.background), rows, given.raw)


def _continued() -> Trained:
    """Return a model trained on from another one, then fitted anew on other rows."""
    library = importlib.import_module("lightgbm")
    X = _data(9)
    data = library.Dataset(X, _target(X), free_raw_data=False, params={"verbose": -1})
    first = library.train(_SMALL, data, 3)
    again = library.Dataset(X, _target(X) + 1, free_raw_data=False, params={"verbose": -1})
    model = library.train(_SMALL, again, 3, init_model=first).refit(X, _target(X) - 2)
    return Trained(model, X[:25], _nasty(model, 3), _raw(model))


def _own_objective() -> Trained:
    """Return a model of an objective of the user's own, with an offset that is no part of it."""
    library = importlib.import_module("lightgbm")
    X = _data(10)

    def gradient(labels: Array, scores: Array) -> tuple[Array, Array]:
        return scores - labels, np.ones_like(scores)

    model = library.LGBMRegressor(objective=gradient, n_estimators=5, **_SMALL)
    model.fit(X, _target(X), init_score=X[:, 0].copy())
    return Trained(model, X[:25], _nasty(model, 3), _raw(model))


def _case(
    name: str,
    feature: str,
    make: Callable[[], Trained],
    needs: tuple[str, ...] = (),
    refused: str = "",
) -> ModelCase:
    return ModelCase(f"lightgbm-{name}", "LightGBM", feature, make, ("lightgbm", *needs), refused)


_CONSTRAINED: Mapping[str, Any] = {
    "monotone_constraints": [1, 0, 0],
    "interaction_constraints": [[0], [1, 2]],
    "extra_trees": True,
    "data_sample_strategy": "goss",
}

CASES: tuple[ModelCase, ...] = (
    _case("regressor", "regression", _regressor()),
    _case("constraints", "constraints, extra trees, GOSS", _regressor(**_CONSTRAINED)),
    _case("missing", "missing values", _regressor(missing=0.2, zeros=0.2)),
    _case("missing-alone", "missing values", _missing_alone),
    _case("zero-as-missing", "`zero_as_missing`", _regressor(0.3, 0.1, zero_as_missing=True)),
    _case("no-missing", "`use_missing=False`", _regressor(0.3, 0.2, use_missing=False)),
    _case("codes", "categories as codes", _codes),
    _case("pandas", "categories of pandas, ordered ones too", _pandas, ("pandas",)),
    _case("dart", "DART", _regressor(boosting_type="dart", drop_rate=0.5)),
    _case(
        "forest",
        "random forests (the mean of their trees)",
        _objective(np.asarray, raw=False, boosting="rf", bagging_freq=1, bagging_fraction=0.7),
    ),
    _case("binary", "classes", _objective(_positive, objective="binary", sigmoid=1.7)),
    _case("classifier", "classes", _classifier),
    _case(
        "one-against-all",
        "classes, one against all",
        _objective(_grades, objective="multiclassova", num_class=3, sigmoid=0.6),
    ),
    _case("ranking", "ranking", _objective(_grades, group=True, objective="lambdarank")),
    _case("tweedie", "Poisson, gamma, Tweedie", _objective(np.abs, objective="tweedie")),
    _case("sqrt", "`reg_sqrt` (the scores before squaring)", _objective(np.abs, reg_sqrt=True)),
    _case("own-objective", "objectives of one's own", _own_objective),
    _case("stumps", "trees without a split", _regressor(min_child_samples=150)),
    _case("early-stopping", "early stopping", _early_stopping),
    _case("rounds", "some rounds only", _rounds),
    _case("continued", "training continued, refitted", _continued),
    _case("file", "text files", _file),
    _case("sparse", "sparse matrices", _sparse, ("scipy",)),
    _case("linear", "linear trees", _regressor(linear_tree=True), refused="linear_tree=False"),
    _case(
        "stops-early",
        "`pred_early_stop`",
        _regressor(pred_early_stop=True),
        refused=r"set_params\(pred_early_stop=False\)",
    ),
)
