"""check: runs all checks on a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.finding import SEVERITIES, Finding
from fsmkit.checking.ignores import Ignores
from fsmkit.checking.rules import actions, events, reachability
from fsmkit.checking.subject import Subject, subjects
from fsmkit.core.checks.functions import described
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.introspection.shape import machine_shape

Builder: TypeAlias = "Callable[[], Fsm[Any] | FsmGroup]"

RULES: Final[tuple[Callable[[Subject], Iterator[Finding]], ...]] = (
    reachability.machines_without_states,
    events.dead_end_events,
    reachability.endless_chains,
    reachability.unreachable_states,
    reachability.states_without_way_out,
    reachability.final_states_left,
    actions.finished_that_never_fires,
    actions.unheard_finishes,
    actions.failed_that_never_fires,
    actions.unheard_failures,
    reachability.shadowed_transitions,
    reachability.empty_groups,
    reachability.nothing_to_resume,
    reachability.never_resumed,
    actions.work_while_suspended,
    actions.options_never_run,
    actions.machines_that_run_themselves,
    actions.machines_in_two_places,
    actions.unexpected_ends,
    events.similar_events,
    reachability.left_at_once,
    events.events_too_late,
    reachability.traps,
    reachability.error_loops,
    actions.conflicting_actions,
    events.guarding_nothing,
    reachability.constant_guards,
    events.forbidden_sends,
    events.events_never_sent,
    events.unknown_inputs,
)


def check(
    machine: Fsm[Any] | FsmGroup | Builder,
    ignore: Iterable[str] = (),
    *,
    places: DefinitionSites | None = None,
    inputs: Iterable[str] | None = None,
) -> list[Finding]:
    """Look for mistakes in a machine, or in those of a group, and in nested machines.

    The machine is not run or changed. Findings that machines of the same shape have in common are
    reported once, for the first of them. The findings come machine by machine, the worst first.

    Give the function that builds the machine, `check(build)`, and the findings say which line of
    the code they are about. Then comments there ignore findings, too: `# fsmkit: ignore[CODE]`.
    `places` are those lines, if you have noted them yourself.

    `inputs` are the events that come from outside: from players, sensors, the game. If you name
    them, events that are never sent are found, too. Raises TypeError unless they are names.

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
    places: DefinitionSites | None,
    inputs: Iterable[str] | None = None,
) -> list[Finding]:
    """Return what `check` returns, and let `ignores` remember what was ignored."""
    found: dict[object, Finding] = {}
    shapes: dict[object, int] = {}
    for subject in subjects(machine, places, inputs):
        shape = shapes.setdefault(machine_shape(subject.machine, with_actions=False), len(shapes))
        for finding in sorted(_findings(subject), key=_rank):
            if not ignores.covers(finding):
                found.setdefault((shape, _without_machine(finding)), finding)
    return list(found.values())


def _built(build: Builder) -> Fsm[Any] | FsmGroup:
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
