"""Finished cells of an experiment on disk, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cell", "computed"]

FOLDER = Path(__file__).parent / "cache"
Cell = dict[str, NDArray[Any]]


def computed(
    function: Callable[..., Cell], keys: Sequence[Mapping[str, Any]], jobs: int | None = None
) -> list[Cell]:
    """Return `function(**key)` for every key; from disk where it was computed before.

    Cells are independent of each other and have seeds of their own, so that neither their order
    nor the number of processes changes anything.
    """
    FOLDER.mkdir(exist_ok=True)
    paths = [_path(function, key) for key in keys]
    missing = [(key, path) for key, path in zip(keys, paths, strict=True) if not path.exists()]
    if missing:
        with ProcessPoolExecutor(jobs or os.cpu_count()) as pool:
            for done in [pool.submit(_compute, function, *one) for one in missing]:
                done.result()
    return [dict(np.load(path)) for path in paths]


def _compute(function: Callable[..., Cell], key: Mapping[str, Any], path: Path) -> None:
    cell = function(**key)
    half = path.with_suffix(f".{os.getpid()}.npz")
    np.savez_compressed(half, **cell)
    half.replace(path)  # at once, so that a file is whole or not there


def _path(function: Callable[..., Cell], key: Mapping[str, Any]) -> Path:
    text = json.dumps(dict(key), sort_keys=True)
    name = function.__module__.rpartition(".")[2]
    mark = hashlib.sha256(f"{function.__qualname__} {text}".encode()).hexdigest()[:16]
    return FOLDER / f"{name}-{mark}.npz"
