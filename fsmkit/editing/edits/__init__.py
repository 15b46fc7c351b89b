"""The edits: each says what changes in the definition of a machine, and how to write it."""

from fsmkit.editing.edits.actions import AddAction, MoveAction, RemoveAction, SetParameter
from fsmkit.editing.edits.edit import Edit
from fsmkit.editing.edits.state_removal import RemoveState
from fsmkit.editing.edits.states import (
    AddState,
    AddToGroup,
    RemoveFromGroup,
    RenameState,
    SetFinal,
)
from fsmkit.editing.edits.transitions import AddTransition, RemoveTransition, RenameEvent, Retarget

__all__ = [
    "AddAction", "AddState", "AddToGroup", "AddTransition", "Edit", "MoveAction",
    "RemoveAction", "RemoveFromGroup", "RemoveState", "RemoveTransition", "RenameEvent",
    "RenameState", "Retarget", "SetFinal", "SetParameter",
]  # fmt: skip
