"""On what the numbers were measured: processor, threads, versions; nothing that names a machine."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["all_threads", "environment"]

_PACKAGES = ("fastpd", "numpy", "xgboost", "lightgbm", "woodelf-explainer", "shap")


def all_threads() -> int:
    """Return the number of threads that stands for all."""
    return os.cpu_count() or 1


def environment() -> dict[str, Any]:
    """Return what a reader needs to know of the machine and its software."""
    versions = {name: found for name in _PACKAGES if (found := _version(name))}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "threads": all_threads(),
        "instructions": _instructions(),
        "system": platform.system(),
        "versions": {"Python": platform.python_version(), **versions},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        if name != "fastpd":
            return None
    import fastpd

    return str(getattr(fastpd, "__version__", "development"))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    name = facts.get("model name", platform.machine())
    family = [f"{key} {facts[key]}" for key in ("cpu family", "model", "stepping") if key in facts]
    return f"{name} ({', '.join(family)})" if family else name


def _instructions() -> str:
    """Return the instruction set that fastpd's core chose here."""
    from fastpd import _core

    chosen = getattr(_core, "isa_in_use", None)
    return str(chosen()) if chosen else "unknown"
