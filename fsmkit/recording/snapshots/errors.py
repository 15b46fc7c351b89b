"""The errors of snapshots, and parts of their messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fsmkit import FsmAction, FsmError
from fsmkit.terminal.console import described
from fsmkit.tooling.run_state import Place

MAX_DIFFERENCES: Final = 20
"""The number of differences that an error message lists."""

MAX_SHOWN: Final = 200
"""The length up to which a message shows a value."""

ADVICE: Final = "Give a migrate= function that adapts it, or build the machines as they were."


class SnapshotError(FsmError):
    """Something cannot be saved, or saved data cannot be read.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import SnapshotError, restore
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> try:
    ...     restore(lamp, {})
    ... except SnapshotError as error:
    ...     print(error)
    The data is not a snapshot: it must have 'format': 'fsmkit snapshot'.
    """


class SnapshotMismatchError(SnapshotError):
    """A snapshot was made of machines that were built differently; `differences` lists how.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import SnapshotMismatchError, restore, snapshot
    >>> lamp, door = Fsm("Lamp"), Fsm("Door")
    >>> _ = lamp.add_state("On"), door.add_state("Open")
    >>> try:
    ...     restore(door, snapshot(lamp))
    ... except SnapshotMismatchError as error:
    ...     print(error.differences)
    ("Fsm 'Lamp' is missing", "Fsm 'Door' is not in the snapshot")
    """

    def __init__(self, differences: Sequence[str]) -> None:
        super().__init__(differences)
        self.differences = tuple(differences)

    def __str__(self) -> str:
        lines = [f"  {cut(each, 2 * MAX_SHOWN)}" for each in self.differences[:MAX_DIFFERENCES]]
        if len(self.differences) > MAX_DIFFERENCES:
            lines.append(f"  and {len(self.differences) - MAX_DIFFERENCES} more")
        return "\n".join(["The snapshot does not fit:", *lines, ADVICE])


def damaged(what: str) -> SnapshotError:
    """Return the error for data that no snapshot would hold."""
    return SnapshotError(f"The snapshot is damaged: {cut(what, 2 * MAX_SHOWN)}.")


def shown(value: object) -> str:
    """Return the repr of a value, as far as there is room for it in a message."""
    return cut(described(value))


def cut(text: str, length: int = MAX_SHOWN) -> str:
    """Return `text`, or the beginning of it.

    >>> cut("a long story", 8)
    'a long …'
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


def action_title(action: FsmAction[Any], place: Place) -> str:
    """Return the place of an action, for an error message."""
    first, *below = place.split("/")
    path = "".join(f".children[{index}]" for index in below)
    return f"{action.state}, actions[{first}]{path} ({type(action).__name__})"
