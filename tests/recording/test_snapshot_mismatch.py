"""A snapshot of another machine, or not a snapshot: what is said, and what can be done."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest

from actions import Cooldown, Move, Parallel, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
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


def change_everything(fsm: Fsm) -> None:
    patrol, rest = fsm.states["Patrol"], fsm.states["Rest"]
    fsm.add_state("Swim")
    patrol.remove_action(patrol.actions[1])
    patrol.remove_transition("TIRED")
    patrol.remove_transition(FINISHED)
    patrol.add_transition(FINISHED, "Swim")
    rest.add_transition("BELL", patrol)
    rest.final = True
    fsm.remove_global_transition("ALARM")


def test_all_that_differs_is_listed() -> None:
    fsm = guard()
    change_everything(fsm)
    assert differences(fsm, snapshot(running(guard()))) == (
        "Fsm 'Guard': state 'Swim' is new",
        "Fsm 'Guard', state 'Patrol': the transition for 'TIRED' is gone",
        "Fsm 'Guard', state 'Patrol': 'FINISHED' leads to 'Swim'; it led to 'Rest'",
        "Fsm 'Guard', state 'Patrol': its actions are Move; they were Move, Cooldown",
        "Fsm 'Guard', state 'Rest': is final now",
        "Fsm 'Guard', state 'Rest': the transition for 'BELL' is new",
        "Fsm 'Guard', from any state: the transition for 'ALARM' is gone",
    )
    assert differences(guard(), snapshot(fsm))[:3] == (
        "Fsm 'Guard': state 'Swim' is gone",
        "Fsm 'Guard', state 'Patrol': the transition for 'TIRED' is new",
        "Fsm 'Guard', state 'Patrol': 'FINISHED' leads to 'Rest'; it led to 'Swim'",
    )


def test_the_message_says_what_to_do() -> None:
    fsm = guard()
    fsm.add_state("Swim")
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(fsm, snapshot(guard()))
    assert str(caught.value) == (
        "The snapshot does not fit:\n"
        "  Fsm 'Guard': state 'Swim' is new\n"
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


def test_children_of_actions_are_compared() -> None:
    fsm, other = Fsm("M"), Fsm("M")
    fsm.add_state("A").add_action(Sequence(TimedWait(1.0), Parallel(TimedWait(1.0))))
    other.add_state("A").add_action(Sequence(TimedWait(1.0), Parallel(Cooldown("X", 1.0))))
    before, now = "Parallel(TimedWait)", "Parallel(Cooldown)"
    actions = f"its actions are Sequence(TimedWait, {now}); they were Sequence(TimedWait, {before})"
    assert differences(other, snapshot(fsm)) == (f"Fsm 'M', state 'A': {actions}",)


def test_machines_inside_are_compared() -> None:
    def build(state: str) -> Fsm:
        inner, fsm = Fsm("Inner"), Fsm("M")
        inner.add_state(state)
        fsm.add_state("A").add_action(Sequence(RunFsm(inner)))
        return fsm

    assert differences(build("Y"), snapshot(build("X"))) == (
        "Fsm 'M', state 'A', Sequence, RunFsm, nested machine: state 'X' is gone",
        "Fsm 'M', state 'A', Sequence, RunFsm, nested machine: state 'Y' is new",
    )


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


@pytest.mark.slow
def test_what_many_machines_have_in_common_is_said_once() -> None:
    group = FsmGroup(guard(f"Guard {number}") for number in range(100))
    saved = snapshot(group)
    for machine in group:
        machine.add_state("Swim")
    assert differences(group, saved) == ("Fsm 'Guard 0' (and 99 more): state 'Swim' is new",)


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


@pytest.mark.parametrize("is_sealed", [True, False])
@pytest.mark.parametrize(
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
    ids=str,
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


def is_paid() -> bool:
    return True


def ring() -> None:
    pass


def shop(**more: Any) -> Fsm:
    fsm = Fsm("Shop")
    opened, shut = fsm.add_state("Open"), fsm.add_state("Shut")
    opened.add_transition("CLOSE", shut, **more)
    return fsm


@pytest.mark.parametrize(
    ("more", "now"),
    [
        ({"when": is_paid}, "to 'Shut' when is_paid"),
        ({"when": lambda: True}, "to 'Shut' when <lambda>"),
        ({"when": partial(lambda paid: paid, True)}, "to 'Shut' when <lambda>"),
        ({"do": ring}, "to 'Shut' do ring"),
        ({"suspend": True}, "to 'Shut' suspending the state"),
        (
            {"when": is_paid, "do": ring, "suspend": True},
            "to 'Shut' when is_paid do ring suspending the state",
        ),
    ],
)
def test_what_a_transition_has_beside_its_target_belongs_to_the_definition(
    more: dict[str, Any], now: str
) -> None:
    assert differences(shop(**more), snapshot(shop())) == (
        f"Fsm 'Shop', state 'Open': 'CLOSE' leads {now}; it led to 'Shut'",
    )
    restore(shop(**more), snapshot(shop(**more)))


def test_several_transitions_for_an_event_count_in_their_order() -> None:
    now, before = shop(when=is_paid), shop(when=is_paid)
    now.states["Open"].add_transition("CLOSE", BACK)
    before.states["Open"].add_transition("CLOSE", "Open")
    assert differences(now, snapshot(before)) == (
        (
            "Fsm 'Shop', state 'Open': 'CLOSE' leads to 'Shut' when is_paid, else back; "
            "it led to 'Shut' when is_paid, else to 'Open'"
        ),
    )


def test_back_is_not_a_state_that_is_called_so() -> None:
    now, before = shop(), shop()
    before.add_global_transition("HOME", before.add_state("BACK"))
    now.add_state("BACK")
    now.add_global_transition("HOME", BACK)
    assert differences(now, snapshot(before)) == (
        "Fsm 'Shop', from any state: 'HOME' leads back; it led to 'BACK'",
    )
