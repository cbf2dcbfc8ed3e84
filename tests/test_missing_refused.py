"""A model whose library refuses missing values is not asked about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastpd import Explainer
from fastpd.errors import DataError
from fastpd.forest import Categories, IntervalSplits
from fastpd.forest.check import sample_rows
from fastpd.frames import Columns, as_rows
from oracles import Split, forest

COLUMNS = Columns(("a", "b"), takes_missing=False)
ROWS = np.array([[0.0, 1.0], [2.0, 3.0]])


def model(**changes: Any) -> Any:
    return replace(forest([Split(0, 0.5, 1.0, 2.0)], 2), **changes)


@pytest.mark.parametrize("make", [np.asarray, lambda rows: pd.DataFrame(rows, columns=["a", "b"])])
def test_rows_with_a_missing_value_are_refused_by_column_and_row(make: Any):
    lacking = np.array([[0.0, 1.0], [2.0, np.nan]])
    with pytest.raises(DataError, match="X lacks a value in column 'b', row 1"):
        as_rows(make(lacking), COLUMNS).chunk(0, 2)
    with pytest.raises(DataError, match="column 'b', row 1"):
        as_rows(make(lacking), COLUMNS).chunk(1, 2)
    np.testing.assert_array_equal(as_rows(make(ROWS), COLUMNS).chunk(0, 2), ROWS)


def test_an_explainer_refuses_them_in_the_background_rows_and_effects():
    ex = Explainer(model(takes_missing=False), ROWS)
    lacking = np.array([[np.nan, 1.0]])
    with pytest.raises(DataError, match="background lacks a value"):
        Explainer(model(takes_missing=False), lacking)
    with pytest.raises(DataError, match="lacks a value"):
        ex.shap(lacking)
    effect = ex.effect(0)
    with pytest.raises(DataError, match="missing one, which the model refuses"):
        effect.pd([0.0, np.nan])
    with pytest.raises(DataError, match="has no level of a missing value"):
        _ = effect.missing_level
    np.testing.assert_allclose(effect.pd([0.0, 1.0]), [1.0, 2.0])


def test_they_are_left_out_of_the_rows_that_check_an_import():
    assert np.isnan(sample_rows(model())).any()
    assert not np.isnan(sample_rows(model(takes_missing=False))).any()


def test_the_effect_of_labels_that_are_numbers_in_arrays_is_told_by_label():
    known = Categories((7.0, 3.0), arrays="label")
    splits = IntervalSplits.from_mapping({0: [(1.0, 2.0)]})  # the label 3 goes left
    ex = Explainer(model(splits=splits, categories=(known, None)), [[3.0, 0.0], [7.0, 0.0]])
    assert ex.effect(0).by_label() == {7.0: 2.0, 3.0: 1.0}
