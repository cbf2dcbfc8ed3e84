"""Names for the columns of models that have none."""

from __future__ import annotations

__all__ = ["made_up_names"]


def made_up_names(count: int) -> tuple[str, ...]:
    """Return ``f0``, ``f1``, and so on: what columns without names are called everywhere.

    Examples
    --------
    >>> from fastpd.forest._names import made_up_names
    >>> made_up_names(2)
    ('f0', 'f1')
    """
    return tuple(f"f{column}" for column in range(count))
