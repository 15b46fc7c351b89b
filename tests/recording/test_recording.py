"""Recordings: what they keep, their files, and that a replay goes the same way."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import DelegateAction, Move, Parallel, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup, __version__
from fsmkit.recording import Recording, RecordingError, Replay, StateVisit, replay
from fsmkit.space import Transform
from fsmkit.testing import Probe


def door(seconds: float = 2.0) -> Fsm:
    fsm = Fsm("Door", on_unhandled="ignore")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    opened.add_action(TimedWait(seconds))
    return fsm


def told(recording: Recording) -> list[str]:
    return [" | ".join([str(step), *step.told()]) for step in recording.steps]


def open_and_wait(fsm: Fsm) -> None:
    fsm.start()
    fsm.send_event("OPEN")
    for _ in range(5):
        fsm.update(0.5)


# What it keeps


def test_every_external_call_is_a_step_with_a_journal() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.post_event("OPEN")
        fsm.update(1.0)
        fsm.send_event("KNOCK", data={"times": 3})
        fsm.update(2.0)
        fsm.stop()
    assert told(recording) == [
        "0.00 s  Door.start() | enter Closed",
        "0.00 s  Door.post_event('OPEN')",
        "1.00 s  Door.update(1.0) | event OPEN: changed | leave Closed | enter Open",
        "1.00 s  Door.send_event('KNOCK', {'times': 3}) | event KNOCK: ignored",
        "3.00 s  Door.update(2.0) | event FINISHED: changed | leave Open | enter Closed",
        "3.00 s  Door.stop() | leave Closed",
    ]  # fmt: skip


def test_calls_from_inside_callbacks_are_part_of_the_external_call() -> None:
    def knock(probe: Probe) -> None:
        probe.fsm.post_event("OPEN")
        other.start()
        other.send_event("OPEN")

    fsm, other = door(), door()
    fsm.states["Closed"].add_action(Probe("p", [], on_enter=knock))
    with Recording(FsmGroup([fsm, other])) as recording:
        fsm.start()
    (step,) = recording.steps
    assert step.told() == [
        "enter Closed", "Door #2: enter Closed", "Door #2: event OPEN: changed",
        "Door #2: leave Closed", "Door #2: enter Open",
    ]  # fmt: skip


def test_an_action_that_is_finished_from_outside_is_a_step() -> None:
    def build() -> Fsm:
        fsm = door()
        fsm.states["Open"].add_action(Parallel(Probe("p", []), Probe("q", [])))
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start("Open")
        wait, parallel = fsm.states["Open"].actions
        parallel.children[1].finish()
        parallel.children[0].finish()
        wait.finish()
        fsm.update(1.0)
        fsm.send_event("OPEN")
    assert [step.call for step in recording.steps] == [
        "start", "finish", "finish", "finish", "update", "send_event",
    ]  # fmt: skip
    assert recording.steps[1].arguments == {"action": ["Open", 1, 1]}
    assert recording.steps[4].told() == [
        "event FINISHED: changed", "leave Open", "enter Closed",
    ]  # fmt: skip
    assert replay(build, recording)


def test_what_the_caller_gets_is_the_same_as_without() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        with pytest.raises(ValueError, match="finite number of seconds >= 0"):
            fsm.update(-1.0)
        assert fsm.send_event("OPEN") is False
        fsm.start()
        assert fsm.send_event("OPEN") is True
    assert recording.steps[0].raised.startswith(
        "ValueError: Fsm 'Door': dt must be a finite number of seconds"
    )
    assert type(fsm) is Fsm


def test_events_posted_by_other_threads_are_replayed_in_their_place() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        thread = Thread(target=fsm.post_event, args=("OPEN",))
        thread.start()
        thread.join()
        fsm.update(1.0)
        fsm.update(1.0)
    assert [step.call for step in recording.steps] == [
        "start", "update", "post_event", "update", "update",
    ]  # fmt: skip
    assert fsm.current_state.name == "Open"
    assert replay(door, recording)


def test_a_class_of_the_users_own_stays_what_it_was() -> None:
    class Door(Fsm):
        updates = 0

        def update(self, dt: float) -> None:
            self.updates += 1
            super().update(dt)

    fsm = Door("Door")
    fsm.add_state("Closed")
    first, second = Recording(fsm), Recording(fsm)
    fsm.start()
    first.detach()
    fsm.update(1.0)
    second.detach()
    second.detach()
    fsm.update(1.0)
    assert (len(first.steps), len(second.steps), fsm.updates) == (1, 2, 2)
    assert type(fsm) is Door


# Files


def test_every_step_is_in_the_file_as_soon_as_it_is_over(tmp_path: Path) -> None:
    fsm, path = door(), tmp_path / "door.jsonl"
    recording = Recording(fsm, path, keep=False)
    fsm.start()
    fsm.update(0.5)
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [
        {"format": "fsmkit recording", "version": 3, "machines": ["Door"],
         "fsmkit": __version__},
        {"machine": "Door", "call": "start", "time": 0.0,
         "journal": [["enter", "Door", "Closed", ""]]},
        {"machine": "Door", "call": "update", "time": 0.5, "arguments": {"dt": 0.5}},
    ]  # fmt: skip
    assert recording.steps == []
    recording.detach()
    assert path.read_text("utf-8").endswith('0.5}}\n{"end": "complete"}\n')


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    fsm, path = door(), tmp_path / "door.jsonl"
    fsm.add_state("开门 🚪\n<b>").add_transition("✨", "Closed")
    with Recording(fsm) as recording:
        fsm.start("开门 🚪\n<b>")
        fsm.send_event("✨", data=[1, None, "x"])
    recording.save(path)
    loaded = Recording.load(path)
    assert told(loaded) == told(recording)
    assert (loaded.header, loaded.fault, loaded.time) == (recording.header, "", 0.0)


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda text: text[:-45], "line 4 is damaged: Unterminated string"),
        (lambda text: text.replace('{"end": "complete"}\n', ""),
         "the file ends before its recording did: it was cut off, or the program ended without"),
        (lambda text: text[:-1], ""),
        (lambda text: text.replace('"complete"', '"comp'), "line 5 is damaged: Unterminated"),
        (lambda text: text + text.splitlines()[2], "line 6 is damaged: it comes after the closing"),
        (lambda text: text + "\x00", "line 6 is damaged: it comes after the closing line"),
        (lambda text: text.replace('"call": "update"', '"call": "exec"'),
         "line 3 is damaged: unknown call 'exec'"),
        (lambda text: text.replace('"time": 1.0, ', ""), "line 4 is damaged: 'time' is missing"),
        (lambda text: text.replace('{"dt": 0.5}', "7"), "line 3 is damaged: "),
        (lambda text: text.replace('{"dt": 0.5}', '{"dt": {"$what": 1}}'),
         "line 3 is damaged: '$what' is missing"),
        (lambda text: text.replace('"update"', '["update"]'), "line 3 is damaged: unknown call"),
        (lambda text: text.replace('{"dt": 0.5}', "[" * 100_000),
         "line 3 is damaged: "),  # by a RecursionError, whose text differs from 3.14 on
        (lambda text: text.replace('"time": 0.5', '"time": 1' + "0" * 400),
         "line 3 is damaged: the time must be a finite number >= 0, got 1000"),
        (lambda text: text.replace('"time": 0.5', '"time": NaN'),
         "line 3 is damaged: the time must be a finite number >= 0, got nan"),
        (lambda text: text.replace('"time": 0.5', '"time": Infinity'),
         "line 3 is damaged: the time must be a finite number >= 0, got inf"),
        (lambda text: text.replace('"time": 0.5', '"time": -1'),
         "line 3 is damaged: the time must be a finite number >= 0, got -1"),
        (lambda text: text.replace('"time": 1.0', '"time": 0.25'),
         "line 4 is damaged: the time must be a finite number >= 0.5, got 0.25"),
        (lambda text: text.replace('"time": 0.5', '"time": "soon"'),
         "line 3 is damaged: the time must be a finite number >= 0, got 'soon'"),
    ],
)  # fmt: skip
def test_the_good_part_of_a_damaged_file_is_loaded(
    tmp_path: Path, damage: Callable[[str], str], fault: str
) -> None:
    fsm, path = door(), tmp_path / "door.jsonl"
    with Recording(fsm, path):
        fsm.start()
        fsm.update(0.5)
        fsm.update(0.5)
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    loaded = Recording.load(path)
    assert loaded.fault.startswith(fault)
    assert bool(loaded.fault) == bool(fault)
    bad = int(fault.split()[1]) if fault.startswith("line") else 5
    assert len(loaded.steps) == min(bad, 5) - 2


@pytest.mark.parametrize(
    "text",
    [
        "", "hello\n", "[]\n", '{"format": "x"}\n', "\udcff",
        pytest.param("[" * 100_000, id="deep"),
        '[["format", "fsmkit recording"], ["version", 2], ["machines", []]]\n',
    ],
)  # fmt: skip
def test_another_file_is_not_a_recording(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(
        RecordingError, match="is not a recording: its first line is not the header of one"
    ):
        Recording.load(path)


def test_a_damaged_file_is_not_a_test_that_passed(tmp_path: Path) -> None:
    fsm, path = door(), tmp_path / "door.jsonl"
    with Recording(fsm, path):
        open_and_wait(fsm)
    path.write_bytes(path.read_bytes() + b"garbage\n")
    comparison = replay(door, path)
    assert not comparison
    assert str(comparison) == (
        "7 steps, all equal; but then line 10 is damaged: it comes after the closing line"
    )
    course = Replay(door, Recording.load(path))
    course.go_to(6)
    assert str(course.compare()) == "6 steps, all equal"


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "door.jsonl"
    path.write_text('{"format": "fsmkit recording", "version": 99, "machines": []}', "utf-8")
    with pytest.raises(
        RecordingError, match="has version 99 of the format; this fsmkit reads versions up to 3"
    ):
        Recording.load(path)


@given(st.binary(max_size=200), st.integers(0, 300))
def test_no_damage_whatever_makes_loading_fail(rubbish: bytes, place: int) -> None:
    good = (
        b'{"format": "fsmkit recording", "version": 2, "machines": ["Door"]}\n'
        b'{"machine": "Door", "call": "start", "time": 0.0, '
        b'"journal": [["enter", "Door", "A", ""]]}\n'
        b'{"machine": "Door", "call": "update", "time": 0.5, "arguments": {"dt": 0.5}}\n'
    )
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"fsmkit-{os.getpid()}.jsonl"
    path.write_bytes(good[:place] + rubbish + good[place:])
    try:
        recording = Recording.load(path)
        recording.chronicle()
    except RecordingError:
        pass
    finally:
        path.unlink()


CRASHING = """
import os, sys
from fsmkit import Fsm
from fsmkit.recording import Recording
fsm = Fsm("Door")
fsm.add_state("Closed")
recording = Recording(fsm, sys.argv[1])
fsm.start()
print("running", flush=True)
while True:
    fsm.update(0.5)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process the POSIX way")
def test_a_crash_loses_the_last_line_at_most(tmp_path: Path) -> None:
    path = tmp_path / "door.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", CRASHING, str(path)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        while path.stat().st_size < 10_000:
            assert child.poll() is None
            sleep(0.001)
        child.send_signal(signal.SIGKILL)
    lines = path.read_bytes().count(b"\n")
    loaded = Recording.load(path)
    assert len(loaded.steps) >= lines - 1
    assert loaded.fault.startswith(("the file ends before its recording did", f"line {lines + 1}"))


# Replay


def test_a_replay_of_the_same_machine_is_equal() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        open_and_wait(fsm)
    comparison = replay(door, recording)
    assert comparison
    assert str(comparison) == "7 steps, all equal"


def test_the_first_difference_of_a_changed_machine_is_shown_with_the_steps_around_it() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        open_and_wait(fsm)
    comparison = replay(lambda: door(seconds=1.5), recording)
    assert not comparison
    assert str(comparison).splitlines() == [
        "Step 5 differs.",
        "  same      0.00 s  Door.send_event('OPEN')",
        "                event OPEN: changed",
        "                leave Closed",
        "                enter Open",
        "  same      0.50 s  Door.update(0.5)",
        "  same      1.00 s  Door.update(0.5)",
        "  recorded  1.50 s  Door.update(0.5)",
        "  replayed  1.50 s  Door.update(0.5)",
        "                event FINISHED: changed",
        "                leave Open",
        "                enter Closed",
        "  then      2.00 s  Door.update(0.5)",
        "                event FINISHED: changed",
        "                leave Open",
        "                enter Closed",
        "  then      2.50 s  Door.update(0.5)",
        "Its actions have, or remember, other values since step 2.",
    ]


def test_errors_are_recorded_and_replayed() -> None:
    def build() -> Fsm:
        fsm = door()
        fsm.states["Open"].add_action(DelegateAction(on_enter=lambda state: 1 / 0))
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        with pytest.raises(ZeroDivisionError):
            fsm.send_event("OPEN")
        fsm.update(0.5)
    assert recording.steps[1].told()[-2:] == [
        "error ZeroDivisionError: division by zero",
        "raised ZeroDivisionError: division by zero",
    ]  # fmt: skip
    assert replay(build, recording)
    assert not replay(door, recording)


def door_with(*actions: FsmAction) -> Fsm:
    fsm = door()
    for action in actions:
        fsm.states["Open"].add_action(action)
    return fsm


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (door, "state 'Open' has no action 1"),
        (lambda: door_with(Parallel(Probe("p", []))), "Parallel has no action 1"),
        (lambda: door_with(Parallel(Probe("p", []), Probe("q", [], on_enter=Probe.finish))),
         "(nothing)"),
    ],
)  # fmt: skip
def test_a_step_that_cannot_be_carried_out_says_why(build: Callable[[], Fsm], reason: str) -> None:
    fsm = door_with(Parallel(Probe("p", []), Probe("q", [])))
    with Recording(fsm) as recording:
        fsm.start("Open")
        fsm.post_event("KNOCK")
        fsm.states["Open"].actions[1].children[1].finish()
        fsm.post_event("KNOCK")
    assert str(replay(build, recording)).splitlines() == [
        "Step 3 differs.",
        "  same      0.00 s  Door.start('Open')",
        "                enter Open",
        "  same      0.00 s  Door.post_event('KNOCK')",
        "  recorded  0.00 s  Door.finish(['Open', 1, 1])",
        f"  replayed  {reason}",
        "  then      0.00 s  Door.post_event('KNOCK')",
        "Its actions have, or remember, other values since step 1.",
    ]


def test_a_machine_that_is_gone_is_named() -> None:
    def build() -> FsmGroup:
        return FsmGroup([door()])

    group = build()
    (fsm,) = group
    with Recording(group) as recording:
        fsm.start()
        group.add(door())
        group.update(1.0)
    assert str(replay(build, recording)).splitlines() == [
        "Step 3 differs.",
        "  same      0.00 s  Door.start()",
        "                enter Closed",
        "  same      1.00 s  Door.update(1.0)",
        "  recorded  1.00 s  Door #2.update(1.0)",
        "  replayed  there is no machine 'Door #2'",
    ]


def test_a_program_that_a_callback_ended_is_not_ended_again() -> None:
    def build() -> Fsm:
        return door_with(DelegateAction(on_enter=lambda state: sys.exit(3)))

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        with pytest.raises(SystemExit):
            fsm.send_event("OPEN")
        fsm.update(1.0)
    assert recording.steps[1].raised == "SystemExit: 3"
    assert replay(build, recording)


def test_a_function_that_builds_nothing_is_reported() -> None:
    with pytest.raises(
        TypeError, match=r"return an Fsm or an FsmGroup, got None\. Let it end with"
    ):
        replay(lambda: None, Recording(door()))  # type: ignore[arg-type,return-value]


def test_names_with_line_breaks_stay_on_their_line() -> None:
    def build(*names: str) -> FsmGroup:
        group = FsmGroup()
        for name in names:
            group.add(Fsm(name)).add_state("Clo\nsed")
        return group

    group = build("Do\nor")
    (fsm,) = group
    with Recording(group) as recording:
        fsm.start()
        fsm.send_event("KNO\nCK", data={"a": "\n"})
    assert told(recording) == [
        r"0.00 s  Do\nor.start() | enter Clo\nsed",
        r"0.00 s  Do\nor.send_event('KNO\nCK', {'a': '\n'}) | event KNO\nCK: unhandled",
    ]  # fmt: skip
    with pytest.raises(
        RecordingError, match=r"machines Do\\nor, but these are Ga\\nte, Do\\nor\. "
    ):
        replay(lambda: build("Ga\nte", "Do\nor"), recording)


def test_a_time_that_sums_up_to_a_little_more_is_reached() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        for _ in range(120):
            fsm.update(1 / 60)
    assert recording.steps[60].time > 1.0
    course = Replay(door, recording)
    course.go_to_time(1.0)
    assert course.position == 61


def test_it_goes_forwards_and_backwards_to_any_moment() -> None:
    def build() -> Fsm:
        fsm = Fsm("Walker", context=Transform((0.0, 0.0)))
        fsm.add_state("Walk").add_action(Move(fsm.context, None, (10.0, 0.0), 10.0))
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        for _ in range(10):
            fsm.update(1.0)
    course = Replay(build, recording)
    seen = []
    for move in (course.forward, lambda: course.go_to(8), lambda: course.back(3),
                 lambda: course.go_to_time(9.5), lambda: course.forward(99),
                 lambda: course.back(99)):  # fmt: skip
        move()
        seen.append((course.position, course.time, course.machines.context.position[0]))
    assert seen == [(1, 0.0, 0.0), (8, 7.0, 7.0), (5, 4.0, 4.0), (10, 9.0, 9.0), (11, 10.0, 10.0),
                    (0, 0.0, 0.0)]  # fmt: skip
    assert course.compare()


def test_another_machine_or_another_beginning_is_refused() -> None:
    def started() -> Fsm:
        fsm = door()
        fsm.start()
        return fsm

    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
    with pytest.raises(RecordingError, match="is of the machines Door, but these are Gate"):
        replay(lambda: Fsm("Gate"), recording)
    with pytest.raises(RecordingError, match=r"were in no state: .*these are in 'Closed' \(Door\)"):
        replay(started, recording)


class Shout:
    def __init__(self, words: str) -> None:
        self.words = words


def test_data_that_json_does_not_know_needs_functions_for_it(tmp_path: Path) -> None:
    heard: list[Any] = []

    def build() -> Fsm:
        fsm = door()
        fsm.states["Open"].add_action(
            DelegateAction(on_enter=lambda state: heard.append(state.fsm.event_data.words))
        )
        return fsm

    def encode(data: Any) -> Any:
        return {"shout": data.words}

    def decode(data: Any) -> Any:
        return Shout(data["shout"])

    for options in ({}, {"encode": encode}):
        fsm = build()
        with Recording(fsm, tmp_path / "door.jsonl", **options):
            fsm.start()
            fsm.send_event("OPEN", Shout("open!"))
        if options:
            assert replay(build, tmp_path / "door.jsonl", decode=decode)
        else:
            with pytest.raises(RecordingError, match="Record with encode=, a function that turns"):
                replay(build, tmp_path / "door.jsonl")
    assert heard == ["open!", "open!", "open!"]


def test_the_visits_of_a_recording_are_listed_with_their_times() -> None:
    inner, fsm = door(), door()
    fsm.states["Closed"].add_action(RunFsm(inner))
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        fsm.send_event("OPEN")
        fsm.update(0.5)
        fsm.stop()
    chronicle = recording.chronicle()
    assert chronicle.machines == ("Door", "Door/Door")
    assert list(chronicle.visits) == [
        StateVisit("Door", "Closed", 0.0, 1.5, None),
        StateVisit("Door/Door", "Closed", 0.0, 1.0, None),
        StateVisit("Door/Door", "Open", 1.0, 1.5, "OPEN"),
    ]
    assert [(event.time, event.state, event.event) for event in chronicle.events] == [
        (1.0, "Closed", "OPEN"), (1.0, "Closed", "OPEN"),
    ]  # fmt: skip


def random_machine(seed: int) -> Fsm:
    rng = Random(seed)
    fsm = Fsm("Random", on_unhandled="ignore", max_transitions=20)
    states = [fsm.add_state(name) for name in "ABCD"]
    for state in states:
        for event in ("X", "Y", FINISHED):
            if rng.random() < 0.6:
                state.add_transition(event, rng.choice(states))
        state.add_action(TimedWait(lambda: rng.choice([0.0, 0.5, 1.0])))
        if rng.random() < 0.3:
            state.add_action(Probe("p", [], on_update=rng.choice(["X", "Y", Probe.finish])))
    return fsm


@pytest.mark.slow
@given(
    st.integers(0, 1000),
    st.lists(st.sampled_from(["start", "stop", "X", "Y", "post", 0.0, 0.25, 1.0])),
)
def test_random_machines_replay_the_same_way(seed: int, script: list[Any]) -> None:
    fsm = random_machine(seed)
    with Recording(fsm) as recording:
        for step in script:
            try:
                if isinstance(step, float):
                    fsm.update(step)
                elif step == "post":
                    fsm.post_event("X")
                else:
                    getattr(fsm, step, lambda event=step: fsm.send_event(event))()
            except Exception:  # recorded as well
                pass
    assert replay(lambda: random_machine(seed), recording)


def test_a_recording_that_is_detached_in_the_middle_of_a_call_leaves_the_call_alone(
    folder: Path,
) -> None:
    fsm = Fsm("Lamp")
    fsm.add_state("Off").add_action(DelegateAction(on_update=lambda _: recording.detach()))
    recording = Recording(fsm, folder / "lamp.jsonl")
    fsm.start()
    fsm.update(1.0)
    assert fsm.time == 1.0
    assert [str(step) for step in recording.steps] == ["0.00 s  Lamp.start()"]


def test_steps_that_were_read_stay_the_same_objects() -> None:
    fsm = door()
    with Recording(fsm) as recording:
        fsm.start()
        first = recording.steps
        fsm.send_event("OPEN")
        fsm.update(1.0)
    assert len(recording.steps) == 3
    assert recording.steps[0] is first[0]
    assert recording.steps[2] is recording.steps[2]


class Diary(FsmAction[Any]):
    """Remembers values of many kinds, of which a digest must read those that may change at once."""

    def on_enter(self) -> None:
        self.pages: list[str] = []
        self.title, self.count, self.weight = "Día", 0, -0.0

    def on_update(self) -> None:
        self.pages.append(self.title)
        self.count += 1


def test_a_digest_is_that_of_the_moment_and_of_earlier_versions_whenever_it_is_read() -> None:
    fsm = Fsm("Writer")
    desk, bed = fsm.add_state("Desk"), fsm.add_state("Bed")
    desk.add_action(Diary())
    bed.add_action(FsmAction())
    desk.add_transition("TIRED", bed)
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        fsm.update(1.0)
        fsm.send_event("TIRED")
        fsm.update(1.0)
    digests = [step.digest for step in recording.steps]
    assert digests == ["6597e910", "13aabcb7", "53b35359", "8b6407c0", "a4bffdf0"]
