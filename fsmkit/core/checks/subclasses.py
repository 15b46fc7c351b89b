"""Checks of subclasses of FsmAction, where the class is written.

A misspelt callback would never be called, and one with the wrong arguments would fail only when its
state is entered. `check_own_action` looks at the body of a new class, not at inherited members;
`check_own_values` at the values of an instance, when it is added to a state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from numbers import Real
from types import FunctionType, MemberDescriptorType
from typing import Any, Final

from fsmkit.core.checks.functions import (
    ASYNC_GENERATOR,
    COROUTINE,
    GENERATOR,
    ITERABLE_COROUTINE,
    VARARGS,
)

CALLBACKS: Final = {
    "on_enter": (), "on_update": (), "on_exit": (), "on_event": ("event", "data"),
    "on_suspend": (), "on_resume": (),
}  # fmt: skip
"""The methods a subclass may override, with the arguments after `self`."""

PLAIN_SPELLINGS: Final = {name.replace("_", ""): name for name in CALLBACKS}
OTHER_WORDS: Final = {"oncenter", "onexist", "onpresume"}
"""Words that are not slips, though one letter off the name of a callback."""

TAKEN_NAMES: Final = {
    "state": "it is the state that the action belongs to",
    "fsm": "it is the machine that the action belongs to",
    "context": "it is the context of the machine",
    "finished": "it tells whether finish() or fail() has been called in this visit",
    "failed": "it tells whether fail() has been called in this visit",
    "delta_time": "it is the seconds that the current update stands for",
    "enabled": "it tells whether the action takes part; set self.enabled where that is decided",
    "sends": "it declares the events that the action may send, in the body of its class",
    "machines": "it declares the nested machines that the action runs, as a property of its class",
    "children": "it declares the actions that this one runs, as a property of its class",
    "finishes": "it declares when the action finishes by itself, in the body of its class",
    "nested": "it is what the action uses to run other actions and machines",
}
"""The attributes of an action that belong to fsmkit, and what they are."""

FINISHES: Final = ("at once", "in time", "never", None)

VALUES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "background": (lambda value: isinstance(value, bool), "True or False"),
    "finish_event": (lambda value: isinstance(value, str | None), "the name of an event, or None"),
    "finishes": (lambda value: value in FINISHES, "one of 'at once', 'in time', 'never', None"),
    "next_due": (
        lambda value: isinstance(value, Real) and not isinstance(value, bool),
        "a number of seconds",
    ),
    "waits_for": (lambda value: isinstance(value, str), "words"),
}
"""Values declared by a property or in the body of a class: a test, and what they must be."""

MEANINGS: Final = {"background": ": whether the state may be finished without this action"}

SEQUENCES: Final = {
    "sends": "events", "takes": "events", "machines": "machines", "children": "actions",
}  # fmt: skip
"""Sequences declared by a property or in the body of a class, and their elements."""

OWN_VALUES: Final = {"next_due", "sends", "takes", "waits_for"}
"""Declarations that an action may override for itself."""

DECLARATIONS: Final = {*VALUES, *SEQUENCES}
MACHINERY: Final = (
    "state",
    "fsm",
    "context",
    "finished",
    "failed",
    "delta_time",
    "enabled",
    "nested",
)
PLAIN_SETATTR: Final[object] = object.__setattr__
FIELD_PACKAGES: Final = {"attr", "attrs", "dataclasses"}


def check_own_action(kind: type) -> None:
    """Raise TypeError for mistakes in the body of `kind`, a new class of actions."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if name in CALLBACKS:
            _check_callback(kind, name, value)
        elif name in MACHINERY:
            _check_machinery(kind, name, value)
        elif name in DECLARATIONS:
            check_declaration(kind, name, value)
        elif isinstance(value, FunctionType | staticmethod | classmethod):
            _check_spelling(kind, name)


def check_own_values(action: Any) -> None:
    """Raise TypeError for invalid declarations of an action itself.

    Properties of its class are checked there. (Reading `vars(action)` would make Python build that
    dict, and attributes two to three times as slow from then on.)
    """
    kind = type(action)
    if kind.__setattr__ is not PLAIN_SETATTR:
        _refuse_frozen(action)
    is_usual = kind.background is False is action.background
    if not (is_usual and kind.finish_event is None is action.finish_event):
        _check_values(action, ("background", "finish_event"))
    if kind._fsmkit_declares:
        _check_values(action, OWN_VALUES)


def _check_values(action: Any, names: Collection[str]) -> None:
    """Check declarations, except those that the class computes by a property."""
    kind = type(action)
    for name in names:
        declared = getattr(kind, name)
        if _is_value(declared):
            check_declaration(kind, name, getattr(action, name, declared))


def refuse_own_callbacks(action: object) -> None:
    """Raise TypeError for a callback that is set on an action: only those of classes are called."""
    for name in CALLBACKS.keys() & vars(action).keys():
        raise TypeError(
            f"{type(action).__name__}: {name} is set on the action, where it would never be "
            f"called. Override it in a class, or use DelegateAction({name}=...)."
        )


def declares_values(kind: type) -> bool:
    """Whether the body of a class has values instead of the properties that tools read."""
    return any(map(_is_value, map(vars(kind).get, OWN_VALUES & vars(kind).keys())))


def _is_value(declared: object) -> bool:
    """Whether a declaration is a value, of the class or in a slot, and not computed."""
    return isinstance(declared, MemberDescriptorType) or not hasattr(type(declared), "__get__")


def _refuse_frozen(action: Any) -> None:
    """Raise TypeError for an action that cannot store its bookkeeping."""
    kind: Any = type(action)
    try:
        kind.__setattr__(action, "_fsmkit_finished", False)
    except AttributeError:
        raise TypeError(
            f"{type(action).__name__}: an action must not be frozen, as it keeps its bookkeeping "
            "in itself. Leave out frozen=True."
        ) from None


def check_declaration(kind: type, name: str, value: object) -> None:
    """Raise TypeError for an invalid declaration of an action of this class."""
    if _is_declared_elsewhere(kind, name, value):
        return
    if name in SEQUENCES:
        _check_sequence(kind, name, value)
        return
    is_valid, wanted = VALUES[name]
    if not is_valid(value):
        meaning = MEANINGS.get(name, "")
        raise TypeError(f"{kind.__name__}.{name} must be {wanted}, got {value!r}{meaning}.")


def refuse_assignments(kind: type) -> None:
    """Make assigning to a reserved name raise an error that says what it is for."""
    for name in TAKEN_NAMES:
        if isinstance(existing := vars(kind).get(name), property) and existing.fset is None:
            setattr(kind, name, existing.setter(_refusing(name)))


def cannot_be_set(action: object, name: str) -> AttributeError:
    return AttributeError(
        f"The {name} of a {type(action).__name__} cannot be set: {TAKEN_NAMES[name]}. "
        "Give your own attribute another name."
    )


def _refusing(name: str) -> Any:
    def refuse(action: Any, value: object) -> None:  # noqa: ARG001  # nothing fits
        raise cannot_be_set(action, name)

    return refuse


def _check_spelling(kind: type, name: str) -> None:
    meant = meant_callback(name)
    if meant is None or meant in vars(kind) or any(hasattr(base, name) for base in kind.__bases__):
        return
    raise TypeError(
        f"{kind.__name__}.{name}: a callback must be spelt as fsmkit calls it: did you mean "
        f"{meant}? If this is a method of your own, give it another name."
    )


def meant_callback(name: str) -> str | None:
    """Return the callback that `name` is a slip for; None if it is a different name.

    Slips are different cases and underscores, one letter too many or too few, two letters swapped,
    and `on_entry`. A changed letter makes another word (`on_edit`), as does the past tense
    (`on_updated`).

    >>> meant_callback("OnEnter"), meant_callback("on_entr"), meant_callback("on_updated")
    ('on_enter', 'on_enter', None)
    """
    plain = name.replace("_", "").casefold()
    if plain[:2] != "on" or plain.endswith("ed") or plain in OTHER_WORDS:
        return None
    if plain == "onentry":
        return "on_enter"
    return next((PLAIN_SPELLINGS[each] for each in PLAIN_SPELLINGS if is_slip(plain, each)), None)


def is_slip(name: str, wanted: str) -> bool:
    """Whether `name` is `wanted` with one letter inserted or missing, or two swapped."""
    if name == wanted:
        return True
    if len(name) == len(wanted):
        return any(
            name == wanted[:i] + wanted[i + 1] + wanted[i] + wanted[i + 2 :]
            for i in range(len(wanted) - 1)
        )
    short, long = sorted((name, wanted), key=len)
    return any(short == long[:i] + long[i + 1 :] for i in range(len(long)))


def _check_callback(kind: type, name: str, value: object) -> None:
    where = f"{kind.__name__}.{name}"
    if not isinstance(value, FunctionType):
        if not callable(value) and not hasattr(type(value), "__get__"):
            raise TypeError(f"{where} must be a method, got {value!r}.")
        return
    flags = value.__code__.co_flags
    if flags & (COROUTINE | ASYNC_GENERATOR | ITERABLE_COROUTINE):
        effect = "would take every event" if name == "on_event" else "would never run"
        raise TypeError(
            f"{where} must be a plain method, got an async one, which {effect}: calling it only "
            "makes a coroutine. Use the action Await for work that is asynchronous."
        )
    if flags & GENERATOR:
        effect = "would take every event" if name == "on_event" else "would never run"
        raise TypeError(
            f"{where} must be a plain method, got a generator, which {effect}: calling it only "
            "makes the generator. Use the action Coroutine for step-by-step work."
        )
    _check_signature(where, name, value)


def _check_signature(where: str, name: str, function: FunctionType) -> None:
    code = function.__code__
    wanted = ("self", *CALLBACKS[name])
    most = code.co_argcount
    least = most - len(function.__defaults__ or ())
    keywords = code.co_varnames[most : most + code.co_kwonlyargcount]
    required = [each for each in keywords if each not in (function.__kwdefaults__ or {})]
    enough = most >= len(wanted) or code.co_flags & VARARGS
    if least <= len(wanted) and enough and not required:
        return
    given = [*code.co_varnames[:most], *(f"*, {each}" for each in required)]
    hint = " The state is self.state." if "state" in given else ""
    raise TypeError(
        f"{where} must be callable as {name}({', '.join(wanted)}), "
        f"got {name}({', '.join(given)}).{hint}"
    )


def _check_machinery(kind: type, name: str, value: object) -> None:
    """Only `context` and the like may be overridden, and only by a property."""
    is_method_or_slot = isinstance(value, FunctionType | MemberDescriptorType)
    is_computed = hasattr(type(value), "__get__") and not is_method_or_slot
    if (is_computed and name not in ("state", "fsm")) or (name == "enabled" and _is_field(value)):
        return
    raise TypeError(
        f"{kind.__name__}.{name}: the name must be left to fsmkit: {TAKEN_NAMES[name]}. "
        "Give your own attribute another name."
    )


def _check_sequence(kind: type, name: str, value: object) -> None:
    of = SEQUENCES[name]
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        hint = f" Write {name} = ({value!r},)." if isinstance(value, str) else ""
        raise TypeError(f"{kind.__name__}.{name} must be a sequence of {of}, got {value!r}.{hint}")
    for event in value if of == "events" else ():
        if not (isinstance(event, str) and event):
            raise TypeError(f"{kind.__name__}.{name} must be names of events, got {event!r} in it.")


def _is_declared_elsewhere(kind: type, name: str, value: object) -> bool:
    """Whether `value` is a property, a slot or a field; TypeError for a method."""
    if isinstance(value, FunctionType):
        raise TypeError(
            f"{kind.__name__}.{name} must be a property, got a method. Write @property above it."
        )
    return hasattr(type(value), "__get__") or _is_field(value)


def _is_field(value: object) -> bool:
    """Whether `value` stands for a field of attrs or dataclasses."""
    return type(value).__module__.partition(".")[0] in FIELD_PACKAGES
