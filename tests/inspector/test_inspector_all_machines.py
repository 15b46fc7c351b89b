"""What the inspector knows of every machine, whether a page has selected it or not."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmGroup
from fsmkit.inspector.live.journal import LiveJournal
from fsmkit.inspector.live.mailbox import PORTION, AllNews
from fsmkit.inspector.local import LocalInspector
from fsmkit.inspector.reading.machine_log import MOST_TROUBLES
from fsmkit.observer import Observer
from fsmkit.recording import restore, snapshot

DT = 1 / 64


def lamp(name: str) -> Fsm[None]:
    fsm = Fsm[None](name)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_transition("PRESS", off)
    fsm.start()
    return fsm


def fail() -> None:
    raise ValueError("no fuse")


def broken(name: str) -> Fsm[None]:
    """A machine that raises in every update once it is on."""
    fsm = lamp(name)
    fsm.states["On"].add_action(DelegateAction(on_update=fail))
    return fsm


def nested(inner: Fsm[None]) -> Fsm[None]:
    fsm = Fsm[None]("House")
    fsm.add_state("Open").add_action(RunFsm(inner))
    fsm.start()
    return fsm


class Watching:
    """All machines of a list, with a clock of their own."""

    def __init__(self, *machines: Fsm[Any]) -> None:
        self.time = 0.0
        self.all = LiveJournal(lambda: self.time)
        for machine in machines:
            self.all.add(machine)

    def changes(self) -> list[tuple[Any, ...]]:
        return [
            (each.time, each.record.name, each.kind, each.state, each.event)
            for each in self.all.changes
        ]

    def entries(self) -> list[tuple[Any, ...]]:
        return [
            (
                each["time"],
                each["machine"],
                each.get("event") or each.get("text"),
                each.get("times"),
            )
            for each in self.all.entries
        ]


def run(page: Any, machines: Fsm[Any] | FsmGroup, seconds: float) -> None:
    """Let the machines run, whatever they raise."""
    for _ in range(round(seconds / DT)):
        attempt(machines)


def attempt(machines: Fsm[Any] | FsmGroup) -> None:
    with suppress(ValueError, ExceptionGroup):
        machines.update(DT)


def open_page(inspected: Callable[..., Any], machines: FsmGroup) -> Any:
    page = inspected(machines)
    page.update = lambda: attempt(machines)
    return page


def test_every_change_is_kept_in_one_ring_in_the_order_in_which_it_happened() -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    watching = Watching(hall, attic)
    watching.time = 1.0
    attic.send_event("PRESS")
    watching.time = 2.0
    hall.send_event("PRESS")
    attic.stop()
    watching.time = 3.0
    attic.start("On")
    assert watching.changes() == [
        (0.0, "Hall", "enter", "Off", None),
        (0.0, "Attic", "enter", "Off", None),
        (1.0, "Attic", "enter", "On", "PRESS"),
        (2.0, "Hall", "enter", "On", "PRESS"),
        (2.0, "Attic", "leave", None, None),
        (3.0, "Attic", "enter", "On", None),
    ]


def test_a_suspended_state_is_resumed_not_entered() -> None:
    fsm = lamp("Hall")
    fsm.states["Off"].add_transition("TEST", "On", suspend=True)
    fsm.states["On"].add_transition("DONE", BACK)
    watching = Watching(fsm)
    fsm.send_event("TEST")
    fsm.send_event("DONE")
    assert [change[2:] for change in watching.changes()] == [
        ("enter", "Off", None), ("enter", "On", "TEST"), ("resume", "Off", "DONE"),
    ]  # fmt: skip


def test_a_snapshot_that_is_restored_counts_as_a_change() -> None:
    fsm = lamp("Hall")
    saved = snapshot(fsm)
    watching = Watching(fsm)
    fsm.send_event("PRESS")
    watching.time = 2.0
    restore(fsm, saved)
    assert watching.changes()[2:] == [(2.0, "Hall", "enter", "Off", None)]
    assert list(watching.all.take_changed()) == [fsm]


def test_unhandled_events_and_errors_are_counted_and_only_they_leave_entries() -> None:
    hall = broken("Hall")
    watching = Watching(hall)
    hall.send_event("PRES")
    hall.send_event("PRESS")
    with pytest.raises(ValueError, match="no fuse"):
        hall.update(DT)
    assert watching.all.marks() == {"Hall": (1, 1, "ValueError: no fuse")}
    [unhandled, error] = watching.all.entries
    assert unhandled == {
        "seq": 1, "time": 0.0, "machine": "Hall", "kind": "event", "state": "Off", "event": "PRES",
        "outcome": "unhandled", "times": 1, "last": 0.0, "why": unhandled["why"],
        "place": unhandled["place"],
    }  # fmt: skip
    assert "Did you mean 'PRESS'?" in unhandled["why"]
    assert (error["kind"], error["state"], error["text"].splitlines()[0]) == (
        "error", "On", "ValueError: no fuse",
    )  # fmt: skip


def test_what_repeats_itself_is_counted_in_one_entry() -> None:
    hall = lamp("Hall")
    watching = Watching(hall)
    for second in range(200):
        watching.time = float(second)
        hall.send_event("PULL")
    hall.send_event("PUSH")
    hall.send_event("PULL")
    assert watching.entries() == [
        (0.0, "Hall", "PULL", 201), (199.0, "Hall", "PUSH", 1),
    ]  # fmt: skip
    assert watching.all.take_repeats() == {1: (201, 199.0)}
    assert watching.all.take_repeats() == {}


def test_the_error_of_a_nested_machine_counts_once_for_the_outermost_one() -> None:
    inner = broken("Lamp")
    house = nested(inner)
    watching = Watching(house)
    inner.send_event("PRESS")
    for _ in range(3):
        with pytest.raises(ValueError, match="no fuse"):
            house.update(DT)
        watching.all.settle()
    inner.send_event("PULL")
    assert watching.all.marks() == {"House": (3, 1, "ValueError: no fuse")}
    assert watching.entries()[-1] == (0.0, "House/Lamp", "PULL", 1)


def test_a_machine_that_is_nested_later_counts_for_the_outermost_one_as_well() -> None:
    house, inner = lamp("House"), lamp("Lamp")
    watching = Watching(house)
    house.states["On"].add_action(RunFsm(inner))
    watching.all.add_inside(house)
    inner.send_event("PULL")
    assert watching.all.marks() == {"House": (0, 1)}
    assert watching.entries()[-1] == (0.0, "House/Lamp", "PULL", 1)
    assert watching.all.remove(house) == [house, inner]
    inner.send_event("PULL")
    assert len(watching.entries()) == 1


def test_logs_read_an_event_after_the_journal_and_before_the_breakpoints_in_any_order() -> None:
    hall = lamp("Hall")
    watching = Watching(hall)
    seen: list[tuple[str, dict[str, tuple[int, int]]]] = []

    class Reader(Observer):
        def __init__(self, name: str) -> None:
            self.name = name

        def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
            seen.append((self.name, watching.all.marks()))

    watching.all.last_reader = Reader("breakpoints")
    undo = watching.all.read_by(Reader("log"), hall)
    hall.send_event("PULL")
    undo()
    hall.send_event("PULL")
    assert seen == [
        ("log", {"Hall": (0, 1)}), ("breakpoints", {"Hall": (0, 1)}),
        ("breakpoints", {"Hall": (0, 2)}),
    ]  # fmt: skip


def test_one_machine_keeps_few_troubles_and_all_of_them_together_a_bounded_number() -> None:
    hall = lamp("Hall")
    watching = Watching(hall)
    for number in range(2 * MOST_TROUBLES):
        hall.send_event(f"PULL {number}")
    record = watching.all.record(hall)
    assert [entry["event"] for entry in record.troubles] == [
        f"PULL {number}" for number in range(MOST_TROUBLES, 2 * MOST_TROUBLES)
    ]
    assert record.unhandled == 2 * MOST_TROUBLES


def test_a_machine_that_has_gone_leaves_only_its_entries() -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    watching = Watching(hall, attic)
    hall.send_event("PULL")
    watching.all.remove(hall)
    hall.send_event("PRESS")
    hall.send_event("PULL")
    news = AllNews()
    news.want(True)
    news.collect(watching.all, {})
    found = news.take() or {}
    assert [change[2:4] for change in found["changes"]] == [["Attic", "enter"]]
    assert [entry["event"] for entry in found["entries"]] == ["PULL"]
    assert (watching.all.marks(), watching.all.take_marks()) == ({}, {})
    assert list(watching.all.take_changed()) == []
    kept = weakref.ref(hall)
    del hall
    gc.collect()
    assert kept() is None


@pytest.mark.slow
def test_a_slow_page_gets_everything_in_portions_and_learns_what_was_dropped() -> None:
    hall = lamp("Hall")
    watching = Watching(hall)
    news = AllNews()
    news.want(True)
    for _ in range(PORTION + 99):
        hall.send_event("PRESS")
    numbers: list[int] = []
    for _ in range(3):
        news.collect(watching.all, {})
        news.collect(watching.all, {})
        message = news.take() or {"changes": [], "dropped": 0}
        numbers += [change[0] for change in message["changes"]]
        assert len(message["changes"]) <= PORTION
    assert numbers == [*range(PORTION + 100)]


@pytest.mark.slow
def test_the_page_counts_what_went_wrong_in_machines_nobody_looks_at(
    inspected: Callable[..., Any],
) -> None:
    bad = broken("Lamp")
    group = FsmGroup([*(lamp("Lamp") for _ in range(40)), bad])
    page = open_page(inspected, group)
    assert page.hello["marks"] == {}
    assert page.hello["since"]["Lamp #41"] == 0.0
    bad.send_event("PULL")
    bad.send_event("PRESS")
    marks = page.frame(lambda frame: frame["marks"].get("Lamp #41", (0, 0))[0] >= 354)["marks"]
    assert marks["Lamp #41"][1] == 1
    assert list(page.inspector.session.greeting()["marks"]) == ["Lamp #41"]


@pytest.mark.slow
def test_a_machine_selected_later_has_a_past(inspected: Callable[..., Any]) -> None:
    hall, attic = lamp("Hall"), broken("Attic")
    group = FsmGroup([hall, attic])
    page = open_page(inspected, group)
    run(page, group, 1.0)
    attic.send_event("PULL")
    attic.send_event("PRESS")
    run(page, group, 1.0)
    attic.send_event("PRESS")
    page.ask("select", machine="Attic")
    log = page.frame(lambda frame: frame["selected"] == "Attic" if frame["reset"] else False)["log"]
    assert [
        (entry["time"], entry["kind"], entry.get("state"), entry.get("event"), entry.get("times"))
        for entry in log
    ] == [
        (0.0, "enter", "Off", None, None),
        (log[1]["time"], "event", "Off", "PULL", 1),
        (log[1]["time"], "enter", "On", "PRESS", None),
        (log[1]["time"] + DT, "error", "On", None, 64),
        (log[1]["time"] + 64 * DT, "enter", "Off", "PRESS", None),
    ]
    assert [entry["seq"] for entry in log] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_a_moment_before_it_was_selected_shows_only_the_state(
    inspected: Callable[..., Any],
) -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    attic.states["Off"].add_action(TimedWait(1000.0))
    group = FsmGroup([hall, attic])
    page = open_page(inspected, group)
    start = page.inspector.session.clock.time
    run(page, group, 1.0)
    attic.send_event("PRESS")
    run(page, group, 2.0)
    page.ask("select", machine="Attic")
    moment = page.ask("moment", machine="Attic", time=start + 0.5)["moment"]
    detail = moment["detail"]
    assert (moment["time"], moment["can_go_on"], detail["state"], detail["is_unwatched"]) == (
        start + 0.5, False, "Off", True,
    )  # fmt: skip
    assert (len(detail["lit"]), detail["actions"], detail["time_in_state"]) == (1, [], start + 0.5)
    now = page.ask("moment", machine="Attic", time=start + 60.0)["moment"]["detail"]
    assert (now["state"], "is_unwatched" in now) == ("On", False)
    assert page.ask("moment", machine="Attic", time=-1.0)["error"] == (
        "What 'Attic' did at -1.00 s is not known."
    )


def test_a_page_that_follows_all_gets_everything_in_order(
    inspected: Callable[..., Any],
) -> None:
    hall, attic = lamp("Hall"), lamp("Attic")
    page = open_page(inspected, FsmGroup([hall, attic]))
    attic.send_event("PRESS")
    assert page.ask("follow_all", on=True) == {"type": "answer", "id": 1, "ok": True}
    news = page.frame(lambda frame: "all" in frame)["all"]
    assert news["reset"] is True
    assert [change[2:] for change in news["changes"]] == [
        ["Hall", "enter", "Off", None],
        ["Attic", "enter", "Off", None],
        ["Attic", "enter", "On", "PRESS"],
    ]
    hall.send_event("PULL")
    hall.send_event("PULL")
    hall.send_event("PRESS")
    news = page.frame(lambda frame: "all" in frame)["all"]
    assert news["reset"] is False
    assert [change[2:] for change in news["changes"]] == [["Hall", "enter", "On", "PRESS"]]
    assert [(entry["event"], entry["times"]) for entry in news["entries"]] == [("PULL", 2)]
    page.ask("follow_all", on=False)
    hall.send_event("PRESS")
    assert "all" not in page.frame(lambda frame: frame["states"] == {"Hall": "Off"})


def test_machines_that_have_left_share_one_place_for_their_troubles() -> None:
    lamps = [lamp(f"Lamp {number}") for number in range(3)]
    watching = Watching(*lamps)
    for each in lamps:
        each.send_event("NOPE")
        watching.all.remove(each)
    records = [change.record for change in watching.all.changes]
    assert [(record.name, record.unhandled) for record in records] == [
        ("Lamp 0", 1), ("Lamp 1", 1), ("Lamp 2", 1),
    ]  # fmt: skip
    assert {id(record.troubles) for record in records} == {id(records[0].troubles)}
    assert [entry["machine"] for entry in watching.all.entries] == ["Lamp 0", "Lamp 1", "Lamp 2"]


def test_troubles_that_take_turns_are_counted_each() -> None:
    fsm = lamp("Lamp")
    watching = Watching(fsm)
    for update in range(30):
        fsm.send_event(f"E{update % 3}")
    assert watching.entries() == [(0.0, "Lamp", f"E{number}", 10) for number in range(3)]


def test_a_machine_that_joins_while_no_page_is_open_is_counted_too() -> None:
    group = FsmGroup([lamp("Lamp")])
    with LocalInspector(group, rate=60.0) as inspector:
        for number in range(3):
            late = lamp(f"Late {number}")
            group.add(late)
            inspector.session.subscribers.hurry()
            group.update(DT)
            late.send_event("NOPE")
            group.update(DT)
        marks = inspector.session.greeting()["marks"]
    assert marks == {f"Late {number}": (0, 1) for number in range(3)}
