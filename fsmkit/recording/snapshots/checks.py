"""Checks: whether an action could have remembered what a snapshot says.

A snapshot with the right checksum is as it was saved, and is taken at its word. Of any other one,
edited or written by an older version, the values are checked: the library's own actions declare
what they remember, and so may those of a game (see `declared_types`). How its values fit together
an action checks itself: a method `check_remembered` raises an error if it could not go on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any

from attrs import frozen

from fsmkit import FsmAction, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.snapshots.declared_types import declared_types, is_ours
from fsmkit.recording.snapshots.errors import SnapshotError, action_title, cut, shown
from fsmkit.recording.snapshots.fields import assign, initial_values
from fsmkit.tooling.run_state import Place, places


@frozen
class Checks:
    """Checks what actions are to remember.

    `trusted`: the checksum was right, so nothing need be checked. `edited`: the data was written by
    this version and has no checksum any more. What an older version or a `migrate` function has
    written may hold, in a class of the game, what its annotation has never said.
    """

    trusted: bool
    edited: bool

    def check(
        self, action: FsmAction[Any], place: Place, saved: Mapping[str, object], *, goes_on: bool
    ) -> None:
        """Raise SnapshotError if `action` cannot remember `saved`, and go on with that."""
        if self.trusted:
            return
        initial = initial_values(action)
        for name, value in saved.items():
            declared = declared_types(type(action)).get(name)
            is_as_ever = name in initial and type(value) is type(initial[name])
            if declared is None or not (declared.is_ours or (self.edited and not is_as_ever)):
                continue
            if wanted := declared.must_be(action, value):
                title = f"{action_title(action, place)}, {name}"
                raise SnapshotError(f"{title} must be {wanted}, got {shown(value)}.")
        if goes_on:
            _check_remembered(action, place, saved)

    def check_places(self, state: FsmState[Any], entered: Collection[Place]) -> None:
        """Raise SnapshotError for a child that is under way where the action around it is not."""
        if self.trusted:
            return
        actions = dict(places(state))
        for place in entered:
            around, inside, _ = place.rpartition("/")
            if inside and around not in entered and is_ours(type(actions[around])):
                raise SnapshotError(
                    f"{action_title(actions[place], place)} cannot be under way, as the action "
                    "that runs it was not entered."
                )


def _check_remembered(action: FsmAction[Any], place: Place, saved: Mapping[str, object]) -> None:
    """Have a copy of the action, which remembers what was saved, check that it can go on."""
    if not hasattr(type(action), "check_remembered"):
        return
    twin: Any = copy(action)
    assign(twin, {**initial_values(action), **saved})
    try:
        twin.check_remembered()
    except Exception as error:
        reason = cut(shown_error(error))
        title = action_title(action, place)
        raise SnapshotError(f"{title} cannot go on with what it remembers ({reason}).") from error
