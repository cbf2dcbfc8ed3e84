"""Cases of scikit-learn's histogram-based gradient boosting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases.sklearn_data import features, labels_of, near, target, with_gaps

__all__ = ["CASES"]

QUICK = {"max_iter": 6, "min_samples_leaf": 4, "max_leaf_nodes": 8, "random_state": 0}
CITIES = ("bern", "oslo", "rome", "wien", "zug")


def _points(model: Any) -> NDArray[np.float64]:
    nodes = np.concatenate([tree.nodes for trees in model._predictors for tree in trees])
    return np.asarray(nodes["num_threshold"][nodes["is_leaf"] == 0])


def numbers_missing_and_infinite() -> Trained:
    from sklearn.ensemble import HistGradientBoostingRegressor

    X = with_gaps(features(150))
    X[::17, 0], X[1::17, 0], X[:, 2] = np.inf, -np.inf, np.where(X[:, 2] > 0.5, np.nan, 2.0)
    y = target(np.clip(X, -4, 4))
    model = HistGradientBoostingRegressor(**QUICK).fit(X, y)
    rows = near(_points(model), X)
    rows[2, 0], rows[3, 0], rows[4, :2] = np.inf, -np.inf, np.nan
    # The largest threshold that there is, below which all finite numbers are meant to lie.
    rows[5, 0], rows[6, 0] = 1e300, np.nextafter(1e300, np.inf)
    return Trained(model, X[:28], rows, model.predict)


def cities(n: int, seed: int) -> Any:
    """Return a frame with two columns of labels, text and numbers, some of them missing."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    city = rng.choice([*CITIES, None], n)  # type: ignore[arg-type]
    rooms = rng.choice([2.0, 3.0, 5.5, np.nan], n)
    return pd.DataFrame(
        {
            "age": rng.normal(size=n),
            "city": pd.Categorical(city, categories=["mars", *reversed(CITIES)]),
            "size": rng.normal(size=n),
            "rooms": pd.Categorical(rooms),
        }
    )


def rent(table: Any) -> Any:
    wanted = table["city"].isin(["oslo", "zug"]) * 3.0 - 2.0 * table["city"].isna()
    return table["age"] + wanted + 2.0 * table["rooms"].isin([3.0]) * table["size"]


def categories_of_a_frame() -> Trained:
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingRegressor

    table = cities(150, 0)
    model = HistGradientBoostingRegressor(categorical_features="from_dtype", **QUICK)
    model.fit(table, rent(table))
    rows = cities(8, 1)
    # Numbered otherwise than in training; one label was never met.
    rows["city"] = pd.Categorical(
        ["mars", "zug", None, "oslo", "bern", "rome", "wien", "mars"],
        categories=["oslo", "mars", *CITIES[2:], "bern"],
    )
    background = table[:28].assign(
        city=table["city"][:28].cat.set_categories(rows["city"].cat.categories)
    )
    return Trained(model, background, rows, model.predict)


def categories_of_polars() -> Trained:
    import polars as pl
    from sklearn.ensemble import HistGradientBoostingClassifier

    pandas = cities(150, 2)
    labels = [None if label != label else label for label in pandas["city"].astype(object)]
    table = pl.DataFrame(
        {
            "age": pandas["age"].to_numpy(),
            "city": pl.Series(labels, dtype=pl.Enum([*reversed(CITIES), "mars"])),
            "size": pandas["size"].to_numpy(),
        }
    )
    model = HistGradientBoostingClassifier(categorical_features=["city"], **QUICK)
    model.fit(table, np.where(rent(pandas) > 0.5, "dear", "cheap"))
    some = pl.Series("city", ["mars", None, *CITIES, "zug"], dtype=table["city"].dtype)
    rows = table[60:68].with_columns(some)
    return Trained(model, table[:28], rows, model.decision_function)


def categories_in_an_array() -> Trained:
    """Take numbers for labels, whole or not; those that were never met count as missing."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    X = with_gaps(features(150))
    X[:, 1] = np.array([-2.0, 0.5, 7.0, 300.0])[np.digitize(X[:, 1], [-0.7, 0.0, 0.7])]
    y = target(X) + 3.0 * np.isin(X[:, 1], [-2.0, 7.0])
    model = HistGradientBoostingRegressor(categorical_features=[1, 3], **QUICK).fit(X, y)
    rows = X[60:70].copy()
    rows[:, 1] = [-2.0, 0.5, 7.0, 300.0, 0.0, -1.0, 7.5, 1e9, np.nan, 44.0]
    return Trained(model, X[:28], rows, model.predict)


def several_classes_stopped_early() -> Trained:
    from sklearn.ensemble import HistGradientBoostingClassifier

    X = with_gaps(features(200))
    options = QUICK | {"max_iter": 60, "early_stopping": True, "n_iter_no_change": 2}
    model = HistGradientBoostingClassifier(learning_rate=0.5, **options).fit(X, labels_of(X))
    return Trained(model, X[:28], near(_points(model), X), model.decision_function)


def counts() -> Trained:
    from sklearn.ensemble import HistGradientBoostingRegressor

    X = with_gaps(features(150))
    model = HistGradientBoostingRegressor(loss="poisson", **QUICK)
    model.fit(X, np.random.default_rng(0).poisson(np.exp(target(X) / 2)))
    return Trained(model, X[:28], near(_points(model), X), lambda rows: np.log(model.predict(rows)))


def a_range_of_rounds() -> Trained:
    from sklearn.ensemble import HistGradientBoostingClassifier

    X = features(150)
    model = HistGradientBoostingClassifier(**QUICK).fit(X, target(X) > 0.5)

    def raw(rows: Any) -> NDArray[Any]:
        return np.asarray(list(model.staged_decision_function(rows))[3]).ravel()

    return Trained(model, X[:28], X[60:68], raw, {"iteration_range": (0, 4)})


def a_sparse_matrix() -> Trained:
    import scipy.sparse

    given = several_classes_stopped_early()
    rows = scipy.sparse.csr_matrix(np.nan_to_num(given.rows))
    return Trained(given.model, given.background, rows, given.raw)


def _case(
    name: str, feature: str, make: Callable[[], Trained], *needs: str, refused: str = ""
) -> ModelCase:
    feature = f"histogram-based gradient boosting, {feature}"
    return ModelCase(
        f"sklearn-histogram-{name}", "scikit-learn", feature, make, ("sklearn", *needs), refused
    )


CASES: tuple[ModelCase, ...] = (
    _case("numbers", "missing and infinite values", numbers_missing_and_infinite),
    _case("frame", "categories", categories_of_a_frame, "pandas"),
    _case("polars", "categories", categories_of_polars, "polars", "pandas"),
    _case("array", "categories", categories_in_an_array),
    _case("classes", "classes, early stopping", several_classes_stopped_early),
    _case("counts", "counts and other positive targets", counts),
    _case("rounds", "ranges of rounds", a_range_of_rounds),
    _case(
        "sparse",
        "sparse matrices (refused by scikit-learn)",
        a_sparse_matrix,
        "scipy",
        refused="which the model's library does not take",
    ),
)
