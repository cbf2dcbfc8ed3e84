"""Cases of plain arrays: one split, asked at awkward values, held against formulas by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Categories, Forest
from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases._array_shapes import SHAPE_CASES, array_case, rows_of

__all__ = ["CASES"]

Array = NDArray[Any]
NAN, INF = float("nan"), float("inf")
LABELS = ("red", "green", "blue")


def _stump(threshold: float = 0.5, low: float = 1.0, high: float = 2.0, **options: Any) -> Forest:
    """Return one split of the first of two columns."""
    return Forest.from_arrays(
        feature=[0, -1, -1],
        threshold=[threshold, 0.0, 0.0],
        left=[1, -1, -1],
        right=[2, -1, -1],
        value=[0.0, low, high],
        **{"n_features": 2, **options},
    )


def _one(forest: Forest, values: tuple[float, ...], formula: Callable[[Array], Array]) -> Trained:
    """Return a model of the first column alone, asked at values that are background, too."""
    rows = rows_of(*values)
    return Trained(forest, rows[::2], rows, lambda cells: formula(cells[:, 0]))


def _missing(side: str) -> Trained:
    left = side == "left"

    def formula(x: Array) -> Array:
        return np.where((x <= 0.5) | (np.isnan(x) & left), 1.0, 2.0)

    return _one(_stump(default_left=left), (0.0, NAN, 1.0, NAN, 0.5, -3.0, 7.0), formula)


def _missing_number() -> Trained:
    def formula(x: Array) -> Array:
        return np.where((x <= 0.5) & (x != -9.0), 1.0, 2.0)

    return _one(_stump(missing=-9.0), (0.0, -9.0, NAN, 1.0, -9.5, -8.5, 0.5), formula)


def _on_threshold(left_if: Any, comparison: Any) -> Trained:
    """Ask at 0.1, one step of float64 and one of float32 beside it; no float32 equals 0.1."""
    near = np.float32(0.1)
    steps32 = [float(near), float(np.nextafter(near, np.float32(0.0)))]
    steps64 = [0.1, float(np.nextafter(0.1, 0.0)), float(np.nextafter(0.1, 1.0))]

    def formula(x: Array) -> Array:
        rounded = x.astype(comparison).astype(float)
        left = rounded <= 0.1 if left_if == "<=" else rounded < 0.1
        return np.where(left, 1.0, 2.0)

    forest = _stump(0.1, left_if=left_if, comparison=comparison)
    return _one(forest, (*steps32, *steps64, 0.0, 1.0), formula)


def _zeros(left_if: Any) -> Trained:
    """Compare zeros of both signs with a zero of the other sign."""

    def formula(x: Array) -> Array:
        return np.where(x <= 0.0 if left_if == "<=" else x < 0.0, 1.0, 2.0)

    return _one(_stump(-0.0, left_if=left_if), (0.0, -0.0, 5e-324, -5e-324, 1.0, -1.0), formula)


def _infinities() -> Trained:
    largest = float(np.finfo(np.float64).max)

    def formula(x: Array) -> Array:
        return np.where(np.isnan(x) | (x < largest), 1.0, 2.0)

    forest = _stump(largest, left_if="<", default_left=True)
    return _one(forest, (INF, -INF, largest, -largest, NAN, 0.0, INF, -INF), formula)


def _denormals(comparison: Any) -> Trained:
    step = 5e-324 if comparison == "float64" else float(np.float32(1e-45))

    def formula(x: Array) -> Array:
        return np.where(x.astype(comparison) <= step, 1.0, 2.0)

    forest = _stump(step, comparison=comparison)
    return _one(forest, (0.0, step, 2 * step, 3 * step, -step, 1e-300, 1e-40), formula)


def _unknown_codes() -> Trained:
    """Ask at codes that no set knows: beyond, negative, in fractions, infinite, missing."""

    def formula(x: Array) -> Array:
        known = ((x >= 1) & (x < 2)) | ((x >= 4) & (x < 5))
        return np.where(known | np.isnan(x), 1.0, 2.0)

    forest = _stump(left_codes={0: [1, 4]}, default_left=True)
    return _one(forest, (0, 1, 4, 5, 1.9, -1, -0.5, 1e12, INF, NAN, 3.999, 4.0), formula)


def _labels(unseen: float | None, *rows: str | None) -> Trained:
    """Split labels; what is not known counts as missing, as a label, or is refused."""
    pd = importlib.import_module("pandas")
    forest = _stump(
        left_codes={0: [0, 2]},
        categories={"colour": Categories(LABELS, unseen=unseen)},
        feature_names=["colour", "size"],
    )

    def table(*colours: str | None) -> Any:
        return pd.DataFrame({"colour": list(colours), "size": np.arange(len(colours)) * 1.0})

    def raw(cells: Any) -> Array:
        colour = cells["colour"]
        left = colour.isin(["red", "blue"]) | ((unseen == 2.0) & (colour == "pink"))
        return np.where(left, 1.0, 2.0)

    return Trained(forest, table("red", "green", "blue", None), table(*rows), raw)


def _absent_zeros() -> Trained:
    sparse = importlib.import_module("scipy.sparse")
    rows = sparse.csr_matrix(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [-1.0, 3.0]]))

    def raw(cells: Any) -> Array:
        return np.where(cells.toarray()[:, 0] < 0.0, 1.0, 2.0)

    return Trained(_stump(0.0, left_if="<", absent="zero"), rows, rows, raw)


CASES: tuple[ModelCase, ...] = (
    array_case("missing-left", "missing values", lambda: _missing("left")),
    array_case("missing-right", "missing values", lambda: _missing("right")),
    array_case("missing-number", "another number as missing", _missing_number),
    array_case("below-64", "values on thresholds", lambda: _on_threshold("<", "float64")),
    array_case("at-most-64", "values on thresholds", lambda: _on_threshold("<=", "float64")),
    array_case("below-32", "values on thresholds", lambda: _on_threshold("<", "float32")),
    array_case("at-most-32", "values on thresholds", lambda: _on_threshold("<=", "float32")),
    array_case("below-zero", "zeros of both signs", lambda: _zeros("<")),
    array_case("at-most-zero", "zeros of both signs", lambda: _zeros("<=")),
    array_case("infinities", "infinite values", _infinities),
    array_case("denormals-64", "denormal numbers", lambda: _denormals("float64")),
    array_case("denormals-32", "denormal numbers", lambda: _denormals("float32")),
    array_case("codes", "categories: codes", _unknown_codes),
    array_case(
        "labels-missing",
        "categories: unknown label",
        lambda: _labels(NAN, "red", "pink", None, "green", "blue"),
        "pandas",
    ),
    array_case(
        "labels-other",
        "categories: unknown label",
        lambda: _labels(2.0, "red", "pink", None, "green", "blue"),
        "pandas",
    ),
    array_case(
        "labels-refused",
        "categories: unknown label, where nothing was said of such",
        lambda: _labels(None, "red", "pink"),
        "pandas",
        refused="holds 'pink', which the model was not trained with",
    ),
    array_case("sparse", "sparse rows", _absent_zeros, "scipy"),
    array_case(
        "sparse-refused",
        "sparse rows, where nothing was said of absent cells",
        lambda: Trained(
            _stump(), _absent_zeros().rows, _absent_zeros().rows, lambda _: np.empty(0)
        ),
        "scipy",
        refused="does not take; expected a dense table",
    ),
    *SHAPE_CASES,
)
