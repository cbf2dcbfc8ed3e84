"""Explainers that outlive their process: in files, in pickles, and as copies."""

from __future__ import annotations

import io
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from fastpd.errors import ModelFileError, UnsupportedModelError
from fastpd.explainer._held import SAMPLE_SHARE, Asked, Held
from fastpd.files import as_path, replacing
from fastpd.measures import Sample
from fastpd.options import as_bytes, as_n_jobs, as_precision, check_isa
from fastpd.progress import make_progress
from fastpd.queries import Settings
from fastpd.saved import Kept, read, write

if TYPE_CHECKING:
    from fastpd.explainer._explainer import Explainer

__all__ = ["Saving", "load"]

Self = TypeVar("Self", bound="Saving")


class Saving(Held):
    """How an explainer is kept."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the explainer to a file, to be read by `fastpd.load`.

        The file holds the model, the pattern counts, the precision and the memory limit: plain
        arrays and text, which run no code when they are read. It holds no row of the background.
        A file of that name is replaced once all of the new one is written.

        Raises
        ------
        UnsupportedModelError
            Where a pipeline changes rows before they reach its model: such steps are Python
            objects, and no data.
        OptionError
            Where the file cannot be written.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "model.fastpd")
        >>> explainer = fastpd.Explainer(model, X)
        >>> explainer.save(path)
        >>> bool((fastpd.load(path).shap(X).values == explainer.shap(X).values).all())
        True
        """
        if self._blocks.forest.preparation is not None:
            raise UnsupportedModelError(
                "the explainer goes through the steps of a pipeline, which are Python objects that "
                "only a pickle can hold; a saved explainer holds none. Save that of the last step: "
                "Explainer(pipeline[-1], pipeline[:-1].transform(background)).save(path). Or "
                "pickle the explainer, to be read where the pickle is trusted."
            )
        with replacing(path) as file:
            write(self._kept(), file)

    def _kept(self) -> Kept:
        settings, measure = self._settings, self._state.engine.measure
        return Kept(self._blocks, measure, settings.precision, settings.memory_limit)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what `save` writes, with the steps of a pipeline as they are."""
        memory = io.BytesIO()
        write(self._kept(), memory)
        asked = self._asked
        # A function that hears of progress is of this process alone.
        progress = None if callable(asked.progress) else asked.progress
        steps = self._blocks.forest.preparation
        return _unpickled, (type(self), memory.getvalue(), steps, asked.n_jobs, progress)

    def __copy__(self: Self) -> Self:
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied._changing = threading.RLock()
        return copied

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # all that is shared never changes


def load(
    path: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    memory_limit: int | str | None = None,
    progress: Any = None,
) -> Explainer:
    """Return an explainer that `Explainer.save` wrote: with the same answers, to the last bit.

    It can be updated and merged as before. What averages over rows of the background, such as
    `importance`, takes rows then, for none are saved. Reading a file runs no code in it.

    Parameters
    ----------
    path
        The file.
    n_jobs, progress
        As of `Explainer`.
    memory_limit
        As of `Explainer`; None for that of the saved one.

    Raises
    ------
    ModelFileError
        Where the file is damaged, of another program, or of a newer version of fastpd.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.fastpd")
    >>> fastpd.Explainer(model, X[:100]).save(path)
    >>> explainer = fastpd.load(path)
    >>> explainer.update(X[100:])
    >>> explainer.n_background
    200
    """
    from fastpd.explainer._explainer import Explainer

    known = as_path(path)
    source = f"The file {str(known)!r}"
    try:
        if not known.is_file():
            raise ModelFileError(f"{source} is not there, or is no file. Check the path.")
        with known.open("rb") as file:
            kept = read(file, known.stat().st_size, source)
    except OSError as error:
        raise ModelFileError(f"{source} cannot be read: {error}. Check the path.") from error
    return _restored(Explainer, kept, Asked(n_jobs, progress), memory_limit)


def _unpickled(
    kind: type[Self], content: bytes, steps: Any, n_jobs: int | None, progress: Any
) -> Self:
    kept = read(io.BytesIO(content), len(content), "The pickled explainer", steps)
    return _restored(kind, kept, Asked(n_jobs, progress))


def _restored(kind: type[Self], kept: Kept, asked: Asked, memory_limit: Any = None) -> Self:
    check_isa()
    limit = kept.memory_limit if memory_limit is None else as_bytes(memory_limit)
    explainer = kind.__new__(kind)
    explainer._asked = asked
    explainer._settings = Settings(
        as_n_jobs(asked.n_jobs), as_precision(kept.precision), limit, make_progress(asked.progress)
    )
    known = kept.measure.n_rows > 0
    make = Sample.not_saved if known else Sample.nothing
    explainer._hold(kept.blocks, kept.measure, make(kept.blocks, limit // SAMPLE_SHARE))
    return explainer
