"""Nested machines: those that would run in two places, and ends that nobody expects."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking.endings import enabled_actions
from fsmkit.checking.events import all_actions
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject, position

ANOTHER = "A machine runs in one place at a time: build a second one by the same function."


def machines_that_run_themselves(subject: Subject) -> Iterator[Finding]:
    """Yield actions that run the machine that they are part of, or one around it."""
    around = (subject.machine, *subject.outer)
    for state in subject.states:
        for action, machine in _nested(state):
            if machine in around:
                yield subject.finding(
                    "runs-itself",
                    "error",
                    f"It runs {machine.name!r}, and so the machine would run inside itself.",
                    ANOTHER,
                    state=state,
                    action=action,
                )


def machines_in_two_places(subject: Subject) -> Iterator[Finding]:
    """Yield machines that would run in two places at the same time."""
    if subject.is_member and subject.outer:
        outer = " and ".join(repr(machine.name) for machine in subject.outer)
        yield subject.finding(
            "runs-twice",
            "error",
            f"The machine is a member of the group, which updates it, and nested in {outer} too.",
            ANOTHER,
        )
    for state, nested in _shared_machines(subject):
        places = dict(_suspended_places(subject, state, {machine for _, machine in nested}))
        for action, machine in nested:
            if machine in places:
                yield subject.finding(
                    "runs-twice",
                    "error",
                    f"{machine.name!r} runs in {places[machine]} already.",
                    ANOTHER,
                    state=state,
                    action=action,
                )
            places.setdefault(machine, position(state, action))


def unexpected_ends(subject: Subject) -> Iterator[Finding]:
    """Yield nested machines with final states that are no outcome, and outcomes that are none."""
    for state in subject.states:
        for action in all_actions(state):
            outcomes = getattr(action, "outcomes", None)
            if isinstance(outcomes, Mapping) and outcomes:
                for machine in action.machines:
                    yield from _unexpected_ends(subject, state, action, machine, outcomes)


def _unexpected_ends(
    subject: Subject,
    state: FsmState[Any],
    action: FsmAction[Any],
    machine: Fsm[Any],
    outcomes: Mapping[str, str],
) -> Iterator[Finding]:
    ends = [inner.name for inner in machine.states.values() if inner.final]
    if wrong := [name for name in outcomes if name not in ends]:
        yield subject.finding(
            "unknown-outcome",
            "error",
            f"The outcomes name {_listed(wrong)}, which is no final state of {machine.name!r}.",
            f"Its final states are: {', '.join(map(repr, ends)) or 'none'}. Correct the name, or "
            "mark the state: add_state(..., final=True).",
            state=state,
            action=action,
        )
    missing = [name for name in ends if name not in outcomes]
    if missing and not _goes_on(subject, state, action):
        yield subject.finding(
            "missing-outcome",
            "warning",
            f"{machine.name!r} may end in {_listed(missing)}, which the outcomes do not name: "
            "nothing happens then.",
            f"Name it in the outcomes, or add a transition for {FINISHED!r}, which is taken then.",
            state=state,
            action=action,
        )


def _goes_on(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> bool:
    """Return True if something follows an end of `action` that has no event of its own."""
    is_child = not any(member is action for member in state.actions)
    return (
        is_child
        or action.finish_event is not None
        or (subject.ways.knows(state, FINISHED) and not action.background)
    )


def _nested(state: FsmState[Any]) -> Iterator[tuple[FsmAction[Any], Fsm[Any]]]:
    """Yield the machines in a state, with the actions that run them."""
    for action in enabled_actions(state):
        for machine in dict.fromkeys(action.machines):
            yield action, machine


def _shared_machines(
    subject: Subject,
) -> Iterator[tuple[FsmState[Any], list[tuple[FsmAction[Any], Fsm[Any]]]]]:
    """Yield states, each with the machines in it that several actions run."""
    nested = {state: list(_nested(state)) for state in subject.states}
    runs = Counter(machine for pairs in nested.values() for _, machine in pairs)
    for state, pairs in nested.items():
        if shared := [(action, machine) for action, machine in pairs if runs[machine] > 1]:
            yield state, shared


def _suspended_places(
    subject: Subject, state: FsmState[Any], machines: set[Fsm[Any]]
) -> Iterator[tuple[Fsm[Any], str]]:
    """Yield those of `machines` that may be suspended while `state` is current, and where."""
    wanted = set(machines)
    found = {state}
    waiting = deque([state])
    while waiting and wanted:
        for other in subject.ways.interrupted.get(waiting.popleft(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
                for machine in wanted.intersection(inner for _, inner in _nested(other)):
                    yield machine, f"the state {other.name!r}, which is suspended meanwhile,"
                    wanted.discard(machine)


def _listed(names: list[str]) -> str:
    return " or ".join(map(repr, names))
