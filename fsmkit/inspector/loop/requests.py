"""The requests of pages, and their validation."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit import FsmError
from fsmkit.inspector.loop.request_table import REQUESTS, Rule, rule_of
from fsmkit.inspector.reading.values import text_of

Answer: TypeAlias = dict[str, Any]

LONGEST_NAME: Final = 1_000

EXISTING: Final = frozenset({"state"})
"""Arguments that must be the name of something there is, and so may be as long as that is."""


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

    @property
    def rule(self) -> Rule:
        """What is checked of it."""
        return rule_of(self.do)

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
    if not isinstance(do, str) or do not in REQUESTS:
        raise RequestError(
            f"There is no request {_short(do)}. Choose one of: {', '.join(REQUESTS)}."
        )
    rule = REQUESTS[do]
    if unknown := message.keys() - rule.arguments:
        raise RequestError(f"{do!r} has no argument {_short(min(unknown))}.")
    if missing := rule.arguments.keys() - {*message, *rule.optional}:
        raise RequestError(f"{do!r} needs {min(missing)!r}.")
    return Request(do, {name: _checked(do, name, value) for name, value in message.items()})


def _checked(do: str, name: str, value: object) -> object:
    kind = REQUESTS[do].arguments[name]
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
