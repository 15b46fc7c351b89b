"""Recordings on the page: every moment is shown as the live page would have shown it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

from actions import DelegateAction, RunFsm, SendEvent, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup, FsmState
from fsmkit.cli.targets import find
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.recording import Recording

DT = 1 / 64
EXAMPLES = Path(__file__).parents[2] / "examples"
OLD = sorted((Path(__file__).parents[1] / "recording" / "written_by_0_1_0").glob("*.jsonl"))
SHARED = ("state", "previous", "running", "last_event", "suspended", "lit", "dashed", "resumed_by")
"""What the recording alone tells of a machine."""

Machines = Fsm[Any] | FsmGroup
Build = Callable[[], Machines]


class Body:
    def __init__(self) -> None:
        self.strength = 1.0

    def tire(self, state: FsmState[Any]) -> None:
        self.strength = max(0.0, self.strength - 0.01)


def guard(name: str = "Guard") -> Fsm[Body]:
    """A guard who is interrupted, fights inside a state, and forgets the past."""
    body = Body()
    fight = Fsm[Body]("Fight", context=body)
    aim, strike = fight.add_state("Aim"), fight.add_state("Strike")
    aim.add_action(TimedWait(0.1))
    aim.add_transition(FINISHED, strike)
    strike.add_action(SendEvent("AGAIN"))
    strike.add_transition("AGAIN", aim)
    fsm = Fsm[Body](name, context=body, on_unhandled="ignore")
    patrol, hunt, rest = (fsm.add_state(each) for each in ("Patrol", "Hunt", "Rest"))
    patrol.add_action(DelegateAction(on_update=body.tire))
    patrol.add_action(TimedWait(0.5))
    patrol.add_transition("SEEN", hunt)
    patrol.add_transition(FINISHED, rest)
    hunt.add_action(RunFsm(fight))
    hunt.add_transition("LOST", patrol)
    for state in (patrol, hunt):
        state.add_transition("TALK", rest, suspend=True)
    rest.add_transition("DONE", BACK)
    rest.add_transition("SEEN", hunt)
    return fsm


def pair() -> FsmGroup:
    return FsmGroup([guard(), guard()])


def play(machines: Machines, seed: int = 1, updates: int = 160) -> Iterator[float]:
    """Start the machines and send them events at random; yield the time between two updates."""
    random = Random(seed)
    members = [machines] if isinstance(machines, Fsm) else list(machines)
    for machine in members:
        if not machine.is_running:
            machine.start()
    time = 0.0
    for _ in range(updates):
        machines.update(DT)
        time += DT
        if random.random() < 0.2:
            event = random.choice(["SEEN", "LOST", "TALK", "DONE", "PAUSE"])
            random.choice(members).send_event(event)
        yield time


def record(build: Build, **options: Any) -> Recording:
    machines = build()
    with Recording(machines) as recording:
        for _ in play(machines, **options):
            pass
    return recording


def replayed(build: Build, recording: Recording) -> OneRun:
    return OneRun(recording, build=build)


def told(recording: Recording) -> OneRun:
    return OneRun(recording)


def watched(build: Build) -> tuple[Recording, dict[float, dict[str, Any]], list[dict[str, Any]]]:
    """Return a recording, what a live page is sent at each time, and its log at the end."""
    machines = build()
    details: dict[float, dict[str, Any]] = {}
    with Recording(machines) as recording:
        session = Session(machines, rate=30.0, record=False, while_held=None, signal=None)
        shown = session.subscribers.watched("Guard")
        for time in play(machines):
            details[time] = shown.detail()
        log = list(shown.log.since(0))
        session.close()
    return recording, details, log


def comparable(detail: dict[str, Any]) -> dict[str, Any]:
    shade = {state: round(share, 6) for state, share in detail["shade"].items()}
    left_out = ("graph", "shade", "watched", "why", "origin")
    events = [{key: each[key] for key in each if key != "last"} for each in detail["events"]]
    kept = {key: each for key, each in detail.items() if key not in left_out}
    return {**kept, "shade": shade, "events": events}


@pytest.mark.slow
@pytest.mark.parametrize("build", [guard, pair])
def test_a_replayed_moment_is_what_the_live_page_showed(build: Build) -> None:
    recording, details, _ = watched(build)
    run = replayed(build, recording)
    for time in Random(7).sample(sorted(details), 40):  # back and forth
        assert run.advance(time, inf)
        assert comparable(run.detail("Guard")) == comparable(details[time])
    assert run.notes == []


@pytest.mark.slow
@pytest.mark.parametrize("build", [guard, pair])
def test_the_recording_alone_shows_what_the_live_page_showed_of_states(build: Build) -> None:
    recording, details, _ = watched(build)
    run = told(recording)
    for time, detail in details.items():
        run.advance(time, inf)
        shown = run.detail("Guard")
        assert {key: shown[key] for key in SHARED} == {key: detail[key] for key in SHARED}
        assert shown["inner"] == [each for each in detail["inner"] if each["running"]]


TOLD = ("time", "machine", "kind", "state", "event", "outcome", "data", "text")
"""What a recording tells of an entry; it has no lines of code, and senders of events alone."""


def changes(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries about changes; the live page counts what repeats itself between them."""
    told = ({key: entry[key] for key in TOLD if key in entry} for entry in log)
    return [entry for entry in told if entry.get("outcome", "changed") == "changed"]


@pytest.mark.slow
def test_the_log_is_that_of_the_live_page() -> None:
    recording, _, log = watched(guard)
    shown = told(recording).entries("Guard", 0, 10_000)
    assert changes(shown) == changes(log)
    senders = [entry.get("sender") for entry in shown if entry["kind"] == "event"]
    assert {"Strike.actions[0] (SendEvent)", None} <= set(senders)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["guard", "door", "fighter", "knight", "woodcutter", "gun"])
def test_examples_are_replayed_as_they_were(name: str) -> None:
    build = find(str(EXAMPLES / f"{name}.py"))
    machines = build()
    times: dict[float, Any] = {}
    with Recording(machines) as recording:
        session = Session(machines, rate=30.0, record=False, while_held=None, signal=None)
        first = session.inspected.first
        assert first is not None
        for time in play(machines, updates=100):
            times[time] = session.subscribers.watched(first).detail()
        session.close()
    run = replayed(build, recording)
    for time in Random(name).sample(sorted(times), 8):
        run.advance(time, inf)
        assert comparable(run.detail(first)) == comparable(times[time])


def test_a_drawing_that_looks_the_same_keeps_its_version() -> None:
    run = replayed(guard, record(guard))
    versions = set()
    for time in (0.5, 2.0, 1.0, 0.0):
        run.advance(time, inf)
        versions.add(run.detail("Guard")["graph"])
    assert len(versions) == 1


def test_the_graph_of_a_recording_has_what_occurred() -> None:
    recording = record(guard, seed=3, updates=600)
    _, parts = told(recording).drawing("Guard")
    assert {each["state"] for each in parts["nodes"].values()} == {
        "Patrol", "Hunt", "Rest", "Aim", "Strike",
    }  # fmt: skip
    assert [each["inside"] for each in parts["clusters"].values()] == [None, "Guard__Hunt"]
    events = {event for each in parts["edges"].values() for event in each["events"]}
    assert events == {"SEEN", "LOST", "TALK", "DONE", FINISHED, "AGAIN"}


def test_steps_and_changes_are_found_forwards_and_backwards() -> None:
    def lamp() -> Fsm[None]:
        fsm = Fsm[None]("Lamp")
        fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
        fsm.states["On"].add_transition("PRESS", "Off")
        return fsm

    fsm = lamp()
    with Recording(fsm) as recording:
        fsm.start()
        for number in range(8):
            fsm.update(1.0)
            if number in (2, 5):
                fsm.send_event("PRESS")
    run = told(recording)
    assert [run.next_frame(time) for time in (0.0, 1.0, 7.0, 8.0)] == [1.0, 2.0, 8.0, 8.0]
    assert [run.last_frame(time) for time in (0.0, 1.0, 8.0)] == [0.0, 0.0, 7.0]
    assert [run.next_change("Lamp", time) for time in (0.0, 3.0, 6.0)] == [3.0, 6.0, None]
    assert [run.last_change("Lamp", time) for time in (8.0, 6.0, 3.0, 0.0)] == [6.0, 3.0, 0.0, None]


def test_an_event_sent_on_the_way_out_is_not_what_led_to_the_next_state() -> None:
    fsm = Fsm[None]("Lamp", on_unhandled="ignore")
    off = fsm.add_state("Off")
    off.add_transition("PRESS", fsm.add_state("On"))
    off.add_action(DelegateAction(on_exit=lambda: fsm.send_event("CLICK")))
    off.add_action(SendEvent("PRESS"))
    with Recording(fsm) as recording:
        fsm.start()
    run = told(recording)
    run.advance(0.0, inf)
    origin = {"event": "PRESS", "sender": "Off.actions[1] (SendEvent)"}
    assert run.detail("Lamp")["origin"] == origin


def test_a_replay_that_differs_says_where() -> None:
    def other() -> Fsm[Body]:
        fsm = guard()
        fsm.states["Patrol"].remove_transition("SEEN")
        return fsm

    run = replayed(other, record(guard))
    run.advance(inf, inf)
    [note] = run.notes
    assert note.startswith("The replay differs from the recording at ")
    run.advance(0.0, inf)
    assert run.notes == [note]


def test_a_replay_that_fails_ends_there_and_can_go_back() -> None:
    recording = record(guard)
    failures: list[str] = []

    def fragile() -> Fsm[Body]:
        if failures:
            raise OSError("no disk")
        return guard()

    run = replayed(fragile, recording)
    run.advance(1.0, inf)
    failures.append("now")
    assert run.advance(0.5, inf) is False
    assert run.notes == ["The replay ends at 1.00 s. OSError: no disk"]


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_old_recordings_are_shown(path: Path) -> None:
    recording = Recording.load(path)
    run = OneRun(recording, path)
    assert run.about.startswith("Recorded by fsmkit 0.1.0 on ")
    for name, _ in run.states():
        for time in (run.start, run.end / 3, run.end):
            run.advance(time, inf)
            json.dumps(run.detail(name))
        graph, _ = run.drawing(name)
        assert graph
        assert run.entries(name, 0, 1000)


HOSTILE = [
    '<img src=x onerror="alert(1)">', "\u202eevil", "a" * 10_000, "__proto__", "\ud800", "a/b/c",
    "/", "//", "", " ", "#2", "x #2", "\x00",
]  # fmt: skip


@pytest.mark.slow
def test_names_of_any_kind_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    lines: list[Any] = [{"format": "fsmkit recording", "version": 3, "machines": HOSTILE}]
    time = 0.0
    for name in [*HOSTILE, "not in the header"]:
        for state in HOSTILE:
            time += 1.0
            journal = [
                ["enter", name, state, ""], ["event", name, state, "changed", state, state],
                ["suspend", name, state], ["enter", name, state, state], ["leave", name, state],
                ["resume", name, state], ["error", name, state], ["restored", name],
                ["in", name, state], ["event", name, "", "?", ""],
            ]  # fmt: skip
            given = {"event": state, "data": float("nan")}
            call = {"machine": name, "call": "send_event", "time": time, "arguments": given}
            lines.append({**call, "journal": journal})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    recording = Recording.load(path)
    run = OneRun(recording, path)
    assert "damaged" in run.notes[0]  # it has no closing line
    for name in run.machines:
        for moment in (0.0, 20.0, time):
            run.advance(moment, inf)
            json.dumps(run.detail(name), allow_nan=False)
        json.dumps(run.entries(name, 0, 10_000), allow_nan=False)
        run.drawing(name)


def test_machines_nested_without_end_are_no_trouble(tmp_path: Path) -> None:
    names = ["/".join(["a"] * depth) for depth in range(1, 400)]
    lines: list[Any] = [{"format": "fsmkit recording", "version": 3, "machines": names}]
    for name in names:
        journal = [["enter", name, "S", ""]]
        lines.append({"machine": name, "call": "start", "time": 0.0, "journal": journal})
    path = tmp_path / "deep.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    run = told(Recording.load(path))
    run.advance(1.0, inf)
    for name in ("a", names[19], names[-1]):
        run.detail(name)
        run.drawing(name)


def test_a_long_recording_is_replayed_in_parts() -> None:
    run = replayed(guard, record(guard, updates=400))
    looks = 0
    while not run.advance(run.end, 0.0):  # the deadline has always passed
        looks += 1
    assert looks >= 400 // 64
    assert run.time == run.end


def test_a_recording_alone_draws_the_groups_of_states(
    shown: Callable[..., Any], tmp_path: Path
) -> None:
    fsm: Fsm[None] = Fsm("Knight")
    stand, walk, dead = (fsm.add_state(name) for name in ("Stand", "Walk", "Dead"))
    fsm.add_group("Alive", stand, walk).add_transition("KILL", dead)
    stand.add_transition("GO", walk)
    file = tmp_path / "knight.jsonl"
    with Recording(fsm, file):
        fsm.start()
        fsm.send_event("GO")
        fsm.send_event("KILL")
    assert Recording.load(file).header.groups == {"Knight": {"Alive": ("Stand", "Walk")}}
    page = shown(file)
    _, _, body = page.get("graph?machine=Knight")
    assert 'id="cluster_Knight__Alive" class="cluster group"' in json.loads(body)["svg"]
