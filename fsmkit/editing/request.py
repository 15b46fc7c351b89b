"""edit_from: an edit of plain data, as the command line, a page or an agent asks for it.

The grammar is closed: each kind of edit has its fields, new names are printable, and values are
literals or names of the file. What is asked for is never run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from fsmkit.core.checks import arguments
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
)
from fsmkit.editing.refusal import MalformedEditError, meant
from fsmkit.editing.values import AsWritten

LONGEST_NAME: Final = 200
"""Characters of a new name."""

LONGEST_VALUE: Final = 1_000
"""Characters of a value."""

ACTION_PLACE: Final = re.compile(r"[0-9]{1,6}(/[0-9]{1,6}){0,20}")


def _text(value: object, what: str) -> str:
    return arguments.instance(value, what, str, "a text", MalformedEditError)


def _new_name(value: object, what: str) -> str:
    name = _text(value, what)
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise MalformedEditError(
            f"{what} must be 1 to {LONGEST_NAME} printable letters, got {arguments.shown(name)}."
        )
    return name


def source(value: object, what: str) -> str | None:
    return None if value is None else _text(value, f"{what}, or null for any state,")


def whole_number(value: object, what: str) -> int:
    return arguments.integer(value, what, least=0, most=10**6, error=MalformedEditError)


def flag(value: object, what: str) -> bool:
    return arguments.instance(value, what, bool, "true or false", MalformedEditError)


def _at(value: object, what: str) -> int | None:
    return None if value is None else whole_number(value, what)


def _action_place(value: object, what: str) -> str:
    if not ACTION_PLACE.fullmatch(_text(value, what)):
        wanted = "must be the place of an action, such as '2' or '2/0'"
        raise MalformedEditError(f"{what} {wanted}, got {arguments.shown(value)}.")
    return _text(value, what)


def _any_action_place(value: object, what: str) -> int | str:
    return _action_place(value, what) if isinstance(value, str) else whole_number(value, what)


def _parent(value: object, what: str) -> str | None:
    return None if value is None else str(_any_action_place(value, what))


def _action_name(value: object, what: str) -> str | None:
    return None if value is None else _text(value, what)


def _value(value: object, what: str) -> AsWritten:
    text = _text(value, what)
    if not text.isprintable() or len(text) > LONGEST_VALUE:
        wanted = f"at most {LONGEST_VALUE} printable letters"
        raise MalformedEditError(f"{what} must be {wanted}, got {arguments.shown(text)}.")
    return AsWritten(text)


def _values(value: object, what: str) -> dict[str, object]:
    given = arguments.instance(value, what, dict, "an object", MalformedEditError)
    return {
        _new_name(name, what): _value(each, f"{what}, {name!r},") for name, each in given.items()
    }


FieldCheck: TypeAlias = Callable[[object, str], object]
"""Returns the value of a field as the edit takes it. Raises MalformedEditError."""


class EditKind(NamedTuple):
    """One kind of edit, by its name, in requests."""

    title: str
    make: Callable[..., Edit]
    fields: Mapping[str, FieldCheck]
    """Those of a request, in the order in which the edit takes them."""


EDIT_KINDS: Final[Mapping[str, EditKind]] = {
    "add-state": EditKind("add a state", AddState, {"name": _new_name}),
    "rename-state": EditKind(
        "give a state another name", RenameState, {"state": _text, "name": _new_name}
    ),
    "remove-state": EditKind(
        "remove a state, with its actions and transitions", RemoveState, {"state": _text}
    ),
    "add-to-group": EditKind(
        "add a state to a group", AddToGroup, {"group": _text, "state": _text}
    ),
    "remove-from-group": EditKind(
        "take a state out of a group", RemoveFromGroup, {"group": _text, "state": _text}
    ),
    "set-final": EditKind(
        "mark a state as final, or no longer", SetFinal, {"state": _text, "final": flag}
    ),
    "add-transition": EditKind(
        "add a transition", AddTransition,
        {"source": source, "event": _new_name, "target": _text},
    ),
    "retarget": EditKind(
        "let a transition lead elsewhere", Retarget,
        {"source": source, "event": _text, "target": _text, "rank": whole_number},
    ),
    "rename-event": EditKind(
        "give a transition another event", RenameEvent,
        {"source": source, "event": _text, "new_event": _new_name, "rank": whole_number},
    ),
    "remove-transition": EditKind(
        "remove a transition", RemoveTransition,
        {"source": source, "event": _text, "rank": whole_number},
    ),
    "add-action": EditKind(
        "add an action of the library, and its import", AddAction,
        {
            "state": _text, "action": _text, "parameters": _values, "at": _at, "inside": _parent,
            "within": _action_name,
        },
    ),
    "move-action": EditKind(
        "move an action up or down among those of its state, or of its composite", MoveAction,
        {"state": _text, "index": _any_action_place, "to": whole_number},
    ),
    "remove-action": EditKind(
        "remove an action", RemoveAction, {"state": _text, "index": _any_action_place}
    ),
    "set": EditKind(
        "set a parameter of an action", SetParameter,
        {"state": _text, "index": _action_place, "parameter": _text, "value": _value},
    ),
}  # fmt: skip

OPTIONAL: Final[Mapping[str, Any]] = MappingProxyType(
    {"rank": 0, "parameters": {}, "at": None, "inside": None, "within": None, "machine": None}
)
"""The fields that may be left out, and what they are then."""


def edit_from(request: dict[str, Any]) -> Edit:
    """Return the edit that `{"kind": "retarget", "source": "Red", ...}` asks for.

    The kinds and their fields are those of `EDIT_KINDS`. Each may name the `machine`, of several.
    Raises MalformedEditError.

    >>> edit_from({"kind": "rename-state", "state": "Red", "name": "Stop"})
    RenameState(state='Red', to='Stop', machine=None)
    """
    given = {**arguments.instance(request, "An edit", dict, "an object", MalformedEditError)}
    name = _text(given.pop("kind", None), "The kind of an edit")
    if name not in EDIT_KINDS:
        hint = meant(name, EDIT_KINDS) or f"; choose one of: {', '.join(EDIT_KINDS)}"
        raise MalformedEditError(f"there is no edit {arguments.shown(name)}{hint}.")
    kind = EDIT_KINDS[name]
    if unknown := [each for each in given if each not in (*kind.fields, "machine")]:
        fields = [*kind.fields, "machine"]
        hint = meant(unknown[0], fields) or f"; its fields: {', '.join(fields)}"
        raise MalformedEditError(f"{name}: there is no field {arguments.shown(unknown[0])}{hint}.")
    if missing := [each for each in kind.fields if each not in given and each not in OPTIONAL]:
        raise MalformedEditError(f"{name} needs {missing[0]!r}.")
    values = {**OPTIONAL, **given}
    machine = values["machine"]
    return kind.make(
        *(check(values[field], f"{name}: {field}") for field, check in kind.fields.items()),
        machine=None if machine is None else _text(machine, f"{name}: machine"),
    )
