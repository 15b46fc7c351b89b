"""A snapshot of another machine, or not a snapshot: what is said, and what can be done."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from every import every

from actions import (
    Cooldown,
    DelegateAction,
    Move,
    Parallel,
    RunFsm,
    Sees,
    SendEventWhen,
    Sequence,
    TimedWait,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.recording import SnapshotError, SnapshotMismatchError, restore, snapshot
from fsmkit.space import Transform


def guard(name: str = "Guard") -> Fsm:
    fsm = Fsm(name, on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(Move(Transform((0.0, 0.0)), None, (8.0, 0.0), 2.0))
    patrol.add_action(Cooldown("SHOUT", 1.0))
    rest.add_action(Sequence(TimedWait(1.0), Parallel(TimedWait(2.0))))
    patrol.add_transition(FINISHED, rest)
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    fsm.add_global_transition("ALARM", patrol)
    return fsm


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


def running(fsm: Fsm, seconds: float = 0.5) -> Fsm:
    fsm.start()
    fsm.update(seconds)
    return fsm


def differences(now: Fsm | FsmGroup, saved: Any) -> tuple[str, ...]:
    """Return the differences; finding them may change nothing."""
    before = snapshot(now)
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(now, saved)
    assert snapshot(now) == before
    return caught.value.differences


def without(state: str, action: int, fsm: Fsm) -> Fsm:
    fsm.states[state].remove_action(fsm.states[state].actions[action])
    return fsm


def test_all_that_has_no_place_is_listed() -> None:
    fsm = without("Patrol", 1, without("Rest", 0, guard()))
    saved = snapshot(running(guard(), 2.5))
    assert differences(fsm, saved) == (
        "Fsm 'Guard', state 'Rest': the action at '0' was Sequence and is none",
        "Fsm 'Guard', state 'Rest': the action at '0/0' was TimedWait and is none",
    )
    fsm.remove_state("Rest")
    fsm.remove_state("Patrol")
    assert differences(fsm, saved) == (
        (
            "Fsm 'Guard': there is no state 'Patrol', whose actions[0] (Move) remembers elapsed, "
            "length, origin, destination"
        ),
        "Fsm 'Guard': there is no state 'Rest'",
    )


def test_the_message_says_what_to_do() -> None:
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(without("Patrol", 0, guard()), snapshot(running(guard())))
    assert str(caught.value) == (
        "The snapshot does not fit:\n"
        "  Fsm 'Guard', state 'Patrol': the action at '0' was Move and is Cooldown\n"
        "Give a migrate= function that adapts it, or build the machines as they were."
    )


def test_neither_the_order_of_states_and_transitions_nor_the_names_inside_matter() -> None:
    def build(names: str, inner: str) -> Fsm:
        fsm, machine = Fsm("M"), Fsm(inner)
        machine.add_state("X")
        for name in names:
            fsm.add_state(name)
        for name in names:
            fsm.states[name].add_action(RunFsm(machine)) if name == "A" else None
            fsm.add_global_transition(name, name)
        return fsm

    restore(build("BA", "left"), snapshot(build("AB", "right")))


def test_children_of_actions_keep_their_place_in_them() -> None:
    fsm, other = Fsm("M"), Fsm("M")
    fsm.add_state("A").add_action(Sequence(TimedWait(1.0), Parallel(TimedWait(1.0))))
    other.add_state("A").add_action(Sequence(TimedWait(1.0), Parallel(Cooldown("X", 1.0))))
    restore(other, snapshot(fsm))
    restore(other, snapshot(running(fsm)))
    assert differences(other, snapshot(running(fsm, 1.5))) == (
        "Fsm 'M', state 'A': the action at '0/1/0' was TimedWait and is Cooldown",
    )


def test_machines_inside_are_compared() -> None:
    def build(state: str) -> Fsm:
        inner, fsm = Fsm("Inner"), Fsm("M")
        inner.add_state(state)
        fsm.add_state("A").add_action(Sequence(RunFsm(inner)))
        return fsm

    restore(build("Y"), snapshot(build("X")))
    expected = ("Fsm 'Inner': there is no state 'X'",)
    assert differences(build("Y"), snapshot(running(build("X")))) == expected


def test_machines_that_are_run_together_otherwise_differ() -> None:
    def build(shared: bool) -> Fsm:
        fsm, inner, other = Fsm("M"), Fsm("Inner"), Fsm("Inner")
        fsm.add_state("A").add_action(RunFsm(inner))
        fsm.add_state("B").add_action(RunFsm(inner if shared else other))
        return fsm

    expected = ("Fsm 'Inner': is no longer shared by the same actions",)
    assert differences(build(False), snapshot(build(True))) == expected
    assert differences(build(True), snapshot(build(False))) == expected


def test_machines_of_a_group_that_are_missing_or_new_are_named() -> None:
    saved = snapshot(FsmGroup([guard("Ann"), guard("Bob"), guard("Bob")]))
    assert differences(FsmGroup([guard("Bob"), guard("Cleo")]), saved) == (
        "Fsm 'Ann' is missing",
        "Fsm 'Bob' (number 2) is missing",
        "Fsm 'Cleo' is not in the snapshot",
    )


def test_of_very_many_differences_the_first_are_shown() -> None:
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(FsmGroup(), snapshot(FsmGroup(guard(str(number)) for number in range(100))))
    assert len(caught.value.differences) == 100
    assert str(caught.value).splitlines()[-2] == "  and 80 more"


def test_a_field_that_is_no_longer_remembered_is_a_difference() -> None:
    saved = snapshot(running(guard()))
    remembers = saved["machines"][0]["actions"]["Patrol"]["1"].setdefault("remembers", {})
    remembers["wings"] = remembers["duration"] = 2
    del saved["checksum"]
    place = "Fsm 'Guard', state 'Patrol', actions[1] (Cooldown)"
    assert differences(guard(), saved) == (
        f"{place}, wings: the action has no attribute of that name to remember",
        f"{place}, duration: the action has no attribute of that name to remember",
    )


@pytest.mark.parametrize("name", ["progress", "state", "_finished", "__class__"])
def test_what_an_action_works_out_itself_is_not_put_in_its_place(name: str) -> None:
    saved = snapshot(running(guard()))
    saved["machines"][0]["actions"]["Patrol"]["0"]["remembers"][name] = 1
    del saved["checksum"]
    (difference,) = differences(guard(), saved)
    assert difference.endswith(
        f"(Move), {name}: the action has no attribute of that name to remember"
    )


# Migrating


def rename(data: dict[str, Any]) -> dict[str, Any]:
    """Patrol is called Walk now."""
    for definition in data["definitions"].values():
        definition["states"]["Walk"] = definition["states"].pop("Patrol")
    for machine in data["machines"]:
        for key in ("state", "previous_state"):
            if machine.get(key) == "Patrol":
                machine[key] = "Walk"
        machine["actions"]["Walk"] = machine["actions"].pop("Patrol")
    return data


def walker() -> Fsm:
    fsm = Fsm("Guard")
    walk = fsm.add_state("Walk")
    walk.add_action(Move(Transform((0.0, 0.0)), None, (8.0, 0.0), 2.0))
    walk.add_action(Cooldown("SHOUT", 1.0))
    walk.add_transition("SHOUT", fsm.add_state("Shouting"))
    fsm.add_state("Rest").add_action(Sequence(TimedWait(1.0), Parallel(TimedWait(2.0))))
    return fsm


def test_migrate_maps_an_old_snapshot_to_the_new_shape() -> None:
    saved = snapshot(running(guard()))
    untouched = deepcopy(saved)
    fsm = walker()
    restore(fsm, saved, migrate=rename)
    assert saved == untouched
    assert fsm.current_state is fsm.states["Walk"]
    assert fsm.states["Walk"].actions[0].elapsed == 0.5


def test_where_all_that_was_saved_finds_its_place_migrate_has_nothing_to_do() -> None:
    fsm = guard()
    fsm.add_state("Swim")
    fsm.states["Patrol"].add_action(TimedWait(1.0))
    restore(fsm, snapshot(running(guard())), migrate=lambda data: data)
    assert fsm.time == 0.5
    fsm.update(9.0)
    assert fsm.current_state is fsm.states["Rest"]


def test_migrate_is_not_called_for_a_snapshot_that_fits() -> None:
    restore(guard(), snapshot(guard()), migrate=lambda _: pytest.fail("it fits"))


def test_what_migrate_returns_is_checked_again() -> None:
    fsm = walker()
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(fsm, snapshot(running(guard())), migrate=lambda data: data)
    assert caught.value.differences == ("Fsm 'Guard': there is no state 'Patrol'",)
    assert not fsm.is_running


def test_another_action_at_the_place_of_one_that_was_entered_is_a_mismatch() -> None:
    fsm = guard()
    patrol = fsm.states["Patrol"]
    move = patrol.actions[0]
    patrol.remove_action(move)
    patrol.add_action(move)
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(fsm, snapshot(running(guard())), migrate=lambda data: data)
    assert caught.value.differences == (
        "Fsm 'Guard', state 'Patrol': the action at '0' was Move and is Cooldown",
        "Fsm 'Guard', state 'Patrol': the action at '1' was Cooldown and is Move",
    )


def test_migrate_is_called_for_another_version_of_the_format() -> None:
    saved = {**snapshot(running(guard())), "version": 99}
    assert differences(guard(), saved) == ("it has version 99; this fsmkit reads versions 1 and 2",)
    fsm = guard()
    restore(fsm, saved, migrate=lambda data: {**data, "version": 1})
    assert fsm.time == 0.5


# Damage


def set_at(data: Any, path: tuple[Any, ...], value: Any) -> None:
    *path, last = path
    for key in path:
        data = data[key]
    data[last] = value


MACHINE = ("machines", 0)
ACTION = (*MACHINE, "actions", "Patrol", "0")


@every("is_sealed", [True, False])
@every(
    ("path", "value"),
    [
        (("machines",), 7),
        (("outermost",), ["0"]),
        (("outermost",), [3]),
        (("randoms",), [["AAAA", None]]),
        (("randoms",), [5]),
        (MACHINE, None),
        ((*MACHINE, "name"), 5),
        ((*MACHINE, "wings"), 2),
        ((*MACHINE, "state"), 5),
        ((*MACHINE, "time"), "noon"),
        ((*MACHINE, "time"), float("nan")),
        ((*MACHINE, "time"), -1.0),
        ((*MACHINE, "entered"), [0, 0]),
        ((*MACHINE, "entered"), [-1]),
        ((*MACHINE, "entered"), "0"),
        ((*MACHINE, "queued"), [["X"]]),
        ((*MACHINE, "posted"), [[1, 2]]),
        ((*MACHINE, "delayed"), [["soon", "X", None, True]]),
        ((*MACHINE, "actions"), []),
        ((*MACHINE, "actions", "Patrol"), []),
        ((*MACHINE, "event_data"), {"$tuple": 5}),
        ((*MACHINE, "event_data"), {"$import": "os"}),
        ((*MACHINE, "event_data"), {"$enum": "Mode.FAST"}),
        ((*MACHINE, "event_data"), {"$machine": [1]}),
        ((*MACHINE, "event_data"), {"$set": [[]]}),
        ((*MACHINE, "event_data"), {"$vector": ["os.system", "ls"]}),
        ((*MACHINE, "event_data"), {"$vector": ["glm.sys"]}),
        ((*MACHINE, "event_data"), {"$numpy": ["object", [1], [1]]}),
        ((*ACTION, "machines"), [5]),
        ((*ACTION, "randoms"), 5),
        ((*ACTION, "randoms"), {"rng": "0"}),
        ((*ACTION, "randoms"), {"rng": -1}),
        ((*ACTION, "finished"), 1),
        ((*ACTION, "remembers"), {"elapsed": {"$float": "x"}}),
    ],
)
def test_damaged_data_is_refused_and_changes_nothing(
    path: tuple[Any, ...], value: Any, is_sealed: bool
) -> None:
    saved = snapshot(running(guard()))
    set_at(saved, path, value)
    if not is_sealed:
        del saved["checksum"]
    fsm = running(guard(), 0.25)
    before = snapshot(fsm)
    with pytest.raises(SnapshotError):
        restore(fsm, saved)
    assert snapshot(fsm) == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["definitions"].clear(),
        lambda data: data.update(definitions=[]),
        lambda data: set_at(data, ("definitions", data["machines"][0]["definition"]), 5),
        lambda data: set_at(data, ("definitions", data["machines"][0]["definition"]), {}),
    ],
)
def test_damaged_definitions_are_refused(damage: Callable[[Any], Any]) -> None:
    saved = snapshot(running(guard()))
    damage(saved)
    del saved["checksum"]
    fsm = guard()
    fsm.add_state("Swim")
    with pytest.raises(SnapshotError, match="damaged"):
        restore(fsm, saved)
    with pytest.raises(SnapshotError, match="damaged"):
        restore(fsm, saved, migrate=lambda data: data)


@pytest.mark.parametrize("data", [None, [], {}, {"format": "fsmkit recording"}, "snapshot"])
def test_what_is_not_a_snapshot_is_refused(data: Any) -> None:
    with pytest.raises(SnapshotError, match="not a snapshot"):
        restore(guard(), data)


# A new version of the machine


def is_paid() -> bool:
    return True


def has_paid() -> bool:
    return True


def ring() -> None:
    pass


def shop(**more: Any) -> Fsm:
    fsm = Fsm("Shop")
    opened, shut = fsm.add_state("Open"), fsm.add_state("Shut")
    opened.add_action(TimedWait(9.0))
    opened.add_transition("CLOSE", shut, **more)
    return fsm


@pytest.mark.parametrize(
    "more",
    [
        {"when": has_paid},
        {"when": lambda: True},
        {"when": partial(lambda paid: paid, True)},
        {"do": ring},
        {"suspend": True},
        {"when": has_paid, "do": ring, "suspend": True},
    ],
)
def test_guards_effects_and_transitions_have_nothing_to_keep(more: dict[str, Any]) -> None:
    fsm = shop(**more)
    restore(fsm, through_json(snapshot(running(shop(when=is_paid)))))
    assert fsm.states["Open"].actions[0].elapsed == 0.5
    restore(shop(when=is_paid), through_json(snapshot(running(shop(**more)))))


def without_transitions(fsm: Fsm) -> None:
    fsm.states["Open"].remove_transition("CLOSE")


def with_more_transitions(fsm: Fsm) -> None:
    fsm.states["Open"].add_transition("BREAK", "Shut")
    fsm.add_global_transition("HOME", BACK)
    fsm.add_global_transition("CLOSE", "Open")


def with_a_state(fsm: Fsm) -> None:
    fsm.add_state("Broken").add_action(TimedWait(1.0))


def without_a_state(fsm: Fsm) -> None:
    fsm.remove_state("Shut")


def with_an_ending(fsm: Fsm) -> None:
    fsm.states["Shut"].final = True


def with_an_action(fsm: Fsm) -> None:
    fsm.states["Open"].add_action(DelegateAction())
    fsm.states["Shut"].add_action(TimedWait(1.0))


def with_an_action_before(fsm: Fsm) -> None:
    opened = fsm.states["Open"]
    wait = opened.actions[0]
    opened.remove_action(wait)
    opened.add_action(DelegateAction())
    opened.add_action(wait)


def with_a_machine(fsm: Fsm) -> None:
    inner = Fsm("Inner")
    innermost = Fsm("Innermost")
    innermost.add_state("A")
    inner.add_state("A").add_action(RunFsm(innermost))
    fsm.states["Open"].add_action(RunFsm(inner))


CHANGES = (
    without_transitions, with_more_transitions, with_a_state, without_a_state, with_an_ending,
    with_an_action, with_an_action_before, with_a_machine,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_has_a_place_fits(change: Callable[[Fsm], None]) -> None:
    saved = through_json(snapshot(running(shop())))
    for fsm in (shop(), running(shop(), 3.0)):
        change(fsm)
        restore(fsm, saved)
        (wait,) = (each for each in fsm.states["Open"].actions if type(each) is TimedWait)
        assert (fsm.time, fsm.current_state.name, wait.elapsed) == (0.5, "Open", 0.5)
        assert [each.finished for each in fsm.states["Open"].actions] == [False] * len(
            fsm.states["Open"].actions
        )
        fsm.update(9.0)
        assert wait.finished
        restore(fsm, through_json(snapshot(fsm)))


def test_what_was_added_takes_no_part_until_the_next_visit() -> None:
    fsm = shop()
    with_an_action_before(fsm)
    with_a_machine(fsm)
    restore(fsm, snapshot(running(shop())))
    _, wait, run = fsm.states["Open"].actions
    assert not run.machine.is_running
    fsm.update(1.0)
    assert not run.machine.is_running
    assert wait.elapsed == 1.5


def test_a_nested_machine_that_is_new_is_not_running_after_a_restore() -> None:
    fsm, saved = shop(), snapshot(running(shop()))
    with_a_machine(fsm)
    fsm.states["Open"].actions[1].machine.add_state("B")
    fsm.start()
    inner = fsm.states["Open"].actions[1].machine
    assert inner.is_running
    restore(fsm, saved)
    assert (inner.is_running, inner.host) == (False, None)
    fsm.start()
    assert inner.is_running


def test_a_machine_that_is_gone_is_refused_once_it_has_run() -> None:
    fsm = shop()
    with_a_machine(fsm)
    saved = snapshot(fsm)
    restore(shop(), saved)
    assert differences(shop(), snapshot(running(fsm))) == (
        "Fsm 'Shop', state 'Open': the action at '1' was RunFsm and is none",
    )


def test_of_several_of_a_class_one_more_may_only_be_added_at_the_end() -> None:
    def build(*before: Any) -> Fsm:
        fsm = Fsm("M")
        state = fsm.add_state("A")
        for action in (*before, TimedWait(1.0), Cooldown("X", 1.0), TimedWait(2.0)):
            state.add_action(action)
        return fsm

    fsm = build()
    fsm.states["A"].add_action(TimedWait(3.0))
    saved = snapshot(running(build()))
    restore(fsm, saved)
    assert [wait.elapsed for wait in fsm.states["A"].actions if type(wait) is TimedWait] == [
        0.5, 0.5, 0.0,
    ]  # fmt: skip
    restore(build(DelegateAction()), saved)
    assert differences(build(TimedWait(3.0)), saved) == (
        "Fsm 'M', state 'A': the action at '0' was TimedWait and is TimedWait",
        "Fsm 'M', state 'A': the action at '2' was TimedWait and is Cooldown",
    )


class Remember(FsmAction):
    def on_enter(self) -> None:
        self.other = self.state.actions[0]


def test_references_to_actions_follow_them() -> None:
    def build(*before: FsmAction) -> Fsm:
        fsm = Fsm("M")
        state = fsm.add_state("A")
        for action in (*before, TimedWait(9.0), Remember()):
            state.add_action(action)
        return fsm

    other = build(DelegateAction())
    restore(other, through_json(snapshot(running(build()))))
    _, wait, remember = other.states["A"].actions
    assert remember.other is wait


def test_conditions_follow_their_actions() -> None:
    def build(*before: FsmAction) -> tuple[Fsm, Sees]:
        guard, thief = Transform((0.0, 0.0)), Transform((1.0, 0.0))
        fsm, sees = Fsm("M"), Sees(guard, thief, 5.0, until=6.0)
        state = fsm.add_state("A")
        for action in (*before, SendEventWhen(lambda s: not sees(s), "LOST")):
            state.add_action(action)
        return fsm, sees

    (fsm, _), (other, sees) = build(), build(DelegateAction())
    saved = through_json(snapshot(running(fsm)))
    assert saved["machines"][0]["holding"] == ["A/0.predicate"]
    restore(other, saved)
    assert sees.holds_for(other)


def test_the_text_of_a_snapshot_is_refused_with_the_way_to_read_it() -> None:
    fsm = Fsm("Lamp")
    fsm.add_state("On")
    with pytest.raises(SnapshotError, match=r"Pass what json.loads\(\) makes of the text"):
        restore(fsm, json.dumps(snapshot(fsm)))
