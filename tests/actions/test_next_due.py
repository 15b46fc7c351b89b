"""`next_due`: how long nothing happens by itself."""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from random import Random
from threading import Event
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from actions import (
    Await,
    Coroutine,
    Defer,
    DelegateAction,
    ForEach,
    IgnoreEvents,
    InThread,
    Move,
    OnEvent,
    Parallel,
    Race,
    RandomWait,
    Repeat,
    Retry,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    SetValue,
    TimedWait,
    Timeout,
    WaitFrames,
    WaitUntil,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmGroup, TimeReference
from fsmkit.space import Transform

UNIT = Fraction(1, 8)
"""All waits are multiples of it, and so exact."""


def running(*actions: FsmAction[Any]) -> Fsm[None]:
    fsm = Fsm[None]("Any")
    state = fsm.add_state("Only")
    for action in actions:
        state.add_action(action)
    fsm.start()
    return fsm


def never() -> bool:
    return False


SLOW, STILL = TimeReference("slow", scale=0.25), TimeReference("still", paused=True)


@every(
    ("make", "due"),
    [
        (lambda: TimedWait(3.0), 3.0),
        (lambda: TimedWait(3.0, time=SLOW), 12.0),
        (lambda: TimedWait(3.0, time=STILL), inf),
        (lambda: RandomWait(2.0, 2.0, rng=Random(1)), 2.0),
        (lambda: SendEvent("RING", delay=4.0), 4.0),
        (lambda: Move(Transform(), (0.0,), (1.0,), duration=3.0), 0.0),
        (lambda: WaitUntil(never), 0.0),
        (lambda: SendEventWhen(never, "RING"), 0.0),
        (lambda: WaitFrames(2), 0.0),
        (lambda: DelegateAction(on_update=never), 0.0),
        (lambda: DelegateAction(on_enter=never), inf),
        (lambda: OnEvent("RING", never), inf),
        (lambda: IgnoreEvents("RING"), inf),
        (lambda: SetValue({}, "x", 1), inf),
        (lambda: Sequence(TimedWait(1.0), TimedWait(5.0)), 1.0),
        (lambda: Parallel(TimedWait(3.0), TimedWait(5.0)), 3.0),
        (lambda: Race(TimedWait(6.0), TimedWait(5.0)), 5.0),
        (lambda: Parallel(OnEvent("RING", never), WaitUntil(never)), 0.0),
        (lambda: Repeat(TimedWait(2.0)), 2.0),
        (lambda: Timeout(TimedWait(9.0), 2.0), 2.0),
        (lambda: Timeout(WaitUntil(never), 2.0), 0.0),
        (lambda: ForEach([7.0, 8.0], TimedWait), 7.0),
        (lambda: Retry(DelegateAction(lambda: 1 / 0), 3, delay=4.0), 4.0),
        (lambda: Parallel(Defer("RING"), TimedWait(2.0)), 2.0),
        (lambda: RunFsm(waiting_machine(6.0)), 6.0),
        (lambda: RunFsm(waiting_machine(6.0), time=SLOW), 24.0),
    ],
)
def test_what_an_action_waits_for(make: Callable[[], FsmAction[Any]], due: float) -> None:
    fsm = running(make())
    assert fsm.next_due == due


def waiting_machine(seconds: float) -> Fsm[None]:
    fsm = Fsm[None]("Inner")
    fsm.add_state("Wait").add_action(TimedWait(seconds))
    return fsm


def test_a_routine_says_what_it_waits_for() -> None:
    def routine() -> Any:
        yield 1.5
        yield "RING"
        yield TimedWait(2.5)
        yield never

    fsm = running(Coroutine(routine))
    dues = [fsm.next_due]
    fsm.update(1.5)
    dues.append(fsm.next_due)
    fsm.send_event("RING")
    dues.append(fsm.next_due)
    fsm.update(2.5)
    dues.append(fsm.next_due)
    assert dues == [1.5, inf, 2.5, 0.0]


def test_of_all_that_is_waited_for_the_first_counts() -> None:
    fsm = running(TimedWait(5.0), TimedWait(3.0))
    fsm.send_event_after(2.0, "RING")
    other = running(TimedWait(4.0))
    other.update(3.0)
    assert (fsm.next_due, FsmGroup([fsm, other]).next_due, FsmGroup().next_due) == (2.0, 1.0, inf)


def test_what_was_posted_is_due_now() -> None:
    fsm = running(OnEvent("RING", never))
    before = fsm.next_due
    fsm.post_event("RING")
    assert (before, fsm.next_due) == (inf, 0.0)


def test_a_result_from_elsewhere_is_due_when_it_has_come() -> None:
    import asyncio

    async def work() -> str:
        return "done"

    async def course() -> tuple[float, float]:
        fsm = running(Await(work))
        before = fsm.next_due
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        after = fsm.next_due
        fsm.stop()
        return before, after

    assert asyncio.run(course()) == (inf, 0.0)


def test_the_result_of_a_thread_is_not_waited_for_in_updates() -> None:
    may_end = Event()
    fsm = running(InThread(lambda: may_end.wait(60)))
    assert fsm.next_due == inf
    may_end.set()
    fsm.stop()


def test_a_suspended_state_is_never_due() -> None:
    fsm = Fsm[None]("Guard")
    walk, look = fsm.add_state("Walk"), fsm.add_state("Look")
    walk.add_action(TimedWait(5.0))
    walk.add_transition("NOISE", look, suspend=True)
    look.add_transition("CALM", BACK)
    fsm.start()
    fsm.update(2.0)
    fsm.send_event("NOISE")
    suspended = fsm.next_due
    fsm.update(9.0)
    fsm.send_event("CALM")
    assert (suspended, fsm.next_due) == (inf, 3.0)


def test_a_machine_that_does_not_run_is_never_due() -> None:
    fsm = waiting_machine(1.0)
    assert fsm.next_due == inf


def test_a_subclass_with_an_update_of_its_own_wants_every_update() -> None:
    class Ticking(TimedWait):
        def on_update(self) -> None:
            super().on_update()

    class Growing(TimedWait):
        def apply(self, progress: float) -> None:
            pass

    class Counting:
        def on_update(self) -> None:
            pass

    class Counted(Counting, TimedWait):
        pass

    class Patient(Ticking):
        @property
        def next_due(self) -> float:
            return 7.0

    kinds = (Ticking, Growing, Counted, Patient)
    assert [running(kind(3.0)).next_due for kind in kinds] == [0.0, 0.0, 0.0, 7.0]


def test_what_is_due_now_is_due_at_any_pace() -> None:
    inner = waiting_machine(6.0)
    over = inner.add_state("Over")
    inner.add_global_transition("STOP", over)
    over.add_action(WaitUntil(never))
    fsm = running(RunFsm(inner, time=STILL))
    dues = [fsm.next_due]
    inner.post_event("STOP")
    dues.append(fsm.next_due)
    fsm.update(0.0)
    assert (*dues, fsm.next_due, inner.path[-1]) == (inf, 0.0, 0.0, "Over")


def test_an_action_may_say_it_of_itself() -> None:
    class Alarm(FsmAction):
        next_due: float

        def on_enter(self) -> None:
            self.next_due = 8.0

        def on_update(self) -> None:
            self.next_due -= self.delta_time

    fsm = running(Alarm())
    fsm.update(3.0)
    assert fsm.next_due == 5.0


# A random machine runs from one event to the next, and beside it another in small steps


def blueprints(shortest: int) -> st.SearchStrategy[Any]:
    """Return trees of actions whose waits are that long at least."""
    return st.recursive(
        st.tuples(st.just("wait"), st.integers(shortest, 20)),
        lambda inner: st.one_of(
            st.tuples(
                st.sampled_from(["sequence", "parallel", "race"]),
                st.lists(inner, min_size=shortest, max_size=3),
            ),
            st.tuples(st.just("repeat"), inner),
            st.tuples(st.just("timeout"), inner, st.integers(1, 20)),
            st.tuples(st.just("fsm"), inner),
        ),
        max_leaves=6,
    )


def built(plan: Any) -> FsmAction[Any]:
    kind, *rest = plan
    match kind:
        case "wait":
            return TimedWait(float(rest[0] * UNIT))
        case "repeat":
            return Repeat(built(rest[0]), 3)
        case "timeout":
            return Timeout(built(rest[0]), float(rest[1] * UNIT))
        case "fsm":
            inner = Fsm[None]("Inner")
            first, last = inner.add_state("First"), inner.add_state("Last", final=True)
            first.add_action(built(rest[0]))
            first.add_transition(FINISHED, last)
            return RunFsm(inner)
        case _:
            composite = {"sequence": Sequence, "parallel": Parallel, "race": Race}[kind]
            return composite(*(built(each) for each in rest[0]))


def machine_of(plans: list[Any], *, carry_time: bool) -> tuple[Fsm[None], list[Any]]:
    """Return a circle of states with these actions, and the journal of its changes."""
    fsm, journal = Fsm[None]("Any", carry_time=carry_time), list[Any]()
    states = [fsm.add_state(f"S{number}") for number in range(len(plans))]
    for number, plan in enumerate(plans):
        states[number].add_action(TimedWait(float(UNIT)))
        states[number].add_action(built(plan))
        states[number].add_action(
            DelegateAction(on_exit=lambda state: journal.append((state.name, state.fsm.time)))
        )
        states[number].add_transition(FINISHED, states[(number + 1) % len(plans)])
    fsm.start()
    return fsm, journal


@pytest.mark.slow
@given(st.lists(blueprints(0), min_size=1, max_size=3), st.booleans())
def test_nothing_happens_before_it_is_due(plans: list[Any], carry_time: bool) -> None:
    fsm, journal = machine_of(plans, carry_time=carry_time)
    for _ in range(50):
        due, before = fsm.next_due, list(journal)
        fsm.update(due / 2)
        assert due == 0.0 or journal == before
        fsm.update(due / 2 or float(UNIT))


@pytest.mark.slow
@given(st.lists(blueprints(1), min_size=1, max_size=3))
def test_going_from_one_event_to_the_next_is_the_same_as_going_in_small_steps(
    plans: list[Any],
) -> None:
    (by_events, of_events), (by_steps, of_steps) = (
        machine_of(plans, carry_time=True) for _ in range(2)
    )
    for _ in range(40):
        by_events.update(by_events.next_due)
    while by_steps.time < by_events.time:
        by_steps.update(float(UNIT))
    assert of_events[: len(of_steps)] == of_steps[: len(of_events)]
    assert by_events.next_due <= 20 * UNIT
