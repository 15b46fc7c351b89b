"""Fields: values of a machine that the page shows, found again by the names that it was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import ModuleType
from typing import Any, Final

import attrs
from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.core.words.parameters import parameters
from fsmkit.inspector.reading.chart import machines_of
from fsmkit.inspector.reading.value_kinds import (
    CHOICE,
    LARGEST_WHOLE,
    OTHER,
    converted,
    is_too_large,
    kind_of,
    to_json,
)
from fsmkit.inspector.reading.values import (
    CONTAINERS,
    LARGEST,
    PLAIN,
    name_of,
    public_fields,
    text_of,
)
from fsmkit.recording.snapshots.fields import remembered_by

DEPTH: Final = 2
"""Levels of a context whose fields can be reached: its own, and those of the objects in it."""


HOLDER: Final = "o"
"""The kind of an object whose fields can be shown."""

_PATHS: Final = 'a path is ("context", name, ...) or ("action", machine, state, place, name)'

_ELSEWHERE: Final = (Fsm, FsmGroup, FsmAction, ModuleType, type)


class FieldError(Exception):
    """There is no such field, or it cannot be set; the text says why."""


@frozen
class Field:
    """One value in the context or in an action, and the way to set it."""

    title: str
    owner: Any
    key: Any
    """The name of the attribute, or the key in a mapping."""
    value: object
    is_fixed: bool = False
    """True for what an action remembers, which is its own."""

    def offer(self) -> dict[str, Any]:
        """Return what the page needs to know to edit it. Raises FieldError."""
        self._check()
        kind = kind_of(self.value)
        choices = list(type(self.value).__members__) if kind == CHOICE else []  # type: ignore[attr-defined]
        return {"kind": kind, "value": to_json(self.value), "choices": choices}

    def set(self, given: object) -> object:
        """Set it to a value from the page, and return what became of that.

        Raises FieldError, and then it is as it was.
        """
        self._check()
        try:
            value = converted(self.title, given, self.value)
        except ValueError as error:
            raise FieldError(str(error)) from None
        except Exception as error:  # from the class of a vector
            raise FieldError(f"{self.title}: {_cause(error)}") from None
        self.put(value)
        return self._now()

    def put(self, value: object) -> None:
        """Set it to `value`. Raises FieldError, and then it is as it was."""
        before = self._now()
        try:
            _try_out(self.owner, self.key, value)
            self._put(value)
        except Exception as error:  # from a validator, a property, or a frozen class
            if self._now() is not before:
                self._put(before)
            raise FieldError(f"{self.title} cannot be set: {_cause(error)}") from None

    def _check(self) -> None:
        if self.is_fixed:
            raise FieldError(f"{self.title} cannot be edited: the action remembers it by itself.")
        if kind_of(self.value) == OTHER:
            raise FieldError(f"{self.title} cannot be edited: it is {text_of(self.value)}.")
        if is_too_large(self.value):
            raise FieldError(
                f"{self.title} cannot be edited: a page keeps whole numbers exactly up to "
                f"{LARGEST_WHOLE}."
            )

    def _put(self, value: object) -> None:
        if isinstance(self.owner, Mapping):
            self.owner[self.key] = value  # type: ignore[index]  # an immutable one raises an error
        else:
            setattr(self.owner, self.key, value)

    def _now(self) -> object:
        return (
            self.owner[self.key]
            if isinstance(self.owner, Mapping)
            else getattr(self.owner, self.key)
        )


def find_field(machine: Fsm[Any], path: Sequence[str], names: Mapping[Fsm[Any], str]) -> Field:
    """Return the field at a path, such as the page was sent; `names` are those of the machines.

    It is in the context of `machine`, ("context", name, ...), or in an action of `machine` or of
    one nested in it, ("action", machine, state, place, name). Raises FieldError.
    """
    match tuple(path):
        case ("context", *inside):
            return _find_in_context(machine, inside)
        case ("action", owner, state, place, name):
            for inner in machines_of(machine):
                if names.get(inner) == owner:
                    return _find_parameter(find_action(inner, state, place), name)
            raise FieldError(f"{machine.name!r} has no machine {owner!r}.")
    raise FieldError(f"There is no field {text_of(tuple(path))}: {_PATHS}.")


def _find_in_context(machine: Fsm[Any], path: Sequence[str]) -> Field:
    if not 1 <= len(path) <= DEPTH:
        raise FieldError(f"A path must have 1 to {DEPTH} names, got {len(path)}.")
    owner: Any = machine.context
    for index, name in enumerate(path, start=1):
        key, value = _entry(owner, name)
        if index == len(path):
            return Field(".".join(path), owner, key, value)
        owner = value
    raise AssertionError


def _find_parameter(action: FsmAction[Any], name: str) -> Field:
    title = f"{type(action).__name__}.{name}"
    kind: type = type(action)
    if attrs.has(kind):
        given = parameters(action)
        for attribute in attrs.fields(kind):
            if name in given and name == (attribute.alias or attribute.name):
                return Field(title, action, attribute.name, given[name])
    remembered = remembered_by(action)
    if name in remembered:
        return Field(title, action, name, remembered[name], is_fixed=True)
    raise FieldError(f"{type(action).__name__} shows no {text_of(name)}.")


def find_action(machine: Fsm[Any], state: str, place: str) -> FsmAction[Any]:
    """Return the action at a place such as "0/1", the second child of the first action.

    Raises FieldError.
    """
    found: FsmAction[Any] | None = None
    actions = machine.states[state].actions if state in machine.states else ()
    for part in place.split("/"):
        index = int(part) if part.isascii() and part.isdecimal() and len(part) < 6 else -1
        if not 0 <= index < len(actions):
            raise FieldError(f"{text_of(state)} has no action at {text_of(place)}.")
        found = actions[index]
        actions = tuple(found.children)
    assert found is not None  # a text has at least one part
    return found


def inside(owner: object) -> Mapping[Any, object]:
    """Return the public fields of an object in the context; none of what is shown otherwise."""
    return public_fields(owner) if row_kind(owner) == HOLDER else {}


def named_fields(owner: object) -> dict[str, object]:
    """Return name -> value of its first public fields."""
    return {name_of(key): value for key, value in islice(inside(owner).items(), LARGEST)}


def row_kind(value: object) -> str:
    """Return the kind of a field of the context; `HOLDER` for an object that has fields in turn."""
    kind = kind_of(value)
    is_shown_otherwise = issubclass(type(value), (*PLAIN, *CONTAINERS, *_ELSEWHERE))
    if kind != OTHER or callable(value) or (is_shown_otherwise and not isinstance(value, dict)):
        return kind
    return HOLDER


def kinds_of(values: Mapping[str, object]) -> dict[str, str]:
    """Return name -> kind of the values that the page can plot, edit or open."""
    kinds = {name: row_kind(value) for name, value in values.items()}
    return {name: kind for name, kind in kinds.items() if kind != OTHER}


def _entry(owner: object, name: str) -> tuple[Any, object]:
    shown = islice(inside(owner).items(), LARGEST)  # of a mapping there may be no end
    found = [(key, value) for key, value in shown if name_of(key) == name]
    if len(found) != 1:
        many = "more than one" if found else "no"
        raise FieldError(f"{type(owner).__name__} has {many} public field {text_of(name)}.")
    return found[0]


def _try_out(owner: object, name: str, value: object) -> None:
    """Raise what the class of an action raises when it is made with such a parameter.

    Most check their parameters together, once all are there. It is tried on a copy, which is
    dropped; but not of an action with children: they are the original's.
    """
    check = getattr(type(owner), "__attrs_post_init__", None)
    if not isinstance(owner, FsmAction) or check is None or owner.children or owner.machines:
        return
    copy: Any = object.__new__(type(owner))
    vars(copy).update(vars(owner))
    setattr(copy, name, value)
    check(copy)


def _cause(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
