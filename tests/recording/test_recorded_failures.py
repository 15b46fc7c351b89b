"""Failed actions in every record of a run: why, journals, timelines, recordings, snapshots."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from actions import Parallel, Race, Repeat, Retry, RunFsm, Sequence, TimedWait
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.recording import (
    History,
    Recording,
    SnapshotError,
    replay,
    restore,
    snapshot,
    timeline_svg,
    timeline_text,
    why,
)
from fsmkit.testing import Probe, Recorder, drive


class Approach(FsmAction):
    def on_update(self) -> None:
        self.finish()


class PickUp(FsmAction):
    def on_update(self) -> None:
        self.fail(self.context)


def robot(*, reason: object = "slipped", times: int = 2) -> Fsm[Any]:
    """Grab -> Help on FAILED; Help -> Grab on HELPED."""
    fsm = Fsm("Robot", reason)
    grab, wait = fsm.add_state("Grab"), fsm.add_state("Help")
    grab.add_action(Retry(Sequence(Approach(), PickUp()), times=times))
    grab.add_transition(FAILED, wait)
    wait.add_transition("HELPED", grab)
    return fsm


def stuck(*actions: FsmAction, reason: object = "slipped") -> Fsm[Any]:
    """Work, with the actions, -> Rest on FINISHED; nothing handles FAILED."""
    fsm = Fsm("M", reason, on_unhandled="ignore")
    work = fsm.add_state("Work")
    work.add_transition(FINISHED, fsm.add_state("Rest"))
    for action in actions:
        work.add_action(action)
    return fsm


# why


def reasons(*actions: FsmAction) -> list[str]:
    """Return what why() says of FINISHED, after three updates, besides where it leads."""
    fsm = stuck(*actions)
    drive(fsm, [0.5] * 3)
    lead, *others = why(fsm, FINISHED).reasons
    assert lead == "'FINISHED' leads from 'Work' to 'Rest'."
    return others


NEVER = "So the state can no longer finish."


def test_why_names_what_has_failed() -> None:
    assert reasons(PickUp()) == ["PickUp failed: 'slipped'.", NEVER]


def test_why_names_what_is_still_going_on_first() -> None:
    assert reasons(PickUp(), TimedWait(9.0), PickUp()) == [
        "Not finished yet: TimedWait, 1.5 of 9.0 s.",
        "actions[0] (PickUp) failed: 'slipped'.",
        "actions[2] (PickUp) failed: 'slipped'.",
        NEVER,
    ]


def test_a_failure_without_a_reason() -> None:
    assert reasons(Probe("p", [], on_update=Probe.fail)) == ["Probe failed.", NEVER]


@pytest.mark.parametrize(
    ("action", "cause"),
    [
        (lambda: Retry(Sequence(PickUp()), times=2), ", try 2 of 2: Sequence (1 of 1: PickUp)"),
        (lambda: Repeat(PickUp(), times=3), ", round 1 of 3: PickUp"),
        (lambda: Parallel(PickUp(), TimedWait(9.0)), ", because its PickUp did"),
        (
            lambda: Parallel(Sequence(PickUp()), TimedWait(9.0)),
            ", because its Sequence did, 1 of 1: PickUp",
        ),
        (lambda: Race(PickUp(), PickUp()), ""),
    ],
)
def test_why_a_composite_has_failed(action: Callable[[], FsmAction], cause: str) -> None:
    made = action()
    assert reasons(made) == [f"{type(made).__name__} failed: 'slipped'{cause}.", NEVER]


def test_why_about_failed_itself() -> None:
    fsm = robot(times=1)
    fsm.start()
    assert str(why(fsm, FAILED)) == (
        "'FAILED' leads from 'Grab' to 'Help'. No action of the state has failed."
    )
    other = stuck(PickUp())
    drive(other, [0.5])
    assert str(why(other, FAILED)) == (
        "Nothing: 'Work' has no transition for 'FAILED', and the machine has no global one. "
        "PickUp failed: 'slipped'."
    )


# Journals and timelines

JOURNAL = [
    "update 0.5", "Approach finished", "Approach left", "PickUp entered",
    "update 0.5", "PickUp failed", "PickUp left", "Sequence failed",
]  # fmt: skip


def test_a_journal_says_what_has_failed() -> None:
    fsm = robot()
    fsm.start()
    with Recorder(fsm) as recorder:
        for _ in range(4):
            fsm.update(0.5)
    assert recorder.journal == [
        *JOURNAL, "Sequence left", "Approach entered", "Sequence entered",
        *JOURNAL, "Sequence left", "Retry failed", "event FAILED: changed",
        "Retry left", "leave Grab", "enter Help",
    ]  # fmt: skip


def test_timelines_show_the_reason() -> None:
    fsm = robot()
    history, recording = History(fsm), Recording(fsm)
    drive(fsm, [0.5] * 4)
    assert [(sent.event, sent.data) for sent in history.events] == [(FAILED, "slipped")]
    for chronicle in (history.chronicle(), recording.chronicle()):
        assert timeline_text(chronicle, width=60).splitlines()[-3:] == [
            "  time  machine  from  event              to    sent by",
            "0.00 s  Robot          (start)            Grab",
            "2.00 s  Robot    Grab  FAILED: 'slipped'  Help  Grab.action…",
        ]
        svg = timeline_svg(chronicle)
        assert 'class="event changed failure"' in svg
        assert ".failure{" in svg


def test_timelines_without_a_failure_stay_as_they_were() -> None:
    fsm = stuck(TimedWait(1.0))
    history = History(fsm)
    drive(fsm, [1.0])
    assert "failure" not in timeline_svg(history.chronicle())


def test_an_unhandled_failure_is_listed() -> None:
    fsm = stuck(PickUp())
    history = History(fsm)
    drive(fsm, [0.5])
    text = timeline_text(history.chronicle(), width=80)
    assert text.splitlines()[-1].split() == [
        "0.500", "s", "M", "Work", "FAILED:", "'slipped'", "(ignored)",
        "Work.actions[0]", "(PickUp)",
    ]  # fmt: skip


# Recordings


def test_a_recording_of_a_failure_replays_equal() -> None:
    fsm = robot()
    with Recording(fsm) as recording:
        drive(fsm, [0.5, 0.5, 0.5, 0.5, "HELPED", 0.5])
    assert str(replay(robot, recording)) == "7 steps, all equal"


def test_another_reason_is_a_difference() -> None:
    fsm = robot()
    with Recording(fsm) as recording:
        drive(fsm, [0.5] * 4)
    assert not replay(lambda: robot(reason="broken"), recording)


def test_failing_where_it_finished_differs_in_what_actions_remember() -> None:
    def build(end: Callable[[Probe], None] = Probe.finish) -> Fsm[Any]:
        return stuck(Probe("p", [], on_update=end), TimedWait(9.0))

    fsm = build(Probe.fail)
    with Recording(fsm) as recording:
        drive(fsm, [0.5])
    fsm.send_event("X")
    finished = build()
    with Recording(finished) as other:
        drive(finished, [0.5])
    assert recording.steps[-1].digest != other.steps[-1].digest


def test_fail_from_outside_is_a_step_with_its_reason() -> None:
    def build() -> Fsm[Any]:
        fsm = robot()
        fsm.states["Help"].add_action(TimedWait(9.0))
        fsm.states["Help"].add_transition(FAILED, "Grab")
        return fsm

    fsm = build()
    with Recording(fsm) as recording:
        drive(fsm, [0.5] * 4)
        fsm.states["Help"].actions[0].fail("nobody came")
        fsm.update(0.5)
    step = recording.steps[-2]
    assert str(step) == "2.00 s  Robot.fail(['Help', 0], 'nobody came')"
    assert step.told() == ["event FAILED: changed", "leave Help", "enter Grab"]
    assert str(replay(build, recording)) == "7 steps, all equal"
    (failure,) = [each for each in recording.chronicle().events[1:] if each.event == FAILED]
    assert failure.data == "nobody came"


def test_a_recording_in_a_file(tmp_path: Any) -> None:
    fsm = robot()
    fsm.states["Help"].add_action(TimedWait(9.0))
    with Recording(fsm) as recording:
        drive(fsm, [0.5] * 4)
        fsm.states["Help"].actions[0].fail(["a", 1])
    recording.save(tmp_path / "run.jsonl")

    def build() -> Fsm[Any]:
        built = robot()
        built.states["Help"].add_action(TimedWait(9.0))
        return built

    assert replay(build, Recording.load(tmp_path / "run.jsonl"))


# Snapshots


def test_a_snapshot_keeps_what_has_failed() -> None:
    fsm = stuck(Sequence(Approach(), PickUp()), TimedWait(2.0))
    drive(fsm, [0.5] * 2)
    data = json.loads(json.dumps(snapshot(fsm)))
    assert data["machines"][0]["actions"]["Work"]["0"] == {
        "finished": True, "failed": True, "reason": "slipped", "remembers": {"position": 1},
    }  # fmt: skip
    new = stuck(Sequence(Approach(), PickUp()), TimedWait(2.0))
    restore(new, data)
    assert why(new, FINISHED).reasons == why(fsm, FINISHED).reasons
    journals = [drive(each, [1.0]) for each in (fsm, new)]
    assert journals[0] == journals[1] == ["update 1", "TimedWait finished"]
    assert (new.path, new.states["Work"].actions[0].failed) == (("Work",), True)


def test_a_child_that_has_failed_is_kept_with_its_parent() -> None:
    def build() -> Fsm[Any]:
        return stuck(Parallel(PickUp(), TimedWait(2.0), needed=1))

    fsm, new = build(), build()
    drive(fsm, [0.5])
    restore(new, snapshot(fsm))
    assert drive(fsm, [1.5]) == drive(new, [1.5])
    assert new.path == ("Rest",)


def reason_restored(reason: object) -> object:
    """Return the reason of a failure after a snapshot of it was restored elsewhere."""
    fsm, new = stuck(TimedWait(1.0)), stuck(TimedWait(1.0))
    fsm.start()
    fsm.states["Work"].actions[0].fail(reason)
    restore(new, json.loads(json.dumps(snapshot(fsm))))
    return new.states["Work"].actions[0]._reason_


@pytest.mark.parametrize("reason", [None, 3, ("a", 2.5), ["x"], {"why": "slipped"}])
def test_the_reason_is_what_it_was(reason: object) -> None:
    assert reason_restored(reason) == reason


def test_a_reason_that_cannot_be_saved_is_kept_as_its_text() -> None:
    assert reason_restored(TimeoutError("late")) == "TimeoutError('late')"


def test_failed_without_finished_is_damage() -> None:
    fsm = stuck(PickUp())
    drive(fsm, [0.5])
    data = snapshot(fsm)
    del data["checksum"]
    del data["machines"][0]["actions"]["Work"]["0"]["finished"]
    with pytest.raises(SnapshotError, match="an action that has failed must have finished as well"):
        restore(stuck(PickUp()), data)


def test_a_state_marked_as_failed_fits_older_snapshots() -> None:
    def fight(*, failed: bool) -> Fsm[Any]:
        fsm = Fsm("Fight")
        begin, lost = fsm.add_state("Begin"), fsm.add_state("Lost", final=True, failed=failed)
        begin.add_transition("LOSE", lost)
        return fsm

    old, new = fight(failed=False), fight(failed=True)
    drive(old, [0.5])
    restore(new, snapshot(old))
    assert new.path == ("Begin",)


def test_copies_keep_it() -> None:
    fsm = stuck(PickUp())
    drive(fsm, [0.5])
    copy = deepcopy(fsm)
    assert why(copy, FINISHED).reasons == why(fsm, FINISHED).reasons


def test_a_nested_machine_that_has_failed() -> None:
    def build() -> Fsm[Any]:
        inner = Fsm("Fight")
        lost = inner.add_state("Lost", final=True, failed=True)
        inner.add_state("Begin").add_transition("LOSE", lost)
        return stuck(RunFsm(inner, start="Begin"))

    fsm, new = build(), build()
    drive(fsm, ["LOSE"])
    assert why(fsm, FINISHED).reasons[1:] == ("RunFsm failed: 'Lost'.", NEVER)
    restore(new, snapshot(fsm))
    assert why(new, FINISHED).reasons == why(fsm, FINISHED).reasons
