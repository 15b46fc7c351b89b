"""Sketches: machines drawn from what a recording shows of them. They never run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fsmkit import BACK, Fsm, FsmAction
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.machine_course import NAMELESS, Change, MachineCourse

MOST_STATES: Final = 1_000
"""States of a machine that are drawn; a layout of more would take minutes."""


class _Inner(FsmAction[Any]):
    """Stands for the action that runs a nested machine."""

    def __init__(self, machine: Fsm[Any]) -> None:
        self.machine = machine

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.machine,)


def sketches_of(courses: Sequence[Course]) -> dict[str, Fsm[Any]]:
    """Return a sketch of each machine in some recordings, by name.

    It has the states and the transitions that occurred in any of them. A transition for an event
    that led to several states has a guard, since nobody else can have decided.
    """
    sketches: dict[str, Fsm[Any]] = {}
    for course in courses:
        for name, machine in course.machines.items():
            fsm = sketches.setdefault(name, Fsm(machine.title or name or NAMELESS))
            _add_states(fsm, machine)
    for name, fsm in sketches.items():
        _add_transitions(fsm, [each.machines[name] for each in courses if name in each.machines])
    hosted: set[str] = set()
    for course in courses:
        for machine in course.machines.values():
            if machine.outer is not None and machine.name not in hosted:
                hosted |= _put_inside(sketches, course.machines[machine.outer], machine)
    return sketches


def _add_states(fsm: Fsm[Any], machine: MachineCourse) -> None:
    for change in machine.changes:
        if len(fsm.states) >= MOST_STATES:
            return
        for state in (change.state, *change.suspended):
            if state is not None and state not in fsm.states:
                fsm.add_state(state)


def _add_transitions(fsm: Fsm[Any], machines: Sequence[MachineCourse]) -> None:
    seen: dict[tuple[str, str], dict[tuple[str, bool, bool], None]] = {}
    for machine in machines:
        for source, change, is_suspended in _ways(machine):
            way = (str(change.state), is_suspended, change.is_resumed)
            seen.setdefault((source, change.event), {})[way] = None
    for (source, event), ways in seen.items():
        *guarded, last = ways
        for target, is_suspended, is_resumed in ways:
            if source in fsm.states and target in fsm.states:
                fsm.states[source].add_transition(
                    event,
                    BACK if is_resumed else target,
                    when=_not_recorded if guarded and (target, is_suspended, is_resumed) != last
                    else None,
                    suspend=is_suspended,
                )  # fmt: skip


def _ways(machine: MachineCourse) -> Iterator[tuple[str, Change, bool]]:
    """Yield the state before each change by an event, the change, and if it suspends that."""
    for before, change in zip(machine.changes, machine.changes[1:], strict=False):
        source = change.previous
        if change.state is None or not change.event or source is None:
            continue
        is_suspended = source in before.suspended and not change.is_resumed
        if not (is_suspended and source == change.state):
            yield source, change, is_suspended


def _not_recorded(_state: object) -> bool:
    """Stand for a guard: a recording does not hold it."""
    return False


def _put_inside(
    sketches: dict[str, Fsm[Any]], outer: MachineCourse, inner: MachineCourse
) -> set[str]:
    """Nest a machine in the state in which it began to run; return its name if there is one."""
    for change in inner.changes:
        host = outer.at(change.position).state if change.state is not None else None
        states = sketches[outer.name].states
        if host is not None and host in states:
            states[host].add_action(_Inner(sketches[inner.name]))
            return {inner.name}
    return set()
