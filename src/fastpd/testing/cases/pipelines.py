"""Cases of scikit-learn's pipelines: brute force runs on the table that goes into them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained

__all__ = ["CASES"]

_N_TRAINED, _N_BACKGROUND, _N_ROWS = 200, 25, 8


def _numbers(seed: int = 0) -> NDArray[np.float64]:
    """Return columns with ties, so that rows lie on thresholds, and with zeros of both signs."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(_N_TRAINED + _N_BACKGROUND + _N_ROWS, 4)), 1)
    X[-1] = [0.0, -0.0, 9.0, -9.0]
    X[-2] = np.nextafter(X[0], np.inf)
    return X


def _target(X: NDArray[np.float64]) -> NDArray[np.float64]:
    a, b, c, d = np.nan_to_num(X).T
    response: NDArray[np.float64] = a * b + np.sin(2 * c) + np.where(d > 0, a, c)
    return response


def _table(*, gaps: bool = True) -> Any:
    """Return people with numbers, labels, gaps, and a column that says nothing."""
    import pandas as pd

    X = _numbers(1)
    table = pd.DataFrame({"age": 40 + 10 * X[:, 0], "wealth": np.exp(X[:, 1])})
    table["town"] = np.array(["Bern", "Chur", "Genf"])[(X[:, 2] > -0.5).astype(int) + (X[:, 2] > 1)]
    table["id"] = [f"no. {k}" for k in range(len(X))]
    if gaps:
        table.loc[table.index % 6 == 1, "age"] = np.nan
        table.loc[table.index % 9 == 2, "wealth"] = np.nan
    table.insert(2, "owner", X[:, 3] > 0)
    return table


def _trained(pipeline: Any, table: Any, raw: Callable[[Any], Any], y: Any = None) -> Trained:
    """Fit a pipeline on the first rows of a table; the others are the background and the rows."""
    y = _target(_numbers(1)) if y is None else y
    parts = (slice(0, _N_TRAINED), slice(_N_TRAINED, -_N_ROWS), slice(-_N_ROWS, None))
    fitted, background, rows = (_rows(table, part) for part in parts)
    pipeline.fit(fitted, y[parts[0]])
    return Trained(pipeline, background, rows, raw)


def _rows(table: Any, part: slice) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[part].reset_index(drop=True)
    return table[part]


def _xgboost(**settings: Any) -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=6, max_depth=3, learning_rate=0.5, n_jobs=1, **settings)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(6, max_depth=4, random_state=0, n_jobs=1)


def _encoded(model: Any, **settings: Any) -> Any:
    """Return a pipeline that scales numbers, spreads labels out, and drops a column."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    columns = [
        ("labels", OneHotEncoder(handle_unknown="ignore"), ["town"]),
        ("scaled", StandardScaler(), ["wealth", "age"]),
        ("nothing", "drop", ["id"]),
    ]
    return make_pipeline(ColumnTransformer(columns, remainder="passthrough", **settings), model)


def _with_stranger(table: Any) -> Any:
    table.loc[len(table) - 3, "town"] = "Thun"
    return table


def _dense() -> Trained:
    pipeline = _encoded(_xgboost(), sparse_threshold=0)
    return _trained(pipeline, _with_stranger(_table()), pipeline.predict)


def _sparse_missing() -> Trained:
    pipeline = _encoded(_xgboost(), sparse_threshold=1)
    table = _with_stranger(_table())
    table.loc[table.index % 5 == 0, "age"] = np.nan
    return _trained(pipeline, table, pipeline.predict)


def _sparse_zero() -> Trained:
    pipeline = _encoded(_forest(), sparse_threshold=1)
    return _trained(pipeline, _with_stranger(_table(gaps=False)), pipeline.predict)


def _imputed() -> Trained:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

    filled = make_pipeline(SimpleImputer(add_indicator=True), FunctionTransformer(np.log1p))
    unknown = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    columns = ColumnTransformer([("filled", filled, ["age", "wealth"]), ("town", unknown, [3])])
    pipeline = make_pipeline(columns, _forest())
    return _trained(pipeline, _with_stranger(_table()), pipeline.predict)


def _frames() -> Trained:
    """Categories of pandas that reach the model as such, beside numbers that were scaled."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    table = _table()
    table["town"] = table["town"].astype("category")
    columns = ColumnTransformer(
        [("scaled", MinMaxScaler(), ["wealth"]), ("same", "passthrough", ["town", "age", "owner"])]
    )
    model = HistGradientBoostingRegressor(
        max_iter=8, max_leaf_nodes=8, categorical_features="from_dtype", early_stopping=False
    )
    pipeline = make_pipeline(columns.set_output(transform="pandas"), model)
    return _trained(pipeline, table, pipeline.predict)


def _classes() -> Trained:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import TargetEncoder
    from xgboost import XGBClassifier

    X = np.round(_numbers(2)[:, :3])
    y = np.digitize(_target(_numbers(2)), [-0.7, 0.7])
    model = XGBClassifier(n_estimators=4, max_depth=3, n_jobs=1)
    pipeline = make_pipeline(TargetEncoder(cv=3, random_state=0), model)

    def raw(table: Any) -> Any:
        return model.predict(pipeline[:-1].transform(table), output_margin=True)

    with warnings.catch_warnings():  # newer versions take the seed in another way
        warnings.simplefilter("ignore", FutureWarning)
        return _trained(pipeline, X, raw, y)


def _two_classes() -> Trained:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import QuantileTransformer

    X = _numbers(3)
    model = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=6, early_stopping=False)
    pipeline = make_pipeline("passthrough", QuantileTransformer(n_quantiles=20), model)
    return _trained(pipeline, X, pipeline.decision_function, _target(X) > 0)


def _branches() -> Trained:
    """Branches side by side over an array, of which only some columns go on."""
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_selection import SelectKBest, f_regression
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import KBinsDiscretizer, PowerTransformer, SplineTransformer

    bins = KBinsDiscretizer(4, strategy="uniform")
    union = make_union("passthrough", SplineTransformer(3, degree=2), bins)
    columns = ColumnTransformer(
        [("all", union, slice(0, 2)), ("last", PowerTransformer(), [-1])], remainder="passthrough"
    )
    pipeline = make_pipeline(columns, SelectKBest(f_regression, k=12), _forest())
    X = _numbers(4)
    return _trained(pipeline, X, pipeline.predict, _target(X))


def _polars() -> Trained:
    import polars as pl
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, RobustScaler

    table = pl.from_pandas(_table().drop(columns="id"))
    columns = ColumnTransformer(
        [
            ("labels", OneHotEncoder(sparse_output=False, drop="first"), ["town"]),
            ("scaled", RobustScaler(), ["age", "wealth"]),
        ],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="polars")
    pipeline = make_pipeline(columns, _xgboost())
    return _trained(pipeline, table, pipeline.predict)


def _single_precision() -> Trained:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MaxAbsScaler

    X = _numbers(5).astype(np.float32)
    X[::7, 1] = np.nan
    pipeline = Pipeline([("scaled", MaxAbsScaler()), ("model", _xgboost())])
    return _trained(pipeline, X, pipeline.predict, _target(_numbers(5)))


def _no_trees() -> Trained:
    from sklearn.linear_model import LinearRegression

    pipeline = _encoded(LinearRegression())
    return _trained(pipeline, _table(gaps=False), pipeline.predict)


def _no_model() -> Trained:
    pipeline = _encoded("passthrough")
    return _trained(pipeline, _table(), pipeline.transform)


def _not_fitted() -> Trained:
    table = _table()
    return Trained(_encoded(_xgboost()), table, table, np.asarray)


def _unseen() -> Trained:
    given = _imputed()
    given.model.named_steps["columntransformer"].named_transformers_["town"].set_params(
        handle_unknown="error"
    )
    return given


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    name, needs = f"pipelines-{name}", ("sklearn", *needs)
    return ModelCase(name, "scikit-learn pipelines", feature, make, needs, refused)


CASES: tuple[ModelCase, ...] = (
    _case("columns", "steps for some of the columns", _dense, "pandas", "xgboost"),
    _case("sparse-missing", "sparse tables between steps", _sparse_missing, "pandas", "xgboost"),
    _case("sparse-zero", "sparse tables between steps", _sparse_zero, "pandas"),
    _case("single-precision", "arrays of float32", _single_precision, "xgboost"),
    _case("imputed", "imputers with indicators", _imputed, "pandas"),
    _case("frames", "frames between steps", _frames, "pandas"),
    _case("polars", "frames between steps", _polars, "pandas", "polars", "xgboost"),
    _case("classes", "classifiers as last step", _classes, "xgboost"),
    _case("two-classes", "classifiers as last step", _two_classes),
    _case("branches", "unions, nested pipelines and selection", _branches),
    _case(
        "unseen-label",
        "labels that a step refuses",
        _unseen,
        "pandas",
        refused="did not go through the steps.*unknown categories",
    ),
    _case(
        "no-trees",
        "no trees as last step",
        _no_trees,
        "pandas",
        refused="The last step 'linearregression' of this Pipeline cannot be explained",
    ),
    _case("no-model", "no trees as last step", _no_model, "pandas", refused="predicts nothing"),
    _case(
        "not-fitted",
        "a pipeline that is not fitted",
        _not_fitted,
        "pandas",
        "xgboost",
        refused="not fitted",
    ),
)
