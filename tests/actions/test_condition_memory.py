"""What a condition remembers is a part of the run: nothing that happens to a machine loses it."""

import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from actions import InRange, OnChange, Sees, SendEventWhen
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.exploring.moments import MomentReader
from fsmkit.polled import PolledFsm, not_, when
from fsmkit.polled import State as PolledState
from fsmkit.recording import Recording, SnapshotError, replay, restore, snapshot, why
from fsmkit.space import Transform
from fsmkit.space.hysteresis import holding


class World:
    def __init__(self, x: float = 9.0) -> None:
        self.hero = Transform((x, 0.0))
        self.near: Any = None

    def go(self, x: float) -> None:
        self.hero.position = (x, 0.0)


NEAR = InRange((0.0, 0.0), lambda state: state.context.hero, 3.0, until=6.0)
"""One condition for all machines."""


def asks_global(state: Any) -> bool:
    return not NEAR(state)


def built(near: Callable[..., object], far: Callable[..., object], world: World) -> Fsm[World]:
    fsm = Fsm("Door", context=world)
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(SendEventWhen(near, "OPEN"))
    opened.add_action(SendEventWhen(far, "CLOSE"))
    closed.add_transition("OPEN", opened)
    opened.add_transition("CLOSE", closed)
    fsm.add_state("Locked").add_transition("TRY", opened, when=near)
    return fsm


def by_closure(world: World) -> Fsm[World]:
    near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
    return built(near, lambda state: not near(state), world)


def by_negation(world: World) -> Fsm[World]:
    near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
    return built(near, not_(near), world)


def by_default(world: World) -> Fsm[World]:
    near = Sees((0.0, 0.0), world.hero, 3.0, until=6.0)
    return built(lambda state, near=near: near(state), lambda state, n=near: not n(state), world)


def by_context(world: World) -> Fsm[World]:
    world.near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
    return built(lambda s: s.context.near(s), lambda s: not s.context.near(s), world)


def by_global(world: World) -> Fsm[World]:
    return built(NEAR, asks_global, world)


BUILDS = [by_closure, by_negation, by_default, by_context, by_global]
everywhere = pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)


def opened(build: Callable[[World], Fsm[World]]) -> tuple[Fsm[World], World]:
    """A machine that has seen the hero near, and now he is at the edge."""
    world = World(2.0)
    fsm = build(world)
    fsm.start()
    world.go(5.0)
    fsm.update(0.1)
    assert fsm.current_state is not None
    assert (fsm.current_state.name, len(holding(fsm))) == ("Open", 1)
    return fsm, world


def course_of(fsm: Fsm[Any], world: World) -> list[str]:
    """Where it goes on: a machine that has forgotten closes at once."""
    names = []
    for x in (5.5, 6.0, 7.0, 5.0, 3.0):
        world.go(x)
        fsm.update(0.1)
        names.append(fsm.current_state.name)  # type: ignore[union-attr]  # it is running
    return names


AS_EVER = ["Open", "Open", "Closed", "Closed", "Open"]


@everywhere
def test_a_machine_goes_on_as_ever(build: Callable[[World], Fsm[World]]) -> None:
    assert course_of(*opened(build)) == AS_EVER


def test_machines_without_conditions_share_what_holds() -> None:
    one, other = Fsm("One"), Fsm("Other")
    one.add_state("Only")
    one.start()
    one.stop()
    assert holding(one) == []
    assert one._extras_ is other._extras_


@everywhere
def test_a_snapshot_has_it(build: Callable[[World], Fsm[World]]) -> None:
    fsm, _ = opened(build)
    saved = json.loads(json.dumps(snapshot(fsm)))
    world = World(5.0)
    loaded = build(world)
    restore(loaded, saved)
    assert course_of(loaded, world) == AS_EVER


@everywhere
def test_restoring_an_earlier_moment_forgets(build: Callable[[World], Fsm[World]]) -> None:
    world = World(9.0)
    fsm = build(world)
    fsm.start()
    early = snapshot(fsm)
    world.go(2.0)
    fsm.update(0.1)
    restore(fsm, early)
    world.go(5.0)
    fsm.update(0.1)
    assert (fsm.current_state, holding(fsm)) == (fsm.states["Closed"], [])


@pytest.mark.parametrize("build", [by_closure, by_negation, by_default, by_global])
def test_a_deep_copy_has_it(build: Callable[[World], Fsm[World]]) -> None:
    fsm, world = opened(build)
    copied = deepcopy(fsm, {id(world): world, id(world.hero): world.hero})
    assert course_of(copied, world) == AS_EVER
    world.go(5.0)
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Open"]


def test_copies_of_a_group_do_not_share_it() -> None:
    fsm, world = opened(by_global)
    other = by_global(World(9.0))
    other.start()
    group = FsmGroup()
    group.add(fsm)
    group.add(other)
    mine, others = deepcopy(group)
    assert (len(holding(mine)), len(holding(others))) == (1, 0)
    assert course_of(mine, mine.context) == AS_EVER
    assert world.hero.position == (5.0, 0.0)


def test_a_pickle_has_it() -> None:
    world = World(2.0)
    near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
    fsm = Fsm("Door", context=world)
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(SendEventWhen(near, "OPEN"))
    opened.add_action(OnChange(near, "CHANGED"))
    closed.add_transition("OPEN", opened)
    opened.add_transition("CHANGED", closed)
    fsm.start()
    world.go(5.0)
    fsm.update(0.1)
    again = pickle.loads(pickle.dumps(fsm))  # our own
    assert course_of(again, again.context) == AS_EVER


def never() -> bool:
    return False


class Guard:
    def __init__(self) -> None:
        self.position = (0.0, 0.0)
        self.fsm: Any = None


@pytest.mark.parametrize("copied", [deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_world_is_copied_whose_condition_comes_before_its_machine(
    copied: Callable[[Any], Any],
) -> None:
    guard, world = Guard(), World(2.0)
    near = InRange(guard, world.hero, 3.0, until=6.0)
    guard.fsm = built(near, never, world)
    guard.fsm.start()
    guard.fsm.update(0.1)
    twin, its_guard = copied([near, guard])
    assert holding(its_guard.fsm) == [twin]
    assert (twin is near, twin.one is its_guard) == (False, True)


def test_each_machine_of_a_group_has_its_own_in_a_snapshot() -> None:
    def group() -> FsmGroup:
        machines = FsmGroup()
        for world in (World(2.0), World(9.0)):
            machines.add(by_global(world))
        return machines

    before, after = group(), group()
    for fsm in before:
        fsm.start()
    restore(after, snapshot(before))
    assert [len(holding(fsm)) for fsm in after] == [1, 0]


def test_a_replay_goes_the_same_way() -> None:
    def build() -> Fsm[World]:
        world = World()
        fsm = by_closure(world)
        for name in ("Closed", "Open"):
            fsm.states[name].add_transition("GO", name, do=lambda _, x: world.go(x))
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        for x in (5.0, 2.0, 5.0, 6.0, 7.0, 5.0):
            fsm.send_event("GO", x)
            fsm.update(0.1)

    assert replay(build, recording).equal


# Asking


def test_a_tool_that_asks_a_guard_leaves_no_trace() -> None:
    world = World(2.0)
    fsm = by_closure(world)
    fsm.start("Locked")
    answers = [why(fsm, "TRY", None).outcome for _ in range(2)]
    world.go(5.0)
    assert (answers, holding(fsm), fsm.send_event("TRY")) == (["changed"] * 2, [], False)


def test_a_guard_may_be_asked_any_number_of_times() -> None:
    world = World(2.0)
    near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
    fsm = Fsm("Door")
    shut = fsm.add_state("Shut")
    shut.add_transition("PUSH", shut, when=near)
    fsm.start()
    taken = []
    for x in (2.0, 2.0, 5.0, 6.0, 6.0, 7.0, 6.0, 5.0, 3.0):
        world.go(x)
        taken.append([fsm.send_event("PUSH") for _ in range(3)])
    assert taken == [[each] * 3 for each in (1, 1, 1, 1, 1, 0, 0, 0, 1)]


def test_explorations_tell_moments_apart_by_it() -> None:
    world = World(5.0)
    fsm = by_closure(world)
    fsm.start()
    reader = MomentReader()
    before = reader.read([fsm])
    (near,) = (action.predicate for action in fsm.states["Closed"].actions)  # type: ignore[attr-defined]  # it is a SendEventWhen
    near.hold(fsm, holds=True)
    assert reader.read([fsm]) != before


# The other styles, and plain code


class Closed(PolledState):
    pass


class Open(PolledState):
    pass


class PolledDoor(PolledFsm):
    def __init__(self, world: World) -> None:
        super().__init__("Door", context=world)

    def setup_states(self) -> None:
        near = when(InRange((0.0, 0.0), self.context.hero, 3.0, until=6.0), "near")
        closed, opened = Closed(), Open()
        closed.set_transitions(near.to(opened))
        opened.set_transitions(not_(near).to(closed))
        self.setup_first_state(closed)


def test_polled_machines_save_it() -> None:
    world = World(2.0)
    fsm = PolledDoor(world)
    fsm.update(0.1)
    world.go(5.0)
    fsm.update(0.1)
    loaded = PolledDoor(world)
    restore(loaded.machine, snapshot(fsm.machine))
    assert course_of(loaded.machine, world) == course_of(fsm.machine, world) == AS_EVER


def test_what_plain_code_was_told_is_saved_with_the_machine_that_uses_it() -> None:
    def build(world: World) -> Fsm[World]:
        near = InRange((0.0, 0.0), world.hero, 3.0, until=6.0)
        return built(lambda: near(), lambda: not near(), world)  # noqa: PLW0108

    world = World(2.0)
    fsm = build(world)
    fsm.start()
    world.go(5.0)
    loaded = build(world)
    restore(loaded, snapshot(fsm))
    assert course_of(loaded, world) == AS_EVER


def test_an_attribute_of_an_action_of_ones_own_is_found_too() -> None:
    class Watch(FsmAction[World]):
        def __init__(self) -> None:
            self.seen: list[bool] = []

        def on_enter(self) -> None:
            self.near = InRange((0.0, 0.0), self.context.hero, 3.0, until=6.0)

        def on_update(self) -> None:
            self.seen = [*self.seen, self.near(self.state)]

    def build(world: World) -> tuple[Fsm[World], Watch]:
        fsm = Fsm("Door", context=world)
        return fsm, fsm.add_state("Watch").add_action(Watch())

    world = World(2.0)
    fsm, _ = build(world)
    fsm.start()
    fsm.update(0.1)
    assert snapshot(fsm)["machines"][0]["holding"] == ["Watch/0.near"]


# What has no place


def test_a_condition_that_nobody_can_find_is_named() -> None:
    near = InRange((0.0, 0.0), (1.0, 0.0), 3.0, until=6.0)
    hidden = SimpleNamespace(inside=SimpleNamespace(near=near))
    fsm = Fsm("Door")
    watch = OnChange(lambda state: hidden.inside.near(state) is True, "CHANGED")
    fsm.add_state("Watch").add_action(watch)
    fsm.start()
    with pytest.raises(SnapshotError, match=r"InRange\(\(1, 0\), 3, until=6\) remembers .* cannot"):
        snapshot(fsm)


def test_a_snapshot_of_a_condition_that_is_gone_does_not_fit() -> None:
    fsm, world = opened(by_closure)
    plain = by_closure(world)
    plain.states["Closed"].remove_action(plain.states["Closed"].actions[0])
    plain.states["Closed"].add_action(SendEventWhen(lambda: False, "OPEN"))
    with pytest.raises(SnapshotError, match=r"there is no condition at 'Closed/0\.predicate'"):
        restore(plain, snapshot(fsm))
