"""Numbers by set of features, found by names in any order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from fastpd.errors import FeatureError, nearest
from fastpd.results._columns import Names

__all__ = ["NamedSets"]


class NamedSets(Mapping[Names, Any]):
    """A mapping from sets of feature names to numbers, in a given order.

    Attributes
    ----------
    names
        Sets of features.
    """

    names: tuple[Names, ...]

    @abstractmethod
    def _number(self, at: int) -> Any:
        """Return the number, or one for each output, of the set at a place."""

    def __getitem__(self, features: Any) -> Any:
        """Return the number of a set of features, named in any order."""
        found = self._number(self._place(features))
        return found if found.ndim else float(found)

    def __iter__(self) -> Iterator[Names]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    # Compared and hashed as the object that it is: numbers of several outputs have no single truth.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @cached_property
    def _places(self) -> dict[frozenset[str], int]:
        return {frozenset(one): at for at, one in enumerate(self.names)}

    def _place(self, features: Any) -> int:
        """Return where a set of features stands, named in any order."""
        wanted = [features] if isinstance(features, str) else features
        if not isinstance(wanted, Collection) or not all(isinstance(one, str) for one in wanted):
            raise FeatureError(
                f"{features!r:.60} is no set of feature names; expected one such as 'age' or "
                "('age', 'sex')."
            )
        place = self._places.get(frozenset(wanted))
        if place is not None and len(wanted) == len(self.names[place]):
            return place
        known = sorted({name for one in self.names for name in one})
        hint = next((nearest(name, known) for name in wanted if name not in known), "")
        raise FeatureError(
            f"{tuple(wanted)} is not listed: its features are unknown, or no tree joins them, or "
            f"there are more or fewer of them than were asked for.{hint}"
        )
