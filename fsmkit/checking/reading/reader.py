"""CodeReader: walks through code and notes what it sends.

Each instruction is visited with what is known when it is reached. Where branches meet, what they
agree on remains known. So everything noted as sent may be sent, as far as the code shows, and what
every branch does is done for certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any, Final, Literal, TypeAlias, cast

from attrs import evolve, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, StateGroup
from fsmkit.checking.reading import objects
from fsmkit.checking.reading.code_state import CodeState, Deed, Keywords, Outcome
from fsmkit.checking.reading.frame import RUNS_LATER, CodeWalk
from fsmkit.checking.reading.instructions import stored_names
from fsmkit.checking.reading.known_answers import answer_of
from fsmkit.checking.reading.known_values import (
    REST,
    UNKNOWN,
    CodeValue,
    KnownObjects,
    Made,
    known,
    merged,
    objects_of,
)


def bound(
    function: FunctionType, arguments: Sequence[CodeValue], keywords: Keywords
) -> dict[str, CodeValue]:
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    names: dict[str, CodeValue] = dict(
        zip(positional[len(positional) - len(defaults) :], map(known, defaults), strict=True)
    )
    names |= {name: known(value) for name, value in (function.__kwdefaults__ or {}).items()}
    names |= in_place(positional, arguments)
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names | {name: value for name, value in keywords.items() if name in parameters}


def in_place(names: Sequence[str], arguments: Sequence[CodeValue]) -> dict[str, CodeValue]:
    if arguments[-1:] != [REST]:
        return dict(zip(names, arguments, strict=False))
    given = dict.fromkeys(names, cast("CodeValue", UNKNOWN))  # any of them may be given
    return given | dict(zip(names, arguments[:-1], strict=False))


def shared_by(function: FunctionType) -> dict[str, CodeValue]:
    stored = stored_names(function.__code__)
    variables = objects.closure_of(function).items()
    return {n: known(value) for n, value in variables if value is not None and n not in stored}


MOST_INSTRUCTIONS: Final = 20_000
"""How many instructions are visited for one callback."""
MOST_CALLS: Final = 12
"""How many calls deep a callback is followed."""

How: TypeAlias = Literal["now", "offered", "after", "posted"]

SENDING: Final[Mapping[str, tuple[How, tuple[str, ...]]]] = {
    "send_event": ("now", ("event", "data")),
    "send_in_time": ("now", ("event", "data", "unused")),
    "_send_outward_": ("now", ("event", "data")),
    "broadcast": ("now", ("event", "data")),
    "offer_event": ("offered", ("event", "data")),
    "send_event_after": ("after", ("delay", "event", "data")),
    "post_event": ("posted", ("event", "data")),
}
"""The methods that send an event: how, and what they take."""


RUNNING: Final = ("eval", "exec", "next", "__import__", "send", "throw")
"""Built-in functions and methods that run Python code."""

DECIDING: Final = ("start", "stop", "finish", "fail")
"""The methods that change the state of a machine without an event that they name."""


@frozen
class Sent:
    event: str | None
    """None: one that cannot be read."""
    receiver: Fsm[Any] | FsmGroup
    how: How
    delay: float | None = None
    """The delay of `send_event_after`, if it is a constant."""
    is_kept: bool = False
    """Whether it may be delivered in another state: `keep` is given."""
    is_later: bool = False
    """True in code that is passed on, to run at any time."""
    before: frozenset[Deed] = frozenset()
    """What the callback may have done before."""
    code: CodeType | None = None
    """The code that sends it; None for a method that was passed on together with its event."""


class CodeReader:
    def __init__(self) -> None:
        self._sent: dict[object, Sent] = {}
        self._left = MOST_INSTRUCTIONS
        self._under_way: list[CodeType | None] = []
        self._handed_on: set[object] = set()
        self.is_complete = True
        """False as soon as something was called that could not be read."""
        self.reached: set[int] = set()
        """The functions that were called, by `id`."""

    @property
    def sent(self) -> tuple[Sent, ...]:
        return tuple(self._sent.values())

    def read(self, function: object, *arguments: CodeValue) -> Outcome:
        return self.call(known(function), list(arguments), {}, CodeState())

    def visits(self) -> bool:
        self._left -= 1
        if self._left < 0:
            self.is_complete = False
        return self._left >= 0

    def assume(self, code: CodeType) -> None:
        """Assume that a value is still the same, where a branch is chosen by it.

        A parameter of the action itself may be set before it runs: then nothing is certain.
        """
        if not objects.is_file_of_library(code.co_filename):
            self.is_complete = False

    # Calls

    def call(
        self, target: CodeValue, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome:
        if isinstance(target, Made):
            names = in_place(target.code.co_varnames[: target.code.co_argcount], arguments)
            walk = CodeWalk(self, target.code, names, target.variables, target.globals)
            return self._follow(walk, state)
        if not isinstance(target, KnownObjects):
            return self._unread(arguments, keywords, state)
        outcomes = [
            self._call_object(one, arguments, keywords, state.copy()) for one in target.objects
        ]
        first, *others = outcomes
        for other in others:
            first = Outcome(
                merged(first.value, other.value),
                first.done & other.done,
                first.maybe | other.maybe,
            )
        return first

    def _call_object(
        self, target: object, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome:
        match target:
            case MethodType() if _is_of_core(target.__func__):
                return self._call_core(target, arguments, keywords, state)
            case MethodType():
                function, given = target.__func__, [known(target.__self__)]
            case partial():
                function, given = target.func, [known(each) for each in target.args]
                keywords = {**{k: known(v) for k, v in target.keywords.items()}, **keywords}
            case FunctionType():
                self.reached.add(id(target))
                if not objects.is_readable(target):
                    return self._harmless(arguments, keywords, state)
                names, shared = bound(target, arguments, keywords), shared_by(target)
                walk = CodeWalk(self, target.__code__, names, shared, target.__globals__)
                return self._follow(walk, state)
            case BuiltinFunctionType() | type():
                return self._call_builtin(target, arguments, keywords, state)
            case _:
                call = getattr(type(target), "__call__", None)  # noqa: B004  # the function is wanted
                if not isinstance(call, FunctionType):
                    return self._unread(arguments, keywords, state)
                function, given = call, [known(target)]
        self.reached.add(id(target))
        arguments = [*given, *arguments]
        self._under_way.append(None)  # no code of users sends what it sends
        try:
            return self.call(known(function), arguments, keywords, state)
        finally:
            self._under_way.pop()

    def _call_core(
        self, method: MethodType, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome:
        owner, name = method.__self__, method.__func__.__name__
        receiver = _receiver(owner)
        if name in SENDING and receiver is not None:
            how, names = SENDING[name]
            given = dict(zip(names, arguments, strict=False)) | dict(keywords)
            self._note_sent(how, receiver, given, state)
        elif name in DECIDING:
            state.note((name, id(owner), None))
        return self._harmless(arguments, keywords, state)

    def _call_builtin(
        self, target: Any, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome:
        if (
            target in (isinstance, callable)
            and (answer := answer_of(target, arguments)) is not None
        ):
            return Outcome(known(answer), state.done, state.maybe)
        owner = getattr(target, "__self__", None)
        if isinstance(owner, dict) and target.__name__ == "get":
            value = objects.members_of(known(owner))
            return Outcome(value, state.done, state.maybe)
        is_harmless = not isinstance(target, type) or target.__module__ == "builtins"
        is_harmless = is_harmless and target.__name__ not in RUNNING
        return (self._harmless if is_harmless else self._unread)(arguments, keywords, state)

    def _unread(self, arguments: list[CodeValue], keywords: Keywords, state: CodeState) -> Outcome:
        """Return the outcome of a call that may do anything, unless the library makes it."""
        code = self._under_way[-1] if self._under_way else None
        if code is None or not objects.is_file_of_library(code.co_filename):
            self.is_complete = False
            state.doubt()
        return self._harmless(arguments, keywords, state)

    def _harmless(
        self, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome:
        """Return the outcome of a call that sends nothing, unless it calls what it is given."""
        for value in (*arguments, *keywords.values()):
            self.hand_on(value)
        return Outcome(UNKNOWN, state.done, state.maybe)

    def hand_on(self, value: CodeValue) -> None:
        """Read functions that are passed on, to be called at some other time."""
        for one in (value,) if isinstance(value, Made) else objects_of(value):
            is_function = isinstance(one, (Made, *objects.FUNCTIONS))
            if is_function and _key(one) not in self._handed_on:
                self._handed_on.add(_key(one))
                target = one if isinstance(one, Made) else known(one)
                end = self.call(target, [REST], {}, CodeState(is_later=True))
                if end.maybe:  # perhaps it is called at once
                    self.is_complete = False

    # What is sent

    def _note_sent(
        self,
        how: How,
        receiver: Fsm[Any] | FsmGroup,
        given: Mapping[str, CodeValue],
        state: CodeState,
    ) -> None:
        events = [one for one in objects_of(given.get("event", UNKNOWN)) if isinstance(one, str)]
        delays = objects_of(given.get("delay", UNKNOWN))
        delay = delays[0] if len(delays) == 1 and isinstance(delays[0], (int, float)) else None
        keep = objects_of(given.get("keep", known(False)))
        is_kept = keep != (False,)
        code = self._under_way[-1] if self._under_way else None
        for event in dict.fromkeys(map(str_of, events)) or (None,):
            sent = Sent(event, receiver, how, delay, is_kept, state.is_later, state.maybe, code)
            self._add(sent)
        for event in events:
            state.maybe |= {("sent", receiver, str_of(event))}
        if not events:
            state.maybe |= {("sent", receiver, None)}
        elif len(events) == 1 and how == "now":
            state.note(("sent", receiver, str_of(events[0])))

    def _add(self, sent: Sent) -> None:
        key = evolve(sent, before=frozenset())
        known_before = self._sent.get(key)
        before = sent.before | (known_before.before if known_before else frozenset())
        self._sent[key] = evolve(sent, before=before)

    # Functions

    def _follow(self, walk: CodeWalk, state: CodeState) -> Outcome:
        code = walk.code
        if len(self._under_way) >= MOST_CALLS or code in self._under_way:
            return self._unread([], {}, state)
        self._under_way.append(code)
        try:
            end = walk.follow(state)
        finally:
            self._under_way.pop()
        if code.co_flags & RUNS_LATER:
            return Outcome(UNKNOWN, state.done, state.maybe | end.maybe)
        return end

    def read_attribute(self, owner: CodeValue, name: str, state: CodeState) -> CodeValue:
        """Return what an attribute of a value is; those of properties are read."""
        value: CodeValue | None = None
        for one in objects_of(owner):
            found = objects.attribute(one, name)
            if isinstance(found, FunctionType):
                found = self.call(known(found), [known(one)], {}, state).value
            value = found if value is None else merged(value, found)
        return UNKNOWN if value is None else value


def str_of(event: str) -> str:
    """Return the plain text of an event, which may be the member of an Enum."""
    return str.__str__(event)


def _is_of_core(function: object) -> bool:
    return str(getattr(function, "__module__", "")).startswith("fsmkit.core")


def _receiver(owner: object) -> Fsm[Any] | FsmGroup | None:
    match owner:
        case Fsm() | FsmGroup():
            return owner
        case FsmState() | StateGroup() | FsmAction():
            return owner.fsm
    return None


def _key(function: object) -> object:
    """Return the identity of a function; bound methods are created at each access."""
    if isinstance(function, MethodType):
        return (id(function.__self__), id(function.__func__))
    return id(function.code) if isinstance(function, Made) else id(function)
