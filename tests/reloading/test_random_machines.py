"""Random machines of all actions continue when they are rebuilt: alike, or edited somewhere."""

from copy import deepcopy
from traceback import extract_tb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import Game, machines, scripts, specs, states

from fsmkit import FsmGroup
from fsmkit.introspection.run_state import check_run_state, read_run_state
from fsmkit.reloading.reloader import Succession
from fsmkit.reloading.successors import BuiltObjects

pytestmark = pytest.mark.slow


def running(machine: dict[str, Any], before: list[Any]) -> tuple[Game, BuiltObjects]:
    game = Game(machine)
    things = BuiltObjects(list(game.world.group), deeply=False)
    for step in (("start", "A"), *before):
        game.take(step)
    return game, things


def built_anew(game: Game, things: BuiltObjects, machine: dict[str, Any]) -> Succession | None:
    """Build `machine` in the world of `game`, in the place of its own.

    None if an action that is new has failed on enter.
    """
    world, present = game.world, game.world.group
    world.group = FsmGroup()
    game.fsm = Game(machine, world).fsm
    _, listener = world.group
    listener.stop()
    succession = Succession(present, world.group, things)
    try:
        succession.prepare()
    except Exception as error:
        if "enter_late" not in [call.name for call in extract_tb(error.__traceback__)]:
            raise
        return None
    list(succession.complete())
    for fsm in present:
        present.remove(fsm)
        world.group.add(fsm)  # which the actions broadcast to
    return succession


def was_cut_short(game: Game) -> bool:
    """Whether an error has kept actions from being entered: the new machine enters them."""
    run = read_run_state(game.fsm)
    entered = [game.fsm.states[str(run.state)].actions[index] for index in run.entered]
    return run.taking_part > sum(not action.background for action in entered)


@settings(max_examples=60)
@given(machines, scripts, scripts)
def test_a_machine_that_is_built_alike_continues_as_if_nothing_had_happened(
    machine: dict[str, Any], before: list[Any], after: list[Any]
) -> None:
    (game, _), (other, things) = running(machine, before), running(machine, before)
    if was_cut_short(game):
        return
    succession = built_anew(other, things, machine)
    assert succession is not None
    if any("starts again" in note for note in succession.notes):
        return
    game.watch()
    other.watch()
    for step in after:
        assert game.take(step) == other.take(step)
        assert game.seen() == other.seen()


@st.composite
def edited(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A machine, and the same with something added, removed, moved or replaced."""
    before: dict[str, Any] = draw(machines)
    after = deepcopy(before)
    for name, (transitions, actions) in before.items():
        edit = draw(st.sampled_from(("add", "remove", "reverse", "replace", "gone", "", "")))
        place = draw(st.integers(0, max(0, len(actions) - 1)))
        if edit == "add":
            after[name] = (transitions, [*actions[:place], draw(specs), *actions[place:]])
        elif edit == "remove":
            after[name] = (transitions, [*actions[:place], *actions[place + 1 :]])
        elif edit == "reverse":
            after[name] = (transitions, actions[::-1])
        elif edit == "replace":
            after[name] = draw(states)
        elif edit == "gone" and name != "A":
            del after[name]
    for name, (transitions, actions) in after.items():
        lead = {e: way for e, way in transitions.items() if way == "BACK" or way[-1] in after}
        after[name] = (lead, actions)
    return before, after


@settings(max_examples=60)
@given(edited(), scripts, scripts)
def test_after_an_edit_the_run_fits_the_new_machine(
    versions: tuple[dict[str, Any], dict[str, Any]], before: list[Any], after: list[Any]
) -> None:
    game, things = running(versions[0], before)
    old = game.fsm
    if built_anew(game, things, versions[1]) is None:
        return
    assert game.fsm is not old
    check_run_state(game.fsm, read_run_state(game.fsm))
    for step in after:
        game.take(step)
        check_run_state(game.fsm, read_run_state(game.fsm))
