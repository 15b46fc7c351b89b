"""Results of work elsewhere, as a step keeps them: whose, and the data or the error."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm
from fsmkit.recording.action_paths import action_at, path_of


def recorded_result(arguments: Mapping[str, Any], error_text: str) -> dict[str, Any]:
    """Return the arguments of `Fsm.post_result` as a step keeps them."""
    return {
        "action": path_of(arguments["action"]),
        "number": arguments["number"],
        "data": arguments.get("data"),
        "error": error_text or None,
    }


def replayed_result(fsm: Fsm[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for `Fsm.post_result` that a step has kept."""
    error = arguments.get("error")
    return {
        "action": action_at(fsm, arguments["action"]),
        "number": arguments["number"],
        "data": arguments.get("data"),
        "error": None if error is None else error_like(str(error)),
    }


def error_like(description: str) -> BaseException:
    """Return an exception of the type and the text that `description` tells.

    One of a type that Python does not have is an Exception of that name.

    >>> error_like("TimeoutError: no answer")
    TimeoutError('no answer')
    >>> print(error_like("ServerError: 500"), type(error_like("ServerError: 500")))
    500 <class 'fsmkit.recording.replay.results.ServerError'>
    """
    name, _, text = description.partition(": ")
    known = getattr(builtins, name, None)
    base = known if isinstance(known, type) and issubclass(known, Exception) else Exception
    try:
        error = base(text) if text else base()
        if base is known and str(error) == text:
            return error
    except TypeError:  # it takes more than a text
        base = Exception
    contents = {"__str__": lambda _: text, "__module__": __name__}
    kind: Any = type(name, (base,), contents)
    made: Exception = kind(text)
    return made
