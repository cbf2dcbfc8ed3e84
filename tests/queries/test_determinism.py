"""The same bits, however the work is cut, laid out, cached or shared among threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastpd
from fastpd import Forest
from oracles import Floats, path_forest, random_forest, rows_for

MODELS = {
    "trees": random_forest(np.random.default_rng(1), 5, n_trees=150, depth=6),
    "outputs": random_forest(np.random.default_rng(2), 4, n_trees=30, outputs="vector"),
    "float64": random_forest(np.random.default_rng(3), 4, n_trees=30, comparison="float64"),
    "deep": path_forest(10, n_trees=3),
}


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys(), scope="module")
def model(request: pytest.FixtureRequest) -> Forest:
    return request.param


@pytest.fixture(params=["fast", "double"])
def precision(request: pytest.FixtureRequest) -> str:
    return request.param


def rows_of(model: Forest, n: int = 700) -> Floats:
    """Rows whose values are float32 numbers, so that both dtypes hold them exactly."""
    rows = rows_for(model, n, np.random.default_rng(n))
    return rows.astype(np.float32).astype(np.float64)


def explainer(model: Forest, **options: Any) -> fastpd.Explainer:
    rows = rows_of(model, 90)
    weights = np.random.default_rng(0).exponential(size=90)
    return fastpd.Explainer(model, rows, weights=weights, **({"n_jobs": 1} | options))


def answers(ex: fastpd.Explainer, rows: Any, dtype: Any = np.float64) -> dict[str, NDArray[Any]]:
    """Every query, rows first."""
    return {
        "prediction": ex.predict(rows).astype(dtype),
        "value": ex.value([(), (0,), (0, 2), (1, 2, 3)], rows, dtype=dtype),
        "shap": ex.shap(rows, dtype=dtype).values,
        "components": ex.components(rows, 3, dtype=dtype).array,
        "SII": ex.interactions(rows, 2, "SII", dtype=dtype).array,
        "FSII": ex.interactions(rows, 2, "FSII", dtype=dtype).array,
    }


def assert_same_bits(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], name, strict=True)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_threads(model: Forest, precision: str, n_jobs: int):
    rows = rows_of(model, 3000)
    one, several = (explainer(model, precision=precision, n_jobs=n) for n in (1, n_jobs))
    assert several.expected_value == pytest.approx(one.expected_value, rel=0, abs=0)
    assert_same_bits(answers(several, rows), answers(one, rows))
    np.testing.assert_array_equal(several.importance().scores, one.importance().scores)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_any_size_of_batches(model: Forest, precision: str, size: int):
    ex, rows = explainer(model, precision=precision), rows_of(model, 150)
    parts = [answers(ex, rows[i : i + size]) for i in range(0, len(rows), size)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    assert_same_bits(joined, answers(ex, rows))


def test_no_rows_give_no_rows(model: Forest):
    for name, answer in answers(explainer(model), rows_of(model)[:0]).items():
        assert len(answer) == 0, name


def test_any_layout_and_dtype_of_the_same_numbers(model: Forest, precision: str):
    ex, rows = explainer(model, precision=precision), rows_of(model)
    expected = answers(ex, rows)
    wide = np.zeros((len(rows), 2 * rows.shape[1]))
    wide[:, ::2] = rows
    layouts = {
        "F": np.asfortranarray(rows),
        "every other column": wide[:, ::2],
        "backwards": np.ascontiguousarray(rows[::-1])[::-1],
        "float32": rows.astype(np.float32),
        "float32 F": np.asfortranarray(rows.astype(np.float32)),
        "big endian": rows.astype(">f8"),
        "read-only": np.frombuffer(rows.tobytes()).reshape(rows.shape),
    }
    for layout, same in layouts.items():
        np.testing.assert_array_equal(same, rows, layout)
        assert_same_bits(answers(ex, same), expected)


def test_any_layout_of_the_background(model: Forest):
    rows = rows_of(model)
    expected = answers(fastpd.Explainer(model, rows), rows)
    for same in (np.asfortranarray(rows), rows.astype(np.float32), rows[::-1].copy()):
        assert_same_bits(answers(fastpd.Explainer(model, same), rows), expected)


def test_float32_answers_are_the_rounded_float64_ones(model: Forest, precision: str):
    ex, rows = explainer(model, precision=precision), rows_of(model)
    rounded = {k: v.astype(np.float32) for k, v in answers(ex, rows).items()}
    assert_same_bits(answers(ex, rows, np.float32), rounded)


def test_tables_that_are_kept_give_the_same_bits(model: Forest, precision: str):
    ex, rows = explainer(model, precision=precision), rows_of(model)
    first = answers(ex, rows)
    assert ex.plan().cached_bytes > 0
    assert_same_bits(answers(ex, rows), first)
    ex.update(rows[:5])
    changed = answers(ex, rows)
    assert not np.array_equal(changed["shap"], first["shap"])


@pytest.mark.parametrize("share", [0.9, 0.4, 0.26])
def test_tables_in_pieces_give_the_same_bits(precision: str, share: float):
    model = MODELS["trees"]
    ex, rows = explainer(model, precision=precision), rows_of(model)
    limit = int(share * ex.plan().shap_table_bytes)
    pieces = explainer(model, precision=precision, memory_limit=limit)
    np.testing.assert_array_equal(pieces.shap(rows).values, ex.shap(rows).values)
    assert pieces.plan().cached_bytes <= limit


def test_tables_that_no_piece_fits_are_refused():
    model = MODELS["trees"]
    ex = explainer(model, memory_limit=1000)
    with pytest.raises(fastpd.MemoryLimitError, match=r"[\d,]+ bytes; memory_limit is 1,000"):
        ex.shap(rows_of(model))


def test_answers_belong_to_the_caller(model: Forest):
    ex, rows = explainer(model), rows_of(model, 20)
    expected = {name: answer.copy() for name, answer in answers(ex, rows).items()}
    for answer in answers(ex, rows).values():
        answer[:] = 7.0
    assert_same_bits(answers(ex, rows), expected)
    ex.effect(0).pd_steps[:] = 7.0
    assert not (ex.effect(0).pd_steps == 7.0).all()
