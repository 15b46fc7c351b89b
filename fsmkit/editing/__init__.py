"""Editing: changes of the Python code that builds machines, each proved by building it."""

from fsmkit.editing.editor import Editor, Proposal
from fsmkit.editing.edits import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    Edit,
    MoveAction,
    RemoveAction,
    RemoveFromGroup,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetFinal,
    SetParameter,
)  # fmt: skip
from fsmkit.editing.refusal import MalformedEditError, RefusedEditError, SharedEditError
from fsmkit.editing.request import edit_from
from fsmkit.editing.values import AsWritten, Name

__all__ = [
    "AddAction",
    "AddState",
    "AddToGroup",
    "AddTransition",
    "AsWritten",
    "Edit",
    "Editor",
    "MalformedEditError",
    "MoveAction",
    "Name",
    "Proposal",
    "RefusedEditError",
    "RemoveAction",
    "RemoveFromGroup",
    "RemoveState",
    "RemoveTransition",
    "RenameEvent",
    "RenameState",
    "Retarget",
    "SetFinal",
    "SetParameter",
    "SharedEditError",
    "edit_from",
]  # fmt: skip
