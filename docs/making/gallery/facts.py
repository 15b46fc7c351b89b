"""What the code of an action says of it: its parameters, when it finishes, its events."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from attrs import frozen
from making.gallery.run import machines_in

import actions
from fsmkit import Fsm, FsmAction
from fsmkit.core.words.parameters import parameters as parameters_of
from fsmkit.introspection import walk
from fsmkit.introspection.action_facts import (
    alternatives,
    docstring,
    is_number,
    meaning,
    purpose,
    unit,
)

FINISHES: Final = {
    "at once": "on enter",
    "in time": "after some time",
    "never": "never by itself",
    None: "when what it waits for has happened",
}
INSIDE: Final = "depending on what it runs"


@frozen
class Parameter:
    """A parameter of an action, in words."""

    name: str
    kind: str
    """With its unit and its default."""
    meaning: str


@frozen
class Ending:
    """When an action finishes, with the parameters that decide it."""

    usually: str
    otherwise: Mapping[str, str]
    """Parameter and value -> when it finishes then."""


def parameters(kind: type) -> Iterator[Parameter]:
    """Yield the parameters of an action, in the order of its signature."""
    if issubclass(kind, Enum) or not inspect.isfunction(kind.__init__):
        return
    sentences = docstring(kind)
    for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        many = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        is_optional = parameter.default is not parameter.empty
        by_default = f"; by default {_shown(parameter.default)}" if is_optional else ""
        annotation = str(parameter.annotation)
        measure = unit(parameter.name, kind) if is_number(annotation) else None
        in_units = f", {'' if measure.startswith('per') else 'in '}{measure}" if measure else ""
        told = meaning(parameter.name, sentences)
        yield Parameter(
            f"{many}{parameter.name}",
            kind_in_words(annotation) + in_units + by_default,
            "" if told == purpose(kind) else told,
        )


def kind_in_words(annotation: str) -> str:
    """Return what a parameter may be, in words.

    `Param[float] | None` is a float, a function that returns one, or None.
    """
    whole = re.sub(r"(\[ContextT\]|(?<=Fsm|ion|ate)\[Any\])", "", annotation)
    words = [each for part in alternatives(whole) for each in _alternatives(part)]
    return " or ".join(dict.fromkeys(words))


def shown_action(name: str, fsm: Fsm[Any]) -> FsmAction[Any] | None:
    """Return the action of a class that a machine has; none for what is no action."""
    kind = getattr(actions, name)
    if not (isinstance(kind, type) and issubclass(kind, FsmAction)):
        return None
    return next(
        action
        for machine in machines_in(fsm)
        for state in machine.states.values()
        for action in walk.actions(state, "enabled")
        if isinstance(action, kind)
    )


def ending(action: FsmAction[Any], kind: type) -> Ending:
    """Return when an action finishes by default, and what each of its parameters changes."""
    optional = {
        parameter.name: parameter.default
        for parameter in inspect.signature(kind.__init__).parameters.values()
        if parameter.default is not parameter.empty
    }
    given = parameters_of(action)
    usual = rebuilt(action) or action
    for name in given:
        if name in optional:  # and may be left out
            usual = rebuilt(usual, **{name: optional[name]}) or usual
    choices = [(name, value) for name, value in given.items() if not callable(value)]
    for parameter in inspect.signature(kind.__init__).parameters.values():
        if "bool" in str(parameter.annotation):
            choices.append((parameter.name, parameter.default is not True))
        elif isinstance(parameter.default, Enum):
            choices += [(parameter.name, member) for member in type(parameter.default)]
    otherwise = {}
    for name, value in choices:
        other = rebuilt(usual, **{name: value}) if name in optional else None
        if other is not None and _finishes(other) != _finishes(usual):
            shown = value if isinstance(value, Enum) else repr(value)
            otherwise[f"{name}={shown}"] = _finishes(other)
    return Ending(_finishes(usual), otherwise)


def _finishes(action: FsmAction[Any]) -> str:
    runs_others = action.machines or (action.children and action.finishes != "never")
    return INSIDE if runs_others else FINISHES[action.finishes]


SAYS_WHEN: Final = re.compile(
    r"^Finishes|\b(it|this|action|race) (never )?finishes|never finishes"
    r"|it does not finish|A duration of zero|, finish when"
)


def said_of_finishing(kind: type, known: Iterable[str] = ()) -> list[str]:
    """Return what the docstring says about it, without the first line and what is `known`."""
    begun = tuple(f"With `{each.partition('=')[0]}" for each in known)
    sentences = docstring(kind)
    first = purpose(kind)
    return [
        each
        for each in sentences
        if SAYS_WHEN.search(each)
        and each != first
        and not each.startswith(("`", "Raises", "Then ", "If not", *begun))
    ]


def sends(action: FsmAction[Any], kind: type) -> list[str]:
    """Return the parameters whose events it sends."""
    found = list(_that_name(action, action.sends))
    for name in _optional_events(kind):
        if name != "finish_event" and name not in found:
            probe = rebuilt(action, **{name: "PROBE"})
            if probe is not None and "PROBE" in probe.sends:
                found.append(name)
    return found


def takes(action: FsmAction[Any]) -> list[str]:
    """Return the parameters whose events it takes."""
    return list(_that_name(action, action.takes))


def _that_name(action: FsmAction[Any], events: Iterable[str]) -> Iterator[str]:
    """Yield the parameters that hold one of the events, as a value or within."""
    wanted = set(events)
    for name, value in parameters_of(action).items():
        parts: Iterable[Any] = ()
        if isinstance(value, str):
            parts = (value,)
        elif isinstance(value, Mapping):
            parts = (*value, *value.values())
        elif isinstance(value, list | tuple):
            parts = value
        if wanted & {part for part in parts if isinstance(part, str)}:
            yield name


def _optional_events(kind: type) -> list[str]:
    """The parameters that may name an event."""
    return [
        parameter.name
        for parameter in inspect.signature(kind.__init__).parameters.values()
        if parameter.annotation == "str | None"
    ]


def rebuilt(action: FsmAction[Any], **changes: object) -> FsmAction[Any] | None:
    """Return an action of the same class with these parameters changed; None if it cannot be."""
    given = {**parameters_of(action), **changes}
    many: Iterable[Any] = ()
    for parameter in inspect.signature(type(action).__init__).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            many = given.pop(parameter.name, ())  # type: ignore[assignment]
    given = {name: _free(value) for name, value in given.items()}
    try:
        return type(action)(*map(_free, many), **given)
    except (TypeError, ValueError):
        return None  # they do not go together


def _free(value: Any) -> Any:
    """An action that belongs to none, in place of one that does."""
    return rebuilt(value) if isinstance(value, FsmAction) else value


def _shown(default: object) -> str:
    if isinstance(default, Enum):
        return f"`{default}`"
    if callable(default):
        return f"`{getattr(default, '__name__', default)}`"
    return f"`{default!r}`"


def _alternatives(part: str) -> list[str]:
    if part == "Param[Any]":
        return ["anything"]
    if part.startswith("Param["):
        inner = [each for one in alternatives(part[6:-1]) for each in _alternatives(one)]
        return [*(each for each in inner if each != "`None`"), "a function", *(
            each for each in inner if each == "`None`"
        )]  # fmt: skip
    if part.startswith(("Callable", "TakesNothing")) or part in FUNCTIONS:
        return [FUNCTIONS.get(part, "a function")]
    return ["anything"] if part == "Any" else [f"`{part}`"]


FUNCTIONS: Final = {
    "Function": "a function",
    "Handler": "a function",
    "Listener": "a function",
    "Message": "`str` or a function",
    "Mapping[str, Handler]": "a mapping of events to functions",
}
