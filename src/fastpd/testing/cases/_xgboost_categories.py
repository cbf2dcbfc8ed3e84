"""Cases of XGBoost on tables: missing cells of every kind of frame, categories with labels."""

from __future__ import annotations

import atexit
import importlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained

__all__ = ["CATEGORY_CASES", "saved"]

Array = NDArray[Any]

N, N_BACKGROUND = 200, 25
CITIES = ["Ulm", "Rom", "Oslo", "Bern", "Kiel", "Riga"]
SIZES = [30, 10, 20]


def _cells() -> tuple[Array, Array, Array, Array]:
    """Return a number, the codes of a city and of a size, and a label; codes of -1 are missing."""
    rng = np.random.default_rng(4)
    age = rng.normal(40, 12, N)
    city, size = rng.integers(0, 6, N), rng.integers(0, 3, N)
    label = age / 10 + 3.0 * np.isin(city, [1, 4]) * (size == 1) - 2.0 * (city == 2)
    age[rng.random(N) < 0.1] = np.nan
    city[rng.random(N) < 0.1] = -1
    return age, city, size, label


AGE, CITY, SIZE, LABEL = _cells()


def _labels(codes: Array, labels: list[Any]) -> list[Any]:
    return [None if code < 0 else labels[code] for code in codes]


def _pandas(at: slice = slice(0, N), cities: list[str] = CITIES) -> Any:
    pd = importlib.import_module("pandas")
    return pd.DataFrame(
        {
            "age": AGE[at],
            "city": pd.Categorical(_labels(CITY[at], CITIES), categories=cities),
            "size": pd.Categorical(_labels(SIZE[at], SIZES), categories=SIZES),
        }
    )


def _polars(dtype: Callable[[Any], Any], at: slice = slice(0, N)) -> Any:
    pl = importlib.import_module("polars")
    city = pl.Series(_labels(CITY[at], CITIES), dtype=dtype(pl))
    return pl.DataFrame({"age": AGE[at], "city": city, "size": SIZE[at]})


def _arrow(at: slice = slice(0, N)) -> Any:
    pa = importlib.import_module("pyarrow")
    labels = pa.array(_labels(CITY[at], CITIES))
    dictionary = pa.array(CITIES)
    indices = [None if code < 0 else int(code) for code in CITY[at]]
    city = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), dictionary)
    assert city.cast(pa.string()) == labels
    return pa.table({"age": AGE[at], "city": city, "size": SIZE[at]})


def _model(table: Any, **options: Any) -> Any:
    given = {"n_estimators": 3, "max_depth": 4, "n_jobs": 1, "max_cat_to_onehot": 1, **options}
    model = importlib.import_module("xgboost").XGBRegressor(enable_categorical=True, **given)
    return model.fit(table, LABEL)


def _trained(make: Callable[[slice], Any], **options: Any) -> Trained:
    """Train a wrapper on a table; raw predictions are those of that wrapper."""
    model = _model(make(slice(0, N)), **options)
    return Trained(
        model,
        make(slice(0, N_BACKGROUND)),
        make(slice(100, 109)),
        lambda table: model.predict(table, output_margin=True),
    )


def _codes(**options: Any) -> Trained:
    """Train on codes of an array; rows have codes beyond, negative ones and fractions."""
    X = np.column_stack([AGE, np.where(CITY < 0, np.nan, CITY), SIZE])
    model = _model(X, feature_types=["q", "c", "c"], **options)
    rows = X[100:109].copy()
    rows[:7, 1] = 6, 1e9, -1, -0.5, 1.999, -0.0, np.nan
    rows[2:8, 2] = 2.0**24, 3, np.inf, -np.inf, 63, 1.5
    return Trained(
        model, X[:N_BACKGROUND], rows, lambda cells: model.predict(cells, output_margin=True)
    )


def _other_order() -> Trained:
    """Give rows in a table that numbers the same labels otherwise than the table of training."""
    given = _trained(_pandas)
    cities = CITIES[::-1]
    return Trained(
        given.model,
        _pandas(slice(0, N_BACKGROUND), cities),
        _pandas(slice(100, 109), cities),
        given.raw,
    )


def saved(model: Any, suffix: str) -> Path:
    """Save a model in a folder that goes when the interpreter does, and return the path."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, f"model.{suffix}")
    model.save_model(path)
    return path


def _file(suffix: str) -> Trained:
    given = _trained(_pandas)
    return Trained(saved(given.model, suffix), given.background, given.rows, given.raw)


def _unknown(city: str) -> Trained:
    given = _trained(_pandas)
    pd = importlib.import_module("pandas")
    rows = given.rows.assign(city=pd.Categorical([city] * len(given.rows)))
    return Trained(given.model, given.background, rows, given.raw)


def _text_for_codes() -> Trained:
    """Give labels to a model that was trained on codes, and knows nothing else of them."""
    given = _codes()
    return Trained(given.model, given.background, _pandas(slice(100, 109)), given.raw)


def _told_labels() -> Trained:
    """Give labels to a model that was trained on codes, and say what the codes stand for."""
    model = _codes().model

    def raw(table: Any) -> Array:
        city = table["city"].map({label: code for code, label in enumerate(CITIES)})
        size = table["size"].map({label: code for code, label in enumerate(SIZES)})
        cells = np.column_stack([table["age"], city.astype(float), size.astype(float)])
        return np.asarray(model.predict(cells, output_margin=True))

    labels = {"f1": CITIES, "f2": SIZES}
    table = _pandas().set_axis(["f0", "f1", "f2"], axis=1)
    names = {"f0": "age", "f1": "city", "f2": "size"}
    return Trained(
        model,
        table[:N_BACKGROUND],
        table[100:109],
        lambda rows: raw(rows.rename(columns=names)),
        {"categories": labels},
    )


def _nulls(kind: str) -> Callable[[slice], Any]:
    """Return a maker of tables of numbers, whole numbers and bools, all with nulls."""

    def make(at: slice) -> Any:
        pa = importlib.import_module("pyarrow")
        age = [None if np.isnan(one) else one for one in AGE[at]]
        city = [None if one < 0 else int(one) for one in CITY[at]]
        large = [None if k % 7 == 0 else bool(one) for k, one in enumerate(SIZE[at] == 1)]
        table = pa.table({"age": age, "city": city, "large": large})
        if kind == "polars":
            return importlib.import_module("polars").from_arrow(table)
        if kind == "arrow":
            return table
        pd = importlib.import_module("pandas")
        if kind == "pandas-arrow":
            return table.to_pandas(types_mapper=pd.ArrowDtype)
        columns = {"age": (age, "Float64"), "city": (city, "Int64"), "large": (large, "boolean")}
        return pd.DataFrame({name: pd.array(*given) for name, given in columns.items()})

    return make


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    return ModelCase(
        f"xgboost-{name}", "XGBoost", feature, make, ("xgboost", "sklearn", *needs), refused
    )


CATEGORY_CASES: tuple[ModelCase, ...] = (
    _case("nullable", "tables with nulls", lambda: _trained(_nulls("pandas")), "pandas", "pyarrow"),
    _case(
        "nullable-arrow",
        "tables with nulls",
        lambda: _trained(_nulls("pandas-arrow")),
        "pandas",
        "pyarrow",
    ),
    _case("polars", "tables with nulls", lambda: _trained(_nulls("polars")), "polars", "pyarrow"),
    _case("arrow", "tables with nulls", lambda: _trained(_nulls("arrow")), "pyarrow"),
    _case("category-sets", "categories: pandas", lambda: _trained(_pandas), "pandas"),
    _case(
        "category-one-hot",
        "categories: pandas",
        lambda: _trained(_pandas, max_cat_to_onehot=10),
        "pandas",
    ),
    _case("category-other-order", "categories: pandas", _other_order, "pandas"),
    _case(
        "category-polars",
        "categories: polars",
        lambda: _trained(lambda at: _polars(lambda pl: pl.Enum(CITIES), at)),
        "polars",
    ),
    _case("category-arrow", "categories: Arrow", lambda: _trained(_arrow), "pyarrow"),
    _case("category-codes", "categories: codes", _codes),
    _case("category-dart", "categories: codes", lambda: _codes(booster="dart", rate_drop=0.5)),
    _case("category-code-missing", "categories: codes", lambda: _codes(missing=1.0)),
    _case("category-json", "categories: saved model", lambda: _file("json"), "pandas"),
    _case("category-ubj", "categories: saved model", lambda: _file("ubj"), "pandas"),
    _case("category-told", "categories: codes, labels given", _told_labels, "pandas"),
    _case(
        "category-unknown",
        "categories: unknown label",
        lambda: _unknown("Roma"),
        "pandas",
        refused="'Roma', which the model was not trained with.*Did you mean 'Rom'",
    ),
    _case(
        "category-label-missing",
        "categories: a code as missing",
        lambda: _trained(_pandas, missing=1.0),
        "pandas",
        refused="takes 1 for missing, which is also the code of the category 'Rom' of 'city'",
    ),
    _case(
        "category-text-for-codes",
        "categories: labels for a model of codes",
        _text_for_codes,
        "pandas",
        refused="has labels, but the model keeps only the codes",
    ),
)
