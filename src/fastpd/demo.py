"""Train a model on the Adult data, explain it exactly, and write down what was found.

Run with ``python -m fastpd.demo [folder]``.
"""

from __future__ import annotations

import csv
import shutil
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastpd
from fastpd.errors import imported

__all__ = ["main"]


def train(X: NDArray[np.float64], y: NDArray[np.int64], names: tuple[str, ...]) -> Any:
    """Return an XGBoost model of the probability of earning more than 50 000 dollars."""
    xgboost = imported("xgboost", "the demonstration")
    data = xgboost.DMatrix(X, y, feature_names=list(names))
    settings = {"objective": "binary:logistic", "max_depth": 6, "eta": 0.1, "seed": 0}
    return xgboost.train(settings, data, num_boost_round=200)


def write_columns(path: Path, columns: dict[str, NDArray[Any]]) -> None:
    """Write columns of equal length as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def write_results(
    folder: Path, phi: fastpd.ShapValues, importance: fastpd.Importance, age: fastpd.Effect
) -> None:
    """Write SHAP values, importances and the effect of age."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        folder / "shap.npz",
        values=phi.values,
        base_value=phi.base_values,
        feature_names=np.array(phi.feature_names),
    )
    names = np.array([" x ".join(one) for one in importance.names])
    write_columns(folder / "importance.csv", {"component": names, "mean_abs": importance.scores})
    starts = np.concatenate([[-np.inf], age.edges])
    write_columns(folder / "effect_age.csv", {"from_age": starts, "log_odds": age.levels})


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; results go to the folder named first, or to ``demo-output``."""
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(given[0] if given else "demo-output")
    adult = fastpd.datasets.adult()
    print(f"Adult: {len(adult.y)} people, {len(adult.columns)} features")
    model = train(adult.X, adult.y, adult.columns)

    clock = time.perf_counter()
    explainer = fastpd.Explainer(model, adult.X)
    fitted = time.perf_counter()
    phi = explainer.shap(adult.X)
    explained = time.perf_counter()
    importance = explainer.importance(max_order=2)
    age = explainer.effect("age")

    print(f"{explainer!r}")
    print(f"read the model and the whole background: {fitted - clock:.2f} s")
    print(f"exact SHAP values of all {len(adult.y)} people: {explained - fitted:.2f} s")
    gap = explainer.predict(adult.X) - phi.base_values - phi.values.sum(axis=1)
    print(f"largest |prediction - base value - sum of SHAP values|: {np.abs(gap).max():.1e}")
    print("\nTop components of the model (log-odds):")
    for names in importance.names[:10]:
        print(f"{importance[names]:9.4f}  {' x '.join(names)}")
    write_results(folder, phi, importance, age)
    print(f"\nWrote shap.npz, importance.csv and effect_age.csv to {folder}/")
    model.save_model(folder / "model.json")
    columns = dict(zip(adult.columns, adult.X.T, strict=True))
    write_columns(folder / "adult.csv", columns | {"income": adult.y})
    print("The model and its data are there too, as model.json and adult.csv. To look at them:")
    print(f"  {_command()} report {folder}/model.json {folder}/adult.csv --target income")
    return 0


def _command() -> str:
    """Return how to call the command line that belongs to this interpreter."""
    beside = Path(sysconfig.get_path("scripts")) / "fastpd"
    if shutil.which("fastpd") == str(beside):
        return "fastpd"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


if __name__ == "__main__":
    sys.exit(main())
