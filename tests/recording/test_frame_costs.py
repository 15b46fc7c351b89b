"""What frames cost, by a clock that goes on only when an action says so: every figure is exact."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from actions import Coroutine, OnEvent, Parallel, RunFsm, SendEvent, Sequence
from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.recording.frame_costs import ITSELF, CostTable, FrameCosts


class Clock:
    """Stands still while nothing takes time. Times are in microseconds."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> float:
        return self.now / 1e6

    def take(self, microseconds: int) -> None:
        self.now += microseconds


class Work(FsmAction):
    """Takes so much time in each of its callbacks."""

    def __init__(self, clock: Clock, enter: int = 0, update: int = 0, leave: int = 0) -> None:
        self.clock, self.times = clock, (enter, update, leave)

    def on_enter(self) -> None:
        self.clock.take(self.times[0])

    def on_update(self) -> None:
        self.clock.take(self.times[1])

    def on_exit(self) -> None:
        self.clock.take(self.times[2])


def rows(table: CostTable) -> list[tuple[Any, ...]]:
    """Title, own, whole and worst of each part, in whole microseconds, and its calls."""
    return [
        (each.title, *map(round, (each.own, each.whole, each.worst)), each.calls)
        for each in table.parts
        if each.whole
    ]


@contextmanager
def measured(machines: Fsm | FsmGroup, clock: Clock, **options: Any) -> Iterator[FrameCosts]:
    costs = FrameCosts(machines, clock=clock, **options)
    try:
        yield costs
    finally:
        costs.close()


def test_an_update_is_shared_out_among_the_actions_and_the_machine() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    patrol = fsm.add_state("Patrol")
    patrol.add_action(Work(clock, enter=100, update=10))
    patrol.add_action(Work(clock, update=3))
    with measured(fsm, clock) as costs:
        fsm.start()
        for _ in range(4):
            fsm.update(0.1)
            clock.take(1_000)
    table = costs.table()
    assert rows(table) == [
        ("actions[0] (Work)", 35, 35, 100, 5),
        ("actions[1] (Work)", 3, 3, 3, 5),
        (ITSELF, 0, 13, 13, 4),
    ]
    assert (table.frames, table.measured) == (4, 4)
    assert [*map(round, (table.mean, table.worst, table.outside))] == [38, 113, 1_000]
    assert [(m.machine, m.updates, round(m.mean), round(m.worst)) for m in table.machines] == [
        ("Guard", 4, 13, 13)
    ]
    assert [(s.machine, s.state, round(s.own)) for s in table.states] == [("Guard", "Patrol", 38)]


def test_what_takes_time_between_callbacks_is_the_machines_own() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    fsm.add_state("Patrol").add_action(Work(clock, update=10))

    class Slow:
        def update_begun(self, _fsm: Fsm, _dt: float) -> None:
            clock.take(5)

    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.observe(Slow())
        fsm.update(0.1)
    assert rows(costs.table()) == [("actions[0] (Work)", 10, 10, 10, 1), (ITSELF, 5, 15, 15, 1)]


def test_a_composite_is_told_apart_from_its_children() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    both = Parallel(Work(clock, update=1), Sequence(Work(clock, update=20), Work(clock)))
    fsm.add_state("Patrol").add_action(both)
    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
        fsm.update(0.1)
    assert rows(costs.table()) == [
        ("actions[0].children[1].children[0] (Work)", 20, 20, 20, 2),
        ("actions[0].children[0] (Work)", 1, 1, 1, 2),
        ("actions[0] (Parallel)", 0, 21, 21, 2),
        ("actions[0].children[1] (Sequence)", 0, 20, 20, 2),
        (ITSELF, 0, 21, 21, 2),
    ]


def test_a_machine_inside_another_has_rows_of_its_own() -> None:
    clock, call, fsm = Clock(), Fsm("Call"), Fsm("Guard")
    call.add_state("Ringing").add_action(Work(clock, update=7))
    fsm.add_state("Phone").add_action(RunFsm(call))
    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
    table = costs.table()
    assert [(each.machine, each.state, each.title, round(each.own), round(each.whole))
            for each in table.parts] == [
        ("Guard/Call", "Ringing", "actions[0] (Work)", 7, 7),
        ("Guard", "Phone", "actions[0] (RunFsm)", 0, 7),
        ("Guard", "Phone", ITSELF, 0, 7),
        ("Guard/Call", "Ringing", ITSELF, 0, 7),
    ]  # fmt: skip
    assert [(each.machine, round(each.mean)) for each in table.machines] == [
        ("Guard", 7), ("Guard/Call", 7),
    ]  # fmt: skip


def test_guards_and_effects_have_rows_in_the_state_they_lead_from() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")

    def is_near() -> bool:
        clock.take(30)
        return True

    def shout() -> None:
        clock.take(4)

    patrol.add_transition("SEEN", chase, when=is_near, do=shout)
    patrol.add_action(SendEvent("SEEN", delay=0.1))
    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
    assert fsm.current_state is chase
    assert rows(costs.table()) == [
        ("[is_near]", 30, 30, 30, 1),
        ("/ shout", 4, 4, 4, 1),
        ("actions[0] (SendEvent)", 0, 30, 30, 1),
        (ITSELF, 0, 34, 34, 1),
    ]
    assert {each.state for each in costs.table().parts} == {"Patrol"}


def test_an_action_that_is_called_within_its_own_callback_is_counted_once() -> None:
    clock, fsm = Clock(), Fsm("Guard")

    class Asks(FsmAction):
        def on_update(self) -> None:
            clock.take(1)
            self.fsm.send_event("WHO")

        def on_event(self, event: str, data: object) -> bool:
            clock.take(10)
            return True

    fsm.add_state("Patrol").add_action(Asks())
    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
    assert rows(costs.table()) == [("actions[0] (Asks)", 11, 11, 11, 1), (ITSELF, 0, 11, 11, 1)]


def test_a_frame_is_an_update_of_each_machine_and_the_events_after_it() -> None:
    clock = Clock()

    def listen() -> None:
        clock.take(100)

    group = FsmGroup([Fsm("Ann"), Fsm("Bob")])
    for number, fsm in enumerate(group, start=1):
        patrol = fsm.add_state("Patrol")
        patrol.add_action(Work(clock, update=number))
        patrol.add_action(OnEvent("NOISE", listen))
    group.start()
    with measured(group, clock) as costs:
        for _ in range(3):
            group.update(0.1)
            clock.take(50)
        group["Bob"].send_event("NOISE")
    table = costs.table()
    assert (table.frames, round(table.worst)) == (3, 103)
    assert [round(3 * each) for each in (table.mean, table.outside)] == [109, 150]
    assert [(each.machine, round(each.mean)) for each in table.machines] == [("Ann", 1), ("Bob", 2)]


def test_one_frame_in_so_many_is_measured_in_detail_and_every_one_is_timed() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    fsm.add_state("Patrol").add_action(Work(clock, update=10))
    fsm.start()
    with measured(fsm, clock, every=4) as costs:
        for _ in range(9):
            fsm.update(0.1)
    table = costs.table()
    assert (table.frames, table.measured, round(table.mean)) == (9, 3, 10)
    assert rows(table) == [("actions[0] (Work)", 10, 10, 10, 3), (ITSELF, 0, 10, 10, 3)]


def test_children_that_are_made_meanwhile_count_as_the_action_that_runs_them() -> None:
    clock, fsm = Clock(), Fsm("Guard")

    def script() -> Any:
        yield Work(clock, update=5)

    fsm.add_state("Patrol").add_action(Coroutine(script))
    fsm.start()
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
    assert rows(costs.table())[0] == ("actions[0] (Coroutine)", 5, 5, 5, 1)


def test_alike_machines_are_added_up_where_there_are_many() -> None:
    clock, group = Clock(), FsmGroup()
    for number in range(20):
        group.add(Fsm(f"Wolf {number}")).add_state("Hunt").add_action(Work(clock, update=number))
    group.start()
    with measured(group, clock) as costs:
        group.update(0.1)
    table = costs.table()
    assert [(m.machine, m.updates, round(m.mean, 1), round(m.worst)) for m in table.machines] == [
        ("Wolf 0 and 19 more", 20, 9.5, 19)
    ]
    assert rows(table) == [("actions[0] (Work)", 190, 190, 19, 20), (ITSELF, 0, 190, 19, 20)]


def test_actions_states_and_machines_that_come_later_are_measured() -> None:
    clock = Clock()
    group = FsmGroup([Fsm("Ann")])
    group["Ann"].add_state("Patrol").add_action(Work(clock, update=1))
    group.start()
    with measured(group, clock) as costs:
        group.update(0.1)
        group["Ann"].states["Patrol"].add_action(Work(clock, update=2))
        late = Fsm("Bob")
        late.add_state("Rest").add_action(Work(clock, update=4))
        group.add(late).start()
        group["Ann"].start()
        group.update(0.1)
    parts = costs.table().parts
    assert sorted((each.machine, each.title, round(each.own * 2)) for each in parts) == [
        ("Ann", "actions[0] (Work)", 2), ("Ann", "actions[1] (Work)", 2), ("Ann", ITSELF, 0),
        ("Bob", "actions[0] (Work)", 4), ("Bob", ITSELF, 0),
    ]  # fmt: skip


def test_the_figures_go_on_after_a_hot_reload_also_of_a_machine_inside_that_is_gone() -> None:
    clock = Clock()

    def guard(inner: str) -> Fsm:
        call, fsm = Fsm(inner), Fsm("Guard")
        call.add_state("Ringing").add_action(Work(clock, update=2))
        fsm.add_state("Phone").add_action(RunFsm(call))
        return fsm

    old, new = guard("Call"), guard("Chat")
    group = FsmGroup([old])
    group.start()
    with measured(group, clock) as costs:
        group.update(0.1)
        costs.replaced(old, new)
        group.remove(old)
        group.add(new)
        new.start()
        group.update(0.1)
    parts = [(each.machine, each.state, each.title, each.calls) for each in costs.table().parts]
    assert sorted(parts)[1:] == [
        ("Guard", "Phone", ITSELF, 2),
        ("Guard/Call", "Ringing", "actions[0] (Work)", 1), ("Guard/Call", "Ringing", ITSELF, 1),
        ("Guard/Chat", "Ringing", "actions[0] (Work)", 2), ("Guard/Chat", "Ringing", ITSELF, 1),
    ]  # fmt: skip


def test_an_error_ends_the_calls_that_it_leaves() -> None:
    clock, fsm = Clock(), Fsm("Guard")

    class Fails(FsmAction):
        def on_update(self) -> None:
            clock.take(8)
            raise ValueError("no oil")

    fsm.add_state("Patrol").add_action(Sequence(Fails()))
    fsm.start()
    with measured(fsm, clock) as costs:
        for _ in range(2):
            with pytest.raises(ValueError, match="no oil"):
                fsm.update(0.1)
    assert rows(costs.table()) == [
        ("actions[0].children[0] (Fails)", 8, 8, 8, 2),
        ("actions[0] (Sequence)", 0, 8, 8, 2),
        (ITSELF, 0, 8, 8, 2),
    ]


def test_a_machine_of_another_thread_does_not_disturb() -> None:
    clock = Clock()
    group = FsmGroup([Fsm("Ann"), Fsm("Bob")])
    group["Bob"].add_state("Rest").add_action(Work(clock, update=100))

    class Elsewhere(FsmAction):
        def on_update(self) -> None:
            clock.take(1)
            thread = Thread(target=group["Bob"].update, args=(0.1,))
            thread.start()
            thread.join()

    group["Ann"].add_state("Patrol").add_action(Elsewhere())
    group.start()
    with measured(group, clock) as costs:
        group["Ann"].update(0.1)
    assert rows(costs.table()) == [
        ("actions[0] (Elsewhere)", 101, 101, 101, 1),
        (ITSELF, 0, 101, 101, 1),
    ]


def test_what_is_uncounted_is_nobodys() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    fsm.add_state("Patrol").add_action(Work(clock, update=3))
    fsm.start()

    class Prints:
        def update_begun(self, _fsm: Fsm, _dt: float) -> None:
            costs.uncounted(clock.take)(500)

    with measured(fsm, clock) as costs:
        fsm.observe(Prints())
        fsm.update(0.1)
    table = costs.table()
    assert rows(table) == [("actions[0] (Work)", 3, 3, 3, 1), (ITSELF, 0, 3, 3, 1)]
    assert round(table.outside) == 0


def test_afterwards_the_machine_is_as_it_was() -> None:
    clock, fsm = Clock(), Fsm("Guard")
    sequence = fsm.add_state("Patrol").add_action(Sequence(Work(clock, update=1)))
    fsm.start()
    before = type(sequence.nested)
    with measured(fsm, clock) as costs:
        fsm.update(0.1)
    fsm.update(0.1)
    fsm.start()
    fsm.update(0.1)
    assert rows(costs.table())[0] == ("actions[0].children[0] (Work)", 1, 1, 1, 1)
    assert type(sequence.nested) is before


def test_without_a_frame_there_are_no_figures() -> None:
    with measured(Fsm("Guard"), Clock()) as costs:
        pass
    assert costs.table() == CostTable(0, 0, 0.0, 0.0, 0.0, [], [], [])
