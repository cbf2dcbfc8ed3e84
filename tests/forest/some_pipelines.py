"""Pipelines over a small table of people, for the tests of how they are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

__all__ = ["columns", "fitted", "people", "response", "trees"]


def people(n: int = 120) -> Any:
    rng = np.random.default_rng(0)
    town = rng.choice(["Bern", "Chur"], n)
    return pd.DataFrame(
        {"age": rng.integers(18, 80, n), "town": town, "wealth": rng.normal(size=n).round(2)}
    )


def response(table: Any) -> Any:
    return table["age"] / 20 + (table["town"] == "Bern") * table["wealth"]


def trees() -> Any:
    return RandomForestRegressor(5, max_depth=4, random_state=0)


def columns(**settings: Any) -> Any:
    parts = [("town", OneHotEncoder(), ["town"]), ("age", StandardScaler(), ["age"])]
    return ColumnTransformer(parts, **settings)


def fitted(*steps: Any, table: Any = None, **settings: Any) -> Any:
    table = people() if table is None else table
    return make_pipeline(*steps, **settings).fit(table, response(people()))
