"""Cases of CatBoost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastpd.testing._model_case import ModelCase, Trained
from fastpd.testing.cases._catboost_models import (
    of_category_dtype,
    of_classes,
    of_labels,
    of_loss,
    of_mixed_cells,
    of_numbers,
    of_polars,
    of_ranking,
    of_targets,
    of_text,
    rescaled,
    saved,
    some_rounds,
    stopped_early,
    summed,
)

__all__ = ["CASES"]


def case(
    name: str,
    feature: str,
    make: Callable[[], Trained],
    *needs: str,
    refused: str = "",
) -> ModelCase:
    """Return a case of this library."""
    modules = ("catboost", *needs)
    return ModelCase(f"catboost-{name}", "CatBoost", feature, make, modules, refused)


KINDS_OF_CTR = [
    "Borders:TargetBorderCount=3",
    "Buckets:TargetBorderCount=2",
    "BinarizedTargetMeanValue:TargetBorderCount=4",
    "Counter:Prior=0.5",
]
CASES: tuple[ModelCase, ...] = (
    case("missing-lowest", "missing values (nan_mode)", partial(of_numbers, 0.1)),
    case("missing-highest", "missing values (nan_mode)", partial(of_numbers, 0.1, nan_mode="Max")),
    case(
        "missing-never-seen",
        "missing values (nan_mode)",
        partial(of_numbers, 0.0, nan_mode="Forbidden"),
    ),
    case("depthwise", "trees that are not symmetric", of_polars, "pandas", "polars"),
    case(
        "lossguide",
        "trees that are not symmetric",
        partial(of_labels, grow_policy="Lossguide", max_leaves=6),
        "pandas",
    ),
    case("one-hot", "one-hot categories", partial(of_labels, one_hot_max_size=20), "pandas"),
    case("ctr", "CTRs of one column", of_labels, "pandas"),
    case("ctr-kinds", "CTRs of one column", partial(of_labels, simple_ctr=KINDS_OF_CTR), "pandas"),
    case("category-dtype", "CTRs of one column", of_category_dtype, "pandas"),
    case("mixed-cells", "CTRs of one column", of_mixed_cells, "pandas"),
    case("binary", "binary and multiclass", partial(of_classes, "Logloss"), "pandas"),
    case("multiclass", "binary and multiclass", partial(of_classes, "MultiClass"), "pandas"),
    case(
        "one-vs-all",
        "binary and multiclass",
        partial(of_classes, "MultiClassOneVsAll", grow_policy="Depthwise"),
        "pandas",
    ),
    case("multi-target", "several targets", partial(of_targets, "MultiRMSE"), "pandas"),
    case("multi-label", "several targets", partial(of_targets, "MultiLogloss"), "pandas"),
    case("uncertainty", "other losses", partial(of_loss, "RMSEWithUncertainty")),
    case("poisson", "other losses", partial(of_loss, "Poisson")),
    case("quantiles", "other losses", partial(of_loss, "MultiQuantile:alpha=0.2,0.8")),
    case("ranking", "ranking", of_ranking, "pandas"),
    case("scale-and-bias", "scale and bias", rescaled, "pandas"),
    case("best-iteration", "early stopping, ranges of trees", stopped_early),
    case("some-rounds", "early stopping, ranges of trees", some_rounds, "pandas"),
    case("summed", "summed models", summed, "pandas"),
    case("file-cbm", "model files (.cbm, .json)", partial(saved, "cbm", of_labels), "pandas"),
    case("file-json", "model files (.cbm, .json)", partial(saved, "json", of_labels), "pandas"),
    case(
        "ctr-combined",
        "CTRs of several columns",
        partial(of_labels, max_ctr_complexity=3, iterations=30),
        "pandas",
        refused="max_ctr_complexity=1",
    ),
    case("text", "text and embeddings", of_text, refused="of text"),
    case(
        "file-json-multi-target",
        "JSON with CTRs of several targets",
        partial(saved, "json", partial(of_targets, "MultiRMSE")),
        "pandas",
        refused=r"save_model\('model.cbm'\)",
    ),
)
