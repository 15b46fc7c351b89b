"""Rule 25: when actions and states fail."""

import copy
import logging
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from fsmkit import BACK, ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmError
from fsmkit.testing import Recorder, drive


class Slip(FsmAction):
    """Fails in its n-th update, on enter if n is 0."""

    def __init__(
        self, updates: int = 1, reason: object = "slipped", finish_event: str | None = None
    ) -> None:
        self.updates = updates
        self.reason = reason
        self.finish_event = finish_event
        self.left = 0

    def on_enter(self) -> None:
        self.left = self.updates
        if self.left == 0:
            self.fail(self.reason)

    def on_update(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.fail(self.reason)


class Work(FsmAction):
    """Finishes in its n-th update."""

    def __init__(self, updates: int = 1) -> None:
        self.updates = updates
        self.left = 0

    def on_enter(self) -> None:
        self.left = self.updates

    def on_update(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.finish()


def machine(*actions: FsmAction, leads: bool = True, **options: Any) -> Fsm:
    """A machine that does `actions` in Grab, which may finish, and fail if it `leads` to Help."""
    fsm = Fsm("Robot", **options)
    grab = fsm.add_state("Grab")
    grab.add_transition(FINISHED, fsm.add_state("Done"))
    help_ = fsm.add_state("Help")
    if leads:
        grab.add_transition(FAILED, help_)
    for action in actions:
        grab.add_action(action)
    return fsm


def call(fsm: Fsm, name: str) -> None:
    getattr(fsm, name)(*(1.0,) if name == "update" else ())


def test_failed_is_sent_there_and_then_with_the_reason() -> None:
    fsm = machine(Work(3), Slip(), Work(1))
    assert drive(fsm, [1]) == [
        "enter Grab", "Work entered", "Slip entered", "Work entered",
        "update 1", "Slip failed", "event FAILED: changed",
        "Work left", "Slip left", "Work left", "leave Grab", "enter Help",
    ]  # fmt: skip
    assert (fsm.last_event, fsm.event_data) == (FAILED, "slipped")


def test_an_action_that_fails_on_enter_was_entered_and_the_rest_were_not() -> None:
    fsm = machine(Work(), Slip(0), Work())
    with Recorder(fsm) as recorder:
        fsm.start()
    assert recorder.journal == [
        "enter Grab", "Work entered", "Slip failed", "event FAILED: changed", "Slip entered",
        "Work left", "Slip left", "leave Grab", "enter Help",
    ]  # fmt: skip


def test_the_finish_event_is_not_sent() -> None:
    fsm = machine(Slip(finish_event="GRABBED"))
    fsm.states["Grab"].add_transition("GRABBED", "Done")
    assert drive(fsm, [1])[-3:] == ["Slip left", "leave Grab", "enter Help"]


def test_the_marks_last_until_the_state_is_exited() -> None:
    slip = Slip()
    fsm = machine(slip, leads=False, on_unhandled="ignore")
    marks = []
    for step in ("start", "update", "update", "stop"):
        call(fsm, step)
        marks.append((slip.finished, slip.failed))
    assert marks == [(False, False), (True, True), (True, True), (False, False)]


def test_an_action_that_finishes_has_not_failed() -> None:
    work = Work()
    fsm = machine(work)
    fsm.states["Grab"].remove_transition(FINISHED)
    drive(fsm, [1])
    assert (work.finished, work.failed) == (True, False)


def test_without_a_transition_it_is_unhandled(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fsmkit"):
        assert drive(machine(Slip(), leads=False), [1, 1]) == [
            "enter Grab", "Slip entered", "update 1", "Slip failed", "event FAILED: unhandled",
            "update 1",
        ]  # fmt: skip
    assert [record.getMessage() for record in caplog.records] == [
        (
            "Fsm 'Robot', state 'Grab': no transition for event 'FAILED'. It knows 'FINISHED'. "
            "Slip has failed, so the state cannot finish any more. "
            "Add one with add_transition(), or check the spelling."
        )
    ]


def test_its_state_cannot_finish_any_more_in_this_visit() -> None:
    fsm = machine(Slip(1), Work(2), leads=False, on_unhandled="ignore")
    assert drive(fsm, [1, 1, 1])[3:] == [
        "update 1", "Slip failed", "event FAILED: ignored", "update 1", "Work finished", "update 1",
    ]  # fmt: skip
    fsm.states["Grab"].actions[0].enabled = False
    fsm.start()
    assert drive(fsm, [1, 1])[-4:] == [
        "event FINISHED: changed", "Work left", "leave Grab", "enter Done",
    ]  # fmt: skip


def test_a_background_action_fails_alike() -> None:
    class Sweat(Slip):
        background = True

    fsm = machine(Sweat(1), Work(2), leads=False, on_unhandled="ignore")
    assert drive(fsm, [1, 1, 1])[3:] == [
        "update 1", "Sweat failed", "event FAILED: ignored", "update 1", "Work finished",
        "update 1",
    ]  # fmt: skip


def test_each_action_that_fails_sends_it() -> None:
    told: list[object] = []

    class Hear(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            told.append((event, data))
            return True

    fsm = machine(Hear(), Slip(1, "one"), Slip(2, "two"), Slip(1, "three"))
    drive(fsm, [1, 1])
    assert told == [(FAILED, "one"), (FAILED, "three"), (FAILED, "two")]


def test_nothing_is_sent_once_a_change_is_decided() -> None:
    class Leave(Slip):
        def on_update(self) -> None:
            self.state.fsm.send_event("GO")
            super().on_update()

    fsm = machine(Leave())
    fsm.states["Grab"].add_transition("GO", "Done")
    assert drive(fsm, [1])[2:] == [
        "update 1", "event GO: changed", "Leave failed", "Leave left", "leave Grab", "enter Done",
    ]  # fmt: skip


def test_it_fails_once_and_not_after_it_has_finished() -> None:
    slip, work = Slip(1), Work(1)
    fsm = machine(slip, work, leads=False, on_unhandled="ignore")
    assert drive(fsm, [1, slip.finish, slip.fail, work.fail])[3:] == [
        "update 1", "Slip failed", "event FAILED: ignored", "Work finished",
    ]  # fmt: skip
    assert (slip.failed, work.failed) == (True, False)


def test_it_does_nothing_outside_a_visit_on_exit_and_while_suspended() -> None:
    class Late(FsmAction):
        def on_exit(self) -> None:
            self.fail("too late")

        on_suspend = on_exit

    late = Late()
    late.fail()
    fsm = machine(late)
    late.fail()
    fsm.start()
    fsm.states["Grab"].add_transition("WAIT", "Done", suspend=True)
    fsm.states["Done"].add_transition("GO", BACK)
    fsm.send_event("WAIT")
    late.fail()
    assert drive(fsm, ["GO", fsm.stop]) == [
        "event GO: changed", "leave Done", "resume Grab", "Late left", "leave Grab",
    ]  # fmt: skip


def test_from_outside_it_leads_on_at_once() -> None:
    slip = Slip(9)
    fsm = machine(slip)
    fsm.start()
    slip.fail("pushed")
    assert (fsm.current_state, fsm.event_data) == (fsm.states["Help"], "pushed")


def test_what_failed_stays_failed_over_a_suspension() -> None:
    slip = Slip(1)
    fsm = machine(slip, Work(2), leads=False, on_unhandled="ignore")
    fsm.states["Grab"].add_transition("WAIT", "Done", suspend=True)
    fsm.states["Done"].add_transition("GO", BACK)
    drive(fsm, [1, "WAIT", 1, "GO"])
    assert slip.failed
    assert drive(fsm, [1, 1]) == ["update 1", "Work finished", "update 1"]


def test_a_guard_must_not_fail_an_action() -> None:
    slip = Slip(9)
    fsm = machine(slip)
    fsm.states["Grab"].add_transition("GO", "Done", when=slip.fail)
    fsm.start()
    with pytest.raises(FsmError, match=r"fail\(\) from a guard"):
        fsm.send_event("GO")
    assert not slip.finished


def test_an_observer_must_not_fail_an_action() -> None:
    slip = Slip(9)
    fsm = machine(slip)
    fsm.start()

    class Meddle:
        def update_begun(self, _fsm: Fsm, _dt: float) -> None:
            slip.fail("no")

    fsm.observe(Meddle())
    with pytest.raises(FsmError, match=r"fail\(\)"):
        fsm.update(1.0)
    assert not slip.finished


def test_an_error_after_it_drops_the_change() -> None:
    class Break(Slip):
        def on_update(self) -> None:
            super().on_update()
            raise OSError("broken")

    fsm = machine(Break())
    fsm.start()
    with pytest.raises(OSError, match="broken"):
        fsm.update(1.0)
    assert fsm.current_state is fsm.states["Grab"]
    fsm.states["Grab"].add_transition(ERROR, "Done")
    fsm.start("Grab")
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Done"]


def test_carried_time_passes_on_what_a_failing_did_not_use() -> None:
    steps: list[float] = []

    class Call(FsmAction):
        def on_update(self) -> None:
            steps.append(self.delta_time)

    class Drop(FsmAction):
        next_due = 1.5

        def on_update(self) -> None:
            self.fail("dropped", self.delta_time - 1.5)

    fsm = machine(Drop(), carry_time=True)
    fsm.states["Help"].add_action(Call())
    fsm.start()
    fsm.update(2.0)
    assert (steps, fsm.time, fsm.states["Help"] is fsm.current_state) == ([0.5], 2.0, True)
    assert fsm.time_in_state == 0.5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda fsm: pickle.loads(pickle.dumps(fsm))])
def test_a_copy_goes_on_as_failed(copied: Callable[[Fsm], Fsm]) -> None:
    fsm = machine(Slip(1), Work(2), leads=False, on_unhandled="ignore")
    drive(fsm, [1])
    other = copied(fsm)
    slip: Any = other.states["Grab"].actions[0]
    assert (slip.failed, slip._reason_) == (True, "slipped")
    assert drive(other, [1]) == drive(fsm, [1]) == ["update 1", "Work finished"]


def test_a_failed_state_is_a_final_one() -> None:
    fsm = Fsm("Robot")
    lost = fsm.add_state("Lost", final=True, failed=True)
    assert (lost.final, lost.failed) == (True, True)
    assert not fsm.add_state("Work").failed
    assert copy.deepcopy(fsm).states["Lost"].failed
    with pytest.raises(ValueError, match="failed must mark a final state") as raised:
        fsm.add_state("Lame", failed=True)
    assert str(raised.value) == (
        "Fsm 'Robot', state 'Lame': failed must mark a final state, got failed=True without "
        "final=True. Add final=True, or call fail() in an action of the state."
    )
    assert "Lame" not in fsm.states
    with pytest.raises(TypeError, match="failed must be True or False, got 1"):
        fsm.add_state("Odd", final=True, failed=1)  # type: ignore[arg-type]


def test_a_class_says_by_sends_that_it_may_fail() -> None:
    class Drop(FsmAction):
        sends = (FAILED,)

    assert (Drop()._may_fail_(bool), Work()._may_fail_(bool)) == (True, False)
