"""What is claimed of a transformer's columns, held against what it does to a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fastpd.forest.importers.sklearn._sources import Source, sources_after

__all__ = ["MIX", "N", "claimed", "gappy", "labels", "mixed", "numbers", "owners", "target"]

N = 60
MIX = None


def numbers() -> Any:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.normal(size=N).round(2) for name in "abc"})


def gappy() -> Any:
    table = numbers()
    for k, name in enumerate("ac"):
        table.loc[table.index % 7 == k, name] = np.nan
    table.insert(1, "empty", np.nan)
    return table


def labels() -> Any:
    rng = np.random.default_rng(1)
    counts = {"a": "xyz", "b": "uv", "c": "pqrst"}
    shares = {"a": None, "b": None, "c": [0.4, 0.4, 0.1, 0.05, 0.05]}
    columns = {k: rng.choice(list(of), N, p=shares[k]) for k, of in counts.items()}
    return pd.DataFrame(columns)


def mixed() -> Any:
    return pd.concat([numbers()[["a", "b"]], labels()[["c"]]], axis=1)


def target(table: Any) -> Any:
    return np.arange(len(table)) % 3


def dense(made: Any) -> Any:
    return made.toarray() if hasattr(made, "toarray") else np.asarray(made)


def same_cells(one: Any, other: Any) -> Any:
    return (one == other) | ((one != one) & (other != other))


def claimed(step: Any, table: Any) -> list[Source]:
    """Fit a step, and hold what is claimed of it against what changes in what it makes."""
    step = step.fit(table, target(table))
    before = dense(step.transform(table))
    sources = sources_after(
        step, [Source(k, same=True) for k in range(table.shape[1])], before.shape[1]
    )
    assert sources is not None
    assert len(sources) == before.shape[1]
    rng = np.random.default_rng(2)
    for place, name in enumerate(table.columns):
        shuffled = table.copy()
        shuffled[name] = rng.permutation(table[name].to_numpy())
        kept = same_cells(before, dense(step.transform(shuffled))).all(axis=0)
        for source, same in zip(sources, kept, strict=True):
            assert same or source.column in (MIX, place), (step, place, sources)
    for k, source in enumerate(sources):
        if source.same:
            assert same_cells(before[:, k], table.iloc[:, source.column].to_numpy()).all()
    return sources


def owners(step: Any, table: Any) -> list[int | None]:
    return [source.column for source in claimed(step, table)]
