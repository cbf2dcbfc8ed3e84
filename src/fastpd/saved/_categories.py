"""Categories as JSON, and back."""

from __future__ import annotations

from typing import Any, Literal, cast

from fastpd.forest import Categories, HashedCategories, Label
from fastpd.saved._fields import Fields, as_json

__all__ = ["categories_of", "from_categories"]

_FIELDS = ("labels", "unseen", "null", "nan", "arrays", "text_only", "codes")


def from_categories(known: Categories | None) -> dict[str, Any] | None:
    """Return the categories of one column as JSON."""
    if known is None:
        return None
    codes = known.codes if isinstance(known, HashedCategories) else None
    return {
        "labels": None if known.labels is None else [_from_label(one) for one in known.labels],
        "unseen": _from_code(known.unseen),
        "null": _from_code(known.null),
        "nan": known.nan if known.nan == "null" else as_json(known.nan),
        "arrays": known.arrays,
        "text_only": known.text_only,
        "codes": None if codes is None else [[hash_, as_json(c)] for hash_, c in codes.items()],
    }


def categories_of(given: Any, source: str) -> Categories | None:
    """Return the categories of one column."""
    if given is None:
        return None
    fields = Fields(given, "categories", source, _FIELDS)
    nan = fields.plain("nan")
    common: dict[str, Any] = {
        "labels": _labels(fields),
        "unseen": _code(fields, "unseen"),
        "null": _code(fields, "null"),
        "nan": "null" if nan == "null" else fields.number("nan"),
        "arrays": cast(Literal["code", "label"], fields.text("arrays", ("code", "label"))),
        "text_only": fields.flag("text_only"),
    }
    if fields.plain("codes") is None:
        return Categories(**common)
    pairs = fields.items("codes")
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise fields.wrong("codes", "pairs of a hash and a code")
    if not all(type(hash_) is int for hash_, _ in pairs):
        raise fields.wrong("codes", "pairs of a hash and a code")
    codes = {hash_: fields.number_of("codes", code) for hash_, code in pairs}
    return HashedCategories(**common, codes=codes)


def _from_code(code: float | None) -> float | str | None:
    return None if code is None else as_json(code)


def _code(fields: Fields, name: str) -> float | None:
    return None if fields.plain(name) is None else fields.number(name)


def _from_label(label: Label) -> Any:
    # A float is told from an int by its point, and from text by the list.
    return [as_json(label)] if isinstance(label, float) else label


def _labels(fields: Fields) -> tuple[Label, ...] | None:
    if fields.plain("labels") is None:
        return None
    return tuple(_label(fields, one) for one in fields.items("labels"))


def _label(fields: Fields, given: Any) -> Label:
    if isinstance(given, list) and len(given) == 1:
        return fields.number_of("labels", given[0])
    if not isinstance(given, str | int | bool):
        raise fields.wrong("labels", "a list of labels")
    return given
