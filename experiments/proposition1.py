"""Proposition 1: two trees that predict the same, and whose path-dependent SHAP values differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import fastpd
from experiments.findings import Finding
from experiments.size import Size

__all__ = ["run", "sample", "shap_of_first", "trees"]

POINTS = np.array([[0.0, 0.0], [0.0, 0.4], [0.7, 0.0], [0.7, 0.4]])
SHARES = np.array([0.2, 0.1, 0.1, 0.6])
EXPLAINED = np.array([[0.1, 0.2]])
# Values of the leaves L1 to L4 of the first tree; the second has L2 and L3 exchanged.
LEAVES = (10.0, -5.0, -5.0, 10.0)


def trees(left_if: str = "<") -> tuple[fastpd.Forest, fastpd.Forest]:
    """Return the two trees: split on the first feature first, or on the second."""
    first, second, third, last = LEAVES

    def tree(top: int, inner: tuple[float, ...]) -> fastpd.Forest:
        below = 1 - top
        cuts = (0.5, 0.3)
        return fastpd.Forest.from_arrays(
            [[top, below, below, -1, -1, -1, -1]],
            [[cuts[top], cuts[below], cuts[below], 0, 0, 0, 0]],
            [[1, 3, 5, -1, -1, -1, -1]],
            [[2, 4, 6, -1, -1, -1, -1]],
            [[0.0, 0.0, 0.0, *inner]],
            left_if=left_if,
            feature_names=["x1", "x2"],
        )

    return tree(0, (first, second, third, last)), tree(1, (first, third, second, last))


def sample(n: int, rng: np.random.Generator | None = None) -> NDArray[np.float64]:
    """Return n points of the distribution; in exactly its shares where no generator is given."""
    if rng is None:
        return np.repeat(POINTS, np.rint(SHARES * n).astype(int), axis=0)
    return POINTS[rng.choice(4, size=n, p=SHARES)]


def shap_of_first(background: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the SHAP value of the first feature: along the paths of both trees, and exactly."""
    one, other = trees()

    def of(model: fastpd.Forest, **options: Any) -> float:
        return float(fastpd.Explainer(model, **options).shap(EXPLAINED).values[0, 0])

    path = fastpd.measures.Path(background)
    exact = of(one, background=background)
    assert abs(exact - of(other, background=background)) < 1e-6
    return of(one, measure=path), of(other, measure=path), exact


def run(size: Size) -> tuple[Finding, dict[str, Any]]:
    """Compute the proof's numbers, and where samples lead."""
    numbers = shap_of_first(sample(2500))
    counts = [2**k for k in range(7, 10 if size.quick else 18)]
    repeats = size.of_repeats(200)
    rng = np.random.default_rng(0)
    found = np.array([[shap_of_first(sample(n, rng)) for _ in range(repeats)] for n in counts])
    mean, spread = found.mean(axis=1), found.std(axis=1)
    rows: list[list[Any]] = [["proof's sample", *(float(one) for one in numbers)]]
    rows += [
        [
            f"n_b = {n}, mean (sd) of {repeats}",
            *(f"{m:.3f} ({s:.3f})" for m, s in zip(a, b, strict=True)),
        ]
        for n, a, b in zip(counts, mean, spread, strict=True)
    ]
    outcome = (
        f"{numbers[0]:.2f} and {numbers[1]:.2f} along the paths of the two trees, {numbers[2]:.2f} "
        f"exactly for both. With n_b = {counts[-1]:,} the means are {mean[-1, 0]:.3f}, "
        f"{mean[-1, 1]:.3f} and {mean[-1, 2]:.3f}, with standard deviations of at most "
        f"{spread[-1].max():.3f}."
    )
    finding = Finding(
        "proposition1",
        "Proposition 1: equal trees, different path-dependent SHAP values",
        "The path-dependent SHAP value of x1 at (0.1, 0.2) is 4.25 in one tree and -1.25 in the "
        "other, though both predict the same; the empirical one is 1.5 in both, the population's.",
        outcome,
        f"n_b up to {counts[-1]:,}, {repeats} samples each.",
        ["background", "path, first tree", "path, second tree", "FastPD, both"],
        rows,
        ["proposition1"],
    )
    return finding, {"proposition1": _picture(counts, mean, spread)}


def _picture(counts: list[int], mean: Any, spread: Any) -> Figure:
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axes = figure.subplots()
    labels = ("along the paths, first tree", "along the paths, second tree", "FastPD, both trees")
    for k, (label, colour) in enumerate(
        zip(labels, ("#b5541c", "#c99a2e", "#20639b"), strict=True)
    ):
        axes.plot(counts, mean[:, k], color=colour, label=label)
        low, high = mean[:, k] - 2 * spread[:, k], mean[:, k] + 2 * spread[:, k]
        axes.fill_between(counts, low, high, color=colour, alpha=0.2, linewidth=0)
    for value in (4.25, -1.25, 1.5):
        axes.axhline(value, color="0.4", linewidth=0.7, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("background rows")
    axes.set_ylabel("SHAP value of $x_1$ at (0.1, 0.2)")
    axes.legend(frameon=False, fontsize="small", loc="upper right", bbox_to_anchor=(1, 0.8))
    axes.spines[["top", "right"]].set_visible(False)
    return figure
