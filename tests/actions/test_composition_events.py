"""Compositions and events: a composite whose children take none is offered none."""

import copy
from collections.abc import Callable

import pytest

from actions import (
    Composite,
    Coroutine,
    DelegateAction,
    ForEach,
    OnEvent,
    Parallel,
    Race,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
    When,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.core.action import NO_CALLBACKS


def machine(action: FsmAction) -> Fsm:
    fsm = Fsm("Guard", on_unhandled="ignore")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(action)
    chase.add_action(TimedWait(9.0))
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", patrol)
    return fsm


def is_fast(fsm: Fsm) -> bool:
    """Whether events lead straight to where they go: no action is asked before."""
    return bool(fsm._visit_.routes)


WRAPPERS: dict[str, Callable[[FsmAction], FsmAction]] = {
    "Sequence": Sequence,
    "Parallel": lambda action: Parallel(action, TimedWait(9.0)),
    "Race": lambda action: Race(action, TimedWait(9.0)),
    "Repeat": Repeat,
    "Retry": lambda action: Retry(action, 3),
    "Timeout": lambda action: Timeout(action, 9.0),
    "When": lambda action: When(lambda: True, action),
    "ForEach": lambda action: ForEach([0], lambda _: action),
    "Coroutine": lambda action: Coroutine(lambda: (step for step in [action])),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_events_beside_a_composite_of_actions_that_take_none_stay_fast(
    wrap: Callable[[FsmAction], FsmAction],
) -> None:
    fsm = machine(wrap(Sequence(TimedWait(9.0))))
    fsm.start()
    fsm.update(1.0)
    assert is_fast(fsm)
    fsm.send_event("SEEN")
    assert fsm.current_state is fsm.states["Chase"]


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_a_composite_gets_the_events_that_a_child_takes(
    wrap: Callable[[FsmAction], FsmAction],
) -> None:
    heard: list[str] = []
    listener = DelegateAction(on_event={"SEEN": lambda: heard.append("SEEN")}, on_update=print)
    fsm = machine(wrap(Sequence(listener)))
    fsm.start()
    assert fsm.send_event("SEEN")
    assert (heard, fsm.current_state) == (["SEEN"], fsm.states["Patrol"])


@pytest.mark.parametrize("wrap", [WRAPPERS["ForEach"], WRAPPERS["Coroutine"]])
def test_children_made_later_get_events_in_every_visit(
    wrap: Callable[[FsmAction], FsmAction],
) -> None:
    heard: list[str] = []
    listener = DelegateAction(on_event={"HIT": lambda: heard.append("HIT")}, on_update=print)
    fsm = machine(wrap(listener))
    for _ in range(3):
        fsm.start("Patrol")
        fsm.send_event("HIT")
    assert heard == ["HIT"] * 3


def test_a_coroutine_gets_the_event_that_it_waits_for_first_after_a_while() -> None:
    def talk():  # type: ignore[no-untyped-def]
        yield 1.0
        yield "SEEN"
        yield 9.0

    fsm = machine(Coroutine(talk))
    for _ in range(2):
        fsm.start("Patrol")
        fsm.update(1.0)
        assert fsm.send_event("SEEN")
        assert fsm.current_state is fsm.states["Patrol"]


def outer_and_inner() -> tuple[Fsm, Sequence, Sequence]:
    """A composite in another one: the inner one may be finished, and the outer one goes on."""
    inner = Sequence(TimedWait(9.0))
    outer = Sequence(inner, TimedWait(9.0))
    fsm = machine(outer)
    fsm.start()
    return fsm, outer, inner


def test_the_next_event_that_passes_notices_a_composite_that_was_finished_from_outside() -> None:
    fsm, outer, inner = outer_and_inner()
    inner.finish()
    assert outer.position == 0
    fsm.send_event("NOISE")
    assert outer.position == 1


def test_a_copy_notices_it_as_well() -> None:
    fsm, outer, inner = outer_and_inner()
    inner.finish()
    twin = copy.deepcopy(fsm)
    twin.send_event("NOISE")
    (copied,) = twin.states["Patrol"].actions
    assert (copied.position, outer.position) == (1, 0)  # type: ignore[attr-defined]


def test_events_are_fast_again_in_the_next_visit() -> None:
    fsm, _, inner = outer_and_inner()
    inner.finish()
    assert not is_fast(fsm)
    fsm.start("Patrol")
    assert is_fast(fsm)


def test_what_finishes_while_it_is_resumed_is_noticed_by_the_next_event() -> None:
    class Nap(Sequence):
        def on_resume(self) -> None:
            self.finish()

    outer = Sequence(Nap(TimedWait(9.0)), TimedWait(9.0))
    fsm = machine(outer)
    fsm.states["Patrol"].add_transition("ASIDE", "Chase", suspend=True)
    fsm.states["Chase"].add_transition("ON", BACK)
    fsm.start()
    fsm.send_event("ASIDE")
    fsm.send_event("ON")
    fsm.send_event("NOISE")
    assert outer.position == 1


def test_a_composite_of_ones_own_is_asked_after_every_callback() -> None:
    class Countdown(Composite):
        def __init__(self) -> None:
            super().__init__()
            self.parts = (TimedWait(9.0),)
            self.asked = 0

        @property
        def children(self) -> tuple[TimedWait, ...]:
            return self.parts

        def begin(self) -> None:
            self.begin_child(self.parts[0])

        def go_on(self) -> None:
            self.asked += 1
            if self.asked == 3:
                self.finish()

    fsm = machine(countdown := Countdown())
    fsm.start()
    for _ in range(3):
        assert not countdown.finished
        fsm.update(1.0)
    assert countdown.finished


def test_an_override_of_go_on_in_a_kind_of_sequence_is_called_after_every_callback() -> None:
    class Counting(Sequence):
        asked = 0

        def go_on(self) -> None:
            self.asked += 1
            super().go_on()

    fsm = machine(counting := Counting(TimedWait(9.0)))
    fsm.start()
    before = counting.asked
    for _ in range(3):
        fsm.update(1.0)
    assert counting.asked == before + 3


def test_an_event_that_a_handler_sends_does_not_come_from_a_composite_beside_it() -> None:
    senders: list[FsmAction | None] = []

    class Watch:
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            if event == "SEEN":
                senders.append(fsm.acting)

    fsm = Fsm("Guard", on_unhandled="ignore")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    handler = patrol.add_action(OnEvent("HIT", lambda state: state.send_event("SEEN")))
    patrol.add_action(Sequence(TimedWait(9.0)))
    patrol.add_transition("SEEN", chase)
    fsm.observe(Watch())
    fsm.start()
    fsm.send_event("HIT")
    assert senders == [handler]


def test_a_machine_that_has_run_alone_tells_its_host_where_it_got_to() -> None:
    """What it keeps ready for the next visit was made while nobody ran it."""
    inner = Fsm("Inner")
    first, last = inner.add_state("First"), inner.add_state("Last", final=True)
    first.add_action(TimedWait(9.0))
    first.add_transition("GO", last)
    last.add_transition("AGAIN", first)
    with inner.running():
        for event in ("GO", "AGAIN", "GO", "AGAIN"):
            inner.send_event(event)
    outer = Fsm("Outer")
    play, over = outer.add_state("Play"), outer.add_state("Over")
    play.add_action(RunFsm(inner))
    play.add_transition(FINISHED, over)
    outer.start()
    inner.send_event("GO")
    assert outer.current_state is over
    with inner.running():
        assert inner.send_event("GO")
        assert is_fast(inner)


def test_entering_a_nested_machine_again_prepares_nothing_again() -> None:
    """However many states it has: what is ready for the next visit stays so from host to host."""
    inner = Fsm("Inner")
    for name in ("First", "Second"):
        inner.add_state(name).add_action(TimedWait(9.0))
    fsm = machine(RunFsm(inner))
    fsm.start()
    ready = inner.states["First"]._callbacks
    fsm.send_event("SEEN")
    fsm.send_event("LOST")
    assert inner.current_state is inner.states["First"]
    assert inner.states["First"]._callbacks is ready is not NO_CALLBACKS
