"""What holds after anything has happened in any callback: every cell of promise.py, run."""

from collections.abc import Iterable
from typing import Any

from every import every
from promise import CALLBACKS, HAPPENINGS, PAGE, Cell, cells, page
from promise_callbacks import STEP, world_of
from promise_world import World

from fsmkit import Fsm, StateGroup, Transition
from fsmkit.testing import Recorder

CELLS = list(cells())


@every("cell", CELLS)
def test_the_promise_is_kept(cell: Cell) -> None:
    world, call = world_of(cell)
    assert world.outcome_of(call) == cell.outcome
    assert_at_rest(world)
    assert_usable(world)


@every("cell", CELLS)
def test_it_is_kept_whoever_looks_on_and_with_time_carried_over(cell: Cell) -> None:
    world, call = world_of(cell)
    for fsm in world.machines:
        fsm.carry_time = True
        Recorder(fsm)
    assert world.outcome_of(call) == cell.outcome
    assert_at_rest(world)
    assert_usable(world)


@every("cell", CELLS)
def test_it_is_kept_where_all_transitions_are_those_of_groups(cell: Cell) -> None:
    world, call = world_of(cell)
    for fsm in world.machines:
        hand_to_groups(fsm)
    assert world.outcome_of(call) == cell.outcome
    assert_at_rest(world)
    assert_usable(world)


def hand_to_groups(fsm: Fsm[Any]) -> None:
    """Let groups have the transitions of the states, but for those to the state itself."""
    for state in fsm.states.values():
        group = fsm.add_group(f"group of {state.name}", state)
        for event, ways in state.transitions.items():
            if all(way.target is not state for way in ways):
                state.remove_transition(event)
                add_all(group, ways)
    everything = fsm.add_group("all", *fsm.states)
    for event, ways in fsm.global_transitions.items():
        fsm.remove_global_transition(event)
        add_all(everything, ways)


def add_all(group: StateGroup[Any], ways: Iterable[Transition[Any]]) -> None:
    for event, target, when, do, suspend in ways:
        group.add_transition(event, target, when=when, do=do, suspend=suspend)


@every("cell", [cell for cell in CELLS if cell.is_refused])
def test_a_callback_that_catches_the_refusal_goes_on_as_if_it_had_not_asked(cell: Cell) -> None:
    world, call = world_of(cell, catches=True)
    assert world.outcome_of(call).removesuffix(", once") == cell.place
    assert_at_rest(world)
    assert_usable(world)


def assert_at_rest(world: World) -> None:
    """Nothing is under way, and what was entered is exited unless it goes on."""
    assert world.times
    for fsm in world.machines:
        assert (fsm.phase, fsm.acting, fsm.is_changing) == (None, None, False)
    going_on = {state for fsm in world.machines for state in (fsm.current_state, *fsm.suspended)}
    assert {witness.state for witness in world.owed()} <= going_on


def assert_usable(world: World) -> None:
    """It can be updated, started, sent events and stopped, and exits what it owes."""
    fsm = world.outer
    fsm.update(STEP)
    fsm.start("B")
    assert fsm.send_event("ON")
    assert fsm.path == ("C",)
    fsm.stop()
    assert world.owed() == set()
    fsm.start()
    fsm.update(STEP)
    assert fsm.path == (("A",) if world.runner is None else ("A", "a"))
    fsm.stop()
    assert world.owed() == set()


def test_the_table_has_a_cell_for_everything_in_everything() -> None:
    everything = [(callback, happening) for callback in CALLBACKS for happening in HAPPENINGS]
    assert sorted((cell.callback, cell.happening) for cell in CELLS) == sorted(everything)


def test_the_page_shows_the_table() -> None:
    text = PAGE.read_text("utf-8")
    assert text == page(text), "python tests/core/promise.py writes the page anew"
