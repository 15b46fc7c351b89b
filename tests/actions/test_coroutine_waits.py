"""Coroutine: what a routine can wait for beside time."""

from collections.abc import Generator, Iterator
from typing import Any

import pytest
from attrs import define, field

from actions import Coroutine, DelegateAction, Parallel, Retry, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FAILED, FINISHED, ActionOwnershipError, Fsm, FsmAction, FsmError, FsmState
from fsmkit.testing import Probe, drive

Steps = Generator[Any, Any, None]


def machine(routine: Any, **options: Any) -> Fsm[Any]:
    """A (with the routine) -> B on FINISHED, GO and HIT, -> C on HIT in B."""
    fsm: Fsm[Any] = Fsm("M", context=[], on_unhandled="raise", **options)
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for event in (FINISHED, "GO", "HIT"):
        a.add_transition(event, b)
    b.add_transition("HIT", fsm.add_state("C"))
    a.add_action(Coroutine(routine))
    return fsm


@define(eq=False, repr=False, slots=False)
class Answer(FsmAction):
    """Finishes in the first update, with a result."""

    result: object
    fails: Exception | None = None
    entered: int = field(default=0, init=False)

    def on_enter(self) -> None:
        self.entered += 1

    def on_update(self) -> None:
        if self.fails is not None:
            raise self.fails
        self.finish()


# Events


def test_it_waits_for_an_event_and_gets_its_data() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        hit = yield "HIT"
        state.context.append(hit)
        hit = yield "HIT"
        state.context.append(hit)

    fsm = machine(routine)
    fsm.start()
    assert drive(fsm, [("HIT", 3), 1.0, ("HIT", 4)]) == [
        "event HIT: consumed",
        "update 1",
        "Coroutine finished",
        "event FINISHED: changed",
        "event HIT: consumed",
        "Coroutine left",
        "leave A",
        "enter B",
    ]
    assert fsm.context == [3, 4]


def test_events_for_which_it_does_not_wait_just_then_pass() -> None:
    def routine() -> Steps:
        yield "GO"
        yield 1.0
        yield "GO"

    fsm = machine(routine)
    fsm.start()
    fsm.send_event("GO")
    fsm.send_event("GO")
    assert fsm.current_state.name == "B"


def test_an_event_that_the_routine_sends_itself_is_not_the_one_it_waits_for() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        state.send_event("HIT")
        yield "HIT"

    fsm = machine(routine)
    fsm.start()
    assert fsm.current_state.name == "B"


def test_the_name_of_an_event_may_be_that_of_a_finish_event() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        yield "RUNG"
        state.context.append(state.fsm.time)

    fsm = machine(routine)
    fsm.states["A"].add_action(TimedWait(1.0, "RUNG"))
    fsm.start()
    fsm.update(1.0)
    assert (fsm.context, fsm.current_state.name) == ([1.0], "B")


# Conditions


@pytest.mark.parametrize("takes_state", [True, False])
def test_it_waits_until_a_condition_holds(takes_state: bool) -> None:
    doors: list[str] = []

    def routine() -> Steps:
        yield (lambda state: state.context) if takes_state else (lambda: doors)
        yield lambda: True

    fsm = machine(routine)
    fsm.start()
    fsm.update(0.1)
    assert fsm.current_state.name == "A"
    doors.append("open")
    fsm.context = doors
    fsm.update(0.1)
    assert fsm.current_state.name == "B"


def test_a_routine_that_never_waits_is_stopped_by_an_error() -> None:
    closed: list[str] = []

    def routine() -> Steps:
        try:
            while True:
                yield lambda: True
        finally:
            closed.append("closed")

    with pytest.raises(FsmError, match="went on 10,000 times without waiting. Let its loop"):
        machine(routine).start()
    assert closed == ["closed"]


# Actions


def test_an_action_is_entered_updated_and_exited_within() -> None:
    journal: list[str] = []

    def routine(state: FsmState[Any]) -> Steps:
        yield Probe("one", journal, on_update=Probe.finish)
        journal.append("between")
        yield Probe("two", journal, on_enter=Probe.finish)
        yield Sequence(TimedWait(1.0), Probe("three", journal, on_update=Probe.finish))

    fsm = machine(routine)
    fsm.start()
    for _ in range(3):
        fsm.update(1.0)
    assert journal == [
        "enter one", "update one", "exit one", "between", "enter two", "exit two",
        "enter three", "update three", "exit three",
    ]  # fmt: skip
    assert fsm.current_state.name == "B"


def test_an_action_is_free_before_and_after_and_its_result_comes_back() -> None:
    answer = Answer(42)

    def routine(state: FsmState[Any]) -> Steps:
        state.context.append((yield answer))
        state.context.append((yield answer))
        assert answer.state is None

    fsm = machine(routine)
    fsm.start()
    assert (answer.state, answer.fsm) == (fsm.states["A"], fsm)
    fsm.update(0.1)
    fsm.update(0.1)
    assert (fsm.context, answer.entered, answer.state) == ([42, 42], 2, None)


def test_a_disabled_action_counts_as_finished() -> None:
    answer = Answer(42)
    answer.enabled = False

    def routine() -> Steps:
        yield answer

    fsm = machine(routine)
    fsm.start()
    assert (fsm.current_state.name, answer.entered) == ("B", 0)


@pytest.mark.parametrize("updates", [0, 1])
def test_an_action_that_fails_ends_the_routine_and_the_coroutine_fails(updates: int) -> None:
    class Slip(FsmAction):
        def on_enter(self) -> None:
            if not updates:
                self.fail("slipped")

        def on_update(self) -> None:
            self.fail("slipped")

    slips = [Slip(), Slip()]

    def routine(state: FsmState[Any]) -> Steps:
        try:
            yield slips[0]
            state.context.append("never")
            yield slips[1]
        finally:
            state.context.append("closed")

    fsm = machine(routine)
    fsm.states["A"].add_transition(FAILED, "C")
    fsm.start()
    for _ in range(updates):
        fsm.update(1.0)
    assert (fsm.current_state, fsm.event_data) == (fsm.states["C"], "slipped")
    assert (fsm.context, [slip.state for slip in slips]) == (["closed"], [None, None])


def test_what_an_action_raises_is_raised_at_the_yield() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        for error in (OSError("no"), OSError("never")):
            try:
                yield Answer(0, fails=error)
            except OSError as raised:
                state.context.append(str(raised))
        yield Answer(0, fails=KeyError("last"))

    fsm = machine(routine)
    fsm.start()
    fsm.update(0.1)
    fsm.update(0.1)
    assert fsm.context == ["no", "never"]
    with pytest.raises(KeyError) as raised:
        fsm.update(0.1)
    assert raised.value.__notes__ == [
        "Coroutine.children[0] (Answer), on_update",
        "Fsm 'M', state 'A', actions[0] (Coroutine), on_update",
    ]
    assert fsm.current_state.name == "A"


def test_an_action_that_raises_on_enter_is_not_exited_and_is_free() -> None:
    journal: list[str] = []

    def fail(_probe: Probe) -> None:
        raise ZeroDivisionError

    probe = Probe("p", journal, on_enter=fail)

    def routine() -> Steps:
        try:
            yield probe
        except ZeroDivisionError:
            yield "GO"

    fsm = machine(routine)
    fsm.start()
    fsm.send_event("GO")
    assert (journal, probe.state, fsm.current_state.name) == (["enter p"], None, "B")


def test_leaving_the_state_exits_the_action_and_then_closes_the_routine() -> None:
    journal: list[str] = []

    def routine() -> Steps:
        try:
            yield Probe("p", journal)
        finally:
            journal.append("closed")

    fsm = machine(routine)
    for _ in range(2):
        fsm.start()
        fsm.send_event("GO")
    assert journal == ["enter p", "exit p", "closed"] * 2


def test_the_action_gets_events_while_it_lasts() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        on_event = {"HIT": lambda _, hit: state.context.append(hit)}
        yield Parallel(DelegateAction(on_event=on_event), TimedWait(1.0))
        yield 1.0

    fsm = machine(routine)
    fsm.start()
    fsm.send_event("HIT", 3)
    fsm.update(1.0)
    fsm.send_event("HIT", 4)
    assert (fsm.context, fsm.current_state.name) == ([3], "B")


def test_an_event_may_end_the_action_even_in_the_middle_of_its_own_update() -> None:
    class Ends(FsmAction):
        def on_update(self) -> None:
            self.fsm.send_event("HIT", "own")
            journal.append("after")

        def on_event(self, event: str, data: object) -> bool:
            self.finish()
            return event == "HIT"

        def on_exit(self) -> None:
            journal.append("exit")

    journal: list[str] = []

    def routine() -> Steps:
        yield Ends()
        journal.append("on")
        yield Ends()
        journal.append("end")

    fsm = machine(routine)
    fsm.start()
    fsm.update(0.1)
    assert journal == ["after", "exit", "on"]
    fsm.send_event("HIT")
    assert journal == ["after", "exit", "on", "exit", "end"]
    assert fsm.current_state.name == "B"


def test_machines_run_inside_and_everything_stands_still_when_suspended() -> None:
    inner = Fsm("Inner")
    inner.add_state("In").add_action(TimedWait(2.0))

    def routine() -> Steps:
        yield RunFsm(inner)

    fsm = machine(routine)
    pause = fsm.add_state("Pause")
    fsm.states["A"].add_transition("PAUSE", pause, suspend=True)
    pause.add_transition("ON", BACK)
    fsm.start()
    fsm.update(1.0)
    assert fsm.path == ("A", "In")
    fsm.send_event("PAUSE")
    fsm.update(1.0)
    fsm.send_event("ON")
    assert (inner.time, fsm.path) == (1.0, ("A", "In"))


def test_an_action_of_another_place_is_refused_at_the_yield() -> None:
    def routine(state: FsmState[Any]) -> Steps:
        try:
            yield fsm.states["B"].actions[0]
        except ActionOwnershipError as error:
            state.context.append(str(error))
        raise ZeroDivisionError

    fsm = machine(routine)
    fsm.states["B"].add_action(TimedWait(1.0))
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    assert "belongs to Fsm 'M', state 'B' already" in fsm.context[0]


def test_a_routine_may_be_a_child_of_a_composition() -> None:
    tries: list[int] = []

    def routine() -> Steps:
        tries.append(len(tries))
        yield Answer(0, fails=OSError("no") if len(tries) < 3 else None)

    fsm = machine(lambda: iter(()))
    fsm.states["A"].remove_action(fsm.states["A"].actions[0])
    fsm.states["A"].add_action(Retry(Coroutine(routine), 3))
    fsm.start()
    for _ in range(6):
        fsm.update(0.1)
    assert (tries, fsm.current_state.name) == ([0, 1, 2], "B")


def test_an_iterator_is_a_fine_annotation_and_subroutines_can_return() -> None:
    def ask() -> Generator[Any, Any, int]:
        first = yield "HIT"
        second = yield "HIT"
        return first + second

    def routine(state: FsmState[Any]) -> Iterator[Any]:
        state.context.append((yield from ask()))

    fsm = machine(routine)
    fsm.start()
    fsm.send_event("HIT", 3)
    fsm.send_event("HIT", 4)
    assert (fsm.context, fsm.current_state.name) == ([7], "B")


def test_what_is_left_of_a_step_goes_on_in_the_next_state() -> None:
    def routine() -> Steps:
        yield 0.5
        yield 0.25

    fsm = machine(routine, carry_time=True)
    wait = fsm.states["B"].add_action(TimedWait(1.0))
    fsm.start()
    fsm.update(1.0)
    assert (fsm.current_state.name, wait.elapsed) == ("B", 0.25)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda a, b: None, "Coroutine: what `yield` gives must take nothing or the state"),
        (object(), "Coroutine: `yield` must give nothing, a number of seconds, the name of an"),
        (iter(()), "Coroutine: `yield` must give nothing"),
    ],
)
def test_what_cannot_be_waited_for_is_refused_at_the_yield(step: object, message: str) -> None:
    def routine() -> Steps:
        yield step

    with pytest.raises(TypeError, match=message) as raised:
        machine(routine).start()
    assert raised.traceback[-1].name != "routine"
    assert any(entry.name == "routine" for entry in raised.traceback)
