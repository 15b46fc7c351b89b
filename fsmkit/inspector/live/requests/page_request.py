"""The requests that pages can make, their validation, and the queue in which they are pending."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit import FsmError
from fsmkit.core.checks import arguments
from fsmkit.inspector.reading import page_values


@frozen
class Rule:
    arguments: Mapping[str, type] = field(factory=dict)
    optional: Collection[str] = ()
    """The arguments that may be omitted."""
    changes_nothing: bool = False
    """True if it is allowed on a read-only page."""
    while_held: bool = False
    """True if it is allowed at a breakpoint, in the middle of a call."""
    is_personal: bool = False
    """True if it is about the messages to its page: it gets the page's mailbox as `page`."""
    is_repeated: bool = False
    """True if pages make it a few times a second: it does not hasten the next frame."""


_view: Final = partial(Rule, changes_nothing=True, while_held=True)


MACHINE: Final = {"machine": str}
BREAKPOINT: Final = {
    "number": int, "machine": str, "kind": str, "name": str, "way": object, "condition": object,
    "count": int, "every": bool, "text": str, "on": bool,
}  # fmt: skip

REQUESTS: Final[Mapping[str, Rule]] = {
    # Views
    "select": _view(MACHINE, is_personal=True),
    "follow_all": _view({"on": bool}, is_personal=True),
    "follow_sends": _view({"on": bool}, is_personal=True),
    "measure": _view({"on": bool}, is_personal=True),
    "costs": _view(is_repeated=True),
    "ask": _view({"machine": str, "event": str}),
    "moment": _view({"machine": str, "time": float}),
    "find_change": _view({"machine": str, "time": float, "forward": bool}, optional=MACHINE),
    "group_moment": _view({"time": float, "machines": list}, optional={"machines"}),
    "lines": _view(MACHINE),
    "findings": _view(MACHINE),
    "colours": _view(),
    "names": _view(MACHINE, optional=MACHINE),
    "offer": _view({"machine": str, "path": list}),
    "look_inside": _view({"machine": str, "path": list}, is_repeated=True),
    "samples": _view({"machine": str, "wanted": list}, is_repeated=True),
    "positions": _view(
        {"roll": int, "states": int, "since": float, "until": float},
        optional={"until"}, is_repeated=True,
    ),
    "tiles": _view(
        {**MACHINE, "number": int, "version": int},
        optional={"number", "version"}, is_repeated=True,
    ),
    # Control
    "pause": Rule(),
    "resume": Rule(while_held=True),
    "step": Rule(while_held=True),
    "speed": Rule({"factor": float}),
    "send": Rule({"machine": str, "event": str, "data": object}, optional={"data"}),
    "force": Rule({"machine": str, "state": str}),
    "go_on": Rule({"machine": str, "seq": int}),
    "go_on_group": Rule({"seq": int}),
    "run_to_change": Rule(MACHINE, optional=MACHINE, while_held=True),
    # Breakpoints
    "break": Rule({"machine": str, "kind": str, "name": str, "on": bool}, while_held=True),
    "set_breakpoint": Rule(BREAKPOINT, optional=BREAKPOINT.keys() - {"kind"}, while_held=True),
    "switch_breakpoint": Rule({"number": int, "on": bool}, while_held=True),
    "remove_breakpoint": Rule({"number": int}, while_held=True),
    "clear_breakpoints": Rule(while_held=True),
    # Values and switches of the machines that run
    "set": Rule({"machine": str, "path": list, "value": object}, while_held=True),
    "undo": Rule(while_held=True),
    "enable": Rule({"machine": str, "state": str, "place": str, "on": bool}, while_held=True),
    "suspend": Rule({"machine": str, "on": bool}, while_held=True),
    # Edits of the code
    "edit": Rule(
        {"edit": dict, "write": bool, "everywhere": bool, "digest": str},
        optional={"everywhere", "digest"}, while_held=True,
    ),
    "undo_edit": Rule(while_held=True),
    "edit_forms": _view(),
    "reasons": _view({**MACHINE, "state": object}, optional=MACHINE),
    # The layout of the graph
    "keep_place": Rule({"machine": str, "state": str, "x": float, "y": float}, while_held=True),
    "free_places": Rule(MACHINE, while_held=True),
    # A crowd
    "agent": _view({"index": int}),
    "find_agent": _view({"field": str, "operator": str, "value": object}),
    "let_go": _view(MACHINE),
    # A recording
    "seek": Rule({"time": float}),
    "step_back": Rule(),
    "next_change": Rule(MACHINE),
    "last_change": Rule(MACHINE),
    "difference": Rule({"machine": str, "forward": bool}),
}  # fmt: skip
"""The requests that a message of a page can make."""

ERRANDS: Final[Mapping[str, Rule]] = {
    "graph": _view(),
    "snapshot": Rule(changes_nothing=True),
    "restore": Rule(),
}
"""The requests that the resources of a page make, with arguments that they have checked."""


PageAnswer: TypeAlias = dict[str, Any]

LONGEST_NAME: Final = 1_000

EXISTING: Final = frozenset({"state"})
"""Arguments that name something existing, and so may be as long as its name."""


class RequestError(FsmError):
    """A request cannot be granted; the page shows why."""


@define(eq=False)
class PageRequest:
    do: str
    arguments: dict[str, Any] = field(factory=dict)
    reply: Callable[[PageAnswer], object] = field(default=lambda _: None)
    """Called with the answer, from any thread."""
    is_given_up: bool = False
    """True if nobody waits for the answer any longer; then it is not carried out."""
    is_aside: bool = False
    """True if another process answers it, which may take longer than an update."""
    _is_answered: bool = field(default=False, init=False)

    @property
    def rule(self) -> Rule:
        return REQUESTS[self.do] if self.do in REQUESTS else ERRANDS[self.do]

    def answer(self, answer: PageAnswer) -> None:
        """Reply, once only: a request held at a breakpoint is answered before it has finished."""
        if not self._is_answered:
            self._is_answered = True
            self.reply(answer)


def parse_message(text: str | None) -> tuple[object, dict[str, Any]]:
    """Return the id of a request and the rest of its message; None stands for a message of bytes.

    Raises RequestError if it is malformed.
    """
    if text is None:
        raise RequestError("A message must be text, got bytes.")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise RequestError("The message must be JSON.") from None
    if not isinstance(message, dict):
        raise RequestError("The message must be a JSON object.")
    number = message.pop("id", None)
    if isinstance(number, (list, dict)) or (isinstance(number, float) and not isfinite(number)):
        raise RequestError("The id of a request must be a number or a string.")
    return number, message


def parse_request(message: dict[str, Any]) -> PageRequest:
    """Return the request in a message. Raises RequestError if it is malformed."""
    do = message.pop("do", None)
    if not isinstance(do, str) or do not in REQUESTS:
        raise RequestError(
            f"There is no request {_short(do)}. Choose one of: {', '.join(REQUESTS)}."
        )
    rule = REQUESTS[do]
    if unknown := message.keys() - rule.arguments:
        raise RequestError(f"{do!r} has no argument {_short(min(unknown))}.")
    if missing := rule.arguments.keys() - {*message, *rule.optional}:
        raise RequestError(f"{do!r} needs {min(missing)!r}.")
    return PageRequest(do, {name: _checked(do, name, value) for name, value in message.items()})


def _checked(do: str, name: str, value: object) -> object:
    kind, what = REQUESTS[do].arguments[name], f"{do!r}: {name!r}"
    if kind is float:
        return arguments.number(value, what, error=RequestError)
    if kind is int:
        return arguments.integer(value, what, error=RequestError)
    if kind is not object and type(value) is not kind:
        raise RequestError(f"{what} must be {_KINDS[kind]}, got {_short(value)}.")
    if isinstance(value, str) and len(value) > LONGEST_NAME and name not in EXISTING:
        raise RequestError(f"{what} must have at most {LONGEST_NAME} characters, got {len(value)}.")
    return value


def _short(value: object) -> str:
    return page_values.shortened(page_values.text_of(value), 60)


_KINDS: Final = {str: "a string", bool: "true or false", list: "a list", dict: "an object"}


MOST_REQUESTS: Final = 256


@define(eq=False)
class RequestQueue:
    """Takes requests in any thread, and has them answered in the loop's.

    A request is answered by the method of its name, which one of `topics` has; a name that Python
    reserves is followed by an underscore. The method raises RequestError if it refuses.
    """

    topics: Sequence[object]
    is_held: Callable[[], bool] = lambda: False
    """Tells if a machine is held in the middle of a call, where some requests are not allowed."""
    failed: Callable[[Exception], object] = lambda _error: None
    """Called with an error that a machine has raised while a request was carried out."""
    _pending: deque[PageRequest] = field(factory=deque, init=False)
    _current: PageRequest | None = field(default=None, init=False)
    """The request being carried out, unless a machine is held."""

    def __bool__(self) -> bool:
        return bool(self._pending)

    def add(self, request: PageRequest) -> None:
        """Add a request. Called in any thread. Raises RequestError if too many are pending."""
        if len(self._pending) >= MOST_REQUESTS:
            raise RequestError("Too many requests are waiting. Does the loop update the machine?")
        self._pending.append(request)

    def answer_next(self) -> PageRequest | None:
        """Answer the oldest request and return it; None if it was given up."""
        request = self._pending.popleft()
        if request.is_given_up:
            return None
        request.answer(self._answer(request))
        return request

    def answer_current(self, outcome: str) -> None:
        """Answer the request that has hit a breakpoint, before it is finished."""
        if self._current is not None:
            self._current.answer({"ok": True, "outcome": outcome})

    def refuse_all(self, reason: str) -> None:
        while self._pending:
            self._pending.popleft().answer({"error": reason})

    def _answer(self, request: PageRequest) -> PageAnswer:
        try:
            if not self.is_held():
                self._current = request
            elif not request.rule.while_held:
                raise RequestError(
                    "The machine is at a breakpoint, in the middle of a change: resume or step "
                    "first."
                )
            return {"ok": True, **self._carry_out(request)}
        except (RequestError, page_values.FieldError) as error:
            return {"error": str(error)}
        except Exception as error:  # from the machine or a user's callback
            self.failed(error)
            return {"error": page_values.error_text(error, page_values.LONGEST_ANSWER)}
        finally:
            if not self.is_held():
                self._current = None

    def _carry_out(self, request: PageRequest) -> PageAnswer:
        for topic in self.topics:
            for name in (request.do, f"{request.do}_"):
                if (method := getattr(topic, name, None)) is not None:
                    answer: PageAnswer | None = method(**request.arguments)
                    return answer or {}
        raise RequestError(f"{request.do!r} is not possible here.")
