"""Explainers of every kind that can be saved, each with rows to ask about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fastpd import Explainer, Forest
from fastpd.forest import Categories, HashedCategories
from fastpd.measures import Gaussian, Path, Product
from oracles import path_forest, random_forest, rows_for

SHALLOW = random_forest(np.random.default_rng(1), 4, n_trees=6, depth=3)
OUTPUTS = random_forest(
    np.random.default_rng(2), 4, n_trees=6, depth=3, outputs="vector", missing=0.5, categories=5
)
DEEP = path_forest(10, n_trees=2, seed=3)
COVERED = Forest.from_arrays(
    feature=[[0, 1, -1, -1, -1], [1, -1, -1]],
    threshold=[[0.5, -0.25, 0, 0, 0], [0.1, 0, 0]],
    left=[[1, 2, -1, -1, -1], [1, -1, -1]],
    right=[[4, 3, -1, -1, -1], [2, -1, -1]],
    value=[[0, 0, 1.0, 2.5, -3.0], [0, 0.3, -0.7]],
    cover=[[10, 6, 2, 4, 4], [10, 7, 3]],
    feature_names=["a", "b"],
    link="logit",
)
NO_TREES = replace(
    COVERED,
    **{
        name: getattr(COVERED, name)[:0]
        for name in (
            *("feature", "threshold", "left", "right", "default_left"),
            *("value", "cover", "roots", "tree_output"),
        )
    },
)
LABELLED = Forest.from_arrays(
    feature=[[0, 1, -1, -1, -1]],
    threshold=[[0.5, 0, 0, 0, 0]],
    left=[[1, 2, -1, -1, -1]],
    right=[[4, 3, -1, -1, -1]],
    value=[[0, 0, 1.0, 2.0, 4.0]],
    left_codes=[{1: [0, 2]}],
    categories={"city": ["Rome", "Oslo", '</script>"\né']},
    feature_names=["age", "city", "street", "zip"],
)


@dataclass(frozen=True)
class Case:
    """An explainer to save, rows to ask about, and further rows to add."""

    make: Callable[[], Explainer]
    rows: Any
    more: Any = None


def background(forest: Forest, n: int = 30, seed: int = 0) -> Any:
    return rows_for(forest, n, np.random.default_rng(seed))


def labelled(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    labels = LABELLED.categories[1].labels
    cells = rng.random((n, 3))
    city = [labels[k] for k in rng.integers(0, 3, n)]
    frame = pd.DataFrame(cells, columns=["age", "street", "zip"])
    return frame.assign(city=pd.Series(city, dtype=object))


WEIGHTS = np.random.default_rng(4).exponential(size=30) * 1e-40
COVARIANCE = np.array([[1.0, 0.4], [0.4, 2.0]])

CASES = {
    "rows": Case(
        lambda: Explainer(SHALLOW, background(SHALLOW)),
        background(SHALLOW, 5, 1),
        background(SHALLOW),
    ),
    "weights": Case(
        lambda: Explainer(SHALLOW, background(SHALLOW), weights=WEIGHTS, precision="double"),
        background(SHALLOW, 5, 1),
        background(SHALLOW),
    ),
    "outputs": Case(
        lambda: Explainer(OUTPUTS, background(OUTPUTS)),
        background(OUTPUTS, 5, 1),
        background(OUTPUTS),
    ),
    "deep": Case(
        lambda: Explainer(DEEP, background(DEEP)), background(DEEP, 4, 1), background(DEEP)
    ),
    "deep, of low order": Case(
        lambda: Explainer(DEEP, background(DEEP, 3000), memory_limit="40KB"),
        background(DEEP, 4, 1),
        background(DEEP),
    ),
    "labels and groups": Case(
        lambda: Explainer(LABELLED, labelled(30), groups={"place": ["street", "zip"]}),
        labelled(5, 1),
        labelled(20, 2),
    ),
    "product": Case(
        lambda: Explainer(SHALLOW, measure=Product(background(SHALLOW))),
        background(SHALLOW, 5, 1),
        background(SHALLOW),
    ),
    "path over rows": Case(
        lambda: Explainer(COVERED, measure=Path(np.random.default_rng(0).normal(size=(99, 2)))),
        np.zeros((2, 2)),
        np.ones((3, 2)),
    ),
    "path": Case(lambda: Explainer(COVERED, measure=Path()), np.zeros((2, 2))),
    "gaussian": Case(
        lambda: Explainer(COVERED, measure=Gaussian([0.0, 0.1], COVARIANCE)), np.zeros((2, 2))
    ),
    "one row": Case(
        lambda: Explainer(COVERED, [[0.2, np.nan]]), np.full((1, 2), np.nan), np.ones((1, 2))
    ),
    "nothing yet": Case(lambda: Explainer(COVERED), np.zeros((2, 2)), np.ones((3, 2))),
    "hashed categories": Case(
        lambda: Explainer(
            replace(
                LABELLED,
                categories=(
                    None,
                    HashedCategories(unseen=1.0, codes={759035679: 0.0}),
                    Categories((True, 2, 3.5, float("inf"), "x"), None, None, 7.0, "label", True),
                    None,
                ),
            )
        ),
        labelled(2),
    ),
    "no trees": Case(
        lambda: Explainer(NO_TREES, np.zeros((3, 2))), np.ones((2, 2)), np.ones((2, 2))
    ),
}
