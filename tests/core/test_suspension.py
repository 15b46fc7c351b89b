"""Rule 18: interruptions that resume."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from every import every

from actions import (
    DelegateAction,
    OnEvent,
    Parallel,
    Regions,
    RunFsm,
    Sequence,
    TimedWait,
)
from fsmkit import (
    BACK,
    ERROR,
    FINISHED,
    Fsm,
    FsmAction,
    FsmError,
    FsmGroup,
    FsmState,
    TransitionOnExitError,
    UnhandledEventError,
)
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


def test_a_state_that_is_suspended_is_not_exited_and_continues_without_being_entered() -> None:
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


def test_a_wait_continues_where_it_was() -> None:
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
        "event ALARM: changed", "event KEPT: ignored", "event OK: changed",
        "event FIRST: ignored",
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
    assert sent == ["event ALARM: changed", "event OK: changed", "event WORKED: ignored"]


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


def test_back_leads_nowhere_while_the_last_suspended_state_is_exited() -> None:
    answers: list[tuple[bool, tuple[object, ...]]] = []

    class Ask(FsmAction):
        def on_exit(self) -> None:
            answers.append((self.fsm.send_event("GO_ON"), self.fsm.suspended))

    fsm = Fsm("Robot", on_unhandled="ignore")
    work, call, off = (fsm.add_state(name) for name in ("Work", "Call", "Off"))
    work.add_action(Ask())
    work.add_transition("RING", call, suspend=True)
    call.add_transition("GO_ON", BACK)
    call.add_transition("SWITCH_OFF", off)
    fsm.start()
    for event in ("RING", "SWITCH_OFF"):
        fsm.send_event(event)
    assert (answers, fsm.current_state) == ([(False, ())], off)


def test_back_from_the_effect_of_an_interruption_is_a_change_on_exit() -> None:
    seen: list[object] = []

    def hang_up(state: FsmState[Any]) -> None:
        seen.append(state.fsm.suspended)
        state.send_event("GO_ON")

    fsm = Fsm("Robot")
    work, call = fsm.add_state("Work"), fsm.add_state("Call")
    work.add_transition("RING", call, suspend=True, do=hang_up)
    fsm.add_global_transition("GO_ON", BACK)
    fsm.start()
    with pytest.raises(TransitionOnExitError, match="send_event\\('GO_ON'\\) from an effect"):
        fsm.send_event("RING")
    assert (seen, fsm.current_state, fsm.suspended) == ([(work,)], call, (work,))


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


def test_observers_are_notified_of_suspension() -> None:
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


def test_transitions_added_to_a_suspended_state_count_when_it_is_resumed() -> None:
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
        "enter first", "enter sender", "suspend first", "enter later", "suspend sender",
        "suspend later",
    ]  # fmt: skip
    assert (inner.current_state, inner.phase) == (next_one, None)
    assert (inner.path, fsm.path) == (("Work", "Next"), ("Alarm",))


# A machine whose host is suspended is suspended with it (rule 18)

HOSTS: dict[str, Callable[[Fsm], FsmAction[Any]]] = {
    "RunFsm": RunFsm,
    "in a Sequence": lambda machine: Sequence(RunFsm(machine), TimedWait(1.0)),
    "in a Parallel": lambda machine: Parallel(TimedWait(9.0), RunFsm(machine)),
    "in Regions": lambda machine: Regions(RunFsm(machine)),
    "two deep": lambda machine: RunFsm(around(machine)),
}
each_host = every("hosted", HOSTS.values())


def around(machine: Fsm) -> Fsm:
    """A machine that runs another in its only state."""
    fsm = Fsm("Between", on_unhandled="raise")
    fsm.add_state("Through").add_action(RunFsm(machine))
    return fsm


def turning(journal: list[str], **does: object) -> Fsm:
    """Turn and Next, between which GO leads; `does` is what is done in Turn."""
    inner = Fsm("Inner", on_unhandled="raise")
    turn, following = inner.add_state("Turn"), inner.add_state("Next")
    turn.add_action(Motor("turn", journal, **does))
    following.add_action(Motor("next", journal))
    turn.add_transition("GO", following)
    following.add_transition("GO", turn)
    return inner


def hosting(host: FsmAction[Any]) -> Fsm:
    """Work, in which `host` runs, interrupted by ALARM, which OK ends."""
    fsm = robot([], on_unhandled="raise")
    fsm.states["Work"].add_action(host)
    fsm.start()
    return fsm


def interrupted(journal: list[str], hosted: Callable[[Fsm], FsmAction[Any]]) -> tuple[Fsm, Fsm]:
    """A machine that is suspended with its host, and that of the host."""
    inner = turning(journal)
    fsm = hosting(hosted(inner))
    fsm.send_event("ALARM")
    assert journal == ["enter turn", "suspend turn"]
    journal.clear()
    return inner, fsm


@pytest.mark.parametrize("hosted", HOSTS.values(), ids=HOSTS)
def test_a_machine_behind_a_suspended_host_takes_no_events_and_the_message_says_why(
    hosted: Callable[[Fsm], FsmAction[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    host = "Fsm 'Between', state 'Through'" if inner.path[1:-1] else "Fsm 'Robot', state 'Work'"
    why = (
        f"Fsm 'Inner' is suspended: event 'GO' was not handled. It runs in {host}, which is "
        "suspended, and goes on when that is resumed."
    )
    with pytest.raises(UnhandledEventError) as raised:
        inner.send_event("GO")
    assert str(raised.value) == why
    recorder = Recorder(inner)
    inner.on_unhandled = "warn"
    assert inner.send_event("GO") is False
    assert caplog.messages == [why]
    inner.on_unhandled = "ignore"
    assert inner.send_event("GO") is False
    assert inner.current_state.send_event("GO") is False
    assert inner.offer_event("GO") is False
    assert recorder.take() == ["event GO: unhandled", *["event GO: ignored"] * 2]
    assert (journal, inner.current_state.name) == ([], "Turn")
    fsm.send_event("OK")
    assert inner.send_event("GO")
    assert journal == ["resume turn", "exit turn", "enter next"]


@each_host
def test_nor_do_its_actions_its_guards_and_its_global_transitions_get_one(
    hosted: Callable[[Fsm], FsmAction[Any]],
) -> None:
    asked: list[str] = []
    inner = turning([])
    inner.on_unhandled = "ignore"
    inner.states["Turn"].add_action(OnEvent("HEARD", lambda: asked.append("action")))
    inner.states["Turn"].add_transition("MAY", "Next", when=lambda: bool(asked.append("guard")))
    inner.add_global_transition("ANY", "Next")
    fsm = hosting(hosted(inner))
    fsm.send_event("ALARM")
    for event in ("HEARD", "MAY", "ANY"):
        assert inner.send_event(event) is False
    assert (asked, inner.current_state.name) == ([], "Turn")
    fsm.send_event("OK")
    assert [inner.send_event(event) for event in ("HEARD", "MAY", "ANY")] == [True, False, True]
    assert asked == ["action", "guard"]


@each_host
def test_a_machine_behind_a_suspended_host_stands_still(
    hosted: Callable[[Fsm], FsmAction[Any]],
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    recorder = Recorder(inner)
    inner.post_event("GO")
    handle = inner.send_event_after(0.5, "GO")
    for _ in range(3):
        inner.update(1.0)
        fsm.update(1.0)
    assert (journal, recorder.journal, inner.time, handle.pending) == ([], [], 0.0, True)
    fsm.send_event("OK")
    fsm.update(0.25)
    assert journal == ["resume turn", "exit turn", "enter next"]
    assert (inner.time, handle.pending) == (0.25, False)


@each_host
def test_a_machine_behind_a_suspended_host_cannot_be_started(
    hosted: Callable[[Fsm], FsmAction[Any]],
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    for target in (None, "Next", inner.states["Turn"]):
        with pytest.raises(
            FsmError, match="^Fsm 'Inner': start\\(\\) while it is suspended. It run"
        ):
            inner.start(target)
    assert (journal, inner.current_state.name) == ([], "Turn")
    with inner.running("Next"):
        assert inner.current_state.name == "Turn"
    assert journal == ["exit turn"]
    fsm.stop()
    inner.start("Next")
    assert journal == ["exit turn", "enter next"]


@each_host
def test_a_machine_behind_a_suspended_host_can_be_stopped(
    hosted: Callable[[Fsm], FsmAction[Any]],
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    inner.stop()
    assert (journal, inner.is_running) == (["exit turn"], False)
    with pytest.raises(FsmError, match="start\\(\\) while it is suspended"):
        inner.start()
    fsm.send_event("OK")
    fsm.update(0.1)
    assert journal == ["exit turn"]
    fsm.stop()
    fsm.start()
    assert journal == ["exit turn", "enter turn"]


@each_host
def test_none_of_its_actions_finishes_meanwhile(hosted: Callable[[Fsm], FsmAction[Any]]) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    inner.states["Turn"].add_transition(FINISHED, "Next")
    inner.states["Turn"].actions[0].finish()
    assert not inner.states["Turn"].actions[0].finished
    assert (journal, inner.current_state.name) == ([], "Turn")
    fsm.send_event("OK")
    inner.states["Turn"].actions[0].finish()
    assert journal == ["resume turn", "exit turn", "enter next"]


@every("how", ["stop", "start", "transition"])
@each_host
def test_when_its_host_is_exited_for_good_it_is_exited_without_a_resume(
    hosted: Callable[[Fsm], FsmAction[Any]], how: str
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    leave = {
        "stop": fsm.stop,
        "start": lambda: fsm.start("Menu"),
        "transition": lambda: fsm.send_event("QUIT"),
    }
    leave[how]()
    assert (journal, inner.host, inner.is_running) == (["exit turn"], None, False)
    inner.start()
    assert inner.send_event("GO")


@each_host
def test_an_action_of_it_that_is_removed_is_exited_and_not_resumed(
    hosted: Callable[[Fsm], FsmAction[Any]],
) -> None:
    journal: list[str] = []
    inner, fsm = interrupted(journal, hosted)
    inner.states["Turn"].remove_action(inner.states["Turn"].actions[0])
    fsm.send_event("OK")
    inner.stop()
    assert journal == ["exit turn"]


def test_a_state_that_is_suspended_inside_is_suspended_and_resumed_once() -> None:
    journal: list[str] = []
    inner = turning(journal)
    inner.states["Turn"].add_transition("BREAK", "Next", suspend=True)
    inner.states["Next"].add_transition("DONE", BACK)
    fsm = hosting(RunFsm(inner))
    inner.send_event("BREAK")
    fsm.send_event("ALARM")
    inner.on_unhandled = "ignore"
    assert inner.send_event("DONE") is False
    fsm.send_event("OK")
    inner.send_event("DONE")
    inner.stop()
    assert journal == [
        "enter turn", "suspend turn", "enter next", "suspend next", "resume next", "exit next",
        "resume turn", "exit turn",
    ]  # fmt: skip


def test_a_group_of_hosts_of_which_one_is_suspended_updates_the_machines_of_the_others() -> None:
    machines = [turning([]) for _ in range(3)]
    hosts = [hosting(RunFsm(machine)) for machine in machines]
    group = FsmGroup(hosts)
    hosts[1].send_event("ALARM")
    group.update(0.5)
    hosts[1].send_event("OK")
    group.update(0.5)
    assert [machine.time for machine in machines] == [1.0, 0.5, 1.0]


# on_suspend and on_resume come in pairs

PAIRED = re.compile("(enter (update |event |suspend resume )*(suspend )?exit )+")


class Paired(Motor):
    """A motor that hears events as well."""

    def on_event(self, event: str, data: object) -> bool:
        if event == "HEARD":
            self.note("event")
        return event == "HEARD"


def courses(journal: list[str]) -> dict[str, str]:
    """What each motor went through."""
    found: dict[str, str] = {}
    for line in journal:
        callback, name = line.split()
        found[name] = found.get(name, "") + callback + " "
    return found


def interrupting(fsm: Fsm, before: str | None, after: str | None) -> Callable[[Motor], None]:
    """Interrupt `fsm` once, from a callback inside it, in which other events are sent too."""
    done: list[str] = []

    def interrupt(motor: Motor) -> None:
        if done:
            return
        done.append("once")
        try:
            if before is not None:
                motor.fsm.send_event(before)
            fsm.send_event("ALARM")
            if after is not None:
                motor.fsm.send_event(after)
        except TransitionOnExitError:  # in on_exit, before the interruption
            fsm.send_event("ALARM")

    return interrupt


PLACES = {
    "alone": lambda motor: motor,
    "in a Parallel": Parallel,
    "in a Sequence": Sequence,
    "in a nested machine": lambda motor: RunFsm(holding(motor)),
}


def holding(motor: Motor) -> Fsm:
    fsm = Fsm("Deep", on_unhandled="ignore")
    fsm.add_state("D").add_action(motor)
    return fsm


CALLED = [*product(("enter", "update", "event"), ("from outside", "by its host"))]


@every("place", PLACES.values())
@every("sent", [(None, None), ("GO", None), (None, "GO"), ("GO", "GO")])
@every(("callback", "driven"), [*CALLED, ("exit", "by its host")])
def test_every_on_resume_follows_an_on_suspend_wherever_the_interruption_comes_from(
    callback: str, sent: tuple[str | None, str | None], place: Any, driven: str
) -> None:
    journal: list[str] = []
    inner = Fsm("Inner", on_unhandled="ignore")
    first, middle, last = (inner.add_state(name) for name in ("First", "Middle", "Last"))
    fsm = robot([], on_unhandled="ignore")
    speaker = Paired("speaker", journal, **{callback: interrupting(fsm, *sent)})
    first.add_action(Motor("first", journal))
    for action in (Motor("before", journal), speaker, Motor("after", journal)):
        middle.add_action(place(action))
    last.add_action(Motor("last", journal))
    first.add_transition("GO", middle)
    middle.add_transition("GO", last)
    fsm.states["Work"].add_action(RunFsm(inner))
    machine = inner if driven == "from outside" else fsm
    fsm.start()
    for step in ("GO", 0.1, "HEARD", "GO"):
        if isinstance(step, str):
            machine.send_event(step)
        else:
            machine.update(step)
        if fsm.current_state.name == "Alarm":
            resting = len(journal)
            inner.send_event("GO")
            inner.update(0.1)
            fsm.update(0.1)
            assert len(journal) == resting
            fsm.send_event("OK")
    fsm.update(0.1)
    fsm.stop()
    for name, course in courses(journal).items():
        assert PAIRED.fullmatch(course), (name, course)
    assert "suspend" in " ".join(journal)


def test_what_a_change_decided_in_mid_callback_enters_is_suspended_at_once() -> None:
    def go_and_interrupt(motor: Motor) -> None:
        motor.fsm.send_event("GO")
        fsm.send_event("ALARM")

    journal: list[str] = []
    inner = turning(journal, update=go_and_interrupt)
    fsm = hosting(RunFsm(inner))
    inner.update(0.1)
    assert journal == [
        "enter turn", "update turn", "suspend turn", "exit turn", "enter next", "suspend next",
    ]  # fmt: skip
    assert (inner.current_state.name, fsm.current_state.name) == ("Next", "Alarm")
    journal.clear()
    fsm.send_event("OK")
    fsm.update(0.1)
    assert journal == ["resume next", "update next"]


@pytest.mark.parametrize("where", ["on_exit", "do"])
@pytest.mark.parametrize("place", ["alone", "in a nested machine"])
def test_an_action_that_has_been_exited_is_not_suspended(place: str, where: str) -> None:
    journal: list[str] = []
    inner = turning(journal)
    turn = inner.states["Turn"]
    fsm = robot([], on_unhandled="ignore")
    if where == "on_exit":
        turn.add_action(
            PLACES[place](Motor("speaker", journal, exit=interrupting(fsm, None, None)))
        )
    else:
        turn.remove_transition("GO")
        turn.add_transition("GO", "Next", do=lambda: fsm.send_event("ALARM"))
    turn.add_action(PLACES[place](Motor("after", journal)))
    fsm.states["Work"].add_action(RunFsm(inner))
    fsm.start()
    inner.send_event("GO")
    assert (inner.current_state.name, fsm.current_state.name) == ("Next", "Alarm")
    fsm.send_event("OK")
    fsm.stop()
    found = courses(journal)
    assert found["next"] == "enter suspend resume exit "
    for name, course in found.items():
        assert PAIRED.fullmatch(course), (name, course)


@pytest.mark.parametrize("callback", ["update", "exit"])
def test_an_action_that_a_self_transition_enters_again_is_suspended_again(callback: str) -> None:
    journal: list[str] = []
    fsm = robot([], on_unhandled="ignore")
    again = "GO" if callback == "update" else None
    inner = turning(journal, **{callback: interrupting(fsm, again, None)})
    turn = inner.states["Turn"]
    turn.remove_transition("GO")
    turn.add_transition("GO", turn)
    fsm.states["Work"].add_action(RunFsm(inner))
    fsm.start()
    if callback == "update":
        inner.update(0.1)
    else:
        inner.send_event("GO")
    fsm.send_event("OK")
    fsm.stop()
    assert journal[-4:] == ["enter turn", "suspend turn", "resume turn", "exit turn"]


def test_all_are_suspended_although_a_change_was_decided_that_an_error_drops() -> None:
    def fail(motor: Motor) -> None:
        motor.fsm.send_event("GO")
        fsm.send_event("ALARM")
        raise OSError

    journal: list[str] = []
    inner = turning(journal, update=fail)
    for name in ("second", "third"):
        inner.states["Turn"].add_action(Motor(name, journal))
    fsm = hosting(RunFsm(inner))
    with pytest.raises(OSError):  # noqa: PT011  # the one above
        inner.update(0.1)
    assert inner.current_state.name == "Turn"
    fsm.send_event("OK")
    fsm.stop()
    for name, course in courses(journal).items():
        assert PAIRED.fullmatch(course), (name, course)


def test_events_queued_when_the_host_was_suspended_are_unhandled() -> None:
    def go_twice_and_interrupt(motor: Motor) -> None:
        inner.send_event("GO")
        inner.send_event("GO")
        fsm.send_event("ALARM")

    journal: list[str] = []
    inner = turning(journal, update=go_twice_and_interrupt)
    fsm = hosting(RunFsm(inner))
    inner.on_unhandled = "ignore"
    recorder = Recorder(inner)
    inner.update(0.1)
    sent = [line for line in recorder.journal if line.startswith("event")]
    assert sent == ["event GO: changed", "event GO: queued", "event GO: ignored"]
    assert journal == [
        "enter turn", "update turn", "suspend turn", "exit turn", "enter next", "suspend next",
    ]  # fmt: skip
    fsm.send_event("OK")
    assert inner.current_state.name == "Next"
