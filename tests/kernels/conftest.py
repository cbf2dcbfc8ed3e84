"""Every test of a kernel runs on each instruction set that this processor has."""

from __future__ import annotations

import pytest

from fastpd import _core


@pytest.fixture(params=_core.isa_names())
def isa(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Force one instruction set; the core asks for it at every call."""
    monkeypatch.setenv("FASTPD_ISA", request.param)
    assert _core.isa_in_use() == request.param
    return request.param
