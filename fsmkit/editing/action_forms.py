"""ActionForm: what is filled in to add an action of the library: its parameters, with their kinds.

It is read from the annotations and the docstrings of the library.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.editing.holders import holder_of
from fsmkit.introspection.action_facts import (
    alternatives,
    docstring,
    is_number,
    meaning,
    purpose,
    takes_text,
    unit,
)
from fsmkit.introspection.action_groups import ACTION_GROUPS

FieldKind: TypeAlias = Literal["number", "text", "flag", "choice", "code"]
"""`code` is a literal or a name of the file."""

UNIT_SIGNS: Final = {
    "seconds": "s", "degrees": "°", "units per second": "units/s", "degrees per second": "°/s",
    "per second": "/s",
}  # fmt: skip
"""Units that are written shorter."""

BASES: Final = {"TimedAction", "Composite"}
"""What actions of one's own are derived from."""

CURVE: Final = 17
"""Points of the curve of an easing."""


@frozen
class FormField:
    """A parameter of an action."""

    name: str
    kind: FieldKind
    required: bool
    default: str
    """As it is written in code; empty if it is required."""
    unit: str | None
    choices: list[str]
    """As they are written in code, after the import of what they begin with."""
    curves: list[list[float]] | None
    """For easings: the shares of the way at equal steps of the time, beside `choices`."""
    help: str


@frozen
class ActionForm:
    name: str
    topic: str
    summary: str
    parameters: list[FormField]
    holds: bool
    """Whether it is written with a first action inside, and takes no arguments then."""


@cache
def action_forms() -> tuple[ActionForm, ...]:
    """Return the forms of the actions whose arguments can be written down, by topics."""
    actions = importlib.import_module("actions")  # the library imports us
    return tuple(
        ActionForm(name, topic, purpose(kind), [*_fields(kind)], _is_made_of_actions(kind))
        for topic, (_, names) in ACTION_GROUPS.items()
        for name in names
        if name not in BASES
        and _is_action(kind := getattr(actions, name))
        and (_is_made_of_actions(kind) or not _takes_many(kind))
    )


def _is_action(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, FsmAction)


def _is_made_of_actions(kind: type[FsmAction[Any]]) -> bool:
    holder = holder_of(kind)
    return holder is not None and not holder.needs_more


def _takes_many(kind: type) -> bool:
    parameters = inspect.signature(kind).parameters.values()
    return any(each.kind is each.VAR_POSITIONAL for each in parameters)


def _fields(kind: type) -> Iterator[FormField]:
    sentences = docstring(kind)
    for name, parameter in inspect.signature(kind).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        annotation = str(parameter.annotation)
        measure = unit(name, kind) if is_number(annotation) else None
        easings = _easings() if "Easing" in annotation else {}
        choices = choices_of(kind, name)
        is_required = parameter.default is parameter.empty
        yield FormField(
            name,
            "choice" if choices else _kind(annotation),
            is_required,
            "" if is_required else _written(parameter.default),
            (UNIT_SIGNS.get(measure, measure) or None) if measure else None,
            choices,
            [*easings.values()] or None,
            _plain(meaning(name, sentences)),
        )


def choices_of(kind: type, name: str) -> list[str]:
    """Return what a parameter of an action is chosen from, as it is written; empty if of all."""
    parameter = inspect.signature(kind).parameters[name]
    annotation = str(parameter.annotation)
    easings = _easings() if "Easing" in annotation else {}
    return [*easings, *_literals(annotation), *_members(parameter.default)]


def _kind(annotation: str) -> FieldKind:
    if annotation == "bool":
        return "flag"
    if takes_text(annotation):
        return "text"
    return "number" if is_number(annotation) else "code"


def module_of_choice(parameter: inspect.Parameter, choice: str) -> str | None:
    """Return what a choice is imported from: `actions` for `easing.linear`; None for no choice."""
    if "Easing" in str(parameter.annotation) and choice in _easings():
        return "actions"
    if choice in _members(parameter.default):
        kind = type(parameter.default)
        for home in ("actions", "fsmkit", "fsmkit.space"):
            if getattr(importlib.import_module(home), kind.__name__, None) is kind:
                return home
    return None


def _literals(annotation: str) -> Iterator[str]:
    for part in alternatives(annotation):
        if part.startswith("Literal["):
            yield from map(repr, ast.literal_eval(part.removeprefix("Literal")))


def _members(default: object) -> list[str]:
    if not isinstance(default, Enum):
        return []
    return [f"{type(default).__name__}.{name}" for name in type(default).__members__]


def easing_functions() -> dict[str, Callable[[float], float]]:
    """Return the easings of the library by name."""
    easing = importlib.import_module("actions.easing")
    return {
        name: function
        for name, function in vars(easing).items()
        if inspect.isfunction(function)
        and function.__module__ == easing.__name__
        and not name.startswith("_")
    }


@cache
def _easings() -> dict[str, list[float]]:
    """Return the easings of the library, as they are written, with their curves."""
    times = [step / (CURVE - 1) for step in range(CURVE)]
    return {
        f"easing.{name}": [round(function(time), 4) for time in times]
        for name, function in easing_functions().items()
    }


def _written(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    name = str(getattr(value, "__qualname__", None) or repr(value))
    return f"easing.{name}" if f"easing.{name}" in _easings() else name


def _plain(text: str) -> str:
    """Return a sentence of a docstring without its marks."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "")
