"""Numbers as text: aligned within a column, with a real minus sign."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["decimals_of", "fixed", "percent", "plain_number", "signed"]

_DIGITS = 4
_MINUS = "\u2212"
_NONE = "\u2013"


def decimals_of(values: Iterable[float], digits: int = _DIGITS) -> int:
    """Return how many decimals give the largest of the values so many digits.

    Examples
    --------
    >>> from fastpd.report._format import decimals_of
    >>> decimals_of([0.5, 12.25]), decimals_of([12345.0])
    (2, 0)
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0:
        return digits - 1
    return min(max(digits - 1 - math.floor(math.log10(largest)), 0), 12)


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals, and nothing for NaN.

    Examples
    --------
    >>> from fastpd.report._format import fixed
    >>> fixed(-1234.5, 1), fixed(-0.0001, 2)
    ('−1,234.5', '0.00')
    """
    if math.isnan(value):
        return _NONE
    if math.isinf(value):
        return "∞" if value > 0 else f"{_MINUS}∞"
    text = f"{value:,.{decimals}f}"
    if text.startswith("-"):
        text = text[1:] if float(text.replace(",", "")) == 0 else _MINUS + text[1:]
    return text


def signed(value: float, decimals: int) -> str:
    """Return a number with its sign, also where it is positive."""
    text = fixed(value, decimals)
    return text if text.startswith((_MINUS, _NONE)) or not text.strip("0.,") else f"+{text}"


def percent(share: float) -> str:
    """Return a share as percent, and say of a small one that there is something.

    Examples
    --------
    >>> from fastpd.report._format import percent
    >>> percent(0.1234), percent(0.00001), percent(-0.02), percent(0)
    ('12.3 %', '<0.1 %', '−2.0 %', '0 %')
    """
    if math.isnan(share):
        return _NONE
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1 - 1e-12:
        return ">99.9 %"
    return f"{fixed(share * 100, 1)} %" if share else "0 %"


def plain_number(value: float) -> str:
    """Return a number with as many digits as it takes, at most six.

    Examples
    --------
    >>> from fastpd.report._format import plain_number
    >>> plain_number(30.0), plain_number(-0.123456789)
    ('30', '−0.123457')
    """
    text = f"{value:.6g}"
    if "e" in text and 1e-4 < abs(value) < 1e12:
        text = f"{value:,.0f}"
    return {"inf": "∞", "-inf": f"{_MINUS}∞"}.get(text, text.replace("-", _MINUS))


def distinct_texts(values: Iterable[float]) -> list[str]:
    """Return ascending numbers as text, with more digits where two would read the same.

    Examples
    --------
    >>> from fastpd.report._format import distinct_texts
    >>> distinct_texts([1.0, 2.5]), distinct_texts([0.1234561, 0.1234562])
    (['1', '2.5'], ['0.1234561', '0.1234562'])
    """
    numbers = list(values)
    texts = [plain_number(number) for number in numbers]
    for digits in (9, 17):
        if len(set(texts)) == len(texts):
            break
        texts = [
            plain_number(number) if math.isinf(number) else f"{number:.{digits}g}"
            for number in numbers
        ]
    return [text.replace("-", _MINUS) for text in texts]
