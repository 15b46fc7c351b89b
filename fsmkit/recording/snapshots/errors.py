"""What may be wrong with a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fsmkit import FsmAction, FsmError
from fsmkit.core.run_state import Place

SHOWN: Final = 20
"""How many differences an error message lists."""

ADVICE: Final = (
    "Give a migrate= function that brings it into shape, or build the machines as they were."
)


class SnapshotError(FsmError):
    """Something cannot be saved, or what was saved cannot be read."""


class SnapshotMismatchError(SnapshotError):
    """A snapshot was made of machines that were built otherwise; `differences` says how."""

    def __init__(self, differences: Sequence[str]) -> None:
        super().__init__(differences)
        self.differences = tuple(differences)

    def __str__(self) -> str:
        lines = [f"  {difference}" for difference in self.differences[:SHOWN]]
        if len(self.differences) > SHOWN:
            lines.append(f"  and {len(self.differences) - SHOWN} more")
        return "\n".join(["The snapshot does not fit:", *lines, ADVICE])


def damaged(what: str) -> SnapshotError:
    """The error for data that no snapshot would hold."""
    return SnapshotError(f"The snapshot is damaged: {what}.")


def action_title(action: FsmAction[Any], place: Place) -> str:
    """Where an action is, for an error message."""
    first, *below = place.split("/")
    path = "".join(f".children[{index}]" for index in below)
    return f"{action.state}, actions[{first}]{path} ({type(action).__name__})"
