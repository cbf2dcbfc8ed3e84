"""Which names explanations give to features: the table's own, where the model lost them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastpd import DataError, Explainer
from oracles import Split, forest

LGB = replace(
    forest([Split(0, 0.0, 1.0, Split(1, 0.0, 2.0, 4.0))], 2, names=("mean_radius", "a_b")),
    underscored=True,
)
CELLS = np.array([[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])


def table(*names: str) -> Any:
    return pd.DataFrame(CELLS[:, : len(names)], columns=list(names))


def test_a_table_gives_back_the_spaces_that_the_library_took():
    ex = Explainer(LGB, table("mean radius", "a_b"))
    assert ex.feature_names == ("mean radius", "a_b")
    assert ex.predict(table("a_b", "mean radius")[["mean radius", "a_b"]]).shape == (3,)


def test_names_with_underscores_are_found_as_they_are():
    assert Explainer(LGB, table("mean_radius", "a_b")).feature_names == ("mean_radius", "a_b")


def test_a_library_that_keeps_spaces_gets_no_others():
    with pytest.raises(DataError, match="Did you mean 'mean radius'"):
        Explainer(replace(LGB, underscored=False), table("mean radius", "a_b"))


def test_what_two_columns_may_be_is_not_guessed():
    model = replace(LGB, feature_names=("a_b_c", "d"))
    cells = pd.DataFrame({"a b_c": [1.0], "a_b c": [1.0], "d": [1.0]})
    with pytest.raises(DataError, match="lacks 1 of the model's 2 columns: 'a_b_c'"):
        Explainer(model, cells)


def test_lightgbm():
    lgb = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(80, 2)), columns=["mean radius", "worst radius"])
    y = rows["mean radius"] + rows["worst radius"] ** 2
    model = lgb.LGBMRegressor(n_estimators=3, n_jobs=1, verbose=-1).fit(rows, y)
    ex = Explainer(model, rows)
    assert ex.feature_names == ("mean radius", "worst radius")
    np.testing.assert_allclose(ex.predict(rows), model.predict(rows))
