"""Rule 18: interruptions that resume."""

from __future__ import annotations

import pytest

from actions import DelegateAction, RunFsm, Sequence, TimedWait
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmError, TransitionOnExitError
from fsmkit.testing import Recorder


class Motor(FsmAction):
    """Write down every callback; what `does` says is done in it."""

    def __init__(self, name: str, journal: list[str], **does: object) -> None:
        self.name = name
        self.journal = journal
        self.does = does

    def on_enter(self) -> None:
        self.note("enter")

    def on_update(self) -> None:
        self.note("update")

    def on_exit(self) -> None:
        self.note("exit")

    def on_suspend(self) -> None:
        self.note("suspend")

    def on_resume(self) -> None:
        self.note("resume")

    def note(self, callback: str) -> None:
        self.journal.append(f"{callback} {self.name}")
        if does := self.does.get(callback):
            does(self)  # type: ignore[operator]


def robot(journal: list[str], **options: object) -> Fsm:
    """Work, Alarm and Menu, each with a motor; ALARM and MENU interrupt, OK goes back."""
    fsm = Fsm("Robot", **options)
    for name in ("Work", "Alarm", "Menu"):
        fsm.add_state(name).add_action(Motor(name, journal))
    fsm.add_global_transition("ALARM", "Alarm", suspend=True)
    fsm.add_global_transition("MENU", "Menu", suspend=True)
    fsm.add_global_transition("QUIT", "Menu")
    for name in ("Alarm", "Menu"):
        fsm.states[name].add_transition("OK", BACK)
    return fsm


def names(fsm: Fsm) -> list[str]:
    return [state.name for state in fsm.suspended]


def test_a_state_that_is_suspended_is_not_exited_and_goes_on_without_being_entered() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.start()
    fsm.update(0.1)
    assert fsm.send_event("ALARM")
    assert (fsm.current_state.name, names(fsm)) == ("Alarm", ["Work"])
    fsm.update(0.1)
    assert fsm.send_event("OK")
    assert (fsm.current_state.name, names(fsm)) == ("Work", [])
    fsm.update(0.1)
    fsm.stop()
    assert journal == [
        "enter Work", "update Work", "suspend Work", "enter Alarm", "update Alarm", "exit Alarm",
        "resume Work", "update Work", "exit Work",
    ]  # fmt: skip


def test_a_wait_goes_on_where_it_was() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    work = fsm.states["Work"]
    wait = work.add_action(TimedWait(5.0))
    fsm.start()
    fsm.update(3.0)
    fsm.send_event("ALARM")
    fsm.update(100.0)
    assert (wait.elapsed, fsm.states["Work"].fsm.time_in_state) == (3.0, 100.0)
    fsm.send_event("OK")
    assert fsm.time_in_state == 3.0
    fsm.update(1.0)
    assert not wait.finished
    fsm.update(1.0)
    assert wait.finished


def test_delayed_events_stand_still_and_can_be_cancelled_meanwhile() -> None:
    fsm = robot([], on_unhandled="ignore")
    recorder = Recorder(fsm)
    fsm.start()
    first = fsm.send_event_after(1.0, "FIRST")
    second = fsm.send_event_after(2.0, "SECOND")
    fsm.send_event_after(2.0, "KEPT", keep=True)
    fsm.update(0.5)
    fsm.send_event("ALARM")
    assert (first.pending, second.pending) == (True, True)
    fsm.update(5.0)
    second.cancel()
    fsm.send_event("OK")
    fsm.update(0.25)
    assert (first.pending, second.pending) == (True, False)
    fsm.update(0.25)
    sent = [line for line in recorder.journal if line.startswith("event")]
    assert sent == [
        "event ALARM: changed", "event KEPT: unhandled", "event OK: changed",
        "event FIRST: unhandled",
    ]  # fmt: skip


def test_a_delayed_event_of_a_state_that_was_suspended_in_this_very_update_waits() -> None:
    fsm = robot([], on_unhandled="ignore")
    recorder = Recorder(fsm)
    fsm.start()
    fsm.send_event_after(1.0, "ALARM")
    fsm.send_event_after(1.0, "WORKED")
    fsm.update(1.0)
    fsm.send_event("OK")
    fsm.update(0.0)
    sent = [line for line in recorder.journal if line.startswith("event")]
    assert sent == ["event ALARM: changed", "event OK: changed", "event WORKED: unhandled"]


def test_the_event_that_led_to_the_state_is_known_again() -> None:
    fsm = robot([])
    fsm.add_global_transition("GO", "Work")
    fsm.start("Menu")
    fsm.send_event("GO", 1)
    fsm.send_event("ALARM", 2)
    assert (fsm.last_event, fsm.event_data) == ("ALARM", 2)
    fsm.send_event("OK", 3)
    assert (fsm.last_event, fsm.event_data) == ("GO", 1)


def test_interruptions_stack() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.start()
    fsm.send_event("ALARM")
    fsm.send_event("MENU")
    assert names(fsm) == ["Work", "Alarm"]
    fsm.send_event("OK")
    fsm.send_event("OK")
    assert (fsm.current_state.name, names(fsm)) == ("Work", [])
    assert journal == [
        "enter Work", "suspend Work", "enter Alarm", "suspend Alarm", "enter Menu", "exit Menu",
        "resume Alarm", "exit Alarm", "resume Work",
    ]  # fmt: skip


@pytest.mark.parametrize("leave", ["stop", "start", "transition"])
def test_leaving_for_good_exits_what_is_suspended_the_last_one_first(leave: str) -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.states["Menu"].add_transition("LEAVE", "Work")
    recorder = Recorder(fsm)
    fsm.start()
    fsm.send_event("ALARM")
    fsm.send_event("MENU")
    journal.clear()
    recorder.journal.clear()
    if leave == "stop":
        fsm.stop()
    elif leave == "start":
        fsm.start("Work")
    else:
        fsm.send_event("LEAVE")
    exits = ["exit Menu", "exit Alarm", "exit Work"]
    assert journal == (exits if leave == "stop" else [*exits, "enter Work"])
    assert names(fsm) == []
    left = [line for line in recorder.journal if line.startswith("leave")]
    assert left == ["leave Menu", "leave Alarm", "leave Work"]


def test_entering_a_suspended_state_exits_its_old_visit_first() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.start()
    fsm.send_event("ALARM")
    fsm.send_event("MENU")
    journal.clear()
    fsm.send_event("ALARM")
    assert journal == ["suspend Menu", "exit Alarm", "enter Alarm"]
    assert (fsm.current_state.name, names(fsm)) == ("Alarm", ["Work", "Menu"])
    fsm.stop()
    assert journal[3:] == ["exit Alarm", "exit Menu", "exit Work"]


def test_with_nothing_suspended_back_is_unhandled_and_the_message_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fsm = robot([])
    fsm.start("Menu")
    assert not fsm.send_event("OK")
    assert "event 'OK' leads BACK, but nothing is suspended" in caplog.text


def test_what_had_finished_stays_finished() -> None:
    fsm = robot([])
    done = fsm.states["Work"].add_action(DelegateAction())
    fsm.start()
    fsm.send_event("ALARM")
    fsm.send_event("OK")
    assert done.finished
    fsm.stop()
    assert not done.finished


def test_a_state_that_was_resumed_can_finish() -> None:
    fsm = Fsm("M")
    work, pause, done = map(fsm.add_state, ("Work", "Pause", "Done"))
    work.add_action(TimedWait(1.0))
    work.add_action(DelegateAction())
    work.add_transition(FINISHED, done)
    fsm.add_global_transition("BREAK", pause, suspend=True)
    pause.add_action(TimedWait(0.5))
    pause.add_transition(FINISHED, BACK)
    fsm.start()
    fsm.update(0.75)
    fsm.send_event("BREAK")
    fsm.update(0.5)
    assert (fsm.current_state, fsm.delta_time) == (work, 0.5)
    fsm.update(0.25)
    assert fsm.current_state is done


def test_observers_are_told_of_suspension() -> None:
    fsm = robot([], on_unhandled="ignore")
    told: list[str] = []

    class Watcher:
        def state_entered(self, fsm: Fsm, state: object, event: str | None) -> None:
            told.append(f"enter {fsm.current_state.name}")

        def state_exited(self, fsm: Fsm, state: object) -> None:
            told.append(f"leave {state.name}")  # type: ignore[attr-defined]

        def state_suspended(self, fsm: Fsm, state: object) -> None:
            told.append(f"suspend {state.name}")  # type: ignore[attr-defined]

        def state_resumed(self, fsm: Fsm, state: object) -> None:
            told.append(f"resume {state.name} {fsm.current_state.name}")  # type: ignore[attr-defined]

    fsm.start()
    fsm.send_event("ALARM")
    undo = fsm.observe(Watcher())
    fsm.send_event("MENU")
    fsm.send_event("OK")
    fsm.send_event("OK")
    undo()
    fsm.send_event("MENU")
    assert told == [
        "suspend Alarm", "enter Menu", "leave Menu", "resume Alarm Alarm", "leave Alarm",
        "resume Work Work",
    ]  # fmt: skip


def test_nothing_changes_while_a_state_is_being_suspended() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    work = fsm.states["Work"]
    bad = work.add_action(Motor("bad", journal, suspend=lambda motor: motor.fsm.send_event("MENU")))
    work.add_action(Motor("good", journal))
    fsm.start()
    with pytest.raises(TransitionOnExitError, match="send_event\\('MENU'\\) from an on_suspend"):
        fsm.send_event("ALARM")
    assert (fsm.current_state.name, names(fsm)) == ("Alarm", ["Work"])
    assert journal[-4:] == ["suspend Work", "suspend bad", "suspend good", "enter Alarm"]
    bad.does = {"suspend": lambda motor: motor.finish()}
    fsm.send_event("OK")
    fsm.send_event("ALARM")
    assert not bad.finished


def test_errors_while_resuming_reach_the_caller_and_the_others_are_resumed() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    work = fsm.states["Work"]
    work.add_action(Motor("bad", journal, resume=lambda motor: 1 / 0))
    work.add_action(Motor("good", journal))
    fsm.start()
    fsm.send_event("ALARM")
    journal.clear()
    with pytest.raises(ZeroDivisionError) as error:
        fsm.send_event("OK")
    assert error.value.__notes__ == ["Fsm 'Robot', state 'Work', actions[1] (Motor), on_resume"]
    assert journal == ["exit Alarm", "resume Work", "resume bad", "resume good"]
    assert fsm.current_state is work
    fsm.stop()
    assert journal[4:] == ["exit Work", "exit bad", "exit good"]


def test_a_change_decided_while_resuming_is_carried_out_and_all_are_exited() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    work = fsm.states["Work"]
    work.add_action(Motor("goes", journal, resume=lambda motor: motor.fsm.send_event("QUIT")))
    work.add_action(Motor("last", journal))
    fsm.start()
    fsm.send_event("ALARM")
    journal.clear()
    fsm.send_event("OK")
    assert journal == [
        "exit Alarm", "resume Work", "resume goes", "exit Work", "exit goes", "exit last",
        "enter Menu",
    ]  # fmt: skip


def test_errors_may_suspend_too() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.add_global_transition(ERROR, "Menu", suspend=True)
    broken = Motor("broken", journal, update=lambda motor: 1 / 0)
    fsm.states["Work"].add_action(broken)
    fsm.start()
    fsm.update(0.1)
    assert (fsm.current_state.name, names(fsm)) == ("Menu", ["Work"])
    broken.does = {}
    fsm.send_event("OK")
    fsm.update(0.1)
    assert journal[-2:] == ["update Work", "update broken"]


def test_an_effect_comes_before_the_interrupting_state() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    fsm.states["Work"].add_transition(
        "BREAK", "Menu", suspend=True, do=lambda state: journal.append(f"do {state.name}")
    )
    fsm.states["Menu"].add_transition(
        "BACK", BACK, do=lambda state: journal.append(f"do {state.name}")
    )
    fsm.start()
    fsm.send_event("BREAK")
    fsm.send_event("BACK")
    assert journal == [
        "enter Work", "suspend Work", "do Work", "enter Menu", "exit Menu", "do Menu",
        "resume Work",
    ]  # fmt: skip


def test_compositions_and_nested_machines_stand_still_too() -> None:
    journal: list[str] = []
    inner = Fsm("Inner")
    inner.add_state("Turn").add_action(Motor("inner", journal))
    fsm = robot(journal)
    work = fsm.states["Work"]
    work.add_action(Sequence(Motor("child", journal), Motor("later", journal)))
    work.add_action(RunFsm(inner))
    fsm.start()
    fsm.update(1.0)
    fsm.send_event("ALARM")
    fsm.update(1.0)
    fsm.send_event("OK")
    fsm.update(1.0)
    assert inner.time == 2.0
    assert [line for line in journal if "inner" in line or "child" in line] == [
        "enter child", "enter inner", "update child", "update inner", "suspend child",
        "suspend inner", "resume child", "resume inner", "update child", "update inner",
    ]  # fmt: skip


def test_what_is_suspended_cannot_be_removed_nor_suspend_itself() -> None:
    fsm = robot([])
    work, alarm = fsm.states["Work"], fsm.states["Alarm"]
    with pytest.raises(FsmError, match="cannot suspend it"):
        work.add_transition("SELF", work, suspend=True)
    with pytest.raises(FsmError, match="a transition to BACK exits its state"):
        alarm.add_transition("X", BACK, suspend=True)
    fsm.start()
    fsm.send_event("ALARM")
    assert not fsm.send_event("ALARM")  # a global one to the current state: rule 7
    with pytest.raises(FsmError, match="'Work' is suspended and cannot be removed"):
        fsm.remove_state(work)
    fsm.send_event("OK")
    fsm.remove_state(alarm)


def test_an_action_of_a_suspended_state_that_is_removed_is_exited_now_and_not_again() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    motor = fsm.states["Work"].actions[0]
    fsm.start()
    fsm.send_event("ALARM")
    fsm.states["Work"].remove_action(motor)
    fsm.stop()
    assert journal == ["enter Work", "suspend Work", "enter Alarm", "exit Work", "exit Alarm"]


def test_transitions_added_to_a_suspended_state_count_when_it_goes_on() -> None:
    fsm = robot([])
    fsm.start()
    fsm.send_event("ALARM")
    fsm.states["Work"].add_transition("NEW", "Menu")
    fsm.send_event("OK")
    assert fsm.send_event("NEW")
    assert fsm.current_state.name == "Menu"


def test_a_hundred_interruptions_are_left_without_recursion() -> None:
    journal: list[str] = []
    fsm = Fsm("Deep", max_transitions=1000)
    for n in range(400):
        fsm.add_state(str(n)).add_action(Motor(str(n), journal))
        fsm.add_global_transition(str(n), str(n), suspend=True)
    fsm.start()
    for n in range(1, 400):
        fsm.send_event(str(n))
    assert len(fsm.suspended) == 399
    journal.clear()
    fsm.stop()
    assert journal == [f"exit {n}" for n in range(399, -1, -1)]


@pytest.mark.parametrize("how", ["transition", "stop"])
def test_what_a_suspended_action_raises_on_exit_reaches_the_caller(how: str) -> None:
    journal: list[str] = []
    fsm = robot(journal)
    bad = Motor("bad", journal, exit=lambda motor: 1 / 0)
    fsm.states["Work"].add_action(bad)
    fsm.states["Work"].add_action(Motor("good", journal))
    fsm.states["Alarm"].add_transition("LEAVE", "Menu")
    fsm.start()
    fsm.send_event("ALARM")
    journal.clear()
    with pytest.raises(ZeroDivisionError) as error:
        fsm.stop() if how == "stop" else fsm.send_event("LEAVE")
    assert error.value.__notes__ == ["Fsm 'Robot', state 'Work', actions[1] (Motor), on_exit"]
    assert journal[:4] == ["exit Alarm", "exit Work", "exit bad", "exit good"]
    fsm.start("Menu")
    fsm.update(0.1)


def test_exits_are_owed_however_observers_come_and_go() -> None:
    journal: list[str] = []
    fsm = robot(journal)
    once = fsm.states["Work"].add_action(DelegateAction())
    first = fsm.observe(Recorder(fsm))
    fsm.start()
    fsm.send_event("ALARM")
    first()
    fsm.send_event("MENU")
    undo = fsm.observe(Recorder(fsm))
    fsm.send_event("OK")
    undo()
    journal.clear()
    fsm.send_event("QUIT")
    assert (journal, names(fsm)) == (["exit Alarm", "exit Work", "enter Menu"], [])
    assert not once.finished
    fsm.states["Menu"].add_transition(FINISHED, "Work")
    fsm.start("Menu")
    fsm.states["Menu"].actions[0].finish()
    assert fsm.current_state.name == "Work"


@pytest.mark.parametrize("meddle", ["enabled", "observe", "observe and undo"])
@pytest.mark.parametrize("where", ["on_exit", "do"])
def test_what_happens_on_the_way_back_does_not_make_it_an_entrance(meddle: str, where: str) -> None:
    def change(_: object) -> None:
        if meddle == "enabled":
            fsm.states["Work"].actions[0].enabled = True
        else:
            undo = fsm.observe(Recorder(fsm))
            if meddle.endswith("undo"):
                undo()

    journal: list[str] = []
    fsm = robot(journal)
    fsm.states["Alarm"].remove_transition("OK")
    fsm.states["Alarm"].add_transition("OK", BACK, do=change if where == "do" else None)
    if where == "on_exit":
        fsm.states["Alarm"].add_action(Motor("meddler", [], exit=change))
    fsm.start()
    fsm.send_event("ALARM")
    fsm.send_event("OK")
    assert (fsm.current_state.name, names(fsm)) == ("Work", [])
    fsm.send_event("ALARM")
    fsm.stop()
    assert journal == [
        "enter Work", "suspend Work", "enter Alarm", "exit Alarm", "resume Work", "suspend Work",
        "enter Alarm", "exit Alarm", "exit Work",
    ]  # fmt: skip


def test_a_nested_machine_that_is_suspended_in_its_own_callback_keeps_its_rules() -> None:
    journal: list[str] = []
    inner = Fsm("Inner", on_unhandled="ignore")
    turn, next_one, last = (inner.add_state(name) for name in ("Turn", "Next", "Last"))
    turn.add_transition("GO", next_one)
    next_one.add_transition("ON", last)

    def interrupt(motor: Motor) -> None:
        fsm.send_event("ALARM")
        motor.fsm.send_event("ON")

    next_one.add_action(Motor("first", journal))
    next_one.add_action(Motor("sender", journal, enter=interrupt))
    next_one.add_action(Motor("later", journal))
    fsm = robot([])
    fsm.states["Work"].add_action(RunFsm(inner))
    fsm.start()
    inner.send_event("GO")
    assert journal == [
        "enter first", "enter sender", "suspend first", "exit first", "exit sender",
    ]  # fmt: skip
    assert (inner.current_state, inner.phase) == (last, None)
    assert (inner.path, fsm.path) == (("Work", "Last"), ("Alarm",))
