"""What several test files build upon: a tree made by hand, and where the frozen models lie."""

from pathlib import Path

import numpy as np

from fastpd.forest import Forest

MODELS = Path(__file__).parent.parent / "data" / "models"


def make_forest(**changes):
    arrays = {
        "feature": np.array([0, -1, 1, -1, -1], np.int32),
        "threshold": np.array([0.5, 0, -1, 0, 0]),
        "left": np.array([1, -1, 3, -1, -1], np.int32),
        "right": np.array([2, -1, 4, -1, -1], np.int32),
        "default_left": np.array([True, False, False, False, False]),
        "value": np.array([[0.0], [1.0], [0.0], [2.0], [4.0]]),
        "cover": np.array([10.0, 4, 6, 1, 5]),
        "roots": np.array([0], np.int32),
        "tree_output": np.array([0], np.int32),
        "base": np.array([0.25]),
        "feature_names": ("a", "b"),
        "output_names": ("prediction",),
    }
    return Forest(**{**arrays, **changes})


STUMP = {
    "feature": [0, -1, -1],
    "threshold": [0.5, float("nan"), float("nan")],
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "value": [float("nan"), 1.0, 2.0],
}
# The first tree of three leaves, the second a stump.
PAIR = {
    "feature": [[0, -2, 1, -2, -2], [1, -2, -2]],
    "threshold": [[0.5, 0, -1.0, 0, 0], [3.0, 0, 0]],
    "left": [[1, -1, 3, -1, -1], [1, -1, -1]],
    "right": [[2, -1, 4, -1, -1], [2, -1, -1]],
    "value": [[0.0, 1, 0, 2, 4], [0.0, 10, 20]],
}
