"""Finished cells of an experiment on disk, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cell", "computed"]

FOLDER = Path(__file__).parent / "cache"
Cell = dict[str, NDArray[Any]]


def computed(
    function: Callable[..., Cell],
    keys: Sequence[Mapping[str, Any]],
    jobs: int | None = None,
    *,
    given: Sequence[Mapping[str, Any]] | None = None,
) -> list[Cell]:
    """Return `function(**key)` for every key; from disk where it was computed before.

    With one job everything runs in this process, as timings should.
    Cells are independent of each other and have seeds of their own, so that neither their order
    nor the number of processes changes anything. What else each is `given` follows from its key,
    such as the cell of an earlier step.
    """
    FOLDER.mkdir(exist_ok=True)
    paths = [_path(function, key) for key in keys]
    every = zip(keys, given or [{}] * len(keys), paths, strict=True)
    missing = [({**key, **more}, path) for key, more, path in every if not path.exists()]
    if jobs == 1:
        for one in missing:
            _compute(function, *one)
    elif missing:
        # Not forked: a fork of a process in which a library has started threads may hang.
        context = get_context("spawn")
        with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=context) as pool:
            for done in [pool.submit(_compute, function, *one) for one in missing]:
                done.result()
    return [dict(np.load(path)) for path in paths]


def _compute(function: Callable[..., Cell], inputs: Mapping[str, Any], path: Path) -> None:
    cell = function(**inputs)
    half = path.with_suffix(f".{os.getpid()}.npz")
    np.savez_compressed(half, **cell)
    half.replace(path)  # at once, so that a file is whole or not there


def _path(function: Callable[..., Cell], key: Mapping[str, Any]) -> Path:
    text = json.dumps(dict(key), sort_keys=True)
    name = function.__module__.rpartition(".")[2]
    mark = hashlib.sha256(f"{function.__qualname__} {text}".encode()).hexdigest()[:16]
    return FOLDER / f"{name}-{mark}.npz"
