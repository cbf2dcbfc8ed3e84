"""Every example in a docstring runs, and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import xgboost
from matplotlib import pyplot

import fastpd

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(fastpd.__path__, "fastpd.")
    if not module.name.endswith("_core")
)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What examples may use: a small model, its rows, and the package."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] * 2 + X[:, 0] * X[:, 1] + np.sin(X[:, 2])
    data = xgboost.DMatrix(X, y, feature_names=["x0", "x1", "x2", "x3"])
    model = xgboost.train({"max_depth": 3}, data, num_boost_round=20)
    return {"fastpd": fastpd, "model": model, "X": X}


@pytest.fixture(autouse=True)
def _no_figures() -> Iterator[None]:
    """Draw without a screen, and leave no figure of an example open."""
    mpl.use("Agg")
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str, names: dict[str, Any]) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module, extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_the_explainer_has_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [one for part in fastpd.Explainer.__mro__[:-1] for one in finder.find(part)]
    assert sum(len(one.examples) for one in examples) > 10
