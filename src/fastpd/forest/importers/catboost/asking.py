"""CatBoost's own raw prediction of rows in which labels are codes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import ModelError
from fastpd.forest._text_hash import text_with_hash
from fastpd.forest.importers.catboost.labels import LabelCodes

__all__ = ["raw_prediction"]


def raw_prediction(
    model: Any,
    library: ModuleType,
    place: dict[int, int],
    codes: dict[int, LabelCodes],
    rounds: tuple[int, int],
    source: str,
) -> Callable[[NDArray[Any]], NDArray[np.floating]]:
    """Return a function from rows of the forest to what CatBoost predicts for them.

    Parameters
    ----------
    model, library
        The loaded model, and the module `catboost`.
    place
        Where the forest has each column of the model.
    codes
        For each of the forest's columns with labels their codes.
    rounds
        First tree that counts, and the one after the last.
    source
        What messages call the model.
    """
    labelled = {column: codes[at] for column, at in place.items() if at in codes}

    def predict(rows: NDArray[Any]) -> NDArray[np.floating]:
        width = max(place, default=-1) + 1
        table = np.zeros((len(rows), width), object if labelled else np.float32)
        for column, at in place.items():
            table[:, column] = rows[:, at]
        for column, known in labelled.items():
            table[:, column] = _labels(rows[:, place[column]], known)
        pool = library.Pool(table, cat_features=sorted(labelled))
        start, end = rounds
        try:
            # By the base class, for some of the others predict without these options.
            raw = library.CatBoost.predict(
                model, pool, "RawFormulaVal", ntree_start=start, ntree_end=end, thread_count=1
            )
        except library.CatBoostError as error:
            reason = str(error).splitlines()[0]
            raise ModelError(
                f"CatBoost cannot predict with {source}: {reason}. Train or save it again."
            ) from None
        return np.asarray(raw)

    return predict


def _labels(codes: NDArray[Any], known: LabelCodes) -> list[str]:
    """Return for each code a label that has it; from the last code on all labels are unknown."""
    last = len(known.example) - 1
    whole = np.clip(np.where(np.isnan(codes), last, codes), 0, last).astype(np.int64)
    texts = {
        code: text_with_hash(int(known.example[code]) & 0xFFFFFFFF) for code in set(whole.tolist())
    }
    return [texts[code] for code in whole.tolist()]
