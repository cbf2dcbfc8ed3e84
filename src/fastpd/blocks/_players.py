"""Players: what explanations share a prediction among, one model column each or several."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, nearest
from fastpd.forest import Forest

__all__ = ["Players", "make_players"]


@dataclass(frozen=True, eq=False)
class Players:
    """The features of an explanation, each one or several columns of the model.

    Attributes
    ----------
    names
        Names of the players, in the order of their first columns.
    of_column
        Player that owns each column of the model.
    """

    names: tuple[str, ...]
    of_column: NDArray[np.int32]

    def columns(self, player: int) -> NDArray[np.intp]:
        """Return the model's columns of a player."""
        return np.flatnonzero(self.of_column == player)

    def same_as(self, other: Players) -> bool:
        """Tell whether both are the same players."""
        return self.names == other.names and np.array_equal(self.of_column, other.of_column)


def make_players(forest: Forest, groups: Any) -> Players:
    """Return the players of a forest: a column each, but one for the columns of each group.

    Parameters
    ----------
    forest
        The model.
    groups
        None, or a mapping from the name of a group to the names or indices of its columns.
    """
    owner = _owners(forest.feature_names, groups)
    labels = [owner.get(column, name) for column, name in enumerate(forest.feature_names)]
    names = tuple(dict.fromkeys(labels))
    place = {name: player for player, name in enumerate(names)}
    return Players(names, np.array([place[label] for label in labels], dtype=np.int32))


def _owners(names: tuple[str, ...], groups: Any) -> dict[int, str]:
    """Return the group of every column that is in one."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise OptionError(
            f"groups is a {type(groups).__name__}; expected a mapping from the name of a group to "
            "its columns, such as {'address': ['street', 'zip']}."
        )
    owner: dict[int, str] = {}
    for group, members in groups.items():
        for column in _members(names, group, members):
            if column in owner:
                raise FeatureError(
                    f"column {names[column]!r} stands in the groups {owner[column]!r} and "
                    f"{group!r}; a column belongs to one group, once."
                )
            owner[column] = group
    for column, name in enumerate(names):
        if name in groups and owner.get(column) != name:
            raise FeatureError(
                f"the group {name!r} has the name of a column that is not in it; choose another."
            )
    return owner


def _members(names: tuple[str, ...], group: Any, members: Any) -> list[int]:
    if not isinstance(group, str) or not group:
        raise OptionError(f"a group is named {group!r}; expected a text that is not empty.")
    if isinstance(members, str | bytes) or not isinstance(members, Collection) or not members:
        raise OptionError(
            f"the group {group!r} is {members!r:.60}; expected a list of its columns, at least one."
        )
    return [_column(names, group, member) for member in members]


def _column(names: tuple[str, ...], group: str, member: Any) -> int:
    if isinstance(member, str) and member in names:
        return names.index(member)
    whole = isinstance(member, int | np.integer) and not isinstance(member, bool)
    if whole and 0 <= member < len(names):
        return int(member)
    raise FeatureError(
        f"the group {group!r} names {member!r}, which is no column of the model."
        f"{nearest(str(member), names)}"
    )
