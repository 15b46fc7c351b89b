"""A recording on the page: what it is sent, what it may ask for, and what it may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector.live.requests.page_request import REQUESTS
from fsmkit.recording import Recording, RecordingError

Open = Callable[..., Any]

for package in ("starlette", "uvicorn", "websockets"):
    pytest.importorskip(package)

from fsmkit.inspector import inspect_recording  # noqa: E402  # it needs them


def lamp(name: str = "Lamp") -> Fsm[None]:
    fsm = Fsm[None](name)
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_action(TimedWait(1.0))
    on.add_transition(FINISHED, off)
    return fsm


def pair() -> FsmGroup:
    return FsmGroup([lamp(), lamp()])


def recorded(machines: Fsm[None] | FsmGroup, updates: int = 40) -> Recording:
    members = [machines] if isinstance(machines, Fsm) else list(machines)
    with Recording(machines) as recording:
        for fsm in members:
            fsm.start()
        for number in range(updates):
            machines.update(0.25)
            if number % 10 == 3:
                members[number // 10 % len(members)].send_event("PRESS")
            if number == 5:
                members[-1].send_event("PRES")
    return recording


def at(time: float) -> Callable[[dict[str, Any]], bool]:
    return lambda frame: frame["clock"] == time and frame["detail"] and not frame["seeking"]


def test_the_states_of_a_recording_differ_in_colour(shown: Open) -> None:
    def walker(*names: str) -> Recording:
        fsm = Fsm[None]("Walker")
        for name in names:
            fsm.add_state(name)
        with Recording(fsm) as recording:
            for name in names:
                fsm.start(name)
        return recording

    page = shown(walker("A", "Z"))
    assert page.ask("colours")["colours"] == {"A": 0, "Z": 1}
    page = shown(walker("A", "Z"), walker("A", "B"))
    assert page.ask("colours")["colours"] == {"A": 0, "Z": 1, "B": 2}


def test_the_greeting_says_what_the_page_shows(shown: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorded(pair()).save(path)
    page = shown(path)
    hello = page.hello
    assert (hello["kind"], hello["title"], hello["end"]) == ("recording", "run.jsonl", 10.0)
    assert hello["about"].endswith(": 10.00 s, 2 machines.")
    assert hello["machines"] == [["Lamp", "Off"], ["Lamp #2", "Off"]]
    assert hello["marks"] == {"Lamp #2": [0, 1]}
    assert hello["selected"] == "Lamp"


def test_it_goes_to_any_moment_and_back(shown: Open) -> None:
    page = shown(recorded(lamp()), build=lamp)
    states = []
    for time in (1.25, 9.0, 0.5, 3.5):
        assert page.ask("seek", time=time)["ok"]
        detail = page.frame(at(time))["detail"]
        states.append((detail["state"], [action["progress"] for action in detail["actions"]]))
    assert states == [("On", [0.25]), ("On", [0.5]), ("Off", []), ("On", [0.0])]


def test_a_time_outside_of_it_is_its_beginning_or_end(shown: Open) -> None:
    page = shown(recorded(lamp()))
    for time, clock in ((1e300, 10.0), (-5.0, 0.0)):
        assert page.ask("seek", time=time)["ok"]
        assert page.frame(at(clock))["detail"]["machine"] == "Lamp"


def test_it_steps_by_updates_and_changes(shown: Open) -> None:
    page = shown(recorded(lamp()))
    clocks = []
    for request in ("step", "step", "step_back", "next_change", "next_change", "last_change"):
        more = {"machine": "Lamp"} if "change" in request else {}
        assert page.ask(request, **more)["ok"]
        clocks.append(page.frame(lambda frame: not frame["seeking"])["clock"])
    assert clocks == [0.25, 0.5, 0.25, 1.0, 2.0, 1.0]


def test_it_plays_to_its_end_and_from_the_beginning_again(shown: Open) -> None:
    page = shown(recorded(lamp()))
    assert page.ask("speed", factor=10.0)["ok"]
    assert page.ask("seek", time=9.5)["ok"]
    assert page.ask("resume")["ok"]
    assert page.frame(lambda frame: frame["paused"] and frame["clock"] == 10.0)
    assert page.ask("resume")["ok"]
    assert page.frame(lambda frame: frame["clock"] < 9.0)
    assert page.ask("pause")["ok"]


@pytest.mark.slow
def test_the_whole_log_comes_however_long_it_is(shown: Open) -> None:
    page = shown(recorded(lamp(), updates=2_500))
    log: list[Any] = []
    while not log or log[-1]["time"] < 624.0:
        log += page.frame()["log"]
    assert [entry["seq"] for entry in log] == list(range(len(log)))
    assert page.frames[-1]["log_dropped"] == 0


def ring() -> Fsm[None]:
    fsm = Fsm[None]("Ring")
    states = [fsm.add_state(f"S{number}") for number in range(30)]
    for state, following in zip(states, states[1:] + states[:1], strict=True):
        state.add_transition("PRESS", following)
    return fsm


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("build", [None, ring], ids=["alone", "replayed"])
def test_of_a_big_machine_the_neighbourhood_is_drawn(shown: Open, build: Any, runs: int) -> None:
    fsm = ring()
    with Recording(fsm) as recording:
        fsm.start()
        for _ in range(29):
            fsm.send_event("PRESS")
    page = shown(*[recording] * runs, build=build)
    status, _, body = page.get("graph?machine=Ring&radius=1&around=Ring__S4")
    assert status == 200
    drawing = json.loads(body)
    drawn = [name for name in drawing["nodes"] if f'id="{name}"' in drawing["svg"]]
    assert drawn == ["Ring__S3", "Ring__S4", "Ring__S5"]


def test_another_machine_is_selected_with_its_log(shown: Open) -> None:
    page = shown(recorded(pair()))
    assert page.ask("select", machine="Lamp #2")["ok"]
    assert page.frame(lambda frame: frame.get("selected") == "Lamp #2")["reset"]
    log = page.frames[-1]["log"] or page.frame(lambda frame: frame["log"])["log"]
    assert {entry["machine"] for entry in log} == {"Lamp #2"}
    assert "is not a machine of the recording" in page.ask("select", machine="Lamp #3")["error"]


def test_a_fault_of_the_replay_is_reported(shown: Open) -> None:
    def other() -> Fsm[None]:
        fsm = lamp()
        fsm.states["Off"].remove_transition("PRESS")
        return fsm

    page = shown(recorded(lamp()), build=other)
    [note] = page.frame(lambda frame: frame["notes"])["notes"]
    assert note.startswith("The replay differs from the recording at 1.00 s: it does something")


def test_two_recordings_open_at_their_first_difference(shown: Open) -> None:
    other = recorded(lamp(), updates=40)
    fsm = lamp()
    with Recording(fsm) as odd:
        fsm.start()
        fsm.update(0.25)
        fsm.send_event("PRESS")
    page = shown(other, odd)
    assert page.hello["kind"] == "comparison"
    assert page.hello["differences"][0]["time"] == 0.25
    frame = page.frame(at(0.25))
    assert ["state", "Off", "On"] in frame["detail"]["differs"]
    assert "no further" in page.ask("difference", machine="Lamp", forward=False)["error"]


REFUSED = sorted(
    REQUESTS.keys()
    - {"select", "ask", "pause", "resume", "step", "speed", "seek", "step_back", "next_change"}
    - {"last_change", "difference", "follow_all", "colours", "positions", "tiles", "keep_place"}
    - {"free_places"}
)
SAMPLES: dict[type, Any] = {
    str: "Lamp", float: 1.0, int: 1, bool: True, object: None, list: [], dict: {},
}  # fmt: skip


@pytest.mark.parametrize("build", [None, lamp], ids=["alone", "replayed"])
def test_nothing_can_be_changed(shown: Open, build: Any) -> None:
    page = shown(recorded(lamp()), build=build)
    before = page.frame(at(0.0))
    for request in REFUSED:
        more = {name: SAMPLES[kind] for name, kind in REQUESTS[request].arguments.items()}
        answer = page.ask(request, **more)
        assert answer["error"].startswith("A recording cannot be changed"), request
    page.ask("step")
    page.ask("step_back")
    assert page.frame(at(0.0))["detail"] == before["detail"]


MALFORMED = [
    {"do": "seek"}, {"do": "seek", "time": "1"}, {"do": "seek", "time": None},
    {"do": "seek", "time": True}, {"do": "seek", "time": [1]}, {"do": "seek", "time": 10**400},
    {"do": "step_back", "by": 1}, {"do": "next_change"}, {"do": "next_change", "machine": 1},
    {"do": "last_change", "machine": None}, {"do": "difference", "machine": "Lamp"},
    {"do": "difference", "machine": "Lamp", "forward": 1}, {"do": "speed", "factor": 1e9},
    {"do": "next_change", "machine": "a" * 2_000}, {"do": "next_change", "machine": "Nobody"},
    {"do": "difference", "machine": "Lamp", "forward": True}, {"do": "run"}, {"do": "playhead"},
]  # fmt: skip


@pytest.mark.parametrize("message", MALFORMED, ids=str)
def test_a_malformed_request_is_refused(shown: Open, message: dict[str, Any]) -> None:
    page = shown(recorded(lamp()))
    numbers = count(1)
    answer = page.answer_to(json.dumps({"id": next(numbers), **message}))
    assert answer["error"]
    answer = page.answer_to(f'{{"id": {next(numbers)}, "do": "seek", "time": NaN}}')
    assert "must be a finite number" in answer["error"]


def test_what_is_not_a_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text("{}\n", "utf-8")
    with pytest.raises(RecordingError, match="is not a recording"):
        inspect_recording(path)
    with pytest.raises(OSError, match="nowhere"):
        inspect_recording(tmp_path / "nowhere.jsonl")
    with pytest.raises(TypeError, match="must be a Recording or the path of one, got 5"):
        inspect_recording(5)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(TypeError, match="build must be the function"):
        inspect_recording(recorded(lamp()), build=lamp())  # type: ignore[arg-type]  # the mistake
    with pytest.raises(RecordingError, match="is of the machines Lamp, but these are Fan"):
        inspect_recording(recorded(lamp()), build=lambda: lamp("Fan"))
    with pytest.raises(ValueError, match="port must be"):
        inspect_recording(recorded(lamp()), port=70_000)
