"""The real data sets: OpenML-CTR23 and OpenML-CC18, of a folder or off the network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import imported

__all__ = ["FOLDER", "Table", "folder", "known", "listed", "load", "table_of"]

FOLDER = "FASTPD_DATA"  # the environment variable, which worker processes inherit
_BESIDE = Path(__file__).parents[2] / "shared" / "data"
# OpenML's numbers of the two suites.
_SUITES = {"CTR23": 353, "CC18": 99}
_MOST_FEATURES = 500  # the paper's limit: images, mostly, have more


@dataclass(frozen=True)
class Table:
    """A data set as XGBoost is given it.

    Attributes
    ----------
    name, suite
        What OpenML calls it, and ``"CTR23"`` (regression) or ``"CC18"`` (classification).
    X
        Features as float32; categories as ordinal codes in the order of their labels, missing
        values as NaN.
    y
        Numbers, or the codes of the classes.
    features
        Names of the columns of X.
    n_classes
        Number of classes; 0 for regression.
    """

    name: str
    suite: str
    X: NDArray[np.float32]
    y: NDArray[np.float64]
    features: tuple[str, ...]
    n_classes: int

    @property
    def n_scores(self) -> int:
        """Number of raw scores that a model of it has."""
        return self.n_classes if self.n_classes > 2 else 1


def folder() -> Path | None:
    """Return the folder with the sets: what ``--data`` names, or `../shared/data` if there."""
    if given := os.environ.get(FOLDER):
        path = Path(given)
        if not (path / "manifest.json").exists():
            raise FileNotFoundError(
                f"the folder {path} of data sets has no manifest.json; expected one that lists "
                "the sets, with name, suite, target, n_features, ignore and file of each. Without "
                f"--data and {FOLDER} the sets are downloaded from OpenML."
            )
        return path
    return _BESIDE if (_BESIDE / "manifest.json").exists() else None


def known() -> tuple[str, ...]:
    """Return the names of all sets that can be had and have no more features than the paper's."""
    return tuple(listed())


def load(name: str) -> Table:
    """Return a set by its name."""
    if name not in listed():
        raise KeyError(f"there is no data set {name!r}; there are {', '.join(listed())}")
    entry = listed()[name]
    if (path := folder()) is not None:
        pandas = imported("pandas", "reading data sets")
        frame = pandas.read_parquet(path / entry["file"])
    else:
        frame = _downloaded(entry["number"])
    return table_of(frame.drop(columns=entry["ignore"]), entry["target"], name, entry["suite"])


def table_of(frame: Any, target: str, name: str, suite: str) -> Table:
    """Return the numbers of a data frame: labels become ordinal codes."""
    X = frame.drop(columns=target)
    columns = [_numbers(X[column]) for column in X]
    classes = suite == "CC18"
    y = _numbers(frame[target].astype("str").astype("category") if classes else frame[target])
    return Table(
        name,
        suite,
        np.column_stack(columns).astype(np.float32),
        y,
        tuple(str(column) for column in X),
        int(y.max()) + 1 if classes else 0,
    )


def _numbers(column: Any) -> NDArray[np.float64]:
    """Return a column as numbers; labels as their places in sorted order, missing ones as NaN."""
    if column.dtype.kind in "iufb":
        return np.asarray(column, dtype=np.float64)
    labels = sorted(column.dropna().unique(), key=_sorting)
    return np.asarray(
        column.astype("object").map({label: k for k, label in enumerate(labels)}), np.float64
    )


def _sorting(label: Any) -> tuple[bool, float, str]:
    """Order labels that are numbers as numbers, before all others."""
    try:
        return (False, float(label), "")
    except ValueError:
        return (True, 0.0, str(label))


@cache
def listed() -> dict[str, dict[str, Any]]:
    """Return what is known of each set by its name, once for all."""
    path = folder()
    entries = _of_network() if path is None else _of_folder(path)
    return {entry["name"]: entry for entry in entries}


def _of_folder(path: Path) -> Iterator[dict[str, Any]]:
    for entry in json.loads((path / "manifest.json").read_text(encoding="utf-8")):
        if (path / entry["file"]).exists() and entry["n_features"] <= _MOST_FEATURES:
            yield entry


def _of_network() -> Iterator[dict[str, Any]]:
    openml = _openml()
    for suite, number in _SUITES.items():
        for task in openml.study.get_suite(number).tasks:
            about = openml.tasks.get_task(task, download_splits=False)
            data = openml.datasets.get_dataset(about.dataset_id, download_data=False)
            if data.qualities["NumberOfFeatures"] - 1 <= _MOST_FEATURES:
                yield {
                    "name": data.name,
                    "suite": suite,
                    "number": about.dataset_id,
                    "target": about.target_name,
                    "ignore": [],
                }


def _downloaded(number: int) -> Any:
    # Without the columns that OpenML itself marks as identifiers or to be ignored.
    return _openml().datasets.get_dataset(number).get_data()[0]


def _openml() -> Any:
    return imported(
        "openml",
        f"downloading data sets, as no folder of them is given by --data or {FOLDER},",
    )
