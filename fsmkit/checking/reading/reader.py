"""Reader: walks through code and notes what it sends.

Each instruction is visited with what is known when it is reached. Where ways meet, what they agree
on remains known. So everything noted as sent may be sent, as far as the code shows, and what every
way has passed is done for certain.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any, Final, Literal, TypeAlias

from attrs import evolve, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.checking.reading.answers import answer_of
from fsmkit.checking.reading.arguments import bound, closure_of, in_place
from fsmkit.checking.reading.moment import Fact, Moment, Outcome
from fsmkit.checking.reading.objects import (
    FUNCTIONS,
    attribute,
    is_file_of_library,
    is_readable,
    members_of,
)
from fsmkit.checking.reading.values import (
    REST,
    UNKNOWN,
    Known,
    Made,
    Value,
    known,
    merged,
    objects_of,
)
from fsmkit.checking.reading.walk import RUNS_LATER, Walk

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
"""What is not written in Python and runs code that is."""

DECIDING: Final = ("start", "stop", "finish")
"""The methods that lead a machine on without an event of the user's."""


@frozen
class Sent:
    """An event that code may send."""

    event: str | None
    """None: one that cannot be read."""
    receiver: Fsm[Any] | FsmGroup
    how: How
    delay: float | None = None
    """The delay of `send_event_after`, if it is a constant."""
    is_kept: bool = False
    """Whether it may be delivered in another state: `keep` is given."""
    is_later: bool = False
    """True in code that is handed on, to be run at any time."""
    before: frozenset[Fact] = frozenset()
    """What the callback may have done before."""
    code: CodeType | None = None
    """The code that sends it; None for a method that was handed over together with the event."""


class Reader:
    """Reads callbacks, and notes in `sent` what they may send, to whichever machine."""

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
        """What may be sent."""
        return tuple(self._sent.values())

    def read(self, function: object, *arguments: Value) -> Outcome:
        """Read a call of a function."""
        return self.call(known(function), list(arguments), {}, Moment(), is_later=False)

    def visits(self) -> bool:
        """Count one instruction; False if there were too many."""
        self._left -= 1
        if self._left < 0:
            self.is_complete = False
        return self._left >= 0

    def assume(self, code: CodeType) -> None:
        """Take it that a value is still what it is now, where code goes one way for that.

        What an own action was given may be set anew before it is run: then nothing is certain.
        """
        if not is_file_of_library(code.co_filename):
            self.is_complete = False

    # Calls

    def call(
        self,
        target: Value,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
        *,
        is_later: bool,
    ) -> Outcome:
        """Read a call at some moment."""
        if isinstance(target, Made):
            return self._enter_made(target, arguments, moment, is_later=is_later)
        if not isinstance(target, Known):
            return self._unread(arguments, keywords, moment)
        outcomes = [
            self._call_object(one, arguments, keywords, moment.copy(), is_later=is_later)
            for one in target.objects
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
        self,
        target: object,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
        *,
        is_later: bool,
    ) -> Outcome:
        match target:
            case MethodType() if _is_of_core(target.__func__):
                owner, name = target.__self__, target.__func__.__name__
                return self._call_core(owner, name, arguments, keywords, moment, is_later=is_later)
            case MethodType():
                function, given = target.__func__, [known(target.__self__)]
            case partial():
                function, given = target.func, [known(each) for each in target.args]
                keywords = {**{k: known(v) for k, v in target.keywords.items()}, **keywords}
            case FunctionType():
                self.reached.add(id(target))
                if not is_readable(target):
                    return self._harmless(arguments, keywords, moment)
                variables = bound(target, arguments, keywords)
                return self._enter(target, variables, moment, is_later=is_later)
            case BuiltinFunctionType() | type():
                return self._call_builtin(target, arguments, keywords, moment)
            case _:
                call = getattr(type(target), "__call__", None)  # noqa: B004  # the function is wanted
                if not isinstance(call, FunctionType):
                    return self._unread(arguments, keywords, moment)
                function, given = call, [known(target)]
        self.reached.add(id(target))
        arguments = [*given, *arguments]
        self._under_way.append(None)  # what it sends, nobody's code sends
        try:
            return self.call(known(function), arguments, keywords, moment, is_later=is_later)
        finally:
            self._under_way.pop()

    def _call_core(
        self,
        owner: object,
        name: str,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
        *,
        is_later: bool,
    ) -> Outcome:
        receiver = _receiver(owner)
        if name in SENDING and receiver is not None:
            how, names = SENDING[name]
            given = dict(zip(names, arguments, strict=False)) | dict(keywords)
            self._note_sent(how, receiver, given, moment, is_later=is_later)
        elif name in DECIDING:
            moment.note((name, id(owner), None))
        return self._harmless(arguments, keywords, moment)

    def _call_builtin(
        self,
        target: Any,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
    ) -> Outcome:
        """Read a call of what is not written in Python, or of a class."""
        if (
            target in (isinstance, callable)
            and (answer := answer_of(target, arguments)) is not None
        ):
            return Outcome(known(answer), moment.done, moment.maybe)
        owner = getattr(target, "__self__", None)
        if isinstance(owner, dict) and target.__name__ == "get":
            value = members_of(known(owner))
            return Outcome(value, moment.done, moment.maybe)
        is_harmless = not isinstance(target, type) or target.__module__ == "builtins"
        is_harmless = is_harmless and target.__name__ not in RUNNING
        return (self._harmless if is_harmless else self._unread)(arguments, keywords, moment)

    def _unread(
        self, arguments: list[Value], keywords: Mapping[str, Value], moment: Moment
    ) -> Outcome:
        """Return the outcome of a call that may do anything, unless the library makes it."""
        code = self._under_way[-1] if self._under_way else None
        if code is None or not is_file_of_library(code.co_filename):
            self.is_complete = False
            moment.doubt()
        return self._harmless(arguments, keywords, moment)

    def _harmless(
        self, arguments: list[Value], keywords: Mapping[str, Value], moment: Moment
    ) -> Outcome:
        """Return the outcome of a call that sends nothing, unless it calls what it is given."""
        for value in (*arguments, *keywords.values()):
            self.hand_on(value)
        return Outcome(UNKNOWN, moment.done, moment.maybe)

    def hand_on(self, value: Value) -> None:
        """Read functions that are handed on, to be called at some other time."""
        for one in (value,) if isinstance(value, Made) else objects_of(value):
            is_function = isinstance(one, (Made, *FUNCTIONS))
            if is_function and _key(one) not in self._handed_on:
                self._handed_on.add(_key(one))
                target = one if isinstance(one, Made) else known(one)
                end = self.call(target, [REST], {}, Moment(), is_later=True)
                if end.maybe:  # perhaps it is called at once
                    self.is_complete = False

    # What is sent

    def _note_sent(
        self,
        how: How,
        receiver: Fsm[Any] | FsmGroup,
        given: Mapping[str, Value],
        moment: Moment,
        *,
        is_later: bool,
    ) -> None:
        events = [one for one in objects_of(given.get("event", UNKNOWN)) if isinstance(one, str)]
        delays = objects_of(given.get("delay", UNKNOWN))
        delay = delays[0] if len(delays) == 1 and isinstance(delays[0], (int, float)) else None
        keep = objects_of(given.get("keep", known(False)))
        is_kept = keep != (False,)
        code = self._under_way[-1] if self._under_way else None
        for event in dict.fromkeys(map(str_of, events)) or (None,):
            sent = Sent(event, receiver, how, delay, is_kept, is_later, moment.maybe, code)
            self._add(sent)
        for event in events:
            moment.maybe |= {("sent", receiver, str_of(event))}
        if not events:
            moment.maybe |= {("sent", receiver, None)}
        elif len(events) == 1 and how == "now":
            moment.note(("sent", receiver, str_of(events[0])))

    def _add(self, sent: Sent) -> None:
        key = evolve(sent, before=frozenset())
        known_before = self._sent.get(key)
        before = sent.before | (known_before.before if known_before else frozenset())
        self._sent[key] = evolve(sent, before=before)

    # Functions

    def _enter_made(
        self, made: Made, arguments: list[Value], moment: Moment, *, is_later: bool
    ) -> Outcome:
        names = in_place(made.code.co_varnames[: made.code.co_argcount], arguments)
        walk = Walk(self, made.code, names, made.variables, made.globals, is_later=is_later)
        return self._follow(walk, moment)

    def _enter(
        self, function: FunctionType, names: dict[str, Value], moment: Moment, *, is_later: bool
    ) -> Outcome:
        walk = Walk(
            self,
            function.__code__,
            names,
            closure_of(function),
            function.__globals__,
            is_later=is_later,
        )
        return self._follow(walk, moment)

    def _follow(self, walk: Walk, moment: Moment) -> Outcome:
        code = walk.code
        if len(self._under_way) >= MOST_CALLS or code in self._under_way:
            return self._unread([], {}, moment)
        self._under_way.append(code)
        try:
            end = walk.follow(moment)
        finally:
            self._under_way.pop()
        if code.co_flags & RUNS_LATER:
            return Outcome(UNKNOWN, moment.done, moment.maybe | end.maybe)
        return end

    def read_attribute(self, owner: Value, name: str, moment: Moment) -> Value:
        """Return what an attribute of a value is; those of properties are read."""
        value: Value | None = None
        for one in objects_of(owner):
            found = attribute(one, name)
            if isinstance(found, FunctionType):
                found = self.call(known(found), [known(one)], {}, moment, is_later=False).value
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
        case FsmState():
            return owner.fsm
        case FsmAction():
            return owner.fsm
    return None


def _key(function: object) -> object:
    """Return what tells a function from others; bound methods are made anew for everyone."""
    if isinstance(function, MethodType):
        return (id(function.__self__), id(function.__func__))
    return id(function.code) if isinstance(function, Made) else id(function)
