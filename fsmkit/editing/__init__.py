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
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
)  # fmt: skip
from fsmkit.editing.refusal import RefusedEditError, SharedEditError
from fsmkit.editing.values import AsWritten, Name

__all__ = [
    "AddAction",
    "AddState",
    "AddToGroup",
    "AddTransition",
    "AsWritten",
    "Edit",
    "Editor",
    "MoveAction",
    "Name",
    "Proposal",
    "RefusedEditError",
    "RemoveAction",
    "RemoveState",
    "RemoveTransition",
    "RenameEvent",
    "RenameState",
    "Retarget",
    "SetParameter",
    "SharedEditError",
]  # fmt: skip
