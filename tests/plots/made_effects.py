"""Effects made by hand, for pictures of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fastpd.forest import Categories
from fastpd.results import Ale, Effect, Ice
from fastpd.results._axis import Axis

Floats = NDArray[np.float64]


def numbers(name: str = "age", n_edges: int = 12, step: float = 5.0, start: float = 20.0) -> Axis:
    """Return the axis of a feature that holds numbers."""
    return Axis(name, start + step * np.arange(n_edges), "float64", np.nan)


def labels(name: str = "colour", *names: str) -> Axis:
    """Return the axis of a feature that holds labels."""
    chosen = names or ("red", "green", "blue", "a much longer name than the others have")
    edges = np.arange(len(chosen)) + 0.5
    return Axis(name, edges, "float64", np.nan, Categories(chosen))


def bump(n: int, centre: float, width: float) -> Floats:
    """Return a smooth hump over n places, its middle at a share of them."""
    return np.exp(-(((np.arange(n) / n - centre) / width) ** 2))


def effect_of(*axes: Axis, missing: float = 0.1, known: bool = True) -> Effect:
    """Return an effect whose background is in the middle of each axis, and partly missing."""
    shape = tuple(len(axis.edges) + 2 for axis in axes)
    steps, share = np.ones(shape), np.ones(shape)
    for place, (axis, n) in enumerate(zip(axes, shape, strict=True)):
        turned = [-1 if k == place else 1 for k in range(len(axes))]
        level = 2 * bump(n, 0.2 + 0.3 * place, 0.25) - 1
        there = np.ones(n) if axis.labels is not None else bump(n, 0.4, 0.16)
        there[0] = missing * there[1:].sum()
        if axis.labels is not None:
            there[-1] = 0
        steps, share = steps * level.reshape(turned), share * there.reshape(turned)
    support = np.where(share > 1e-4, share, 0) if known else None
    if support is not None:
        support /= support.sum()
    return Effect(axes, steps + 0.5, steps, ("y",), "logit", support=support)


def errors_of(effect: Effect) -> Effect:
    """Return errors that are larger where there is less background."""
    size = 0.3 - 2 * (effect.support if effect.support is not None else 0)
    wide = np.maximum(size, 0.05) * np.ones(effect.pd_steps.shape)
    return replace(effect, pd_steps=wide, component_steps=wide, support=None)


def ale_of(axis: Axis) -> Ale:
    """Return a local effect of a feature whose rows lie between its second and ninth edge."""
    steps = np.append(np.nan, np.cumsum(bump(len(axis.edges) + 1, 0.3, 0.2)) / 3 - 1)
    ends = axis.edges[1:9] + 1.0
    return Ale(axis, steps, ends, 500, 20, ("y",), "logit")


def ice_of(axis: Axis, n_rows: int = 40) -> Ice:
    """Return curves that are spread around those of `effect_of`."""
    effect = effect_of(axis)
    tilt = np.linspace(-1, 1, n_rows)[:, None]
    curves = effect.pd_steps + tilt + 0.5 * tilt * effect.component_steps
    return Ice(axis, curves, effect.pd_steps, ("y",), "logit", support=effect.support)
