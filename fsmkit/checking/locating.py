"""Locating: which line of the code a finding is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from attrs import evolve

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, Transition
from fsmkit.checking.finding import Finding, Place
from fsmkit.tooling.code_place import CodePlace
from fsmkit.tooling.nesting import MachineNames, members
from fsmkit.tooling.places import Places

FindingT = TypeVar("FindingT", bound=Finding)


def line_of(
    places: Places,
    machine: Fsm[Any],
    state: FsmState[Any] | None,
    *,
    action: FsmAction[Any] | None = None,
    event: str | None = None,
    way: Transition[Any] | None = None,
) -> CodePlace | None:
    """Return the line that added the action, else the transition, else the state."""
    line = None if action is None else places.of(action)
    if action is None and way is None and event is not None:
        ways = machine.global_transitions if state is None else state.transitions
        way = next(iter(ways.get(event, ())), None)
    if line is None and way is not None:
        line = places.of_transition(state or machine, way)
    return places.of(state) if line is None and state is not None else line


def located(
    findings: Iterable[FindingT], machines: Fsm[Any] | FsmGroup, places: Places
) -> Iterator[FindingT]:
    """Yield findings with their lines, for those that know only the names of what they are about.

    `machines` are those they are about, or others that the same code has built, `places` theirs.
    """
    named = {name: machine for name, machine, _ in MachineNames().add(members(machines))}
    for finding in findings:
        machine = named.get(finding.place.machine)
        line = None if machine is None else _line_of(places, machine, finding.place)
        if finding.place.code is not None or line is None:
            yield finding
        else:
            yield evolve(finding, place=evolve(finding.place, file=line.file, line=line.line))


def _line_of(places: Places, machine: Fsm[Any], place: Place) -> CodePlace | None:
    state = machine.states.get(place.state or "")
    found = re.match(r"actions\[(\d+)\]", place.action or "")
    actions = state.actions[int(found[1]) :] if state is not None and found is not None else ()
    return line_of(places, machine, state, action=next(iter(actions), None), event=place.event)
