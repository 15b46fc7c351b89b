"""What repeats itself is counted, so that it does not push its cause out of the log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from actions import DelegateAction
from fsmkit import Fsm
from fsmkit.inspector.live.mailbox import PageFrame, PageMailbox
from fsmkit.inspector.reading.machine_log import MachineLog


def told(entries: Any) -> list[tuple[int, str, int, float]]:
    return [
        (e["seq"], e.get("text", e.get("state", "")), e.get("times", 1), e.get("last", e["time"]))
        for e in entries
    ]


def test_equal_neighbours_are_one_entry_with_a_count_and_the_last_time() -> None:
    log = MachineLog()
    log.add(0.0, "A", "enter", state="Go")
    for time in (1.0, 2.0, 3.0):
        log.add(time, "A", "error", text="boom")
    assert told(log.since(0)) == [(0, "Go", 1, 0.0), (1, "boom", 3, 3.0)]


def test_repetitions_that_take_turns_are_counted_each() -> None:
    log = MachineLog(limit=10)
    log.add(0.0, "A", "enter", state="Go")
    for update in range(1_000):
        log.add(float(update), "A", "event", event="TICK", state="Go", outcome="unhandled")
        log.add(float(update), "A", "error", state="Go", text="boom")
        log.add(float(update), "B", "error", text="bang")
    assert [(e["kind"], e.get("times"), e["time"]) for e in log.since(0)] == [
        ("enter", None, 0.0), ("event", 1_000, 0.0), ("error", 1_000, 0.0), ("error", 1_000, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize("several", [2, 9, 10, 16])
def test_several_that_take_turns_are_as_many_entries(several: int) -> None:
    log = MachineLog()
    for update in range(20 * several):
        log.add(float(update), "A", "event", event=f"E{update % several}", outcome="unhandled")
    assert [e["times"] for e in log.since(0)] == [20] * several


def test_after_a_change_of_state_an_entry_is_a_new_one() -> None:
    log = MachineLog()
    log.add(0.0, "A", "error", text="boom")
    log.add(1.0, "B", "enter", state="Go")
    log.add(1.0, "A", "error", text="boom")
    log.add(2.0, "A", "enter", state="Go")
    log.add(3.0, "A", "error", text="boom")
    assert told(log.since(0)) == [
        (1, "Go", 1, 1.0), (0, "boom", 2, 1.0), (2, "Go", 1, 2.0), (3, "boom", 1, 3.0),
    ]  # fmt: skip


def test_entries_that_differ_in_anything_are_several() -> None:
    log = MachineLog()
    for data in ("1", "2", ""):
        log.add(0.0, "A", "event", event="HIT", outcome="ignored", data=data)
    log.add(0.0, "A", "event", event="HIT", outcome="refused")
    assert len([*log.since(0)]) == 4


@pytest.mark.parametrize("seed", range(30))
def test_a_reader_that_comes_at_any_times_knows_the_whole_log(seed: int) -> None:
    chance, log = Random(seed), MachineLog(limit=40)
    known: dict[int, Any] = {}
    position = 0
    for time in range(400):
        for _ in range(chance.randrange(4)):
            kind = chance.choice(["error", "event", "event", "enter"])
            log.add(float(time), chance.choice("AB"), kind, text=chance.choice("xyz"))
        if chance.random() < 0.4 or log.next - position > 25:
            for entry in log.since(position):
                known[entry["seq"]] = entry
            position = log.next
    known.update((entry["seq"], entry) for entry in log.since(position))
    for entry in log.since(0):
        assert known[entry["seq"]] == entry
    changes = [entry["change"] for entry in log.since(0)]
    assert changes == sorted(changes)
    assert sorted(known) == [*range(len(known))]


def test_a_slow_page_is_sent_a_repeated_entry_once() -> None:
    box, log = PageMailbox(wake=lambda: None), MachineLog()
    frame = PageFrame({}, states={}, joined=[], left=[], breakpoints=[])
    for time in range(20):
        log.add(float(time), "A", "error", text="boom")
        log.add(float(time), "A", "note", text="hm")
        box.put(frame, None, log.since(box.log_position))
    message = box.take() or {}
    assert told(message["log"]) == [(0, "boom", 20, 19.0), (1, "hm", 20, 19.0)]
    assert box.log_position == log.next == 40


@pytest.mark.slow
def test_an_error_in_every_update_leaves_its_cause_in_the_log(
    inspected: Callable[..., Any],
) -> None:
    fsm = Fsm[None]("Gun", on_unhandled="ignore")
    idle, fire = fsm.add_state("Idle"), fsm.add_state("Fire")
    fire.add_action(DelegateAction(on_update=lambda: 1 / 0))
    idle.add_transition("FIRE", fire)
    fsm.start()

    def update() -> None:
        with suppress(ZeroDivisionError):
            fsm.update(1 / 64)
        fsm.send_event("HELLO")

    page = inspected(fsm)
    page.update = update
    fsm.send_event("FIRE")
    page.frame(lambda frame: any(entry.get("times", 1) > 200 for entry in frame["log"]))
    entries = {entry["seq"]: entry for frame in page.frames for entry in frame["log"]}
    assert len(entries) < 12
    assert any(entry.get("event") == "FIRE" for entry in entries.values())
    later = page.another()
    log = later.frame(lambda frame: frame["reset"])["log"]
    assert [e["kind"] for e in log].count("error") == 1
    later.socket.close()
