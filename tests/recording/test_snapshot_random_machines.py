"""A machine continues as if nothing had happened: a saved and restored one, and a copy.

Hypothesis makes up machines of all actions of the library, and what happens to them. What is the
game's own (transforms, values, the pace of time) is copied here, as a game would save it.
"""

import pickle
from copy import deepcopy
from io import BytesIO
from types import FunctionType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_games import BUILDERS, Game, crowded, machines, scripts

import actions as library
from fsmkit import FsmError, FsmGroup
from fsmkit.recording import Recording, SnapshotError, restore


def check_going_on(
    machine: dict[str, Any],
    before: list[Any],
    after: list[Any],
    *,
    watched: bool = False,
    sealed: bool = True,
    recorded: bool = False,
) -> None:
    """Run, save, run on; and build afresh, restore, run on. It comes to the same.

    `watched`: an observer is attached before it is restored, too. Not `sealed`: without its
    checksum, so that everything is checked. `recorded`: a recording is attached to both.
    """
    game, other = Game(machine), Game(machine)
    if recorded:
        Recording(game.world.group, keep=False)
        Recording(other.world.group, keep=False)
    game.take(("start", "A"))
    for step in before:
        game.take(step)
    if game.has_running_coroutine or game.has_made_actions:
        with pytest.raises(SnapshotError, match=r"cannot be saved( while it is running|\. Wait)"):
            game.saved()
        return

    if watched:
        other.watch()
    other.world.load(game.world.saved())
    saved = game.saved()
    if not sealed:
        del saved["checksum"]
    restore(other.world.group, saved, decode=AssertionError)
    assert not any(recorder.journal for recorder in other.recorders)
    if not watched:
        other.watch()
    game.watch()
    for step in after:
        assert game.take(step) == other.take(step)
        assert game.seen() == other.seen()
        if not (game.has_running_coroutine or game.has_made_actions):
            assert game.saved() == other.saved()


class Pickler(pickle.Pickler):
    """Pickles machines alone: the world around them, and functions, are only referred to."""

    def __init__(self, shared: dict[int, object]) -> None:
        self.file = BytesIO()
        self.shared = shared
        super().__init__(self.file)

    def dump(self, thing: object) -> None:
        super().dump(thing)

    def persistent_id(self, thing: object) -> int | None:
        if isinstance(thing, FunctionType):
            self.shared[id(thing)] = thing
        return id(thing) if id(thing) in self.shared else None


class Unpickler(pickle.Unpickler):
    def __init__(self, pickler: Pickler) -> None:
        super().__init__(BytesIO(pickler.file.getvalue()))
        self.shared = pickler.shared

    def persistent_load(self, pid: int) -> object:
        return self.shared[pid]


def pickled(group: FsmGroup, shared: dict[int, object]) -> FsmGroup:
    pickler = Pickler(shared)
    pickler.dump(group)
    copy: FsmGroup = Unpickler(pickler).load()
    return copy


def check_copies(machine: dict[str, Any], before: list[Any], after: list[Any]) -> None:
    """Run, copy, run on; and put the world back as it was, and run the copies on."""
    game = Game(machine)
    game.take(("start", "A"))
    for step in before:
        game.take(step)
    world = game.world
    parts = (world.body, world.prey, world.values, world.thing, world.pace, world.rng, world)
    shared: dict[int, object] = {id(part): part for part in parts}
    if game.has_running_coroutine:
        with pytest.raises(FsmError, match="generator: a running generator cannot be"):
            deepcopy(world.group, shared)
        return
    copies = [deepcopy(world.group, {**shared}), pickled(world.group, shared)]
    beginning, dice = world.saved(), world.rng.getstate()
    game.watch()
    course = [(game.take(step), game.seen()) for step in after]
    for copy in copies:
        world.load(beginning)
        world.rng.setstate(dice)
        world.group = copy
        game.fsm = next(iter(copy))
        game.watch()
        assert [(game.take(step), game.seen()) for step in after] == course


def test_every_action_of_the_library_may_occur() -> None:
    assert BUILDERS.keys() >= {*library.__all__} - {"HOST", "Option", "PathMode"}


@pytest.mark.slow
@given(machines, scripts, scripts, st.booleans(), st.booleans())
def test_a_restored_machine_continues_as_the_one_that_was_saved(
    machine: dict[str, Any], before: list[Any], after: list[Any], watched: bool, sealed: bool
) -> None:
    check_going_on(machine, before, after, watched=watched, sealed=sealed)


@pytest.mark.slow
@given(machines, scripts, scripts)
def test_a_copy_continues_as_the_original(
    machine: dict[str, Any], before: list[Any], after: list[Any]
) -> None:
    check_copies(machine, before, after)


@pytest.mark.parametrize("seed", range(150))
def test_a_restored_machine_full_of_actions_continues(seed: int) -> None:
    rng, machine, before, after = crowded(seed)
    watched, sealed, recorded = (rng.random() < 0.5 for _ in range(3))
    check_going_on(machine, before, after, watched=watched, sealed=sealed, recorded=recorded)


@pytest.mark.parametrize("seed", range(150))
def test_a_copy_of_a_machine_full_of_actions_continues(seed: int) -> None:
    _, machine, before, after = crowded(seed)
    check_copies(machine, before, after)
