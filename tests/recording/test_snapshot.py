"""Snapshots: what is saved, and that a restored machine continues from there."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from attrs import define, field

from actions import (
    Coroutine,
    DelegateAction,
    FollowWaypoints,
    Move,
    RandomWait,
    RunFsm,
    Sequence,
    TimedWait,
)
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmError, FsmGroup, FsmState
from fsmkit.recording import SnapshotError, restore, snapshot
from fsmkit.space import Transform
from fsmkit.testing import Probe, Recorder, drive

A_PROBLEM = r"Fsm 'M', state 'A', actions\[0\] "


def through_json(data: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(data, allow_nan=False))


def cart(body: Transform) -> Fsm:
    fsm = Fsm("Cart", on_unhandled="ignore")
    roll, rest = fsm.add_state("Roll"), fsm.add_state("Rest")
    roll.add_action(Move(body, None, (8.0, 0.0), 2.0))
    rest.add_action(TimedWait(1.0))
    roll.add_transition(FINISHED, rest)
    rest.add_transition(FINISHED, roll)
    roll.add_transition("STOP", rest)
    return fsm


def with_action(action: FsmAction, context: Any = None) -> Fsm:
    """A running machine with this one action."""
    fsm = Fsm("M", context, on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    fsm.start()
    return fsm


# What is in it


def test_a_snapshot_is_small_and_can_be_read() -> None:
    fsm = cart(Transform((0.0, 0.0)))
    fsm.start()
    fsm.update(0.5)
    fsm.send_event_after(1.0, "STOP", keep=True)
    data = snapshot(fsm)
    (machine,) = data["machines"]
    fingerprint = machine.pop("definition")
    assert machine == {
        "name": "Cart",
        "state": "Roll",
        "time": 0.5,
        "delta_time": 0.5,
        "entered": [0],
        "taking_part": 1,
        "delayed": [[1.5, "STOP", None, True]],
        "actions": {
            "Roll": {
                "0": {
                    "remembers": {
                        "elapsed": 0.5,
                        "length": 2.0,
                        "origin": {"$tuple": [0.0, 0.0]},
                        "destination": {"$tuple": [8.0, 0.0]},
                    }
                }
            }
        },
    }
    assert data["definitions"] == {
        fingerprint: {"states": {"Roll": {"actions": ["Move"]}, "Rest": {"actions": ["TimedWait"]}}}
    }


def test_machines_built_alike_share_one_definition() -> None:
    group = FsmGroup(cart(Transform((0.0, 0.0))) for _ in range(100))
    assert len(snapshot(group)["definitions"]) == 1


# Continuing


def test_a_half_done_move_continues_exactly_where_it_was() -> None:
    body, other_body = Transform((0.0, 0.0)), Transform((0.0, 0.0))
    fsm, other = cart(body), cart(other_body)
    fsm.start()
    fsm.update(0.7)
    restore(other, through_json(snapshot(fsm)))
    other_body.position = body.position
    assert drive(fsm, [0.5, 0.9, 0.5]) == drive(other, [0.5, 0.9, 0.5])
    assert body.position == other_body.position == (8.0, 0.0)


def test_restoring_calls_no_callback_and_notifies_no_observer() -> None:
    def build() -> Fsm:
        fsm = Fsm("M")
        fsm.add_state("A").add_action(Probe("a", journal))
        return fsm

    journal: list[str] = []
    fsm, other = build(), build()
    fsm.start()
    journal.clear()
    with Recorder(other) as recorder:
        restore(other, snapshot(fsm))
        assert other.current_state is other.states["A"]
        assert (journal, recorder.journal) == ([], [])
        other.stop()
    assert (journal, recorder.journal) == (["exit a"], ["Probe left", "leave A"])


def test_a_running_machine_is_put_there_without_leaving_its_state() -> None:
    journal: list[str] = []
    fsm = Fsm("M", on_unhandled="raise")
    first, second = fsm.add_state("A"), fsm.add_state("B")
    first.add_action(Probe("a", journal))
    second.add_action(Probe("b", journal))
    wait = second.add_action(TimedWait(1.0))
    first.add_transition("GO", second)
    fsm.start()
    saved = snapshot(fsm)
    wait.enabled = False
    fsm.send_event("GO")
    fsm.post_event("FORGOTTEN")
    fsm.send_event_after(0.0, "FORGOTTEN")
    journal.clear()
    restore(fsm, saved)
    assert (fsm.current_state, fsm.previous_state, fsm.last_event) == (first, None, None)
    fsm.send_event("GO")
    fsm.update(0.25)
    assert journal == ["exit a", "enter b", "update b"]
    assert wait.elapsed == 0.25


def test_a_snapshot_can_be_restored_again_and_again() -> None:
    fsm = cart(Transform((0.0, 0.0)))
    fsm.start()
    fsm.update(1.5)
    saved = snapshot(fsm)
    for _ in range(2):
        assert drive(fsm, [0.6, "STOP"]) == [
            "update 0.6", "Move finished", "event FINISHED: changed", "Move left", "leave Roll",
            "enter Rest", "TimedWait entered", "event STOP: ignored",
        ]  # fmt: skip
        restore(fsm, saved)
        assert snapshot(fsm) == saved


def test_a_machine_that_is_not_running_is_restored_as_one() -> None:
    fsm, other = cart(Transform((0.0, 0.0))), cart(Transform((0.0, 0.0)))
    fsm.start()
    fsm.stop()
    fsm.post_event("STOP")
    other.start()
    restore(other, snapshot(fsm))
    assert not other.is_running
    assert other.previous_state is other.states["Roll"]
    assert snapshot(other) == snapshot(fsm)


@pytest.mark.parametrize("call", [0.1, "NOW"])
def test_events_that_an_error_has_left_come_first_after_restoring(call: float | str) -> None:
    def build() -> Fsm:
        fsm = Fsm("M", {"broken": True}, on_unhandled="ignore")
        first, second = fsm.add_state("A"), fsm.add_state("B")
        first.add_action(DelegateAction(lambda s: (s.send_event("GO"), s.send_event("LATER"))))
        second.add_action(DelegateAction(lambda s: 1 / 0 if s.context["broken"] else None))
        second.add_action(TimedWait(1.0))
        first.add_transition("GO", second)
        second.add_transition("LATER", fsm.add_state("C"))
        second.add_transition("NOW", "B")
        return fsm

    fsm, other = build(), build()
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    saved = snapshot(fsm)
    assert saved["machines"][0]["queued"] == [["LATER", None]]
    restore(other, saved)
    fsm.context["broken"] = other.context["broken"] = False
    journal = drive(other, [call])
    assert journal == drive(fsm, [call])
    assert "enter C" in journal


def test_a_visit_that_an_error_cut_short_stays_so() -> None:
    def build(journal: list[str]) -> Fsm:
        fsm = Fsm("M")
        state = fsm.add_state("A")
        state.add_action(Probe("first", journal))
        state.add_action(DelegateAction(lambda _: 1 / 0))
        state.add_action(Probe("last", journal))
        return fsm

    journal: list[str] = []
    fsm, other = build([]), build(journal)
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    restore(other, snapshot(fsm))
    other.update(0.1)
    other.stop()
    assert journal == ["update first", "exit first"]


def test_an_action_added_to_the_current_state_takes_no_part_after_restoring_either() -> None:
    fsm, other = (with_action(Probe("a", [])) for _ in range(2))
    journal: list[str] = []
    for machine in (fsm, other):
        machine.states["A"].add_action(Probe("late", journal))
    other.stop()
    restore(other, snapshot(fsm))
    other.update(0.1)
    assert journal == []
    other.start()
    assert journal == ["enter late"]


def test_delayed_and_posted_events_arrive_with_their_data() -> None:
    fsm, other = (Fsm("M", on_unhandled="ignore") for _ in range(2))
    for machine in (fsm, other):
        machine.add_state("A").add_transition("DUE", machine.add_state("B"))
        machine.start()
    fsm.send_event_after(0.5, "DUE", ("late", {1, 2}))
    handle = other.send_event_after(0.1, "DUE", "of another life")
    fsm.post_event("POSTED")
    restore(other, through_json(snapshot(fsm)))
    assert not handle.pending
    assert drive(other, [0.3, 0.3]) == [
        "update 0.3", "event POSTED: ignored",
        "update 0.3", "event DUE: changed", "leave A", "enter B",
    ]  # fmt: skip
    assert other.event_data == ("late", {1, 2})


def test_a_machine_inside_continues_in_its_state_and_is_resumed_there() -> None:
    def build() -> tuple[Fsm, Fsm]:
        inner, outer = Fsm("Inner"), Fsm("Outer", on_unhandled="ignore")
        inner.add_state("Left").add_transition("STEP", inner.add_state("Right"))
        outer.add_state("Walk").add_transition("REST", outer.add_state("Rest"))
        outer.states["Rest"].add_transition("WALK", "Walk")
        outer.states["Walk"].add_action(Sequence(RunFsm(inner, resume=True)))
        return outer, inner

    (fsm, _), (other, inside) = build(), build()
    fsm.start()
    fsm.send_event("STEP")
    fsm.update(0.5)
    restore(other, through_json(snapshot(fsm)))
    assert (inside.current_state, inside.time) == (inside.states["Right"], 0.5)
    fsm.send_event("REST")
    restore(other, through_json(snapshot(fsm)))
    assert not inside.is_running
    other.send_event("WALK")
    assert inside.current_state is inside.states["Right"]


def test_a_machine_that_two_actions_run_is_saved_once() -> None:
    def build() -> Fsm:
        inner, outer = Fsm("Inner"), Fsm("Outer")
        inner.add_state("X")
        for name in ("A", "B"):
            outer.add_state(name).add_action(RunFsm(inner))
        return outer

    fsm, other = build(), build()
    fsm.start("B")
    fsm.update(0.5)
    data = snapshot(fsm)
    assert [machine["name"] for machine in data["machines"]] == ["Outer", "Inner"]
    restore(other, data)
    assert other.states["A"].actions[0].machine.time == 0.5


def test_the_machines_of_a_group_are_found_by_their_names() -> None:
    def build(names: str) -> FsmGroup:
        group = FsmGroup(Fsm(name) for name in names)
        for machine in group:
            machine.add_state("A")
            machine.start()
        return group

    group, other = build("XYZX"), build("XXZY")
    for seconds, machine in enumerate(group):
        machine.update(seconds)
    restore(other, snapshot(group))
    assert [(machine.name, machine.time) for machine in other] == [
        ("X", 0), ("X", 3), ("Z", 2), ("Y", 1),
    ]  # fmt: skip


def test_dice_continue_as_they_were_and_stay_shared() -> None:
    def build(seed: int) -> FsmGroup:
        rng = Random(seed)
        group = FsmGroup(Fsm(name) for name in "XY")
        for machine in group:
            state = machine.add_state("A")
            state.add_action(RandomWait(1.0, 2.0, rng=rng))
            state.add_transition(FINISHED, state)
            machine.start()
        return group

    group, other = build(1), build(2)
    data = snapshot(group)
    assert len(data["randoms"]) == 1
    restore(other, through_json(data))
    for each in (group, other):
        for _ in range(20):
            each.update(0.7)
    assert snapshot(group) == snapshot(other)


def test_parameters_may_differ_and_count_from_the_next_visit_on() -> None:
    fsm, other = with_action(TimedWait(2.0)), with_action(TimedWait(5.0))
    fsm.update(1.0)
    restore(other, snapshot(fsm))
    wait = other.states["A"].actions[0]
    assert (wait.duration, wait.length, wait.elapsed) == (5.0, 2.0, 1.0)
    other.start()
    assert wait.length == 5.0


# What actions remember


def test_a_waypoint_that_is_a_thing_of_the_game_is_found_among_the_parameters() -> None:
    def build() -> tuple[Fsm, Transform, Transform]:
        body, tree = Transform((0.0, 0.0)), Transform((4.0, 0.0))
        return with_action(FollowWaypoints(body, [(1.0, 0.0), tree], 1.0)), body, tree

    (fsm, _, _), (other, body, tree) = build(), build()
    fsm.update(1.5)
    data = through_json(snapshot(fsm))
    remembered = data["machines"][0]["actions"]["A"]["0"]["remembers"]
    assert remembered["path"]["$tuple"][1] == {"$parameter": ["waypoints", 1]}
    restore(other, data)
    tree.position = (3.0, 0.0)
    other.update(3.0)
    assert body.position == (3.0, 0.0)


def test_of_a_class_without_attrs_what_its_constructor_takes_is_a_parameter() -> None:
    class Charge(FsmAction):
        def __init__(self, speed: float, target: object) -> None:
            self._speed = speed
            self.target = target
            self.power = 0.0

        def on_update(self) -> None:
            self.power += self._speed

    fsm, other = with_action(Charge(2.0, object())), with_action(Charge(3.0, object()))
    fsm.update(0.1)
    restore(other, through_json(snapshot(fsm)))
    other.update(0.1)
    assert other.states["A"].actions[0].power == 5.0


def test_what_a_slot_of_a_class_without_attrs_holds_is_remembered() -> None:
    class Count(FsmAction):
        __slots__ = ("__hidden", "count")

        def __init__(self) -> None:
            self.__hidden = 7

        def on_update(self) -> None:
            self.count = 1

    fsm, other = with_action(Count()), with_action(Count())
    fsm.update(0.1)
    restore(other, snapshot(fsm))
    assert other.states["A"].actions[0].count == 1


def test_what_was_forgotten_is_forgotten_after_restoring() -> None:
    @define(eq=False)
    class Hold(FsmAction):
        thing: str | None = field(default=None, init=False)
        unset: str = field(init=False)
        seen: list[int] = field(factory=list, init=False)
        own: list[int] = field(init=False)

        @own.default
        def _(self) -> list[int]:
            return [len(self.seen)]

    fsm = with_action(Hold())
    hold = fsm.states["A"].actions[0]
    saved = snapshot(fsm)
    hold.thing = hold.unset = "sword"
    hold.seen.append(3)
    hold.own = [4, 5]
    restore(fsm, saved)
    assert (hold.thing, hold.seen, hold.own) == (None, [], [0])
    assert not hasattr(hold, "unset")


def test_fields_are_put_back_without_asking_validators() -> None:
    def refuse(*_: object) -> None:
        if armed:
            raise AssertionError

    @define(eq=False)
    class Strict(FsmAction):
        count: int = field(default=0, init=False, validator=refuse)

    armed = False
    fsm, other = with_action(Strict()), with_action(Strict())
    fsm.states["A"].actions[0].count = 3
    armed = True
    restore(other, snapshot(fsm))
    assert other.states["A"].actions[0].count == 3


# What cannot be saved


def test_a_coroutine_under_way_is_refused_and_one_that_is_over_is_not() -> None:
    def routine(_state: FsmState) -> Iterator[float]:
        yield 1.0

    fsm, other = (with_action(Coroutine(routine)) for _ in range(2))
    with pytest.raises(
        SnapshotError, match=A_PROBLEM + r"\(Coroutine\), generator: .*while it is running"
    ):
        snapshot(fsm)
    fsm.update(1.0)
    restore(other, snapshot(fsm))
    assert other.states["A"].actions[0].finished


def test_an_action_that_a_coroutine_waits_for_is_refused() -> None:
    def routine() -> Iterator[FsmAction]:
        yield TimedWait(1.0)

    with pytest.raises(
        SnapshotError,
        match=A_PROBLEM
        + r"\(Coroutine\): TimedWait\(.*\) was made while the machine ran, and cann",
    ):
        snapshot(with_action(Coroutine(routine)))


def test_a_machine_is_restored_while_a_coroutine_waits_for_an_action() -> None:
    wait = TimedWait(1.0)

    def routine() -> Iterator[FsmAction]:
        yield wait

    fsm = with_action(Coroutine(routine))
    fsm.stop()
    saved = snapshot(fsm)
    for _ in range(2):
        fsm.start()
        assert wait.state is fsm.states["A"]
        restore(fsm, saved)
        assert (fsm.is_running, wait.state) == (False, None)


def test_an_open_object_is_refused_by_its_name() -> None:
    @define(eq=False)
    class Write(FsmAction):
        file: object = field(default=None, init=False)

        def on_enter(self) -> None:
            self.file = [object()]

    with pytest.raises(SnapshotError, match=A_PROBLEM + r"\(Write\), file: <object .* encode="):
        snapshot(with_action(Write()))


def test_data_of_an_event_that_cannot_be_saved_is_refused_by_its_name() -> None:
    fsm = with_action(TimedWait(9.0))
    fsm.send_event_after(1.0, "LATE", object())
    with pytest.raises(SnapshotError, match="Fsm 'M': the data of the delayed event 'LATE': <obj"):
        snapshot(fsm)


def test_the_error_that_led_to_a_state_needs_an_encode() -> None:
    fsm, other = (Fsm("M") for _ in range(2))
    for machine in (fsm, other):
        machine.add_state("A").add_action(DelegateAction(on_update=lambda _: 1 / 0))
        machine.states["A"].add_transition(ERROR, machine.add_state("B"))
        machine.start()
    fsm.update(0.1)
    with pytest.raises(SnapshotError, match="the last event 'ERROR': ZeroDivisionError"):
        snapshot(fsm)
    restore(other, snapshot(fsm, encode=str), decode=RuntimeError)
    assert repr(other.event_data) == "RuntimeError('division by zero')"


@pytest.mark.parametrize("call", [snapshot, lambda fsm: restore(fsm, saved_door())])
def test_nothing_is_saved_or_restored_from_inside_a_callback(call: Callable[[Fsm], Any]) -> None:
    fsm = Fsm("Door")
    fsm.add_state("Open").add_action(DelegateAction(lambda state: call(state.fsm)))
    with pytest.raises(FsmError, match="not from inside its own callbacks"):
        fsm.start()


def saved_door() -> dict[str, Any]:
    fsm = Fsm("Door")
    fsm.add_state("Open").add_action(DelegateAction())
    return snapshot(fsm)
