"""Measurements of memory; `memory` runs this module in a fresh process for each."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import numpy as np
import xgboost as xgb

import fastpd


def resident(key: str = "VmRSS") -> int:
    """Return the memory of this process in bytes: now, or at its peak (``VmHWM``)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


def forget_peak() -> None:
    """Let the peak begin anew from the memory of now."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


def warm_up(model: xgb.Booster, X: np.ndarray) -> None:
    """Load all that a process loads once, by an explainer of one tree."""
    fastpd.Explainer(model[:1], X[:100], progress=False).shap(X[:100])


def held(folder: Path) -> dict[str, int]:
    """Measure what an explainer holds."""
    model, X = xgb.Booster(model_file=folder / "held.ubj"), np.load(folder / "held.npy")
    warm_up(model, X)
    forget_peak()
    before = resident()
    explainer = fastpd.Explainer(model, X, progress=False)
    gc.collect()
    after, peak = resident(), resident("VmHWM")
    explainer.shap(X[:1])
    return {
        "model": (folder / "held.ubj").stat().st_size,
        "nbytes": explainer.nbytes,
        "growth": after - before,
        "peak": peak - before,
        "cached": explainer.plan().cached_bytes,
        "growth_warm": resident() - before,
    }


def call(folder: Path, dtype: str) -> dict[str, int]:
    """Measure what a call takes beyond the memory of its answer."""
    model, background = xgb.Booster(model_file=folder / "call.ubj"), np.load(folder / "call.npy")
    X = np.load(folder / "rows.npy")
    warm_up(model, background)
    explainer = fastpd.Explainer(model, background, progress=False)
    explainer.shap(X[:1], dtype=dtype)
    forget_peak()
    before = resident()
    answer = explainer.shap(X, dtype=dtype).values
    return {"output": answer.nbytes, "beyond": resident("VmHWM") - before - answer.nbytes}


if __name__ == "__main__":
    what, place, *others = sys.argv[1:]
    print(json.dumps(held(Path(place)) if what == "held" else call(Path(place), *others)))
