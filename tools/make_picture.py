"""Draw the README's picture: a model of the Adult data, taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot

import fastpd
from fastpd.demo import train

PICTURE = Path(__file__).parent.parent / "docs" / "adult.png"
INK = "#333333"


def draw_importance(importance: fastpd.Importance, ax: Any) -> None:
    """Draw the most important components as bars, main effects and pairs apart."""
    names = importance.names[:12][::-1]
    colours = ["#20639b" if len(one) == 1 else "#d98e32" for one in names]
    ax.barh([" x ".join(one) for one in names], [importance[one] for one in names], color=colours)
    ax.set_title("mean |component| (orange: interactions)", fontsize=10, color=INK)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Train, explain, draw."""
    adult = fastpd.datasets.adult()
    explainer = fastpd.Explainer(train(adult.X, adult.y, adult.columns), adult.X)
    fig, axes = pyplot.subplots(
        1, 3, figsize=(13, 3.8), layout="constrained", width_ratios=[1.05, 1, 1.15]
    )
    draw_importance(explainer.importance(max_order=2), axes[0])
    explainer.effect("age").plot(ax=axes[1])
    axes[1].set_title("partial dependence of age, exact steps", fontsize=10, color=INK)
    effect = explainer.effect("age", "education-num")
    effect.plot(component=True, ax=axes[2])
    axes[2].set_title("the age x education-num component", fontsize=10, color=INK)
    axes[2].set_xlim(np.nanmin(adult.X[:, 0]), 80)
    PICTURE.parent.mkdir(exist_ok=True)
    fig.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
