"""The flight recorder: the last seconds, from a snapshot on, in bounded memory."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from gc import collect
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any
from weakref import ref

import pytest

from actions import (
    Coroutine,
    DelegateAction,
    InThread,
    RandomWait,
    RunFsm,
    SendEvent,
    TimedWait,
)
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.recording import Recording, RecordingError, Replay, replay, restore, snapshot

DT = 1 / 64


def guard(rest: float = 0.5) -> Fsm[Any]:
    """Patrols for a random time and rests; an event makes her look."""
    fsm: Fsm[Any] = Fsm("Guard", on_unhandled="ignore")
    patrol, resting, look = map(fsm.add_state, ("Patrol", "Rest", "Look"))
    patrol.add_action(RandomWait(0.1, 1.0, rng=Random(7)))
    patrol.add_transition(FINISHED, resting)
    patrol.add_transition("NOISE", look)
    resting.add_action(TimedWait(rest))
    resting.add_transition(FINISHED, patrol)
    look.add_action(TimedWait(rest / 2))
    look.add_action(RunFsm(eyes()))
    look.add_transition(FINISHED, patrol)
    return fsm


def eyes() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Eyes", on_unhandled="ignore")
    left, right = fsm.add_state("Left"), fsm.add_state("Right")
    left.add_action(TimedWait(0.1))
    left.add_transition(FINISHED, right)
    right.add_action(TimedWait(0.1))
    right.add_transition(FINISHED, left)
    return fsm


def play(fsm: Fsm[Any], seconds: float) -> None:
    for turn in range(round(seconds / DT)):
        if turn % 40 == 7:
            fsm.send_event("NOISE", {"at": turn})
        fsm.update(DT)


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, "fsmkit")
    return lambda: [each.getMessage() for each in caplog.records if each.name == "fsmkit"]


# What it keeps


def test_it_keeps_the_last_seconds_from_a_snapshot_on() -> None:
    fsm = guard()
    with Recording(fsm, limit=2.0) as recording:
        fsm.start()
        play(fsm, 10.0)
    assert recording.header.frame is not None
    assert 7.0 <= recording.header.time <= 8.0
    assert recording.steps[0].time > recording.header.time
    assert recording.time == 10.0
    assert len(recording.frames) == 2
    assert replay(guard, recording)
    assert str(replay(lambda: guard(0.4), recording)).startswith("Step ")


def test_a_run_that_is_shorter_begins_with_new_machines() -> None:
    fsm = guard()
    with Recording(fsm, limit=20.0) as recording:
        fsm.start()
        play(fsm, 10.0)
    assert recording.header.frame is None
    assert [step.call for step in recording.steps[:2]] == ["start", "update"]
    assert replay(guard, recording)


def test_a_limit_may_be_longer_than_any_run() -> None:
    fsm = guard()
    with Recording(fsm, limit=1e308) as recording:
        fsm.start()
        play(fsm, 1.0)
    assert replay(guard, recording)


def test_through_a_file_it_is_the_same(tmp_path: Path) -> None:
    fsm = guard()
    with Recording(fsm, limit=2.0) as recording:
        fsm.start()
        play(fsm, 5.0)
        recording.save(tmp_path / "guard.jsonl")
    loaded = Recording.load(tmp_path / "guard.jsonl")
    assert loaded.header == recording.header
    assert loaded.frames == recording.frames
    assert [str(step) for step in loaded.steps] == [str(step) for step in recording.steps]
    assert [step.digest for step in loaded.steps] == [step.digest for step in recording.steps]
    assert str(replay(guard, loaded)) == f"{len(loaded.steps)} steps, all equal"
    assert loaded.chronicle().start == loaded.header.time
    loaded.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "guard.jsonl").read_bytes()


@pytest.mark.slow
def test_memory_is_bounded_even_if_no_time_passes() -> None:
    fsm = guard()
    with Recording(fsm, limit=0.5) as recording:
        fsm.start()
        for _ in range(3000):
            fsm.send_event("KNOCK")
            assert len(recording.steps) <= 1000
        for _ in range(3000):
            fsm.post_event("KNOCK")
            assert len(recording.steps) <= 1000
        assert replay(guard, recording)


def nest() -> FsmGroup:
    """A group that others join for a while: one that a machine of it brings in, and sends away."""
    group, mother = FsmGroup(), guard()
    young: list[Fsm[Any]] = []

    def hatch() -> None:
        young.append(group.add(eyes()))
        young[-1].start()

    mother.states["Rest"].add_action(DelegateAction(hatch, None, lambda: group.remove(young.pop())))
    group.add(mother)
    return group


@pytest.mark.slow
def test_machines_that_come_and_go_are_replayed_and_forgotten() -> None:
    group = nest()
    (mother,) = group
    left: list[ref[Fsm[Any]]] = []
    with Recording(group, limit=2.0) as recording:
        mother.start()
        for turn in range(2000):
            group.update(DT)
            if turn % 20 == 0:
                visitor = group.add(eyes())
                visitor.start()
                handle = visitor.send_event_after(1.0, "LOOK")
                group.remove(visitor)
                left.append(ref(visitor))
                del visitor
        collect()
        assert sum(each() is not None for each in left) < 20
        handle.cancel()
        for _ in range(300):
            group.update(DT)
        handle.cancel()  # its machine has gone
    collect()
    assert not any(each() for each in left)
    assert {step.machine for step in recording.steps} == {"Guard", "Eyes"}
    assert len(recording.frames) > 1
    assert replay(nest, recording), replay(nest, recording)


@pytest.mark.slow
def test_machines_that_have_left_are_forgotten_even_if_nothing_can_be_saved() -> None:
    group = FsmGroup([guard()])
    left: list[ref[Fsm[Any]]] = []
    with Recording(group, limit=0.5) as recording:
        group.add(eyes()).start()
        for _ in range(300):
            visitor = group.add(eyes())
            group.update(DT)
            group.remove(visitor)
            left.append(ref(visitor))
            del visitor
        collect()
        assert "other machines" in recording.header.reason
        assert sum(each() is not None for each in left) < 60


def test_memory_is_bounded_even_if_only_other_threads_post(
    warned: Callable[[], list[str]],
) -> None:
    fsm = guard()
    with Recording(fsm, limit=0.5) as recording:
        fsm.start()
        thread = Thread(target=lambda: [fsm.post_event("KNOCK") for _ in range(3000)])
        thread.start()
        thread.join()
        assert len(recording.steps) <= 1000
        assert len(warned()) == 1
        with pytest.raises(RecordingError, match="there was no moment between two calls"):
            replay(guard, recording)
        fsm.update(DT)
        fsm.send_event("KNOCK")
        play(fsm, 2.0)
    assert replay(guard, recording)
    assert len(warned()) == 1


def test_the_last_seconds_of_a_group() -> None:
    def build() -> FsmGroup:
        return FsmGroup([guard(), guard(0.3), eyes()])

    group = build()
    with Recording(group, limit=1.0) as recording:
        for fsm in group:
            fsm.start()
        for _ in range(300):
            group.update(DT)
    assert recording.header.machines == ("Guard", "Guard/Eyes", "Guard #2", "Guard #2/Eyes", "Eyes")
    assert recording.header.time >= 3.0
    assert replay(build, recording)


def test_a_group_that_has_changed_says_that_it_cannot_be_replayed(
    warned: Callable[[], list[str]],
) -> None:
    group = FsmGroup([guard()])
    with Recording(group, limit=0.5) as recording:
        for fsm in group:
            fsm.start()
        group.add(eyes()).start()
        for _ in range(200):
            group.update(DT)
    assert "The group has other machines than at the beginning." in recording.header.reason
    assert len(warned()) == 1


@pytest.mark.parametrize(("limit", "error"), [
    (0, ValueError), (-1.0, ValueError), (float("inf"), ValueError), (float("nan"), ValueError),
    ("30", TypeError), ([], TypeError),
])  # fmt: skip
def test_a_wrong_limit_is_refused(limit: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="limit must be"):
        Recording(guard(), limit=limit)


def test_to_keep_the_last_seconds_and_not_to_keep_them_is_refused() -> None:
    with pytest.raises(ValueError, match="keep=False contradicts it"):
        Recording(guard(), limit=1.0, keep=False)


# A moment that cannot be saved


def busy(seconds: float) -> Fsm[Any]:
    """Cannot be saved while it is in Work, which takes so long."""

    def work(_: object) -> Iterator[float]:
        yield seconds

    fsm: Fsm[Any] = Fsm("Busy")
    rest, working = fsm.add_state("Rest"), fsm.add_state("Work")
    rest.add_action(TimedWait(1.0))
    rest.add_transition(FINISHED, working)
    working.add_action(Coroutine(work))
    working.add_transition(FINISHED, rest)
    return fsm


def test_what_cannot_be_saved_for_a_while_is_kept_longer(warned: Callable[[], list[str]]) -> None:
    fsm = busy(1.5)
    with Recording(fsm, limit=0.8) as recording:
        fsm.start()
        for _ in range(int(12 / DT)):
            fsm.update(DT)
            assert not recording.header.reason
            assert recording.time - recording.header.time <= 4 * 0.8 + 0.1
    assert replay(lambda: busy(1.5), recording)
    assert warned() == []


def test_what_cannot_be_saved_for_long_is_kept_without_a_beginning(
    warned: Callable[[], list[str]], tmp_path: Path
) -> None:
    fsm = busy(10.0)
    with Recording(fsm, limit=0.5) as recording:
        fsm.start()
        for _ in range(int(6 / DT)):
            fsm.update(DT)
        assert 0.5 <= recording.time - recording.steps[0].time <= 0.6
        assert recording.header.reason.startswith(
            "Fsm 'Busy', state 'Work', actions[0] (Coroutine)"
        )
        (message,) = warned()
        assert message == (
            "Recording: the last 0.5 s cannot be replayed for the time being, as no snapshot could "
            f"be taken since 0.5 s: {recording.header.reason}"
        )
        recording.save(tmp_path / "busy.jsonl")
        for each in (recording, tmp_path / "busy.jsonl"):
            with pytest.raises(RecordingError, match="could not be saved there, so it cannot be"):
                replay(lambda: busy(10.0), each)
        assert recording.chronicle().start == recording.header.time > 5.0
        for _ in range(int(7 / DT)):
            fsm.update(DT)
    assert not recording.header.reason or fsm.current_state.name == "Work"


def test_the_result_of_work_that_is_on_its_way_is_not_lost() -> None:
    from concurrent.futures import Future

    class Pool:
        def submit(self, *_: object) -> Future[object]:
            self.future: Future[object] = Future()
            return self.future

    def build(pool: Any) -> Fsm[Any]:
        fsm: Fsm[Any] = Fsm("Client")
        ask, rest = fsm.add_state("Ask"), fsm.add_state("Rest")
        ask.add_action(InThread(print, pool=pool))
        ask.add_transition(FINISHED, rest)
        rest.add_action(TimedWait(0.05))
        rest.add_transition(FINISHED, ask)
        return fsm

    pool = Pool()
    fsm = build(pool)
    with Recording(fsm, limit=0.3) as recording:
        fsm.start()
        for turn in range(200):
            fsm.update(DT)
            if fsm.current_state.name == "Ask" and not pool.future.done():
                pool.future.set_result(turn)
                fsm.send_event("KNOCK")
    assert recording.header.frame is not None
    assert replay(lambda: build(Pool()), recording)


# Files


class Fragile(FsmAction[Any]):
    """Raises an error in some updates."""

    def __init__(self, *turns: int) -> None:
        self.turns = turns
        self.turn = 0

    def on_update(self) -> None:
        self.turn += 1
        if self.turn in self.turns:
            raise ValueError(f"turn {self.turn}")


def fragile(*turns: int) -> Fsm[Any]:
    fsm = guard()
    fsm.add_state("Fragile").add_action(Fragile(*turns))
    return fsm


def play_on(fsm: Fsm[Any], turns: int) -> None:
    for _ in range(turns):
        with suppress(ValueError):
            fsm.update(DT)


def test_it_is_written_when_an_error_has_reached_the_program(tmp_path: Path) -> None:
    fsm, path = fragile(100), tmp_path / "crash.jsonl"
    with Recording(fsm, path, limit=0.3):
        fsm.start("Fragile")
        play_on(fsm, 99)
        assert not path.exists()
        play_on(fsm, 1)
        crash = path.read_bytes()
        play_on(fsm, 100)
    assert path.read_bytes() == crash
    loaded = Recording.load(path)
    assert loaded.steps[-1].raised == "ValueError: turn 100"
    assert loaded.header.time >= 0.9
    assert replay(lambda: fragile(100), loaded)
    assert [*tmp_path.iterdir()] == [path]


def failing() -> Fsm[Any]:
    """Work -> Arm by GO, where an error leads to Fault, and Fault -> Work by AGAIN."""
    fsm: Fsm[Any] = Fsm("Robot")
    work, arm, fault = map(fsm.add_state, ("Work", "Arm", "Fault"))
    work.add_transition("GO", arm)
    arm.add_action(DelegateAction(lambda: 1 / 0))
    fsm.add_global_transition(ERROR, fault)
    fault.add_transition("AGAIN", work)
    return fsm


def test_it_is_written_when_an_error_leads_to_a_state(tmp_path: Path) -> None:
    fsm, path = failing(), tmp_path / "crash.jsonl"
    with Recording(fsm, path, limit=30.0):
        fsm.start()
        fsm.update(1.0)
        assert not path.exists()
        fsm.send_event("GO")
        crash = path.read_bytes()  # once the call has settled
        fsm.update(0.25)
        fsm.send_event("AGAIN")
    assert path.read_bytes() == crash
    loaded = Recording.load(path)
    assert [str(step) for step in loaded.steps] == [
        "0.00 s  Robot.start()",
        "1.00 s  Robot.update(1.0)",
        "1.00 s  Robot.send_event('GO')",
    ]
    assert loaded.steps[-1].told()[-2:] == ["leave Arm", "enter Fault"]
    assert replay(failing, loaded)


def test_the_end_of_a_with_writes_the_last_seconds_without_an_error(tmp_path: Path) -> None:
    fsm, path = failing(), tmp_path / "end.jsonl"
    with Recording(fsm, path, limit=30.0):
        fsm.start()
        fsm.update(1.0)
        assert not path.exists()
    assert [step.call for step in Recording.load(path).steps] == ["start", "update"]
    assert replay(failing, path)
    recording = Recording(failing(), tmp_path / "none.jsonl", limit=30.0)
    recording.detach()
    assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.slow
def test_many_errors_write_it_once_a_second_and_in_the_end(tmp_path: Path) -> None:
    fsm, path = fragile(*range(10, 150)), tmp_path / "crash.jsonl"
    written = []
    with Recording(fsm, path, limit=1.0) as recording:
        fsm.start("Fragile")
        for _ in range(149):
            play_on(fsm, 1)
            if path.exists():
                written.append(Recording.load(path).steps[-1].raised)
        assert [*dict.fromkeys(written)] == [f"ValueError: turn {n}" for n in (10, 74, 138)]
    assert Recording.load(path).steps[-1].raised == "ValueError: turn 149"
    assert recording.fault == ""


SCRIPT = """
import sys
from fsmkit import Fsm
from fsmkit.recording import Recording
fsm = Fsm("Lamp")
fsm.add_state("Off")
recording = Recording(fsm, sys.argv[1], limit=5.0)
fsm.start()
for _ in range(1000):
    fsm.update(0.1)
"""


@pytest.mark.slow
def test_a_program_that_dies_of_an_error_leaves_its_last_seconds(tmp_path: Path) -> None:
    path = tmp_path / "lamp.jsonl"
    program = [sys.executable, "-c", SCRIPT + "fsm.update(-1)", str(path)]
    subprocess.run(program, check=False, stderr=subprocess.DEVNULL)
    loaded = Recording.load(path)
    assert (loaded.fault, loaded.steps[-1].raised[:10]) == ("", "ValueError")
    assert 93.8 < loaded.header.time < 95.1


def test_a_folder_that_cannot_be_written_is_an_error_at_once_and_later_only_a_warning(
    tmp_path: Path, warned: Callable[[], list[str]]
) -> None:
    folder = tmp_path / "folder"
    with pytest.raises(FileNotFoundError):
        Recording(guard(), folder / "crash.jsonl", limit=1.0)
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        Recording(guard(), folder, limit=1.0)
    fsm = fragile(3, 100, 200)
    with Recording(fsm, folder / "crash.jsonl", limit=1.0) as recording:
        folder.rmdir()
        fsm.start("Fragile")
        play_on(fsm, 300)
    assert "cannot be written any more: FileNotFoundError" in recording.fault
    assert len(warned()) == 1
    assert replay(lambda: fragile(3, 100, 200), recording)


# The middle of a run


def test_a_recording_may_begin_in_the_middle_of_a_run(tmp_path: Path) -> None:
    fsm, path = guard(), tmp_path / "guard.jsonl"
    fsm.start()
    play(fsm, 2.3)
    with Recording(fsm, path) as recording:
        play(fsm, 3.0)
    assert recording.header.time == pytest.approx(2.3, abs=DT)
    for each in (recording, Recording.load(path)):
        course = Replay(guard, each)
        assert course.machines.time == each.header.time == course.time
        course.forward(10_000)
        assert course.compare(), course.compare()
        assert course.machines.time == fsm.time


def test_posts_and_delayed_events_of_before_are_part_of_the_beginning() -> None:
    fsm = guard()
    fsm.send_event_after(0.2, "NOISE", keep=True)
    fsm.post_event("NOISE", (1, 2))
    with Recording(fsm) as recording:
        fsm.start()
        play(fsm, 1.0)
    assert recording.header.frame is not None
    assert replay(guard, recording)


def test_a_machine_that_cannot_be_saved_says_so_when_it_is_attached(
    tmp_path: Path, warned: Callable[[], list[str]]
) -> None:
    fsm, path = busy(5.0), tmp_path / "busy.jsonl"
    fsm.start("Work")
    with Recording(fsm, path) as recording:
        fsm.update(DT)
    (message,) = warned()
    assert message.startswith(
        "Recording: the machines already run and cannot be saved, so a replay will need a build "
        "function that returns them in exactly these states. Fsm 'Busy', state 'Work', actions[0]"
    )
    assert Recording.load(path).header.reason == recording.header.reason
    with pytest.raises(RecordingError, match="begins in the middle of a run, and the machines"):
        replay(lambda: busy(5.0), path)

    def already_busy() -> Fsm[Any]:
        fsm = busy(5.0)
        fsm.start("Work")
        return fsm

    assert replay(already_busy, path)


def test_a_changed_machine_does_not_fit_the_snapshot() -> None:
    fsm = guard()
    fsm.start()
    with Recording(fsm) as recording:
        play(fsm, 0.5)

    def changed() -> Fsm[Any]:
        fsm = guard()
        current = next(iter(fsm.states.values()))
        for action in current.actions:
            current.remove_action(action)
        return fsm

    with pytest.raises(RecordingError, match="holds a snapshot, but: The snapshot does not fit"):
        replay(changed, recording)


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name


def test_values_of_the_games_own_are_encoded_in_snapshots_too(tmp_path: Path) -> None:
    fsm, path = guard(), tmp_path / "guard.jsonl"
    fsm.start()
    fsm.send_event("NOISE", Thing("cat"))
    options = {"encode": lambda thing: thing.name}
    with Recording(fsm, path, **options), Recording(fsm) as without:
        play(fsm, 1.0)
        fsm.send_event("NOISE", Thing("dog"))
    assert "cannot be saved" in without.header.reason
    course = Replay(guard, Recording.load(path), decode=lambda data: Thing(str(data)))
    assert course.machines.event_data.name == "cat"


# Machines that are restored


def test_a_recording_continues_when_a_snapshot_is_restored(tmp_path: Path) -> None:
    fsm, path = guard(), tmp_path / "guard.jsonl"
    with Recording(fsm, path) as recording:
        fsm.start()
        play(fsm, 1.0)
        saved = snapshot(fsm)
        play(fsm, 1.5)
        fsm.post_event("NOISE")
        restore(fsm, saved)
        play(fsm, 2.0)
    (place,) = [n for n, step in enumerate(recording.steps) if step.call == "restore"]
    assert str(recording.steps[place]) == "2.50 s  Guard.restore()"
    assert recording.steps[place].told()[0] == "restored"
    assert recording.time == 4.5
    for each in (recording, path):
        assert replay(guard, each), replay(guard, each)
    visits = [(visit.state, visit.start) for visit in recording.chronicle().visits]
    assert (json.loads(json.dumps(saved))["machines"][0]["state"], 2.5) in visits


def test_the_last_seconds_span_a_restore() -> None:
    def build() -> FsmGroup:
        return FsmGroup([guard(), guard(0.3)])

    group = build()
    first, second = group
    with Recording(group, limit=2.0) as recording:
        first.start()
        second.start()
        saved = snapshot(first)
        for _ in range(200):
            group.update(DT)
        restore(first, saved)
        for _ in range(60):
            group.update(DT)
    assert [step.call for step in recording.steps].count("restore") == 1
    assert recording.header.time > 1.0
    assert replay(build, recording)


def test_a_snapshot_that_is_restored_right_after_a_finish_is_a_step_as_well() -> None:
    fsm = guard()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.05)
        saved = snapshot(fsm)
        fsm.update(0.02)
        fsm.states["Patrol"].actions[0].finish()
        restore(fsm, saved)
        fsm.update(0.1)
    assert [(step.call, round(step.time, 9)) for step in recording.steps] == [
        ("start", 0.0), ("update", 0.05), ("update", 0.07), ("finish", 0.07), ("restore", 0.07),
        ("update", 0.17),
    ]  # fmt: skip
    assert replay(guard, recording)


def test_a_snapshot_that_a_callback_restores_is_part_of_its_call() -> None:
    def build() -> FsmGroup:
        other = eyes()
        saved = snapshot(other)
        fsm = guard()
        fsm.states["Rest"].add_action(DelegateAction(lambda: restore(other, saved)))
        return FsmGroup([fsm, other])

    group = build()
    with Recording(group) as recording:
        for fsm in group:
            fsm.start()
        for _ in range(200):
            group.update(DT)
    assert {step.call for step in recording.steps} == {"start", "update"}
    assert replay(build, recording)


# Key frames


class Walk(FsmAction[Any]):
    """Acts on the world, and reads it."""

    walked = 0

    def on_update(self) -> None:
        Walk.walked += 1
        self.context["x"] += self.delta_time
        if self.context["x"] > 1.0:
            self.context["x"] = 0.0
            self.fsm.send_event("TURN")


def walker(world: dict[str, float]) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Walker", world, on_unhandled="ignore")
    for name in ("To", "Fro"):
        fsm.add_state(name).add_action(Walk())
    for name, other in (("To", "Fro"), ("Fro", "To")):
        fsm.states[name].add_transition("TURN", other)
    return fsm


def put(fsm: Fsm[Any], data: Any) -> None:
    fsm.context.update(data)


@pytest.fixture(scope="module")
def walk() -> Recording:
    world = {"x": 0.0}
    fsm = walker(world)
    with Recording(fsm, world=lambda: world) as recording:
        fsm.start()
        for _ in range(6000):
            fsm.update(DT)
    return recording


@pytest.mark.slow
def test_a_long_recording_has_few_key_frames_and_a_replay_jumps_to_them(
    walk: Recording, tmp_path: Path
) -> None:
    walk.save(tmp_path / "walk.jsonl")
    loaded = Recording.load(tmp_path / "walk.jsonl")
    assert 5 <= len(loaded.frames) <= 9
    sizes = [len(line) for line in (tmp_path / "walk.jsonl").read_text("utf-8").splitlines()]
    assert sum(sorted(sizes)[-len(loaded.frames) :]) < sum(sizes) / 20
    course = Replay(lambda: walker({"x": 0.0}), loaded, world=put)
    Walk.walked = 0
    seen = []
    for position in (5900, 3000, 5900, 5899):
        course.go_to(position)
        seen.append((course.machines.context["x"], course.machines.current_state.name))
        assert course.compare()
    assert Walk.walked < 4 * 1000
    plain = Replay(lambda: walker({"x": 0.0}), loaded)
    for position, there in zip((5900, 3000, 5900, 5899), seen, strict=True):
        plain.go_to(position)
        assert (plain.machines.context["x"], plain.machines.current_state.name) == there


@pytest.mark.slow
def test_without_the_world_a_replay_begins_at_the_beginning(walk: Recording) -> None:
    Walk.walked = 0
    course = Replay(lambda: walker({"x": 0.0}), walk)
    course.go_to(3000)
    assert Walk.walked == 2999


@pytest.mark.slow
def test_the_last_seconds_hold_the_world(walk: Recording) -> None:
    world = {"x": 0.0}
    fsm = walker(world)
    with Recording(fsm, limit=5.0, world=lambda: world) as recording:
        fsm.start()
        for _ in range(1000):
            fsm.update(DT)
    build = lambda: walker({"x": 0.0})  # noqa: E731
    assert replay(build, recording, world=put)
    assert not replay(build, recording)


def test_a_world_that_fails_or_is_not_plain_is_reported(warned: Callable[[], list[str]]) -> None:
    def fail() -> Any:
        raise KeyError("world")

    fsm = guard()
    fsm.start()
    with Recording(fsm, world=fail) as recording:
        play(fsm, 0.5)
    assert recording.header.reason == "KeyError: 'world'"
    fsm = guard()
    fsm.start()
    with Recording(fsm, world=lambda: Thing("x")) as recording:
        play(fsm, 0.5)
    with pytest.raises(RecordingError, match="The world was not saved, because JSON cannot hold"):
        Replay(guard, recording, world=put)
    assert Replay(guard, recording)


class Alarm(FsmAction[Any]):
    """Sounds in a while, unless somebody takes that back."""

    def on_enter(self) -> None:
        self.handle = self.fsm.send_event_after(3.0, "ALARM")


def test_events_that_are_cancelled_after_a_key_frame_are_found() -> None:
    def build() -> Fsm[Any]:
        fsm = guard()
        fsm.states["Rest"].add_action(Alarm())
        fsm.add_global_transition("ALARM", "Look")
        return fsm

    fsm = build()
    with Recording(fsm, limit=1.0, world=dict) as recording:
        fsm.start("Rest")
        kept = fsm.send_event_after(2.9, "NOISE", keep=True)
        for _ in range(24):
            fsm.update(DT)
        handle = fsm.states["Rest"].actions[1].handle
        later = fsm.send_event_after(9.0, "KNOCK", keep=True)
        for _ in range(80):
            fsm.update(DT)
        later.cancel()
        kept.cancel()
        handle.cancel()
        for _ in range(30):
            fsm.update(DT)
    assert recording.header.time > 0.5
    assert [step.arguments for step in recording.steps if step.call == "cancel"] == [
        {"event": "KNOCK", "delayed": 2}, {"event": "NOISE", "delayed": 1},
        {"event": "ALARM", "delayed": 0},
    ]  # fmt: skip
    course = Replay(build, recording, world=lambda *_: None)
    course.go_to(len(recording.steps) - 31)
    assert course.machines.time > 1.0
    course.forward(99)
    assert course.compare(), course.compare()
    assert replay(build, recording)


@pytest.mark.parametrize("junk", [None, 7, "", [], {}, {"snapshot": 1}, {"Guard": [1, "x"]}, -1.0])
@pytest.mark.parametrize(
    "name", ["time", "states", "offsets", "delayed", "snapshot", "world", "frame"]
)
def test_a_damaged_key_frame_is_reported(tmp_path: Path, name: str, junk: Any) -> None:
    world, path = {"x": 0.0}, tmp_path / "walk.jsonl"
    fsm = walker(world)
    fsm.start()
    fsm.send_event_after(9.0, "TURN", keep=True)
    with Recording(fsm, path, world=lambda: world):
        fsm.send_event_after(9.0, "TURN", keep=True)
        fsm.update(1.0)
    header, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    frame = dict(header["frame"])
    if name == "frame":
        header["frame"] = junk
    else:
        header["frame"][name] = junk
    lines = [{"frame": {**frame, name: junk}}, *lines]
    for first in (header, {**header, "frame": frame}):
        path.write_text("\n".join(map(json.dumps, [first, *lines])), "utf-8")
        for put_back in (None, lambda *_: None):
            with suppress(RecordingError):
                course = Replay(lambda: walker({"x": 0.0}), Recording.load(path), world=put_back)
                course.forward(9)
                str(course.compare())


@pytest.mark.parametrize("tool", [
    lambda world: Recording(guard(), world=world),
    lambda world: Replay(guard, Recording(guard()), world=world),
])  # fmt: skip
def test_a_world_that_is_not_a_function_is_refused(tool: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="world must be a function, got {'x': 1}"):
        tool({"x": 1})


# Digests


def lamp(duration: float, data: object = None) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Lamp", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_action(TimedWait(duration))
    off.add_transition(FINISHED, on)
    on.add_action(SendEvent("SHINE", data))
    return fsm


@pytest.fixture
def lit() -> Recording:
    fsm = lamp(0.95, {"at": (3, 4)})
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        fsm.update(1.0)
    return recording


def test_a_duration_that_was_changed_within_a_step_is_seen(lit: Recording) -> None:
    assert replay(lambda: lamp(0.95, {"at": (3, 4)}), lit)
    comparison = replay(lambda: lamp(0.91, {"at": (3, 4)}), lit)
    assert not comparison
    assert str(comparison).splitlines() == [
        "Step 1 differs.",
        "  recorded  0.00 s  Lamp.start()",
        "                enter Off",
        "  replayed  0.00 s  Lamp.start()",
        "                enter Off",
        "            its actions have, or remember, other values.",
        "  then      1.00 s  Lamp.update(1.0)",
        "                event FINISHED: changed",
        "                leave Off",
        "                enter On",
        '                event SHINE {"at": (3, 4)}: ignored',
        "  then      2.00 s  Lamp.update(1.0)",
    ]
    assert replay(lambda: lamp(0.91, {"at": (3, 4)}), lit, digests=False)


def test_a_duration_that_is_rolled_within_a_step_is_seen_too() -> None:
    def build(duration: float) -> Callable[[], Fsm[Any]]:
        return lambda: lamp(lambda: duration)  # type: ignore[arg-type]

    fsm = build(0.95)()
    with Recording(fsm) as recording:
        fsm.update(0.0)
        fsm.start()
        fsm.update(1.0)
    assert replay(build(0.95), recording)
    assert not replay(build(0.91), recording)


def test_the_data_of_an_event_that_an_action_sends_is_seen(lit: Recording) -> None:
    comparison = replay(lambda: lamp(0.95, {"at": (3, 5)}), lit, digests=False)
    told = str(comparison).splitlines()
    assert '                event SHINE {"at": (3, 4)}: ignored' in told
    assert '                event SHINE {"at": (3, 5)}: ignored' in told


def test_digests_of_another_version_are_not_compared(lit: Recording, tmp_path: Path) -> None:
    lit.save(tmp_path / "lamp.jsonl")
    text = (tmp_path / "lamp.jsonl").read_text("utf-8")
    version = json.loads(text.splitlines()[0])["fsmkit"]
    (tmp_path / "lamp.jsonl").write_text(text.replace(f'"{version}"', '"0.1.9"'), "utf-8")
    assert replay(lambda: lamp(0.91, {"at": (3, 4)}), tmp_path / "lamp.jsonl")
    assert not replay(lambda: lamp(0.95, {"at": (3, 5)}), tmp_path / "lamp.jsonl")


class Odd(FsmAction[Any]):
    """Remembers what has no text that is the same in every run."""

    def __init__(self) -> None:
        self.thing = object()
        self.loop: list[Any] = [1, {2, 1}, {"a": b"b"}, float("nan"), 10**5000, "\ud800"]
        self.loop.append(self.loop)
        self.where = Thing("x")

    @property
    def ratio(self) -> float:
        raise ZeroDivisionError


def test_odd_values_are_no_difference_and_do_not_disturb_the_game() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp(0.5)
        fsm.states["Off"].add_action(Odd())
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
    assert recording.steps[1].digest
    assert replay(build, recording)


DIGESTS = """
import sys
sys.path.insert(0, sys.argv[1])
from test_flight_recorder import *
fsm = guard()
with Recording(fsm) as recording:
    fsm.start()
    play(fsm, 2.0)
print(*[step.digest for step in recording.steps])
"""


@pytest.mark.slow
def test_digests_are_the_same_in_every_process() -> None:
    folder = str(Path(__file__).parent)
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGESTS, folder], check=True, capture_output=True,
            env={"PYTHONHASHSEED": seed, "PATH": "", "FSMKIT_PURE": pure},
        ).stdout
        for seed, pure in (("1", "1"), ("2", ""))
    }  # fmt: skip
    assert len(digests) == 1
    assert len(set(digests.pop().split())) > 20
