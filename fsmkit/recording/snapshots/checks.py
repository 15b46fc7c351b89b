"""Checks: whether an action could have remembered what a snapshot says.

A snapshot with the right checksum is as it was saved, and is taken at its word. Of any other one,
edited or written by an older version, the values are checked: the library's own actions declare
what they remember, and so may those of a game (see `declared_types`). How its values fit together
an action checks itself, by a method `check_memory`, which raises an error if it could not go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.recording.snapshots.declared_types import must_be
from fsmkit.recording.snapshots.errors import SnapshotError, cut, shown
from fsmkit.recording.snapshots.fields import assign, initial_values

OURS = ("actions", "fsmkit")
"""The packages whose classes hold what they declare."""


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
        self, title: str, action: FsmAction[Any], saved: Mapping[str, object], *, goes_on: bool
    ) -> None:
        """Raise SnapshotError if `action` cannot remember `saved`, and go on with that."""
        if self.trusted:
            return
        is_ours = type(action).__module__.partition(".")[0] in OURS
        if is_ours or self.edited:
            _check_types(title, action, saved, is_ours)
        if goes_on:
            _check_memory(title, action, saved)


def _check_types(
    title: str, action: FsmAction[Any], saved: Mapping[str, object], is_ours: bool
) -> None:
    initial = {} if is_ours else initial_values(action)
    for name, value in saved.items():
        if name in initial and type(value) is type(initial[name]):
            continue
        if wanted := must_be(action, name, value, finite=is_ours):
            raise SnapshotError(f"{title}, {name} must be {wanted}, got {shown(value)}.")


def _check_memory(title: str, action: FsmAction[Any], saved: Mapping[str, object]) -> None:
    """Have a copy of the action, which remembers what was saved, check that it can go on."""
    if not hasattr(type(action), "check_memory"):
        return
    twin: Any = copy(action)
    assign(twin, {**initial_values(action), **saved})
    try:
        twin.check_memory()
    except Exception as error:
        reason = cut(f"{type(error).__name__}: {error}")
        raise SnapshotError(f"{title} cannot go on with what it remembers ({reason}).") from error
