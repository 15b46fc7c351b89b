"""The errors of snapshots, and parts of their messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fsmkit import FsmAction, FsmError
from fsmkit.tooling.run_state import Place

MAX_DIFFERENCES: Final = 20
"""The number of differences that an error message lists."""

ADVICE: Final = "Give a migrate= function that adapts it, or build the machines as they were."


class SnapshotError(FsmError):
    """Something cannot be saved, or saved data cannot be read."""


class SnapshotMismatchError(SnapshotError):
    """A snapshot was made of machines that were built differently; `differences` lists how."""

    def __init__(self, differences: Sequence[str]) -> None:
        super().__init__(differences)
        self.differences = tuple(differences)

    def __str__(self) -> str:
        lines = [f"  {difference}" for difference in self.differences[:MAX_DIFFERENCES]]
        if len(self.differences) > MAX_DIFFERENCES:
            lines.append(f"  and {len(self.differences) - MAX_DIFFERENCES} more")
        return "\n".join(["The snapshot does not fit:", *lines, ADVICE])


def damaged(what: str) -> SnapshotError:
    """Return the error for data that no snapshot would hold."""
    return SnapshotError(f"The snapshot is damaged: {what}.")


def action_title(action: FsmAction[Any], place: Place) -> str:
    """Return the place of an action, for an error message."""
    first, *below = place.split("/")
    path = "".join(f".children[{index}]" for index in below)
    return f"{action.state}, actions[{first}]{path} ({type(action).__name__})"
