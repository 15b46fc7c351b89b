"""The requests of pages, and their validation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit import FsmError
from fsmkit.inspector.reading.values import text_of

Answer: TypeAlias = dict[str, Any]

LONGEST_NAME: Final = 1_000

EXISTING: Final = frozenset({"state"})
"""Arguments that must be the name of something there is, and so may be as long as that is."""

ARGUMENTS: Final[Mapping[str, Mapping[str, type]]] = {
    "select": {"machine": str},
    "ask": {"machine": str, "event": str},
    "moment": {"machine": str, "time": float},
    "group_moment": {"time": float, "machines": list},
    "lines": {"machine": str},
    "findings": {"machine": str},
    "follow_all": {"on": bool},
    "follow_sends": {"on": bool},
    "colours": {},
    "pause": {},
    "resume": {},
    "step": {},
    "speed": {"factor": float},
    "send": {"machine": str, "event": str, "data": object},
    "force": {"machine": str, "state": str},
    "break": {"machine": str, "kind": str, "name": str, "on": bool},
    "set_breakpoint": {
        "number": int,
        "machine": str,
        "kind": str,
        "name": str,
        "condition": object,
        "count": int,
        "every": bool,
        "text": str,
        "on": bool,
    },
    "switch_breakpoint": {"number": int, "on": bool},
    "remove_breakpoint": {"number": int},
    "clear_breakpoints": {},
    "names": {"machine": str},
    "run_to_change": {"machine": str},
    "go_on": {"machine": str, "seq": int},
    "go_on_group": {"seq": int},
    "agent": {"index": int},
    "find_agent": {"field": str, "operator": str, "value": object},
    "let_go": {"machine": str},
    "offer": {"machine": str, "path": list},
    "look_inside": {"machine": str, "path": list},
    "set": {"machine": str, "path": list, "value": object},
    "undo": {},
    "enable": {"machine": str, "state": str, "place": str, "on": bool},
    "samples": {"machine": str, "wanted": list},
    "suspend": {"machine": str, "on": bool},
    "seek": {"time": float},
    "step_back": {},
    "next_change": {"machine": str},
    "last_change": {"machine": str},
    "difference": {"machine": str, "forward": bool},
}
"""Request -> its arguments."""

OPTIONAL: Final[Mapping[str, frozenset[str]]] = {
    "group_moment": frozenset({"machines"}),
    "send": frozenset({"data"}),
    "set_breakpoint": frozenset(
        {"number", "machine", "name", "condition", "count", "every", "text", "on"}
    ),
    "names": frozenset({"machine"}),
    "run_to_change": frozenset({"machine"}),
}
"""Request -> those of its arguments that may be left out."""

LOOKING: Final = frozenset(
    {
        "select",
        "ask",
        "moment",
        "group_moment",
        "follow_all",
        "follow_sends",
        "graph",
        "snapshot",
        "names",
    }
    | {"offer", "look_inside", "samples"}
    | {"agent", "find_agent", "let_go", "lines", "findings", "colours"}
)
"""Requests allowed on a read-only page: they change nothing."""

POLLING: Final = frozenset({"look_inside", "samples"})
"""Requests that pages repeat a few times a second; frames need not come sooner for them."""

WHILE_HELD: Final = frozenset(
    {"resume", "step", "ask", "moment", "select", "follow_all", "graph", "names", "run_to_change"}
    | {"lines", "findings", "group_moment", "follow_sends"}
    | {"break", "set_breakpoint", "switch_breakpoint", "remove_breakpoint", "clear_breakpoints"}
    | {"colours"}
    | {"offer", "look_inside", "samples"}
    | {"set", "undo", "enable", "suspend"}  # these change attributes only
)
"""Requests allowed at a breakpoint, in the middle of a call."""

PERSONAL: Final = frozenset({"select", "follow_all", "follow_sends"})
"""Requests about what their page is sent: they are handed its mailbox as `page`."""


class RequestError(FsmError):
    """A request cannot be granted; the page shows why."""


@define(eq=False)
class Request:
    """A request of a page. The loop answers it in its next update."""

    do: str
    arguments: dict[str, Any] = field(factory=dict)
    reply: Callable[[Answer], object] = field(default=lambda _: None)
    """Called with the answer, from any thread."""
    is_given_up: bool = False
    """True if nobody waits for the answer any more; then it is not carried out."""
    _is_answered: bool = field(default=False, init=False)

    def answer(self, answer: Answer) -> None:
        """Reply, once only: a request held at a breakpoint is answered before it has finished."""
        if not self._is_answered:
            self._is_answered = True
            self.reply(answer)


def parse_message(text: str | None) -> tuple[object, dict[str, Any]]:
    """Return the id of a request and the rest of its message. Raises RequestError.

    A message without text is a binary one.
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
        raise RequestError("The id of a request must be a number or a text.")
    return number, message


def parse_request(message: dict[str, Any]) -> Request:
    """Return the request in a message. Raises RequestError if it is malformed."""
    do = message.pop("do", None)
    if not isinstance(do, str) or do not in ARGUMENTS:
        raise RequestError(
            f"There is no request {_short(do)}. Choose one of: {', '.join(ARGUMENTS)}."
        )
    expected = ARGUMENTS[do]
    if unknown := message.keys() - expected:
        raise RequestError(f"{do!r} has no argument {_short(min(unknown))}.")
    if missing := expected.keys() - message.keys() - OPTIONAL.get(do, frozenset()):
        raise RequestError(f"{do!r} needs {min(missing)!r}.")
    return Request(do, {name: _checked(do, name, value) for name, value in message.items()})


def _checked(do: str, name: str, value: object) -> object:
    kind = ARGUMENTS[do][name]
    if kind is float:
        return _finite(do, name, value)
    if kind is not object and type(value) is not kind:
        raise RequestError(f"{do!r}: {name!r} must be {_NAMES[kind]}, got {_short(value)}.")
    if isinstance(value, str) and len(value) > LONGEST_NAME and name not in EXISTING:
        raise RequestError(
            f"{do!r}: {name!r} must have at most {LONGEST_NAME} letters, got {len(value)}."
        )
    return value


def _finite(do: str, name: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            if isfinite(number := float(value)):
                return number
    raise RequestError(f"{do!r}: {name!r} must be a finite number, got {_short(value)}.")


def _short(value: object) -> str:
    text = text_of(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


_NAMES: Final = {str: "a text", bool: "true or false", int: "a whole number", list: "a list"}
