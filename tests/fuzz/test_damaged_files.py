"""A short run over damaged model files; `make fuzz` is the long one."""

from __future__ import annotations

import random

import corpus
import mutations
import pytest
from runner import faults

FILES = 60


@pytest.mark.parametrize("kind", corpus.known())
def test_damaged_files_are_refused_in_good_order(kind: str):
    assert faults(kind, 0, FILES) == []


def test_a_file_that_kills_the_reader_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("runner.WORKER", "/nonexistent/worker.py")
    ((seed, fault), _) = faults("xgboost-json", 3, 5)
    assert seed == 2
    assert "died" in fault


@pytest.mark.parametrize("mutation", mutations.MUTATIONS)
def test_mutations_change_files(mutation: object):
    data = b'{"a": [1, 2.5, -3e4],\n"b": [4],\n"c": "text",\n"d": 5}\n'
    rng = random.Random(1)
    changed = [mutation(data, rng) for _ in range(20)]  # type: ignore[operator]
    assert sum(one != data for one in changed) > 10
