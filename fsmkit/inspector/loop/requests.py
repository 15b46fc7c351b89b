"""What pages may ask for, and the check of what they send."""

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

ARGUMENTS: Final[Mapping[str, Mapping[str, type]]] = {
    "select": {"machine": str},
    "ask": {"machine": str, "event": str},
    "moment": {"machine": str, "time": float},
    "pause": {},
    "resume": {},
    "step": {},
    "speed": {"factor": float},
    "send": {"machine": str, "event": str, "data": object},
    "force": {"machine": str, "state": str},
    "break": {"machine": str, "kind": str, "name": str, "on": bool},
    "go_on": {"machine": str, "seq": int},
}
"""Request -> its arguments. `data` may be left out."""

LOOKING: Final = frozenset({"select", "ask", "moment", "graph", "snapshot"})
"""What may be asked for when no controls are granted: it changes nothing."""

WHILE_HELD: Final = frozenset({"resume", "step", "break", "ask", "moment", "select", "graph"})
"""What may be asked for at a breakpoint, in the middle of a call."""


class RequestError(FsmError):
    """A request cannot be granted; the page shows why."""


@define(eq=False)
class Request:
    """Something that a page asks for. The loop answers it in its next update."""

    do: str
    arguments: dict[str, Any] = field(factory=dict)
    reply: Callable[[Answer], object] = field(default=lambda _: None)
    """To be called with the answer, from any thread."""
    is_given_up: bool = False
    """Whether nobody waits for the answer any more; then it is not carried out."""
    _is_answered: bool = field(default=False, init=False)

    def answer(self, answer: Answer) -> None:
        """Reply, unless that has been done: one that is held is answered before it is over."""
        if not self._is_answered:
            self._is_answered = True
            self.reply(answer)


def opened(text: str | None) -> tuple[object, dict[str, Any]]:
    """The number of a request, for the answer, and what else it says. Raises RequestError.

    A message without text is one of bytes.
    """
    if text is None:
        raise RequestError("A message is a text, not bytes.")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise RequestError("The message is no JSON.") from None
    if not isinstance(message, dict):
        raise RequestError("The message is no JSON object.")
    number = message.pop("id", None)
    if isinstance(number, (list, dict)) or (isinstance(number, float) and not isfinite(number)):
        raise RequestError("The id of a request is a number or a text.")
    return number, message


def request_of(message: dict[str, Any]) -> Request:
    """The request in a message. Raises RequestError unless it is well-formed."""
    do = message.pop("do", None)
    if not isinstance(do, str) or do not in ARGUMENTS:
        raise RequestError(f"There is no request {_short(do)}. There are: {', '.join(ARGUMENTS)}.")
    expected = ARGUMENTS[do]
    if unknown := message.keys() - expected:
        raise RequestError(f"{do!r} has no argument {_short(min(unknown))}.")
    if missing := expected.keys() - message.keys() - {"data"}:
        raise RequestError(f"{do!r} needs {min(missing)!r}.")
    return Request(do, {name: _checked(do, name, value) for name, value in message.items()})


def _checked(do: str, name: str, value: object) -> object:
    kind = ARGUMENTS[do][name]
    if kind is float:
        return _finite(do, name, value)
    if kind is not object and type(value) is not kind:
        raise RequestError(f"{do!r}: {name!r} is {_NAMES[kind]}, not {_short(value)}.")
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        raise RequestError(f"{do!r}: {name!r} has more than {LONGEST_NAME} letters.")
    return value


def _finite(do: str, name: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            if isfinite(number := float(value)):
                return number
    raise RequestError(f"{do!r}: {name!r} is a finite number, not {_short(value)}.")


def _short(value: object) -> str:
    text = text_of(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


_NAMES: Final = {str: "a text", bool: "true or false", int: "a whole number"}
