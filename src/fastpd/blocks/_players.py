"""Players: what explanations share a prediction among, one model column each or several."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, nearest
from fastpd.forest import Forest

__all__ = ["Players", "make_players"]


@dataclass(frozen=True, eq=False)
class Players:
    """The features of an explanation, each one or several columns of the user's table.

    Attributes
    ----------
    names
        Names of the players, in the order of their first columns.
    of_column
        Player that owns each column of the model.
    of_given
        Player that each column of the user's table belongs to. The table's columns are the model's
        own, unless a pipeline makes these from them.
    """

    names: tuple[str, ...]
    of_column: NDArray[np.int32]
    of_given: NDArray[np.int32]

    def columns(self, player: int) -> NDArray[np.intp]:
        """Return the model's columns of a player."""
        return np.flatnonzero(self.of_column == player)

    def is_group(self, player: int) -> bool:
        """Tell whether a player is several columns of the user's table."""
        return int(np.count_nonzero(self.of_given == player)) > 1

    @cached_property
    def given_columns(self) -> tuple[int | None, ...]:
        """The column of the user's table of each player; None for a group of several."""
        counts = np.bincount(self.of_given, minlength=len(self.names)).tolist()
        place = {player: column for column, player in enumerate(self.of_given.tolist())}
        return tuple(place[k] if count == 1 else None for k, count in enumerate(counts))

    def same_as(self, other: Players) -> bool:
        """Tell whether both are the same players."""
        mine, theirs = (self.of_column, self.of_given), (other.of_column, other.of_given)
        return self.names == other.names and all(map(np.array_equal, mine, theirs))


def make_players(forest: Forest, groups: Any) -> Players:
    """Return the players of a forest: a column each, but one for the columns of each group.

    Where a pipeline makes each of the model's columns from one of the user's, these are the players
    and those that make none are players that nothing depends on.

    Parameters
    ----------
    forest
        The model.
    groups
        None, or a mapping from the name of a group to the names or indices of its columns.
    """
    steps = forest.preparation
    given = forest.feature_names if steps is None or steps.owner is None else steps.columns
    group = _owners(given, groups)
    labels = [group.get(column, name) for column, name in enumerate(given)]
    names = tuple(dict.fromkeys(labels))
    place = {name: player for player, name in enumerate(names)}
    of_given = np.array([place[label] for label in labels], dtype=np.int32)
    if steps is None or steps.owner is None:
        return Players(names, of_given, of_given)
    return Players(names, of_given[list(steps.owner)], of_given)


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
                other = "twice" if owner[column] == group else f"and in {owner[column]!r}"
                raise FeatureError(
                    f"column {names[column]!r} stands in the group {group!r} {other}; a column "
                    "belongs to one group, once. Leave it out of the rest."
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
        f"the group {group!r} names {member!r}, which is no column of the model; expected names "
        f"or indices of columns: {', '.join(names):.80}.{nearest(str(member), names)}"
    )
