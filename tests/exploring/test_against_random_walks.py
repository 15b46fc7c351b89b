"""The walk sees what random walks see, and what it says is so, on small machines of all sorts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import product
from random import Random
from typing import Any, TypeAlias

import pytest
from pasting import run_pasted
from small_machines import EVENTS, small_machine

from fsmkit import Fsm, FsmState
from fsmkit.exploring import Exploration, explore
from fsmkit.exploring.rehearsal import StateKey, TransitionKey
from fsmkit.exploring.scripts import cost
from fsmkit.testing import Recorder, Step, drive

NUMBERS = range(40)
SECONDS = (0.5, 0.5, 0.25, 0.1, 0.05, 0.7)

Change: TypeAlias = tuple[str, str | None, str]
"""A machine, the event and the state that was entered."""


@cache
def explored(number: int) -> Exploration:
    return explore(partial(small_machine, number), inputs=EVENTS, moments=200)


def machines_in(fsm: Fsm[Any]) -> Iterator[Fsm[Any]]:
    yield fsm
    for state in fsm.states.values():
        for action in state.actions:
            for inner in action.machines:
                yield from machines_in(inner)


class Changes:
    """An observer that keeps the changes of state, and how they came about."""

    def __init__(self, fsm: Fsm[Any]) -> None:
        self.found: set[Change] = set()
        for machine in machines_in(fsm):
            machine.observe(self)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self.found.add((fsm.name, event, state.name))


def changes_after(number: int, script: Sequence[Step]) -> set[Change]:
    """Return the changes up to the end of a script, or up to an error."""
    fsm = small_machine(number)
    changes = Changes(fsm)
    try:
        drive(fsm, [fsm.start, *script])
    except Exception:
        assert any(finding.severity == "error" for finding in explored(number).findings)
    return changes.found


def random_script(rng: Random) -> list[Step]:
    chance = rng.random()
    steps = range(40)
    return [rng.choice(EVENTS) if rng.random() < chance else rng.choice(SECONDS) for _ in steps]


def seen_by_walk(exploration: Exploration) -> set[Change]:
    """Return the changes that a walk has seen: the transitions taken, and the starts."""
    walk = exploration.walk
    seen: set[Change] = set()
    for key in walk.seen.results.of(TransitionKey):
        machine = walk.machines[key.machine]
        table = machine.states[key.state].transitions if key.state else machine.global_transitions
        seen.add((machine.name, key.event, table[key.event][key.index].target.name))
    for state in walk.seen.results.of(StateKey):
        seen.add((walk.machines[state.machine].name, None, state.state))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_random_walks_take_no_transition_that_the_walk_has_not_taken(number: int) -> None:
    if not explored(number).walk.seen.cuts <= {"errors"}:
        pytest.skip("too many moments")
    rng = Random(number)
    taken = [changes_after(number, random_script(rng)) for _ in range(12)]
    assert set().union(*taken) <= seen_by_walk(explored(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_each_script_leads_where_it_is_said_to_lead(number: int) -> None:
    walk = explored(number).walk
    for state in walk.seen.results.of(StateKey):
        fsm = small_machine(number)
        title = {name: place for place, name in enumerate(walk.machines)}[state.machine]
        with Recorder(list(machines_in(fsm))[title]) as recorder:
            script = explored(number).script_to(state.state, state.machine)
            with suppress(Exception):  # it may be entered in the step that fails
                drive(fsm, [fsm.start, *script])
        assert state.state in recorder.path


@pytest.mark.parametrize("number", range(15))
def test_no_three_inputs_lead_anywhere_by_less(number: int) -> None:
    exploration = explored(number)
    states = exploration.walk.seen.results.of(StateKey)
    scripts = {key.state: script for key, script in states.items() if key.machine == "Outer"}
    for steps in product(EVENTS, repeat=3):
        for machine, _, state in changes_after(number, steps):
            if machine == "Outer":
                assert cost(scripts[state]) <= len(steps)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_printed_tests_pass(number: int) -> None:
    for finding in explored(number).findings:
        if finding.test:
            run_pasted(partial(small_machine, number), finding)
