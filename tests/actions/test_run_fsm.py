"""RunFsm: a machine inside a state: events, history, regions, finishing, errors."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, OnEvent, Regions, Retry, RunFsm, Sequence, TimedWait
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState, UnhandledEventError
from fsmkit.recording import why
from fsmkit.testing import Probe, Recorder


def inner(name: str = "Inner", journal: list[str] | None = None) -> Fsm:
    """One -> Two on NEXT, Two -> End (final) on NEXT."""
    fsm = Fsm(name, on_unhandled="raise")
    one, two, end = fsm.add_state("One"), fsm.add_state("Two"), fsm.add_state("End", final=True)
    one.add_transition("NEXT", two)
    two.add_transition("NEXT", end)
    for state in (one, two, end):
        state.add_action(Probe(f"{name}.{state.name}", journal if journal is not None else []))
    return fsm


def outer(*actions: RunFsm) -> Fsm:
    """Work (with the actions) -> Done on FINISHED; Work <-> Break."""
    fsm = Fsm("Outer", on_unhandled="raise")
    work, rest, done = fsm.add_state("Work"), fsm.add_state("Break"), fsm.add_state("Done")
    for action in actions:
        work.add_action(action)
    work.add_transition(FINISHED, done)
    work.add_transition("BREAK", rest)
    work.add_transition("NEXT", done)
    rest.add_transition("BACK", work)
    rest.add_action(Probe("rest", []))
    done.add_action(Probe("done", []))
    fsm.start()
    return fsm


def test_it_starts_updates_and_stops_with_the_state() -> None:
    journal: list[str] = []
    machine = inner(journal=journal)
    fsm = outer(RunFsm(machine))
    fsm.update(0.5)
    assert machine.time == 0.5
    fsm.send_event("BREAK")
    assert not machine.is_running
    assert journal == ["enter Inner.One", "update Inner.One", "exit Inner.One"]


def test_events_go_to_the_innermost_machine_that_knows_them() -> None:
    innermost = inner("Innermost")
    middle = Fsm("Middle", on_unhandled="raise")
    middle.add_state("Busy").add_action(RunFsm(innermost))
    middle.states["Busy"].add_transition("NEXT", middle.add_state("Never"))
    middle.states["Busy"].add_transition("MIDDLE", middle.add_state("Middle"))
    fsm = outer(RunFsm(middle))
    assert fsm.send_event("NEXT")
    assert (fsm.current_state.name, middle.current_state.name) == ("Work", "Busy")
    assert innermost.current_state.name == "Two"
    assert fsm.send_event("MIDDLE")
    assert (fsm.current_state.name, middle.current_state.name) == ("Work", "Middle")
    assert fsm.send_event("BREAK")
    assert fsm.current_state.name == "Break"
    assert not middle.is_running


def test_it_finishes_when_the_machine_reaches_a_final_state() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine))
    fsm.send_event("NEXT")
    fsm.send_event("NEXT")
    assert fsm.current_state.name == "Done"
    assert not machine.is_running


def test_it_finishes_when_the_machine_stops() -> None:
    machine = inner()
    machine.states["One"].add_action(Probe("p", [], on_update=lambda probe: probe.fsm.stop()))
    fsm = outer(RunFsm(machine))
    fsm.update(1)
    assert fsm.current_state.name == "Done"


def test_it_finishes_when_the_machine_is_driven_to_its_end_by_somebody_else() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine))
    machine.send_event("NEXT")
    machine.send_event("NEXT")
    fsm.update(1)
    assert fsm.current_state.name == "Done"


def test_it_sends_its_finish_event() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine, finish_event="BREAK"))
    fsm.send_event("NEXT")
    fsm.send_event("NEXT")
    assert fsm.current_state.name == "Break"


def test_a_machine_that_is_driven_from_outside_tells_when_it_is_over() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine, finish_event="BREAK"))
    machine.start("End")
    assert (machine.current_state, fsm.current_state.name) == (None, "Break")


@pytest.mark.parametrize(("resume", "state"), [(False, "One"), (True, "Two")])
def test_resume_goes_on_where_it_was(resume: bool, state: str) -> None:
    machine = inner()
    fsm = outer(RunFsm(machine, resume=resume))
    for event in ("NEXT", "BREAK", "BACK"):
        fsm.send_event(event)
    assert machine.current_state.name == state


def test_a_machine_that_came_to_its_end_is_not_resumed() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine, resume=True))
    fsm.states["Work"].remove_transition(FINISHED)
    for event in ("NEXT", "NEXT", "BREAK", "BACK"):
        fsm.send_event(event)
    assert machine.current_state.name == "One"


def test_two_of_them_are_parallel_regions() -> None:
    legs, arms = inner("Legs"), Fsm("Arms")
    arms.add_state("Down").add_transition("WAVE", arms.add_state("Up", final=True))
    fsm = outer(RunFsm(legs), RunFsm(arms))
    fsm.send_event("NEXT")
    fsm.send_event("WAVE")
    assert (legs.current_state.name, arms.current_state.name) == ("Two", "Up")
    assert fsm.current_state.name == "Work", "the legs have not finished"
    fsm.send_event("NEXT")
    assert fsm.current_state.name == "Done"


def test_finished_and_error_are_each_machines_own_affair() -> None:
    machine = inner()
    machine.states["One"].add_transition(FINISHED, "Two")
    machine.states["One"].add_transition(ERROR, "Two")
    fsm = outer(RunFsm(machine))
    fsm.states["Work"].add_transition(ERROR, "Break")
    fsm.send_event(FINISHED)
    assert fsm.current_state.name == "Done"
    fsm.start()
    fsm.send_event(ERROR)
    assert fsm.current_state.name == "Break"


def test_a_finished_machine_gets_no_more_events() -> None:
    machine = inner()
    machine.states["End"].add_transition("BREAK", "One")
    fsm = outer(RunFsm(machine))
    fsm.states["Work"].remove_transition(FINISHED)
    for event in ("NEXT", "NEXT", "BREAK"):
        fsm.send_event(event)
    assert fsm.current_state.name == "Break"


def test_an_action_inside_may_change_the_outer_machine() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine))
    machine.states["One"].add_action(
        Probe("p", [], on_update=lambda _probe: fsm.send_event("BREAK"))
    )
    fsm.start()
    fsm.update(1)
    assert fsm.current_state.name == "Break"
    assert not machine.is_running


def test_an_error_inside_names_both_places() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    machine = inner()
    machine.states["One"].add_action(Probe("p", [], on_update=fail))
    fsm = outer(RunFsm(machine))
    with pytest.raises(ZeroDivisionError) as raised:
        fsm.update(1)
    assert raised.value.__notes__ == [
        "Fsm 'Inner', state 'One', actions[1] (Probe), on_update",
        "Fsm 'Outer', state 'Work', actions[0] (RunFsm), on_update",
    ]


def test_a_machine_that_fails_to_start_is_stopped() -> None:
    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    journal: list[str] = []
    machine = inner(journal=journal)
    machine.states["One"].add_action(Probe("p", journal, on_enter=fail))
    with pytest.raises(ZeroDivisionError):
        outer(RunFsm(machine))
    assert not machine.is_running
    assert journal == ["enter Inner.One", "enter p", "exit Inner.One"]


def test_one_that_cannot_start_its_machine_does_not_finish_and_is_tried_again() -> None:
    tries: list[float] = []

    def start_motor(state: FsmState[Any]) -> None:
        tries.append(state.fsm.time)
        if len(tries) < 3:
            raise OSError

    machine = Fsm("Dock")
    machine.add_state("Run").add_action(DelegateAction(start_motor))
    run = RunFsm(machine, finish_event="DOCKED")
    fsm = Fsm("Robot", on_unhandled="raise")
    fsm.add_state("A").add_action(Retry(run, times=3))
    recorder = Recorder(fsm)
    fsm.start()
    assert (len(tries), machine.is_running, run.finished) == (3, True, False)
    assert not [line for line in recorder.journal if "DOCKED" in line or "finished" in line]


def test_entering_looks_at_nothing_that_is_deep_inside() -> None:
    looked: list[str] = []

    class Looked(FsmAction):
        @property
        def machines(self) -> tuple[Fsm, ...]:
            looked.append("deep inside")
            return ()

    machine = Fsm("Inner")
    for name in ("One", "Two", "End"):
        machine.add_state(name, final=name == "End").add_action(Looked())
    fsm = outer(RunFsm(machine, {"End": "NEXT"}))
    looked.clear()
    fsm.start()
    assert (looked, machine.current_state) == ([], machine.states["One"])


def test_it_works_inside_a_composition_and_declares_its_machine() -> None:
    machine = inner()
    action = Sequence(TimedWait(1), RunFsm(machine))
    fsm = Fsm("M", on_unhandled="raise")
    fsm.add_state("A").add_action(action)
    fsm.start()
    fsm.update(1)
    recorder = Recorder(machine)
    assert fsm.send_event("NEXT")
    assert recorder.path == ["Two"]
    assert action.machines == (machine,)


def test_only_machines_can_be_run() -> None:
    with pytest.raises(TypeError, match=r"machine must be an Fsm, got 'walk'\.$"):
        RunFsm("walk")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got <function .*>\. Call it, to get one\.$"):
        RunFsm(lambda: Fsm("Walk"))  # type: ignore[arg-type]


def test_an_event_that_is_sent_to_the_nested_machine_itself_tells_the_outer_one_at_once() -> None:
    machine = inner()
    fsm = outer(RunFsm(machine, finish_event="BREAK"))
    machine.send_event("NEXT")
    machine.send_event("NEXT")
    assert (machine.current_state, fsm.current_state.name) == (None, "Break")


def test_an_event_for_the_outer_machine_is_not_lost_in_a_nested_one_that_is_changing() -> None:
    machine = Fsm("Inner", on_unhandled="raise")
    one, two = machine.add_state("One"), machine.add_state("Two")
    one.add_transition("NEXT", two)

    def leave(state: FsmState) -> None:
        state.send_event("NEXT")
        fsm.send_event("BREAK")

    one.add_action(DelegateAction(None, leave))
    fsm = outer(RunFsm(machine))
    fsm.update(0.1)
    assert fsm.current_state.name == "Break"


def strict(name: str, *actions: FsmAction, **transition: Any) -> Fsm:
    """A machine in its only state `Here`, which complains of what it does not know."""
    fsm = Fsm(name, on_unhandled="raise")
    here = fsm.add_state("Here")
    for action in actions:
        here.add_action(action)
    if transition:
        here.add_transition("GO", here, **transition)
    return fsm


class Passing(FsmAction):
    """Does something whenever GO or OTHER comes, and lets it pass."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def on_event(self, event: str, data: object) -> bool:
        if event != "NOTE":
            self.act()
        return False


def never() -> bool:
    return False


def outcomes(fsm: Fsm, event: str = "GO") -> list[str]:
    """What becomes of `event` in the machine, as `why` says it and as observers are told."""
    expected = f"event {event}: {why(fsm, event, None).outcome}"
    recorder = Recorder(fsm)
    assert not fsm.send_event(event)
    assert recorder.journal == [expected]
    return recorder.journal


def test_an_event_that_guards_inside_refuse_is_refused_outside() -> None:
    fsm = strict("Outer", RunFsm(strict("Middle", RunFsm(strict("Inner", when=never)))))
    fsm.start()
    assert outcomes(fsm) == ["event GO: refused"]


def test_an_event_that_one_region_refuses_is_refused_whatever_the_others_say() -> None:
    refusing, deaf = RunFsm(strict("Refusing", when=never)), RunFsm(strict("Deaf"))
    fsm = strict("Outer", Regions(refusing, deaf))
    fsm.start()
    assert outcomes(fsm) == ["event GO: refused"]


def test_an_event_that_is_ignored_inside_is_ignored_outside() -> None:
    inner = strict("Inner")
    inner.add_global_transition("GO", "Here")
    fsm = strict("Outer", RunFsm(inner))
    fsm.start()
    assert outcomes(fsm) == ["event GO: ignored"]


def test_an_event_that_is_refused_inside_may_still_lead_on_outside() -> None:
    fsm = strict("Outer", RunFsm(strict("Inner", when=never)), when=lambda: True)
    fsm.start()
    assert fsm.send_event("GO")


def test_a_refusal_inside_concerns_no_other_event() -> None:
    inner = strict("Inner", when=never)
    fsm = strict("Outer", RunFsm(inner), Passing(lambda: inner.send_event("GO")))
    fsm.start()
    with pytest.raises(UnhandledEventError):
        fsm.send_event("OTHER")


def test_a_refusal_inside_is_remembered_while_another_event_is_handled() -> None:
    fsm = strict("Outer", RunFsm(strict("Inner", when=never)))
    fsm.states["Here"].add_action(OnEvent("NOTE", lambda: None))
    fsm.states["Here"].add_action(Passing(lambda: fsm.send_event("NOTE")))
    fsm.start()
    assert not fsm.send_event("GO")
