"""Outputs that are asked for by name or index, and names that look like an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, OptionError
from fastpd.forest import Forest


def of(*names: str) -> Forest:
    """Return a forest of a stump for each output, whose leaf of large values is 10, 20, ..."""
    trees = len(names)
    return Forest.from_arrays(
        feature=[[0, -1, -1]] * trees,
        threshold=[[0.0] * 3] * trees,
        left=[[1, -1, -1]] * trees,
        right=[[2, -1, -1]] * trees,
        value=[[0.0, 0.0, 10.0 * (k + 1)] for k in range(trees)],
        tree_output=list(range(trees)),
        output_names=list(names),
    )


def answer(names: tuple[str, ...], output: Any) -> float:
    explainer = Explainer(of(*names), np.zeros((1, 1)), output=output)
    return float(explainer.predict(np.ones((1, 1)))[0])


@pytest.mark.parametrize(
    ("names", "output", "expected"),
    [
        (("1", "2", "3"), "1", 10.0),
        (("1", "2", "3"), "3", 30.0),
        (("1", "2", "3"), 0, 10.0),
        (("0", "1", "2"), 2, 30.0),
        (("0", "1", "2"), np.int64(1), 20.0),
        (("a", "b"), 1, 20.0),
        (("a", "sum"), 1, 20.0),
        (("a", "b"), "sum", 30.0),
    ],
)
def test_an_output_goes_by_name_or_index(names: tuple[str, ...], output: Any, expected: float):
    assert answer(names, output) == expected


@pytest.mark.parametrize("output", [1, 2, np.int64(2)])
def test_an_index_that_is_the_name_of_another_output_is_refused(output: Any):
    with pytest.raises(OptionError, match=rf"output={output} .*give the name.*'{output}'"):
        answer(("1", "2", "3"), output)


def test_a_sum_that_is_the_name_of_an_output_is_refused():
    with pytest.raises(OptionError, match=r"also the name of one. Give output=1"):
        answer(("a", "sum"), "sum")
