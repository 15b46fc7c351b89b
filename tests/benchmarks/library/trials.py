"""Machines and twins that are ready for what is measured of an action.

update: an update in which it is at work. event: an event that it handles. visit: its state is
exited and entered again, by two events. finish: it finishes, and FINISHED enters its state again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, Final

from measuring import Trial
from twins import LONG, Case, twin_class
from workloads import FRAME

from fsmkit import FINISHED, Fsm, FsmAction

MACHINES: Final = 20


class Idle(FsmAction):
    """Keeps a state from being finished."""


def machine(case: Case, thing: Any, seconds: float, *, ends: bool) -> Fsm[Any]:
    """Make the machine of a case, at rest."""
    fsm = Fsm("Machine", context=thing, on_unhandled="ignore")
    work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
    made = case.make(thing, seconds)
    for action in made if isinstance(made, tuple) else (made,):
        work.add_action(action)
    rest.add_action(Idle())
    work.add_transition("GO", rest)
    rest.add_transition("GO", work)
    if ends:
        work.add_transition(FINISHED, rest if case.ends_on_enter else work)
    fsm.start(rest)
    return fsm


def frames(machines: Sequence[Any], count: int) -> None:
    for _ in range(count):
        for each in machines:
            each.update(FRAME)


def hits(machines: Sequence[Any], count: int) -> None:
    for _ in range(count):
        for each in machines:
            each.send_event("HIT", 1)


def visits(machines: Sequence[Any], count: int) -> None:
    for _ in range(count):
        for each in machines:
            each.send_event("GO")
        for each in machines:
            each.send_event("GO")


def ended_visits(machines: Sequence[Any], count: int) -> None:
    for _ in range(count):
        for each in machines:
            each.send_event("GO")


@cache
def runner(case: Case, kind: str, *, by_hand: bool) -> Callable[[Sequence[Any], int], None]:
    """Return the function that has machines do something: a copy with inline caches of its own."""
    runs = {"update": frames, "event": hits, "visit": visits, "finish": frames}
    function = ended_visits if kind == "finish" and case.ends_on_enter else runs[kind]
    return FunctionType(function.__code__.replace(), function.__globals__)


def prepare(
    case: Case, kind: str, count: int, *, by_hand: bool = False, machines: int = MACHINES
) -> Trial:
    """Make machines, or their twins, ready to do `count` times what `kind` says."""
    ends = kind == "finish"
    seconds = FRAME / 2 if ends else LONG
    things = [case.thing() for _ in range(machines)]
    if by_hand:
        twin = twin_class(case, ends=ends)
        made = [twin(thing, seconds) for thing in things]
    else:
        made = [machine(case, thing, seconds, ends=ends) for thing in things]
    run = runner(case, kind, by_hand=by_hand)
    if not (ends and case.ends_on_enter):
        for each in made:
            each.send_event("GO")
    run(made, 2)
    return Trial(machines * count, lambda: run(made, count), lambda: outcome(made, things))


def outcome(machines: Sequence[Any], things: Sequence[Any]) -> list[object]:
    """Return the states of machines and twins, and what has become of their things."""
    states = [
        each.current_state and each.current_state.name if isinstance(each, Fsm) else each.state
        for each in machines
    ]
    return [states, [attributes(thing) for thing in things]]


def attributes(thing: object) -> dict[str, object]:
    names = ("position", "rotation", "scale", "value", "lit", "color", "count")
    return {name: getattr(thing, name) for name in names if hasattr(thing, name)}
