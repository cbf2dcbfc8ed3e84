"""Models in files: those that libraries write, saved explainers, and pickles of scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastpd.errors import ModelFileError, OptionError, imported
from fastpd.saved import is_saved

__all__ = ["holds_explainer", "read_model"]

_PICKLED = (".joblib", ".pickle", ".pkl")
_START = 64


def holds_explainer(path: Path) -> bool:
    """Tell whether a file holds a saved explainer, whatever it is called."""
    try:
        with path.open("rb") as file:
            return path.is_file() and is_saved(file.read(_START))
    except (OSError, ValueError):
        return False


def read_model(path: Path, *, trusted: bool) -> Any:
    """Return what an explainer takes for a model in a file.

    Parameters
    ----------
    path
        A file. One that ends in ``.joblib``, ``.pickle`` or ``.pkl`` holds a pickled model.
    trusted
        Whether code in the file may run, as it does whenever a pickled model is read.
    """
    if path.suffix.lower() not in _PICKLED:
        return path
    if not trusted:
        raise OptionError(
            f"{path} is a pickled model, and reading it runs whatever code it holds. If it comes "
            "from a source that you trust, give --trust-pickle."
        )
    joblib = imported("joblib", "reading a pickled model")
    try:
        return joblib.load(path)
    except (ImportError, AttributeError) as error:
        raise ModelFileError(
            f"{path} can not be read: {error}. Install the packages, in the versions, that the "
            "model was pickled with."
        ) from error
    except Exception as error:  # whatever code in a damaged file raises
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(
            f"{path} can not be read: {reason:.300}. Check the path, or pickle the model again."
        ) from error
