"""Cases of XGBoost: objectives, boosters, and how training and rows may be given."""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases._xgboost_categories import CATEGORY_CASES, saved

__all__ = ["CASES"]

Array = NDArray[Any]

N_BACKGROUND = 25
PARAMS = {"max_depth": 3, "eta": 0.7, "nthread": 1, "seed": 1}


def _library() -> Any:
    return importlib.import_module("xgboost")


def _data() -> tuple[Array, Array]:
    """Return columns with missing values, ties and zeros, and a label with interactions."""
    rng = np.random.default_rng(21)
    X = rng.normal(size=(160, 4))
    X[:, 1] = np.round(X[:, 1] * 2)
    label = np.abs(X[:, 0]) + (X[:, 1] > 0) * X[:, 2] + 0.1 * rng.normal(size=160)
    X[rng.random(X.shape) < 0.08] = np.nan
    return X, label


X, LABEL = _data()
POSITIVE = np.exp(LABEL / 2)
BINARY = (LABEL > 0.8).astype(int)
CLASSES = np.digitize(LABEL, [0.4, 1.2])
TARGETS = np.column_stack([LABEL, 5 - POSITIVE])
QUERIES = np.repeat(np.arange(8), 20)


def _odd_rows(booster: Any) -> Array:
    """Return rows on thresholds, one float32 step beside them and between, of zeros and NaN."""
    model = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
    trees = model.get("gbtree", model)["model"]["trees"]
    rows = np.array(X[60:69])
    for tree in trees:
        at = enumerate(zip(tree["left_children"], tree["split_indices"], strict=True))
        for node, (left, column) in at:
            if left >= 0:
                point = np.float32(tree["split_conditions"][node])
                below = np.nextafter(point, np.float32(-np.inf))
                above = np.nextafter(point, np.float32(np.inf))
                rows[:4, column] = point, below, above, float(point) / 2 + float(below) / 2
    rows[4], rows[5, ::2], rows[5, 1::2] = np.nan, 0.0, -0.0
    rows[6] = [1e30, -1e30, 1e-40, -1e-40]
    return rows


def _trained(
    label: Array | None = LABEL,
    matrix: Callable[[], Any] | None = None,
    **params: Any,
) -> Trained:
    """Train a booster on the columns, or on a matrix of them."""
    xgb = _library()
    data = matrix() if matrix else xgb.DMatrix(X, label, nthread=1)
    booster = xgb.train({**PARAMS, **params}, data, 3)
    return Trained(booster, X[:N_BACKGROUND], _odd_rows(booster), margin_of(booster))


def margin_of(booster: Any) -> Callable[[Any], Array]:
    """Return the raw prediction of a booster."""

    def margin(rows: Any) -> Array:
        data = _library().DMatrix(rows, nthread=1, feature_names=booster.feature_names)
        return np.asarray(booster.predict(data, output_margin=True))

    return margin


def _wrapped(kind: str, label: Array = LABEL, **options: Any) -> Trained:
    """Train a scikit-learn wrapper on the columns; its rows are infinite, too."""
    given = {"n_estimators": 3, "max_depth": 3, "n_jobs": 1, "random_state": 1}
    fit = options.pop("fit", {})
    model = getattr(_library(), kind)(**{**given, **options}).fit(X, label, **fit)
    rows = _odd_rows(model.get_booster())
    rows[7] = [np.inf, -np.inf, np.inf, -np.inf]
    return Trained(
        model, X[:N_BACKGROUND], rows, lambda cells: model.predict(cells, output_margin=True)
    )


def _forest() -> Trained:
    return _wrapped(
        "XGBRegressor",
        n_estimators=1,
        num_parallel_tree=4,
        learning_rate=1.0,
        subsample=0.8,
        colsample_bynode=0.7,
    )


def _ranker(objective: str) -> Trained:
    return _wrapped("XGBRanker", CLASSES, objective=objective, fit={"qid": QUERIES})


def _survival_times() -> Any:
    upper = np.where(BINARY == 1, POSITIVE, np.inf)
    return _library().DMatrix(X, label_lower_bound=POSITIVE, label_upper_bound=upper, nthread=1)


def _stopped() -> Trained:
    held_out = {"eval_set": [(X[100:], LABEL[100:])], "verbose": False}
    options: dict[str, Any] = {"n_estimators": 40, "learning_rate": 1.0, "early_stopping_rounds": 2}
    given = _wrapped("XGBRegressor", fit=held_out, **options)
    assert given.model.best_iteration + 1 < given.model.get_booster().num_boosted_rounds()
    return given


def _quantile_matrix() -> Any:
    return _library().QuantileDMatrix(X, LABEL, nthread=1, max_bin=16)


def _external_memory() -> Trained:
    xgb = _library()
    iterator: Any = xgb.DataIter

    class Batches(iterator):  # type: ignore[misc]
        """Hands the rows over in four batches, that are cached in files."""

        def __init__(self, folder: str) -> None:
            self._rest: Iterator[int] = iter(())
            super().__init__(cache_prefix=str(Path(folder, "cache")))

        def next(self, input_data: Callable[..., Any]) -> bool:
            for start in self._rest:
                input_data(data=X[start : start + 40], label=LABEL[start : start + 40])
                return True
            return False

        def reset(self) -> None:
            self._rest = iter(range(0, 160, 40))

    with tempfile.TemporaryDirectory() as folder:
        # The matrix goes before the folder with its files.
        return _trained(matrix=lambda: xgb.ExtMemQuantileDMatrix(Batches(folder), nthread=1))


def _missing_number() -> Trained:
    filled = np.where(np.isnan(X), -999.0, X)
    xgb = _library()
    model = xgb.XGBRegressor(n_estimators=3, max_depth=3, n_jobs=1, missing=-999.0)
    model.fit(filled, LABEL)
    rows = _odd_rows(model.get_booster())
    rows[7:] = np.where(np.isnan(rows[7:]), -999.0, rows[7:])
    return Trained(
        model, filled[:N_BACKGROUND], rows, lambda cells: model.predict(cells, output_margin=True)
    )


def _saved(suffix: str, **params: Any) -> Trained:
    given = _trained(**params)
    return Trained(saved(given.model, suffix), given.background, given.rows, given.raw)


def _sparse(**options: Any) -> Trained:
    """Train on a matrix without its missing cells, but with some of its zeros."""
    sparse = importlib.import_module("scipy.sparse")
    place = np.nonzero(~np.isnan(X))
    matrix = sparse.csr_matrix((X[place], place), shape=X.shape)
    model = _library().XGBRegressor(n_estimators=3, max_depth=3, n_jobs=1, **options)
    model.fit(matrix, LABEL)
    rows = sparse.csr_matrix(matrix[60:68])
    rows.data[:3] = 0.0, -0.0, 1e-40
    return Trained(
        model,
        matrix[:N_BACKGROUND],
        rows,
        lambda cells: model.predict(cells, output_margin=True),
    )


def _linear() -> Trained:
    xgb = _library()
    data = xgb.DMatrix(np.nan_to_num(X), LABEL, nthread=1)
    booster = xgb.train({"booster": "gblinear", "nthread": 1, "verbosity": 0}, data, 2)
    return Trained(booster, X[:N_BACKGROUND], X[60:68], margin_of(booster))


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    return ModelCase(f"xgboost-{name}", "XGBoost", feature, make, ("xgboost", *needs), refused)


def _objective(objective: str, label: Array, feature: str, **params: Any) -> ModelCase:
    name = objective.replace(":", "-")
    return _case(name, feature, lambda: _trained(label, objective=objective, **params))


_TREES: dict[str, Any] = {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}
_BOUND: dict[str, Any] = {
    "monotone_constraints": "(1,0,-1,0)",
    "interaction_constraints": "[[0,1],[2,3]]",
}
_MEDIANS: dict[str, Any] = {"quantile_alpha": [0.2, 0.5, 0.9]}

CASES: tuple[ModelCase, ...] = (
    _case("regression", "regression", _trained),
    _case("base-score", "base score", lambda: _trained(base_score=7.5)),
    _case("binary", "binary classification", lambda: _wrapped("XGBClassifier", BINARY), "sklearn"),
    _case("classes", "multiclass", lambda: _wrapped("XGBClassifier", CLASSES), "sklearn"),
    _objective("multi:softmax", CLASSES, "multiclass", num_class=3, num_parallel_tree=2),
    _case("rank-ndcg", "ranking", lambda: _ranker("rank:ndcg"), "sklearn"),
    _case("rank-pairwise", "ranking", lambda: _ranker("rank:pairwise"), "sklearn"),
    _objective("count:poisson", np.round(POSITIVE), "count:poisson"),
    _objective("reg:tweedie", POSITIVE, "reg:tweedie", tweedie_variance_power=1.4),
    _objective("reg:gamma", POSITIVE, "reg:gamma"),
    _objective("reg:quantileerror", LABEL, "several quantiles", **_MEDIANS),
    _objective("survival:cox", np.where(BINARY, POSITIVE, -POSITIVE), "survival"),
    _case(
        "survival-aft",
        "survival",
        lambda: _trained(None, _survival_times, objective="survival:aft"),
    ),
    _case("targets", "several targets", lambda: _trained(TARGETS)),
    _case(
        "vector-leaves",
        "several targets",
        lambda: _trained(TARGETS, multi_strategy="multi_output_tree"),
    ),
    _case("constraints", "monotone and interaction constraints", lambda: _trained(**_BOUND)),
    _case("dart", "dart", lambda: _trained(**_TREES)),
    _case("forest", "random forest", _forest, "sklearn"),
    _case("stopped", "early stopping", _stopped, "sklearn"),
    _case("missing-number", "another number as missing", _missing_number, "sklearn"),
    _case(
        "quantile-matrix",
        "quantile matrix",
        lambda: _trained(matrix=_quantile_matrix, max_bin=16),
    ),
    _case("external-memory", "external memory", _external_memory),
    _case("json", "saved model", lambda: _saved("json")),
    _case("ubj", "saved model", lambda: _saved("ubj", label=BINARY, objective="binary:logistic")),
    _case("sparse", "sparse rows", _sparse, "sklearn", "scipy"),
    _case("sparse-zeros", "sparse rows", lambda: _sparse(missing=0.0), "sklearn", "scipy"),
    _case("linear", "linear booster", _linear, refused="'gblinear', which is no sum of trees"),
    *CATEGORY_CASES,
)
