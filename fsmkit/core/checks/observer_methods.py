"""The methods of an observer, and the check that none of them is misspelt.

A misspelt method would never be called, and one with other arguments would fail at the first
report. A base class is checked where a subclass is written, any other object where it is attached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from fsmkit.core.checks.subclasses import is_slip

if TYPE_CHECKING:
    from inspect import Signature

HOOKS: Final[Mapping[str, tuple[str, ...]]] = {
    "state_entered": ("fsm", "state", "event"),
    "state_exited": ("fsm", "state"),
    "event_sent": ("fsm", "event", "data", "outcome"),
    "action_entered": ("action",),
    "action_finished": ("action",),
    "action_exited": ("action",),
    "update_begun": ("fsm", "dt"),
    "update_ended": ("fsm",),
    "error_raised": ("fsm", "error"),
    "state_suspended": ("fsm", "state"),
    "state_resumed": ("fsm", "state"),
    "restored": ("fsm", "time"),
    "replaced": ("fsm", "successor"),
    "intercept": ("fsm", "call", "arguments", "carry_out"),
    "instrument": ("callback",),
}
"""The methods of an observer, and their arguments."""

OTHER_FORMS: Final = {
    "entered": ("enter", "enters", "entering", "entry"),
    "exited": ("exit", "exits", "exiting", "left", "leave", "leaves", "leaving"),
    "suspended": ("suspend", "suspends", "suspending"),
    "resumed": ("resume", "resumes", "resuming"),
    "finished": ("finish", "finishes", "finishing"),
    "sent": ("send", "sends", "sending"),
    "begun": ("begin", "begins", "began", "beginning"),
    "ended": ("end", "ends", "ending"),
    "raised": ("raise", "raises", "raising"),
}
"""What a method might be called; `state_left` and `action_left` were so before 0.3."""


def _plain(name: str) -> str:
    return name.replace("_", "").casefold().removeprefix("on")


def _spellings() -> dict[str, str]:
    plain = {_plain(hook): hook for hook in HOOKS}
    for hook in HOOKS:
        subject, _, verb = hook.rpartition("_")
        if subject:
            plain |= {_plain(subject + form): hook for form in OTHER_FORMS[verb]}
            plain[_plain(verb + subject)] = hook
    return plain


SPELLINGS: Final = _spellings()

_checked: WeakKeyDictionary[type, None] = WeakKeyDictionary()
"""The classes of observers that have been found in order."""


def meant_method(name: str) -> str | None:
    """Return the method of an observer that `name` is a slip for; None if it is another name.

    >>> meant_method("state_exit"), meant_method("onStateEntered"), meant_method("evnet_sent")
    ('state_exited', 'state_entered', 'event_sent')
    >>> meant_method("state_entered"), meant_method("restore"), meant_method("states")
    (None, None, None)
    """
    if name in HOOKS or name.startswith("_"):
        return None
    plain = _plain(name)
    if plain in SPELLINGS:
        return SPELLINGS[plain]
    long = (spelling for spelling in SPELLINGS if "_" in SPELLINGS[spelling])
    return next((SPELLINGS[each] for each in long if is_slip(plain, each)), None)


def check_methods(kind: type, names: Iterable[str], *, has: Callable[[str], bool]) -> None:
    """Raise TypeError for methods of `kind` that are misspelt or take other arguments.

    A name is no slip if the method that it is similar to is there too: `has`.
    """
    from inspect import getattr_static  # here: most programs have no observer, and it takes 4 ms

    for name in names:
        value = getattr(kind, name, None)
        if not callable(value) or isinstance(value, type):
            continue
        if name in HOOKS:
            is_bound = isinstance(getattr_static(kind, name), staticmethod | classmethod)
            check_arguments(f"{kind.__name__}.{name}", name, value, is_bound=is_bound)
        elif (meant := meant_method(name)) is not None and not has(meant):
            raise TypeError(
                f"{kind.__name__}.{name}: a method of an observer must be spelt as fsmkit calls "
                f"it: did you mean {meant}({', '.join(HOOKS[meant])})? If this is a method of your "
                "own, give it another name."
            )


def check_observer(observer: object) -> None:
    """Raise TypeError if a method of `observer` is misspelt or takes other arguments."""
    kind = type(observer)
    if kind not in _checked:
        ours = [each for each in kind.__mro__ if each is not object]
        names = dict.fromkeys(name for each in ours for name in vars(each))
        check_methods(kind, names, has=lambda name: callable(getattr(observer, name, None)))
        _checked[kind] = None
    own = getattr(observer, "__dict__", {})
    for name in HOOKS.keys() & own.keys():
        if callable(own[name]):
            check_arguments(f"{name} of {observer!r}", name, own[name], is_bound=True)


def check_arguments(where: str, name: str, method: Any, *, is_bound: bool) -> None:
    """Raise TypeError unless `method` can be called as the core does."""
    from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction, signature

    if iscoroutinefunction(method) or isgeneratorfunction(method) or isasyncgenfunction(method):
        raise TypeError(
            f"{where} must be a plain method, got an async one or a generator, which would never "
            "run: calling it only makes the object."
        )
    try:
        taken = signature(method)
    except (TypeError, ValueError):  # written in C
        return
    wanted = (*([] if is_bound else ["self"]), *HOOKS[name])
    try:
        taken.bind(*wanted)
    except TypeError:
        raise TypeError(
            f"{where} must be callable as {name}({', '.join(wanted)}), got {name}({_shown(taken)})."
        ) from None


def _shown(taken: Signature) -> str:
    from inspect import Parameter

    parameters = (each.replace(annotation=Parameter.empty) for each in taken.parameters.values())
    return ", ".join(map(str, parameters))
