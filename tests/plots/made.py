"""A model whose components are known, for the pictures of this folder."""

from __future__ import annotations

import numpy as np

from fastpd import Explainer
from oracles import Split, forest, random_forest, rows_for

NAMES = ("age", "price in $", "sex", "shoe", "n" * 500)

HOSTILE = (
    "a" * 500,
    "two\nlines\tand a bell\a",
    "$x_1$ and $\\frac{1}{2$",
    "<script>alert('1')</script>",
    "back\\slash \\$",
    "100% {braces} _under_",
    " ",
    "",
)

# Two main effects, a pair and a triple; the last features do nothing.
TREES = [
    Split(0, 0.0, -1.0, 2.0),
    Split(1, 0.0, 0.5, -0.5),
    Split(0, 1.0, Split(2, 0.5, 0.0, 1.0), Split(2, 0.5, 0.5, -1.0)),
    Split(0, 0.0, Split(1, 0.0, Split(2, 0.5, 0.3, 0.0), 0.0), 0.6),
]
MODEL = forest(TREES, 5, names=NAMES)
ROWS = np.random.default_rng(0).normal(size=(200, 5)).round(2)
ROWS[0, :3] = [1.5, -0.25, np.nan]


def small() -> Explainer:
    """Return the explainer of the model above."""
    return Explainer(MODEL, ROWS)


def large() -> tuple[Explainer, np.ndarray]:
    """Return an explainer of 15 features that all interact, and rows."""
    rng = np.random.default_rng(1)
    model = random_forest(rng, 15, n_trees=60, depth=5)
    rows = rows_for(model, 300, rng)
    return Explainer(model, rows), rows
