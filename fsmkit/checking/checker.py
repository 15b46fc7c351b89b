"""check: runs all checks on a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.chains import endless_chains
from fsmkit.checking.conflicts import conflicting_actions
from fsmkit.checking.dead_ends import dead_end_events
from fsmkit.checking.error_loops import error_loops
from fsmkit.checking.final_states import final_states_left
from fsmkit.checking.finding import SEVERITIES, Finding
from fsmkit.checking.forbidden import forbidden_sends
from fsmkit.checking.guarding import guarding_nothing
from fsmkit.checking.guards import constant_guards
from fsmkit.checking.ignoring import Ignores
from fsmkit.checking.left_at_once import left_at_once
from fsmkit.checking.nesting import (
    machines_in_two_places,
    machines_that_run_themselves,
    unexpected_ends,
)
from fsmkit.checking.never_finished import finished_that_never_fires
from fsmkit.checking.never_sent import events_never_sent, unknown_inputs
from fsmkit.checking.reaching import (
    machines_without_states,
    states_without_way_out,
    unreachable_states,
)
from fsmkit.checking.shadowing import shadowed_transitions
from fsmkit.checking.similar_events import similar_events
from fsmkit.checking.subject import Subject, subjects
from fsmkit.checking.suspending import never_resumed, nothing_to_resume
from fsmkit.checking.too_late import events_too_late
from fsmkit.checking.traps import traps
from fsmkit.checking.unheard import unheard_finishes
from fsmkit.checking.ways import Table, all_ways
from fsmkit.core.checks.functions import described
from fsmkit.tooling.places import Places, noting_places

Build: TypeAlias = "Callable[[], Fsm[Any] | FsmGroup]"

RULES: Final[tuple[Callable[[Subject], Iterator[Finding]], ...]] = (
    machines_without_states,
    dead_end_events,
    endless_chains,
    unreachable_states,
    states_without_way_out,
    final_states_left,
    finished_that_never_fires,
    unheard_finishes,
    shadowed_transitions,
    nothing_to_resume,
    never_resumed,
    machines_that_run_themselves,
    machines_in_two_places,
    unexpected_ends,
    similar_events,
    left_at_once,
    events_too_late,
    traps,
    error_loops,
    conflicting_actions,
    guarding_nothing,
    constant_guards,
    forbidden_sends,
    events_never_sent,
    unknown_inputs,
)


def check(
    machine: Fsm[Any] | FsmGroup | Build,
    ignore: Iterable[str] = (),
    *,
    places: Places | None = None,
    inputs: Iterable[str] | None = None,
) -> list[Finding]:
    """Look for mistakes in a machine, or in those of a group, and in nested machines.

    The machine is not run or changed. Findings that machines of the same shape have in common are
    reported once, for the first of them. The findings come machine by machine, the worst first.

    Give the function that builds the machine, `check(build)`, and the findings say which line of
    the code they are about. Then comments there ignore findings, too: `# fsmkit: ignore[CODE]`.
    `places` are those lines, if you have noted them yourself.

    `inputs` are the events that come from outside: from players, sensors, the game. If you name
    them, events that nobody sends are found, too. TypeError for anything but names.

    `ignore` suppresses findings: all with a code (`"no-way-out"`), or only those about one state or
    event (`"no-way-out:Limbo"`). Raises ValueError for a code that does not exist.

    >>> fsm = Fsm("Guard")
    >>> patrol, alarm = fsm.add_state("Patrol"), fsm.add_state("Alarm")
    >>> _ = patrol.add_transition("SPOTTED", alarm)
    >>> for finding in check(fsm):
    ...     print(finding.code, finding.place.state)
    no-way-out Alarm
    """
    ignores = Ignores(ignore)
    if callable(machine) and not isinstance(machine, (Fsm, FsmGroup, type)):
        with noting_places() as noted:
            machine = _built(machine)
        places = noted
    if not isinstance(machine, (Fsm, FsmGroup)):
        raise TypeError(f"machine must be an Fsm or an FsmGroup, got {machine!r}.")
    return findings_in(machine, ignores, places, inputs)


def findings_in(
    machine: Fsm[Any] | FsmGroup,
    ignores: Ignores,
    places: Places | None,
    inputs: Iterable[str] | None = None,
) -> list[Finding]:
    """Return what `check` returns, and let `ignores` remember what was ignored."""
    found: dict[object, Finding] = {}
    shapes: dict[object, int] = {}
    for subject in subjects(machine, places, inputs):
        shape = shapes.setdefault(_shape(subject), len(shapes))
        for finding in sorted(_findings(subject), key=_rank):
            if not ignores.covers(finding):
                found.setdefault((shape, _without_machine(finding)), finding)
    return list(found.values())


def _built(build: Build) -> Fsm[Any] | FsmGroup:
    built = build()
    if not isinstance(built, (Fsm, FsmGroup)):
        raise TypeError(
            f"{described(build)} must return an Fsm or an FsmGroup, got {built!r}. "
            "Let it end with `return fsm`."
        )
    return built


def _findings(subject: Subject) -> Iterator[Finding]:
    for rule in RULES:
        yield from rule(subject)


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


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
