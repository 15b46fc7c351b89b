"""Rule 15: what may be called from inside a callback, and what a running machine allows."""

from collections.abc import Callable
from threading import Thread

import pytest
from every import every

from fsmkit import FINISHED, Fsm, FsmAction, FsmError
from fsmkit.testing import Probe, Recorder, drive


def machine(reaction: Callable[[Probe], object]) -> Fsm:
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = (fsm.add_state(name) for name in "ABC")
    a.add_action(Probe("p", [], on_update=reaction))
    a.add_transition("GO", b)
    c.add_transition("WAITING", b)
    for state in (b, c):
        state.add_action(Probe(state.name, []))
    fsm.start()
    return fsm


DEFINITION_CALLS = {
    "add_state": lambda fsm: fsm.add_state("new"),
    "remove_state": lambda fsm: fsm.remove_state("C"),
    "add_transition": lambda fsm: fsm.states["A"].add_transition("X", "B"),
    "remove_transition": lambda fsm: fsm.states["A"].remove_transition("GO"),
    "add_global_transition": lambda fsm: fsm.add_global_transition("X", "B"),
    "add_action": lambda fsm: fsm.states["A"].add_action(Probe("q", [])),
    "remove_action": lambda fsm: fsm.states["A"].remove_action(fsm.states["A"].actions[0]),
}


@pytest.mark.parametrize("name", DEFINITION_CALLS)
def test_definition_calls_work_on_a_running_machine_but_not_in_its_callbacks(name: str) -> None:
    call = DEFINITION_CALLS[name]
    errors: list[str] = []

    def change_definition(probe: Probe) -> None:
        with pytest.raises(FsmError) as error:
            call(probe.fsm)
        errors.append(str(error.value))

    fsm = machine(change_definition)
    fsm.update(1)
    assert len(errors) == 1
    assert "from inside one of its own callbacks" in errors[0]
    call(fsm)


def test_update_from_inside_a_callback_is_refused() -> None:
    fsm = machine(lambda probe: probe.fsm.update(1))
    with pytest.raises(FsmError, match=r"update\(\) from inside"):
        fsm.update(1)


def test_start_from_inside_takes_effect_like_a_decided_change() -> None:
    def restart(probe: Probe) -> None:
        probe.fsm.start("C")
        assert probe.fsm.current_state.name == "A"
        assert probe.fsm.send_event("WAITING")

    fsm = machine(restart)
    journal = drive(fsm, [1])
    assert journal == [
        "update 1", "event WAITING: queued", "Probe left", "leave A", "enter C", "Probe entered",
        "event WAITING: changed", "Probe left", "leave C", "enter B", "Probe entered",
    ]  # fmt: skip


def test_stop_from_inside_takes_effect_when_the_callback_returns() -> None:
    answers: list[bool] = []

    def stop(probe: Probe) -> None:
        probe.fsm.stop()
        answers.append(probe.fsm.is_running)
        answers.append(probe.fsm.send_event("GO"))

    fsm = machine(stop)
    fsm.update(1)
    assert answers == [True, False]
    assert fsm.current_state is None
    assert fsm.previous_state is fsm.states["A"]


@pytest.mark.parametrize(
    ("commands", "ends_in"),
    [
        (lambda fsm: (fsm.send_event("GO"), fsm.start("C")), "C"),
        (lambda fsm: (fsm.start("B"), fsm.start("C")), "C"),
        (lambda fsm: (fsm.start("B"), fsm.stop()), None),
        (lambda fsm: (fsm.stop(), fsm.start("C")), "C"),
    ],
)
def test_the_last_command_wins(commands: Callable[[Fsm], object], ends_in: str | None) -> None:
    fsm = machine(lambda probe: commands(probe.fsm))
    fsm.update(1)
    assert (fsm.current_state.name if fsm.current_state else None) == ends_in


def test_queued_events_are_unhandled_after_a_stop() -> None:
    def react(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("WAITING")
        probe.fsm.stop()

    fsm = machine(react)
    assert [line for line in drive(fsm, [1]) if "event" in line] == [
        "event GO: changed", "event WAITING: queued", "event WAITING: ignored",
    ]  # fmt: skip


def test_start_on_a_running_machine_exits_first() -> None:
    fsm = machine(lambda _probe: None)
    assert drive(fsm, [lambda: fsm.start("B")]) == [
        "Probe left", "leave A", "enter B", "Probe entered",
    ]  # fmt: skip
    assert fsm.previous_state is fsm.states["A"]


def test_a_broken_machine_can_always_be_restarted() -> None:
    def fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        probe.fsm.send_event("WAITING")
        raise ZeroDivisionError

    fsm = machine(fail)
    with pytest.raises(ZeroDivisionError):
        fsm.update(1)
    with Recorder(fsm) as recorder:
        fsm.start("C")
    assert recorder.path == ["C", "B"]


def test_stop_on_a_machine_that_does_not_run_does_nothing() -> None:
    fsm = Fsm("M")
    fsm.stop()
    assert not fsm.is_running


def test_an_action_added_to_the_current_state_takes_part_from_the_next_visit_on() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_transition(FINISHED, fsm.add_state("B"))
    first = state.add_action(Probe("first", journal))
    fsm.start()
    state.add_action(Probe("second", journal))
    fsm.update(1)
    first.finish()
    assert fsm.current_state.name == "B"
    fsm.start()
    assert journal == ["enter first", "update first", "exit first", "enter first", "enter second"]


def test_an_action_removed_from_the_current_state_is_left_at_once() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    first, second = (state.add_action(Probe(name, journal)) for name in ("first", "second"))
    fsm.start()
    state.remove_action(first)
    fsm.update(1)
    fsm.stop()
    assert journal == ["enter first", "enter second", "exit first", "update second", "exit second"]
    assert first.state is None
    fsm.add_state("B").add_action(first)
    assert state.actions == (second,)


def test_a_removed_action_is_not_waited_for() -> None:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_transition(FINISHED, fsm.add_state("B"))
    first, second = (state.add_action(Probe(name, [])) for name in ("first", "second"))
    fsm.start()
    state.remove_action(first)
    second.finish()
    assert fsm.current_state.name == "B"


def test_the_finished_actions_are_still_known_after_one_is_removed() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    state = fsm.add_state("A")
    a, b, c = (state.add_action(Probe(name, journal)) for name in "abc")
    fsm.start()
    a.finish()
    state.remove_action(a)
    journal.clear()
    c.finish()
    fsm.update(1)
    b.finish()
    fsm.update(1)
    assert journal == ["update b"]


def test_transitions_can_be_added_to_the_current_state() -> None:
    fsm = machine(lambda _probe: None)
    fsm.states["A"].add_transition("NEW", "C")
    assert fsm.send_event("NEW")
    assert fsm.current_state.name == "C"


def test_an_update_from_another_thread_is_reported_as_such() -> None:
    messages: list[str] = []

    def update() -> None:
        try:
            fsm.update(0.1)
        except FsmError as error:
            messages.append(str(error))

    def in_a_thread(probe: Probe) -> None:
        thread = Thread(target=update)
        thread.start()
        thread.join()

    fsm = Fsm("M")
    fsm.add_state("A").add_action(Probe("p", [], on_update=in_a_thread))
    fsm.start()
    fsm.update(0.1)
    fsm.states["A"].add_action(Probe("q", [], on_update=lambda probe: update()))
    fsm.start()
    fsm.update(0.1)
    assert [message.partition(":")[2].partition(".")[0] for message in messages] == [
        " update() while another thread is in a call of it",
        " update() while another thread is in a call of it",
        " update() from inside one of its own callbacks",
    ]


OBSERVED = (
    "state_entered", "state_exited", "event_sent", "action_entered", "action_finished",
    "action_exited", "update_begun", "update_ended",
)  # fmt: skip


class Interrupted(FsmAction):
    """Raise KeyboardInterrupt in one callback."""

    def __init__(self, where: str) -> None:
        self.where = where

    def on_enter(self) -> None:
        self.interrupt("on_enter")

    def on_update(self) -> None:
        self.interrupt("on_update")

    def on_exit(self) -> None:
        self.interrupt("on_exit")

    def interrupt(self, where: str) -> None:
        if where == self.where:
            self.where = ""
            raise KeyboardInterrupt


@every("where", ["on_enter", "on_update", "on_exit", *OBSERVED])
def test_a_keyboard_interrupt_never_wedges_the_machine(where: str) -> None:
    class Watcher:
        def __init__(self) -> None:
            if not where.startswith("on_"):
                setattr(self, where, self.interrupt)
            self.update_ended = getattr(self, "update_ended", lambda fsm: None)
            self.times = 0

        def interrupt(self, *_: object) -> None:
            self.times += 1
            if self.times == 1:
                raise KeyboardInterrupt

    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("GO", a)
    a.add_action(Interrupted(where))
    a.add_action(Probe("p", [], on_update=Probe.finish))
    fsm.observe(Watcher())
    for call in (fsm.start, lambda: fsm.update(0.1), lambda: fsm.send_event("GO")):
        try:
            call()
        except KeyboardInterrupt:
            assert fsm.phase is None
    fsm.start("A")
    assert fsm.send_event("GO")
    assert (fsm.current_state, fsm.is_changing) == (b, False)
    fsm.update(0.1)
    fsm.stop()
    assert not fsm.is_running
