"""Draw the README's picture: a model of the Adult data, taken apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xgboost
from matplotlib import pyplot

import fastpd

PICTURE = Path(__file__).parent.parent / "docs" / "adult.png"
LEFT_OUT = ["fnlwgt", "education"]  # a sampling weight, and education-num again


def people() -> tuple[pd.DataFrame, Any]:
    """Return the Adult data with its labels, and who earns more than 50 000 dollars."""
    adult = fastpd.datasets.adult()
    table = pd.DataFrame(adult.X, columns=adult.columns)
    for name, labels in adult.categories.items():
        codes = table[name].fillna(-1).astype(int)
        table[name] = pd.Categorical.from_codes(codes, categories=labels)
    return table.drop(columns=LEFT_OUT), adult.y


def titled(part: Any, title: str) -> Any:
    """Return a part of the figure, with a title on its left."""
    part.suptitle(title, x=0.02, ha="left", fontweight="bold", fontsize="large")
    return part


def main() -> None:
    """Train, explain, draw."""
    table, earns = people()
    data = xgboost.DMatrix(table, earns, enable_categorical=True)
    settings = {"objective": "binary:logistic", "max_depth": 5, "eta": 0.1, "seed": 0}
    explainer = fastpd.Explainer(xgboost.train(settings, data, num_boost_round=200), table)

    parts = explainer.components(table)
    chosen = int(np.argsort(explainer.predict(table))[len(table) * 7 // 10])

    figure = pyplot.figure(figsize=(11, 9), layout="constrained")
    (first, second), (third, fourth) = figure.subfigures(
        2, 2, hspace=0.03, wspace=0.02, height_ratios=[1, 1.15]
    )
    explainer.importance().plot(top=12, ax=titled(first, "Which components matter").subplots())
    parts.plot(chosen, top=10, ax=titled(second, "How one prediction comes about").subplots())
    below = titled(third, "What the SHAP values of age mix").subplots(
        2, 1, sharex=True, height_ratios=[3, 2]
    )
    explainer.shap_parts("age", table).plot(ax=below)
    beside = titled(fourth, "How age and education interact").subplots()
    explainer.effect("age", "education-num").plot(component=True, ax=beside)
    figure.savefig(PICTURE, dpi=120)


if __name__ == "__main__":
    main()
