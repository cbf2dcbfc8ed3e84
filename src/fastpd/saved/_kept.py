"""What a file keeps of an explainer: the model on its grid, and what was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, BinaryIO

import numpy as np

from fastpd.blocks import Blocks, make_blocks
from fastpd.errors import FastPDError, ModelFileError
from fastpd.forest import Preparation
from fastpd.measures import Measure
from fastpd.options import as_bytes, as_precision
from fastpd.saved._container import Content, damaged, read_content, write_content
from fastpd.saved._fields import Fields
from fastpd.saved._forest import forest_of, from_forest
from fastpd.saved._measures import from_measure, measure_of

__all__ = ["Kept", "read", "write"]

_FIELDS = ("written_by", "forest", "groups", "measure", "settings")
_SETTINGS = ("precision", "memory_limit")


@dataclass(frozen=True, eq=False)
class Kept:
    """All of an explainer but the rows that it was made from, and this machine's settings.

    Attributes
    ----------
    blocks, measure
        The model on its grid, and the averages over the others.
    precision, memory_limit
        As of the explainer.
    """

    blocks: Blocks
    measure: Measure
    precision: str
    memory_limit: int


def write(kept: Kept, file: BinaryIO) -> None:
    """Write what is kept; the steps of a pipeline are no data, and are left to the caller."""
    forest, arrays = from_forest(kept.blocks.forest)
    measure, counts = from_measure(kept.measure)
    header = {
        "written_by": f"fastpd {metadata.version('fastpd')}",
        "forest": forest,
        "groups": _groups(kept.blocks),
        "measure": measure,
        "settings": {"precision": kept.precision, "memory_limit": kept.memory_limit},
    }
    write_content(Content(header, arrays | counts), file)


def read(file: BinaryIO, size: int, source: str, preparation: Preparation | None = None) -> Kept:
    """Return what a file keeps.

    Parameters
    ----------
    file, size
        The file, and its number of bytes.
    source
        What messages call it.
    preparation
        Steps before the model, which were kept elsewhere.

    Raises
    ------
    ModelFileError
        Where it was not written by `write`, or was changed since.
    """
    content = read_content(file, size, source)
    try:
        return _kept(content, preparation)
    except ModelFileError:
        raise
    except FastPDError as error:
        raise damaged(source, str(error).rstrip(".")) from error
    except MemoryError:
        raise ModelFileError(
            f"{source} of {size:,} bytes does not fit into memory. Load it on a larger machine."
        ) from None


def _kept(content: Content, preparation: Preparation | None) -> Kept:
    fields = Fields(content.header, "the header", content.source, _FIELDS)
    forest = forest_of(content, fields.plain("forest"), preparation)
    blocks = make_blocks(forest, _checked_groups(fields))
    measure = measure_of(content, fields.plain("measure"), blocks)
    if content.arrays:
        raise damaged(content.source, f"it has an array {next(iter(content.arrays))!r:.40} more")
    settings = fields.of("settings", _SETTINGS)
    precision = as_precision(settings.text("precision"))
    return Kept(blocks, measure, precision, as_bytes(settings.plain("memory_limit")))


def _groups(blocks: Blocks) -> dict[str, list[int]]:
    """Return the columns of every player that is not one column of the same name."""
    forest, players = blocks.forest, blocks.players
    steps = forest.preparation
    given = forest.feature_names if steps is None or steps.owner is None else steps.columns
    columns = [np.flatnonzero(players.of_given == k).tolist() for k in range(len(players.names))]
    return {
        name: mine
        for name, mine in zip(players.names, columns, strict=True)
        if [given[column] for column in mine] != [name]
    }


def _checked_groups(fields: Fields) -> Mapping[str, Any]:
    groups = fields.plain("groups")
    whole = isinstance(groups, Mapping) and all(
        isinstance(columns, list) and all(type(column) is int for column in columns)
        for columns in groups.values()
    )
    if not whole:
        raise fields.wrong("groups", "lists of columns by name")
    return groups  # type: ignore[no-any-return]
