"""Rules 11 and 12: errors never vanish and never corrupt; chains are bounded."""

from collections.abc import Callable
from typing import Any

import pytest

from fsmkit import ERROR, FINISHED, Fsm, FsmAction, TransitionLoopError, UnhandledEventError
from fsmkit.testing import Probe, Recorder, drive


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops("oops")


def send_then_fail(*events: str) -> Callable[[Probe], None]:
    def react(probe: Probe) -> None:
        for event in events:
            probe.fsm.send_event(event)
        raise Oops("oops")

    return react


def machine(journal: list[str], **reactions: Any) -> Fsm:
    """A with probes p, q, r; q does what `reactions` says. GO leads to B with the probe b."""
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    a.add_action(Probe("p", journal))
    a.add_action(Probe("q", journal, **reactions))
    a.add_action(Probe("r", journal))
    b.add_action(Probe("b", journal))
    return fsm


def run_through(fsm: Fsm) -> None:
    fsm.start()
    fsm.update(1)
    fsm.stop()


def test_an_error_on_enter_reaches_the_caller_and_only_those_before_it_were_entered() -> None:
    journal: list[str] = []
    fsm = machine(journal, on_enter=fail)
    with pytest.raises(Oops):
        fsm.start()
    assert fsm.current_state is fsm.states["A"]
    fsm.update(1)
    fsm.send_event("GO")
    assert journal == ["enter p", "enter q", "update p", "exit p", "enter b"]


def test_an_error_on_update_reaches_the_caller_and_the_visit_continues() -> None:
    journal: list[str] = []
    fsm = machine(journal, on_update=fail)
    fsm.start()
    for _ in range(2):
        with pytest.raises(Oops):
            fsm.update(1)
    fsm.send_event("GO")
    assert journal == [
        "enter p", "enter q", "enter r",
        "update p", "update q", "update p", "update q",
        "exit p", "exit q", "exit r", "enter b",
    ]  # fmt: skip


@pytest.mark.parametrize("callback", ["on_enter", "on_update"])
def test_a_change_decided_by_a_callback_that_fails_is_dropped(callback: str) -> None:
    fsm = machine([], **{callback: send_then_fail("GO")})
    with pytest.raises(Oops):
        run_through(fsm)
    assert fsm.current_state is fsm.states["A"]
    assert not fsm.is_changing


def test_queued_events_survive_an_error_and_come_first_in_the_next_call() -> None:
    fsm = machine([], on_update=send_then_fail("GO", "FIRST", "SECOND"))
    fsm.states["A"].add_transition("FIRST", "B")
    fsm.states["B"].add_transition("SECOND", "A")
    fsm.states["A"].add_transition("THIRD", "B")
    fsm.start()
    with pytest.raises(Oops):
        fsm.update(1)
    with Recorder(fsm) as recorder:
        assert fsm.send_event("THIRD")
    assert recorder.path == ["B", "A", "B"]


class Ear(FsmAction):
    """Finishes when it hears the event LEFT."""

    def on_event(self, event: str, data: object) -> bool:
        if event == "LEFT":
            self.finish()
        return event == "LEFT"


@pytest.mark.parametrize("end", ["finish", "fail"])
def test_an_action_that_an_event_left_by_an_error_finishes_is_not_ended_again(end: str) -> None:
    fsm = machine([], on_update=send_then_fail("GO", "LEFT"))
    a = fsm.states["A"]
    for place in (2, 0):
        a.remove_action(a.actions[place])
    ear = a.add_action(Ear())
    a.add_transition(FINISHED, "B")
    fsm.start()
    with pytest.raises(Oops):
        fsm.update(1)
    with Recorder(fsm) as recorder:
        getattr(ear, end)()
    assert recorder.journal == ["Ear finished", "event LEFT: consumed"]
    assert (ear.failed, fsm.current_state) == (False, a)


def test_events_left_by_an_error_come_before_posted_ones_in_the_next_update() -> None:
    fsm = machine([], on_update=send_then_fail("GO", "LEFT"))
    fsm.start()
    with pytest.raises(Oops):
        fsm.update(1)
    fsm.post_event("POSTED")
    assert [line for line in drive(fsm, [lambda: _swallow(fsm)]) if "event" in line][:2] == [
        "event LEFT: ignored", "event POSTED: ignored",
    ]  # fmt: skip


def _swallow(fsm: Fsm) -> None:
    with pytest.raises(Oops):
        fsm.update(1)


def test_an_error_on_exit_does_not_keep_the_others_or_the_change() -> None:
    journal: list[str] = []
    fsm = machine(journal, on_exit=fail)
    fsm.start()
    journal.clear()
    with pytest.raises(Oops):
        fsm.send_event("GO")
    assert journal == ["exit p", "exit q", "exit r", "enter b"]
    assert fsm.current_state is fsm.states["B"]


def test_what_the_completed_change_decides_runs_to_its_end_before_the_error_is_raised() -> None:
    fsm = machine([], on_exit=fail)
    fsm.states["B"].add_action(Probe("c", [], on_enter="ON"))
    fsm.states["B"].add_transition("ON", fsm.add_state("C"))
    fsm.start()
    with pytest.raises(Oops):
        fsm.send_event("GO")
    assert fsm.current_state is fsm.states["C"]


def test_several_errors_of_one_change_are_one_group() -> None:
    fsm = machine([], on_exit=fail)
    fsm.states["A"].add_action(Probe("s", [], on_exit=fail))
    fsm.states["B"].add_action(Probe("c", [], on_enter=fail))
    fsm.start()
    with pytest.raises(ExceptionGroup) as raised:
        fsm.send_event("GO")
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["Fsm 'M', state 'A', actions[1] (Probe), on_exit"],
        ["Fsm 'M', state 'A', actions[3] (Probe), on_exit"],
        ["Fsm 'M', state 'B', actions[1] (Probe), on_enter"],
    ]


class FailsOnExit(FsmAction):
    def on_exit(self) -> None:
        raise Oops("oops")


def test_an_error_on_exit_is_raised_however_often_the_states_have_taken_turns() -> None:
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("GO", a)
    for state in (a, b):
        state.add_action(FailsOnExit())
    fsm.start()
    for _ in range(4):
        with pytest.raises(Oops):
            fsm.send_event("GO")


@pytest.mark.parametrize("callback", ["on_enter", "on_update", "on_exit"])
def test_the_note_says_where_it_happened(callback: str) -> None:
    fsm = machine([], **{callback: fail})
    with pytest.raises(Oops) as raised:
        run_through(fsm)
    assert raised.value.__notes__ == [f"Fsm 'M', state 'A', actions[1] (Probe), {callback}"]


def test_the_same_error_raised_again_and_again_keeps_one_note() -> None:
    error = Oops()

    def fail_alike(_probe: Probe) -> None:
        raise error

    fsm = machine([], on_update=fail_alike)
    fsm.start()
    for _ in range(3):
        with pytest.raises(Oops):
            fsm.update(1)
    assert len(error.__notes__) == 1


@pytest.mark.parametrize("callback", ["on_enter", "on_update"])
def test_an_error_becomes_the_event_error_where_that_has_a_transition(callback: str) -> None:
    fsm = machine([], **{callback: fail})
    fsm.states["A"].add_transition(ERROR, fsm.add_state("Broken"))
    fsm.start()
    fsm.update(1)
    assert fsm.current_state is fsm.states["Broken"]
    assert fsm.last_event == ERROR
    assert isinstance(fsm.event_data, Oops)


def test_error_goes_before_queued_events() -> None:
    fsm = machine([], on_update=send_then_fail("GO", "LATER"))
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    fsm.states["Broken"].add_transition("LATER", fsm.add_state("End"))
    fsm.start()
    with Recorder(fsm) as recorder:
        fsm.update(1)
    assert recorder.path == ["Broken", "End"]


def test_after_an_error_on_exit_the_new_state_handles_it() -> None:
    fsm = machine([], on_exit=fail)
    fsm.states["A"].add_transition(ERROR, fsm.add_state("Wrong"))
    fsm.states["B"].add_transition(ERROR, fsm.add_state("Right"))
    fsm.start()
    with Recorder(fsm) as recorder:
        fsm.send_event("GO")
    assert recorder.path == ["B", "Right"]


def test_an_error_whose_event_would_change_nothing_is_raised() -> None:
    fsm = machine([], on_update=fail)
    fsm.add_global_transition(ERROR, "A")
    fsm.start()
    with pytest.raises(Oops):
        fsm.update(1)


def test_a_keyboard_interrupt_is_never_an_event() -> None:
    def interrupt(_probe: Probe) -> None:
        raise KeyboardInterrupt

    fsm = machine([], on_update=interrupt)
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    fsm.start()
    with pytest.raises(KeyboardInterrupt):
        fsm.update(1)
    fsm.send_event("GO")
    assert fsm.current_state is fsm.states["B"]


def test_an_error_of_a_listener_reaches_the_sender_outside() -> None:
    class Deaf(FsmAction):
        def on_event(self, event: str, data: object) -> bool:
            if event == "HELLO":
                self.fsm.send_event("GO")
                raise Oops
            return False

    fsm = machine([])
    fsm.states["A"].add_action(Deaf())
    fsm.start("A")
    with pytest.raises(Oops) as raised:
        fsm.send_event("HELLO")
    assert raised.value.__notes__[0] == "Fsm 'M', state 'A', actions[3] (Deaf), on_event"
    assert fsm.current_state is fsm.states["A"]


def test_an_unhandled_event_in_a_callback_is_an_error_of_that_callback() -> None:
    fsm = machine([], on_update=lambda probe: probe.fsm.send_event("NOBODY"))
    fsm.on_unhandled = "raise"
    fsm.start()
    with pytest.raises(UnhandledEventError) as raised:
        fsm.update(1)
    assert "actions[1] (Probe), on_update" in raised.value.__notes__[0]


def ring(length: int, bound: int) -> Fsm:
    """States 0, 1, ... that follow each other at once, in a circle, after a state that waits."""
    fsm = Fsm("Ring", max_transitions=bound)
    fsm.add_state("wait").add_action(Probe("p", []))
    names = [str(index) for index in range(length)]
    for name in names:
        fsm.add_state(name)
    fsm.states["wait"].add_transition("GO", "0")
    for here, there in zip(names, [*names[1:], names[0]], strict=True):
        fsm.states[here].add_transition(FINISHED, there)
    return fsm


def test_a_chain_loop_names_the_states_that_repeat() -> None:
    fsm = ring(3, bound=100)
    fsm.start()
    with pytest.raises(TransitionLoopError, match="more than 100 state changes") as raised:
        fsm.send_event("GO")
    assert "They repeat: 1 -> 2 -> 0 -> 1." in str(raised.value)


@pytest.mark.parametrize(("bound", "passes"), [(100, True), (99, False)])
def test_the_bound_passes_and_the_next_change_is_not_carried_out(bound: int, passes: bool) -> None:
    fsm = ring(200, bound)
    fsm.states["99"].remove_transition(
        FINISHED
    )  # GO is the first change, 99 is reached by the 100th
    fsm.start()
    if passes:
        fsm.send_event("GO")
    else:
        with pytest.raises(TransitionLoopError, match="The last ones: .* -> 97 -> 98"):
            fsm.send_event("GO")
    assert fsm.current_state.name == ("99" if passes else "98")


def test_a_machine_keeps_working_after_a_chain_loop() -> None:
    fsm = ring(3, bound=10)
    fsm.add_global_transition("STOP", fsm.add_state("end"))
    fsm.start()
    with pytest.raises(TransitionLoopError):
        fsm.send_event("GO")
    assert fsm.send_event("STOP")
    assert fsm.current_state.name == "end"


def test_every_posted_event_has_a_chain_of_its_own() -> None:
    fsm = ring(6, bound=6)
    fsm.states["5"].remove_transition(FINISHED)
    fsm.states["5"].add_transition("GO", "wait")
    fsm.start()
    for event in ("GO", "GO", "GO"):
        fsm.post_event(event)
    fsm.update(1)
    assert fsm.current_state.name == "5"


def test_a_chain_loop_does_not_become_the_event_error() -> None:
    fsm = ring(2, bound=10)
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    fsm.start()
    with pytest.raises(TransitionLoopError):
        fsm.send_event("GO")


def test_a_finish_from_outside_comes_after_the_events_that_an_error_has_left() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("LEFT")
        raise ZeroDivisionError

    fsm = Fsm("M")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_action(Probe("bad", [], on_update=fail))
    waits = a.add_action(Probe("waits", [], on_update=lambda probe: None))
    waits.finish_event = "DONE"
    for event, target in (("GO", a), ("LEFT", b), ("DONE", c)):
        a.add_transition(event, target)
    fsm.start()
    with pytest.raises(ZeroDivisionError):
        fsm.update(0.1)
    waits.finish()
    assert fsm.current_state is b
    assert not waits.finished
