"""Nested machines, suspended states, groups, and what a build() makes by itself."""

from typing import Any

import pytest

from fsmkit import FsmError, FsmGroup

NESTED = """
    from actions import Parallel, RunFsm, Sequence, TimedWait
    from fsmkit import BACK, FINISHED, Fsm

    def build():
        walk = Fsm("Walk")
        left, right = walk.add_state("Left"), walk.add_state("Right")
        left.add_action(TimedWait(1.0))
        right.add_action(Sequence(TimedWait(1.0), TimedWait(3.0)))
        left.add_transition(FINISHED, right)
        fsm = Fsm("Guard")
        patrol, menu = fsm.add_state("Patrol"), fsm.add_state("Menu")
        patrol.add_action(RunFsm(walk))
        fsm.add_global_transition("MENU", menu, suspend=True)
        menu.add_transition("BACK", BACK)
        return fsm
"""
GOES_ON = "guard.py has changed: Guard goes on in 'Patrol', at 2.50 s."


def walking(game: Any) -> Any:
    fsm = game.build(NESTED)
    fsm.start()
    for _ in range(5):
        fsm.update(0.5)
    return fsm


def inner(fsm: Any) -> Any:
    (machine,) = fsm.states["Patrol"].actions[0].machines
    return machine


def test_nested_machines_and_children_continue(game: Any) -> None:
    walking(game)
    new = game.replace("3.0", "4.0")
    assert (new.path, inner(new).time, inner(new).host) == (
        ("Patrol", "Right"), 2.5, new.states["Patrol"].actions[0],
    )  # fmt: skip
    assert inner(new).states["Right"].actions[0].children[1].elapsed == 0.5
    assert game.take() == [GOES_ON]


def test_without_the_state_of_its_machine_an_action_starts_over(game: Any) -> None:
    walking(game)
    source = NESTED.replace('left, right = walk.add_state("Left"), ', "left = right = ").replace(
        '"Right"', '"Run"'
    )
    new = game.edit(source.replace("left.add_action(TimedWait(1.0))", ""))
    assert game.take() == [
        GOES_ON,
        "Guard: RunFsm of 'Patrol' starts again: the state 'Right' of its machine was removed.",
    ]
    assert (new.path, inner(new).time) == (("Patrol", "Run"), 0.0)


def test_a_new_child_restarts_its_parent(game: Any) -> None:
    fsm = walking(game)
    new = game.replace("TimedWait(3.0)", "TimedWait(3.0), TimedWait(5.0)")
    assert game.take() == [
        GOES_ON,
        "Walk: Sequence of 'Right' was removed.",
        "Walk: Sequence of 'Right' is new and is entered.",
    ]
    assert new.path == fsm.path
    assert [child.finished for child in inner(new).states["Right"].actions[0].children] == [
        False
    ] * 3


def test_what_is_suspended_continues_when_it_is_resumed(game: Any) -> None:
    fsm = walking(game)
    fsm.send_event("MENU")
    fsm.update(9.0)
    new = game.replace('"Menu"', '"Pause"')
    assert (new.path, [state.name for state in new.suspended]) == (("Pause",), ["Patrol"])
    new.send_event("BACK")
    assert (new.path, new.time_in_state, inner(new).time_in_state) == (
        ("Patrol", "Right"), 2.5, 1.5,
    )  # fmt: skip


def test_what_was_suspended_and_is_gone_is_exited(game: Any) -> None:
    fsm = walking(game)
    walk = inner(fsm)
    fsm.send_event("MENU")
    source = NESTED.replace('patrol, menu = fsm.add_state("Patrol"), ', "menu = ")
    new = game.edit(source.replace("patrol.add_action(RunFsm(walk))", ""))
    assert game.take()[1:] == ["Guard: 'Patrol' no longer exists, so it will not be resumed."]
    assert (new.path, new.suspended, walk.is_running) == (("Menu",), (), False)


def test_a_hosted_machine_is_refused(game: Any) -> None:
    fsm = walking(game)
    with pytest.raises(FsmError, match="'Walk' runs inside another machine"):
        game.reloader.reloaded(inner(fsm), game.function)


GROUP = """
    from actions import TimedWait
    from fsmkit import FINISHED, Fsm, FsmGroup

    def one(name):
        fsm = Fsm(name)
        on, off = fsm.add_state("On"), fsm.add_state("Off")
        on.add_action(TimedWait(1.0))
        on.add_transition(FINISHED, off)
        return fsm

    def build():
        return FsmGroup(one(name) for name in ("Ann", "Bob", "Bob"))
"""


def test_a_group_stays_the_same_and_its_machines_are_exchanged(game: Any) -> None:
    group = game.build(GROUP)
    for machine in group:
        machine.start()
    old = list(group)
    old[2].update(1.0)
    assert game.replace("1.0", "2.0") is group
    assert [machine.path for machine in group] == [("On",), ("On",), ("Off",)]
    assert not set(old) & set(group)
    assert game.take()[0] == "guard.py has changed: 3 machines go on."


def test_members_that_are_gone_are_stopped_and_new_ones_start(game: Any) -> None:
    group = game.build(GROUP)
    for machine in group:
        machine.start()
    ann = next(iter(group))
    game.replace('"Ann", "Bob", "Bob"', '"Bob", "Bob", "Cid"')
    assert [(machine.name, machine.path) for machine in group] == [
        ("Bob", ("On",)), ("Bob", ("On",)), ("Cid", ("On",)),
    ]  # fmt: skip
    assert not ann.is_running
    assert game.take() == [
        "guard.py has changed: 2 machines go on.",
        "Ann no longer exists: it is stopped.",
        "Cid is new and starts.",
    ]


def test_a_group_may_hold_the_one_machine_of_a_build_function(game: Any) -> None:
    fsm = game.build(NESTED)
    game.machines = FsmGroup([fsm])
    game.frame()
    group = game.replace("3.0", "4.0")
    assert (len(group), fsm in group) == (1, False)


def test_in_a_callback_of_the_machine_it_waits_for_the_next_time(game: Any) -> None:
    fsm = game.build(NESTED)
    seen = []

    class Busy:
        def state_entered(self, *_: Any) -> None:
            seen.append(game.replace("3.0", "4.0"))

    undo = fsm.observe(Busy())
    fsm.start()
    undo()
    assert seen == [fsm]
    assert game.frame() is not fsm


THINGS = """
    from dataclasses import dataclass, field
    from random import Random
    from actions import MoveConstantly, RandomWait
    from fsmkit import FINISHED, Fsm
    from fsmkit.space import Transform

    @dataclass
    class Guard:
        speed: float = 1.0
        health: int = 10
        items: list = field(default_factory=list)
        body: Transform = field(default_factory=lambda: Transform((0.0, 0.0)))

    def build():
        guard = Guard()
        fsm = Fsm("Guard", context=guard)
        walk = fsm.add_state("Walk")
        walk.add_action(MoveConstantly(guard.body, (guard.speed, 0.0)))
        walk.add_action(RandomWait(1.0, 2.0, rng=Random(5)))
        walk.add_transition(FINISHED, walk)
        return fsm
"""


def test_what_has_changed_in_the_things_of_a_build_function_is_taken_over(game: Any) -> None:
    fsm = game.build(THINGS)
    fsm.start()
    fsm.update(0.5)
    fsm.context.health = 7
    fsm.context.items.append("key")
    fsm.update(9.0)
    dice = fsm.states["Walk"].actions[1].rng.getstate()
    new = game.replace("speed: float = 1.0", "speed: float = 3.0")
    assert new.context is not fsm.context
    assert (new.context.speed, new.context.health, new.context.items) == (3.0, 7, ["key"])
    assert (new.context.body.position, fsm.context.body.position) == ((9.5, 0.0), (9.5, 0.0))
    assert new.states["Walk"].actions[1].rng.getstate() == dice
    new.update(0.5)
    assert (new.context.body.position, fsm.context.body.position) == ((10.0, 0.0), (9.5, 0.0))
    new.context.items.append("map")
    newer = game.replace("health: int = 10", "health: int = 20")
    assert (newer.context.health, newer.context.items) == (7, ["key", "map"])


def test_what_a_build_function_is_given_is_the_games(game: Any) -> None:
    source = THINGS.replace("def build():\n        guard = Guard()", "def build(guard):")
    guard = type("Guard", (), {"speed": 1.0, "body": None})()
    guard.body = type("Body", (), {"position": (0.0, 0.0)})()
    fsm = game.build(source, guard)
    fsm.start()
    fsm.update(1.0)
    new = game.replace("walk =", "walk  =")
    assert new.context is guard
    new.update(1.0)
    assert guard.body.position == (2.0, 0.0)


REMEMBERING = """
    from fsmkit import Fsm, FsmAction

    class Watch(FsmAction):
        def __init__(self, prey):
            self.prey = prey
            self.seen = []

        def on_enter(self):
            self.seen = [self.state, self.fsm, self, self.prey, {"where": (self.state, 1)}]
            self.handle = self.fsm.send_event_after(5.0, "GO")

    def build(prey):
        fsm = Fsm("Guard", context=prey)
        fsm.add_state("Stand").add_action(Watch(prey))
        return fsm
"""


def test_what_is_remembered_of_the_machine_is_of_the_new_one(game: Any) -> None:
    prey = object()
    fsm = game.build(REMEMBERING.replace("self.handle =", "handle ="), prey)
    fsm.start()
    new = game.replace('"Guard"', '"Warden"')
    state = new.states["Stand"]
    (watch,) = state.actions
    assert watch.seen == [state, new, watch, prey, {"where": (state, 1)}]


def test_handles_of_delayed_events_are_of_the_new_machine(game: Any) -> None:
    fsm = game.build(REMEMBERING, object())
    fsm.start()
    new = game.replace('"Guard"', '"Warden"')
    handle = new.states["Stand"].actions[0].handle
    assert (handle.pending, handle.due) == (True, 5.0)
    handle.cancel()
    assert new.states["Stand"].fsm.send_event_after(1.0, "GO").pending
    assert game.take()[1:] == []
    new.update(9.0)
    assert new.last_event is None


def test_a_generator_stays_with_the_old_machine_and_its_action_starts_over(game: Any) -> None:
    log: list[str] = []
    source = """
        from actions import Coroutine
        from fsmkit import Fsm

        def build(log):
            def routine(state):
                try:
                    log.append("begin")
                    yield 5.0
                    log.append(state.fsm.name)
                finally:
                    log.append("end")

            fsm = Fsm("Guard")
            fsm.add_state("Stand").add_action(Coroutine(routine))
            return fsm
    """
    game.build(source, log).start()
    new = game.replace('"Guard"', '"Warden"')
    said = game.take()[1]
    assert said.startswith("Guard: Coroutine of 'Stand' starts again: its generator, <generator ")
    assert said.endswith(", belongs to the old machine.")
    assert log == ["begin", "begin", "end"]
    new.update(5.0)
    assert log[3:] == ["Warden", "end"]
