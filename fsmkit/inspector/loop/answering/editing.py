"""Editing: the requests that set values and switch actions off and on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from attrs import Factory, frozen

from fsmkit import Fsm, FsmAction
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import LONGEST_NAME, Answer, RequestError
from fsmkit.inspector.reading.fields import (
    Field,
    FieldError,
    find_action,
    find_field,
    kinds_of,
    named_fields,
)
from fsmkit.inspector.reading.values import text_of

MOST_EDITS: Final = 20
"""Edits that can be undone."""

LONGEST_PATH: Final = 5


@frozen
class Editing:
    """Sets plain values of contexts and parameters of actions, as far as a page is shown them."""

    inspected: Inspected
    note: Callable[[Fsm[Any], str], None]
    """Called after something was changed, with the machine and a text for its log."""
    _edits: deque[tuple[Fsm[Any], Field, object]] = Factory(lambda: deque(maxlen=MOST_EDITS))
    """The machine, the field, and the value that it had."""

    def offer(self, machine: str, path: list[Any]) -> Answer:
        """Answer what a field can be set to. Its value may be longer than the text shown."""
        try:
            return {"offer": self._field(machine, path)[1].offer()}
        except FieldError as error:
            raise RequestError(str(error)) from None

    def look_inside(self, machine: str, path: list[Any]) -> Answer:
        """Answer with the fields of an object in the context, as the details give those of that."""
        try:
            field = self._field(machine, path)[1]
        except FieldError as error:
            raise RequestError(str(error)) from None
        fields = named_fields(field.value)
        if not fields:
            raise RequestError(f"{field.title} has no public fields.")
        rows = [[name, text_of(value)] for name, value in fields.items()]
        return {"rows": rows, "kinds": kinds_of(fields)}

    def set(self, machine: str, path: list[Any], value: object) -> Answer:
        """Set a field, and answer with the text of what became of the value."""
        try:
            target, field = self._field(machine, path)
            new = field.set(value)
        except FieldError as error:
            raise RequestError(str(error)) from None
        self._edits.append((target, field, field.value))
        change = f"{field.title}: {text_of(field.value)} -> {text_of(new)}"
        self.note(target, f"{change}, edited on the page")
        return {"text": text_of(new), "outcome": change}

    def undo(self) -> Answer:
        """Give the field that was set last the value that it had."""
        if not self._edits:
            raise RequestError("Nothing has been edited that could be undone.")
        machine, field, before = self._edits.pop()
        if machine not in self.inspected.naming.names:
            raise RequestError(f"{machine.name!r} is not (or no longer) an inspected machine.")
        try:
            field.put(before)
        except FieldError as error:
            raise RequestError(str(error)) from None
        change = f"{field.title}: back to {text_of(before)}"
        self.note(machine, f"{change}, undone on the page")
        return {"outcome": change}

    def enable(self, machine: str, state: str, place: str, on: bool) -> None:
        """Switch an action off, or on again, from the next visit of its state on."""
        target = self.inspected.machine(machine)
        try:
            action = find_action(target, state, place)
        except FieldError as error:
            raise RequestError(str(error)) from None
        if action.enabled != on:
            action.enabled = on
            self.note(
                target, f"{_title(action)} in {state} switched {'on' if on else 'off'} on the page"
            )

    def _field(self, machine: str, path: list[Any]) -> tuple[Fsm[Any], Field]:
        """Return the field at a path, and its machine. Raises RequestError and FieldError."""
        target = self.inspected.machine(machine)
        return target, find_field(target, checked_path(path), self.inspected.naming.names)


def checked_path(path: list[Any]) -> tuple[str, ...]:
    """Return a path of a page. Raises RequestError unless it is a few texts."""
    if not 1 <= len(path) <= LONGEST_PATH:
        raise RequestError(f"A path must have 1 to {LONGEST_PATH} names, got {len(path)}.")
    for name in path:
        if type(name) is not str or len(name) > LONGEST_NAME:
            raise RequestError(f"A path must be of texts, got {text_of(name)}.")
    return tuple(path)


def _title(action: FsmAction[Any]) -> str:
    return type(action).__name__
