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

SHARED: Final = {
    "finish_event": "The event that is sent when it finishes.",
    "easing": "The course over the time: see [easings](../easings.md).",
    "time": "The clock that it runs on, by default that of the machine.",
    "space": "`Space.SELF` is for the local position, rotation and scale.",
    "background": "Whether it does not hold the state's `FINISHED` back.",
}
"""What a parameter means wherever it occurs."""

UNITS: Final = (
    "units per second", "degrees per second", "per second", "seconds", "degrees", "units",
    "updates",
)  # fmt: skip
"""What a number may be in, the longer before the shorter."""

PLAIN: Final = ("times", "axis", "as loud", "levels", "an integer", "relative", "of them", "equal")
"""What says that a number is a mere number."""

FINISHES: Final = {
    "at once": "on enter",
    "in time": "later, for certain",
    "never": "never by itself",
    None: "when what it waits for has happened",
}
INSIDE: Final = "when what it runs allows it"


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


def docstring(kind: object) -> list[str]:
    """Return the sentences of a docstring, without its examples."""
    prose = (inspect.getdoc(kind) or "").partition("\n>>>")[0]
    paragraphs = re.split(r"\n\s*\n", prose)
    return [
        sentence
        for paragraph in paragraphs
        if not paragraph.startswith("- ")
        for sentence in re.split(r"(?:(?<=\.)|(?<=\.\)))\s+(?=[A-Z`])", " ".join(paragraph.split()))
        if sentence
    ]


def purpose(name: str) -> str:
    """Return the first line of the docstring, with a full stop."""
    line = (inspect.getdoc(getattr(actions, name)) or "").partition("\n")[0]
    return line if line.endswith(".") else f"{line}."


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
            "" if told == purpose(kind.__name__) else told,
        )


def kind_in_words(annotation: str) -> str:
    """Return what a parameter may be, in words.

    `Param[float] | None` is a float, a function that returns one, or None.
    """
    whole = re.sub(r"(\[ContextT\]|(?<=Fsm|ion|ate)\[Any\])", "", annotation)
    words = [each for part in _split(whole) for each in _alternatives(part)]
    return " or ".join(dict.fromkeys(words))


def meaning(name: str, sentences: list[str]) -> str:
    """Return the sentence that says what a parameter is, beginning with it if there is one."""
    if name in SHARED:
        return SHARED[name]
    told = [each for each in sentences if not each.startswith("Raises")]
    mentioned = [each for each in told if re.search(rf"`{name}[`=]", each)]
    first = [each for each in mentioned if each.startswith((f"`{name}`", f"`{name}="))]
    return (first or mentioned or [""])[0]


def unit(name: str, kind: type) -> str | None:
    """Return what a number is in, as the docstring says it; None if it does not say.

    Empty for a mere number.
    """
    for sentence in docstring(kind):
        mentions = list(re.finditer(rf"`{name}(=[^`]*)?`", sentence))
        for text in (sentence[mentions[-1].end() :], sentence) if mentions else ():
            found: dict[int, str] = {}
            for each in (*UNITS, *PLAIN):
                if each in text:
                    found.setdefault(text.index(each), each)
            if found:
                nearest = found[min(found)]
                return "" if nearest in PLAIN else nearest
    return None


def is_number(annotation: str) -> bool:
    """Whether a parameter is a number that must have a unit."""
    return bool(re.search(r"\b(float|int)\b", annotation)) and "Mapping" not in annotation


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
    first = purpose(kind.__name__)
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


def _split(annotation: str) -> list[str]:
    """The alternatives of an annotation: those that stand in no brackets."""
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _alternatives(part: str) -> list[str]:
    if part == "Param[Any]":
        return ["anything"]
    if part.startswith("Param["):
        inner = [each for one in _split(part[6:-1]) for each in _alternatives(one)]
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
