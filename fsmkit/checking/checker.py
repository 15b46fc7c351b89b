"""check: runs all checks on a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.chains import endless_chains
from fsmkit.checking.dead_ends import dead_end_events
from fsmkit.checking.finding import CODES, SEVERITIES, Finding
from fsmkit.checking.nesting import (
    machines_in_two_places,
    machines_that_run_themselves,
    unexpected_ends,
)
from fsmkit.checking.never_finished import finished_that_never_fires
from fsmkit.checking.reaching import (
    machines_without_states,
    states_without_way_out,
    unreachable_states,
)
from fsmkit.checking.shadowing import shadowed_transitions
from fsmkit.checking.similar_events import similar_events
from fsmkit.checking.subject import Subject, subjects
from fsmkit.checking.suspending import never_resumed, nothing_to_resume
from fsmkit.checking.unheard import unheard_finishes
from fsmkit.checking.ways import Table, all_ways

RULES: Final[tuple[Callable[[Subject], Iterator[Finding]], ...]] = (
    machines_without_states,
    dead_end_events,
    endless_chains,
    unreachable_states,
    states_without_way_out,
    finished_that_never_fires,
    unheard_finishes,
    shadowed_transitions,
    nothing_to_resume,
    never_resumed,
    machines_that_run_themselves,
    machines_in_two_places,
    unexpected_ends,
    similar_events,
)


def check(machine: Fsm[Any] | FsmGroup, ignore: Iterable[str] = ()) -> list[Finding]:
    """Look for mistakes in a machine, or in those of a group, and in nested machines.

    The machine is not run or changed. Findings that machines of the same shape have in common are
    reported once, for the first of them. The findings come machine by machine, the worst first.

    `ignore` suppresses findings: all with a code (`"no-way-out"`), or only those about one state or
    event (`"no-way-out:Limbo"`). Raises ValueError for a code that does not exist.

    >>> fsm = Fsm("Guard")
    >>> patrol, alarm = fsm.add_state("Patrol"), fsm.add_state("Alarm")
    >>> _ = patrol.add_transition("SPOTTED", alarm)
    >>> for finding in check(fsm):
    ...     print(finding.code, finding.place.state)
    no-way-out Alarm
    """
    if not isinstance(machine, (Fsm, FsmGroup)):
        raise TypeError(f"machine must be an Fsm or an FsmGroup, got {machine!r}.")
    ignored = [checked_ignore(each) for each in ignore]
    found: dict[object, Finding] = {}
    shapes: dict[object, int] = {}
    for subject in subjects(machine):
        shape = shapes.setdefault(_shape(subject), len(shapes))
        for finding in sorted(_findings(subject), key=_rank):
            found.setdefault((shape, _without_machine(finding)), finding)
    return [finding for finding in found.values() if not _is_ignored(finding, ignored)]


def checked_ignore(text: str) -> str:
    """Return `text`; raise ValueError unless it begins with a code."""
    code = text.partition(":")[0]
    if code not in CODES:
        raise ValueError(f"There is no code {code!r}. The codes are: {', '.join(CODES)}.")
    return text


def _findings(subject: Subject) -> Iterator[Finding]:
    for rule in RULES:
        yield from rule(subject)


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _is_ignored(finding: Finding, ignored: list[str]) -> bool:
    place = finding.place
    about = (f"{finding.code}:{name}" for name in (place.state, place.event) if name is not None)
    return finding.code in ignored or any(each in ignored for each in about)


def _without_machine(finding: Finding) -> Finding:
    return evolve(finding, place=evolve(finding.place, machine=""))


def _shape(subject: Subject) -> object:
    """Return states and transitions, which machines that are built by the same code share."""
    ways = subject.ways
    leads = [(state.name, state.final, _ways(ways.own(state))) for state in subject.states]
    return (tuple(leads), _ways(ways.shared))


def _ways(table: Table) -> tuple[object, ...]:
    ways = all_ways(table)
    return tuple((way.event, way.target.name, way.when is None, way.suspend) for way in ways)
