"""Guards that always give the same answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from types import FunctionType
from typing import Any, Final

from fsmkit import FsmState, Transition
from fsmkit.checking.finding import Finding
from fsmkit.checking.reading.instructions import instructions_of
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import name_of
from fsmkit.core.checks.functions import Adapted, described
from fsmkit.core.words.quoting import quote

CONSTANTS: Final = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})


def constant_guards(subject: Subject) -> Iterator[Finding]:
    """Yield transitions whose guard never agrees, and those behind one that always does."""
    for state, ways in subject.ways.by_event():
        yield from _never_taken(subject, ways, state)


def _never_taken(
    subject: Subject, ways: Sequence[Transition[Any]], state: FsmState[Any] | None
) -> Iterator[Finding]:
    for number, way in enumerate(ways):
        answer = None if way.when is None else constant_answer(way.when)
        if answer is False:
            reason = f"its guard, {described(way.when)}, always refuses"  # type: ignore[arg-type]
            yield _finding(subject, state, way, reason, "Correct the guard, or remove it.")
        elif answer is True:
            others = [other for other in ways[number + 1 :] if other.when != way.when]
            for other in others:  # the same guard again has a finding of its own
                reason = f"the one to {name_of(way)} is asked first, and its guard always agrees"
                advice = "Correct that guard, or remove one of them."
                yield _finding(subject, state, other, reason, advice)
            return


def constant_answer(function: object) -> bool | None:
    """Return what a function always returns, as True or False; None if that is not known.

    >>> constant_answer(lambda: 0), constant_answer(lambda state: True), constant_answer(print)
    (False, True, None)
    """
    while isinstance(function, (Adapted, partial)):
        function = function.function if isinstance(function, Adapted) else function.func
    if not isinstance(function, FunctionType):
        return None
    code = [each for each in instructions_of(function.__code__) if each.name != "RESUME"]
    names = [each.name for each in code]
    if names == ["RETURN_CONST"] or (names[1:] == ["RETURN_VALUE"] and names[0] in CONSTANTS):
        return bool(code[0].value)
    return None


def _finding(
    subject: Subject,
    state: FsmState[Any] | None,
    way: Transition[Any],
    reason: str,
    advice: str,
) -> Finding:
    kind = "global transition" if state is None else "transition"
    return subject.finding(
        "constant-guard",
        "warning",
        f"The {kind} for {quote(way.event)} to {name_of(way)} is never taken: {reason}.",
        advice,
        state=state,
        event=way.event,
        way=way,
    )
