"""Rule 22: what ends first is first, so one long step does what many short ones do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import pytest
from every import every

import actions
from actions import (
    Coroutine,
    DelegateAction,
    Flee,
    FollowPath,
    FollowWaypoints,
    ForEach,
    Move,
    MoveTowards,
    Parallel,
    PathMode,
    Race,
    Repeat,
    Retry,
    RotateTowards,
    RunFsm,
    SendEvent,
    TimedWait,
    Timeout,
    Tween,
)
from fsmkit import FINISHED, Fsm, FsmAction, FsmError, FsmState
from fsmkit.space import Transform

Log: TypeAlias = list[tuple[float, str, str | None]]
Build: TypeAlias = Callable[[Log], Fsm]

TICK = 1 / 64


class Watch:
    """Writes down which state is entered when, by what; when: by the clock of the outermost."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def state_entered(self, fsm: Fsm, state: FsmState, event: str | None) -> None:
        self.log.append((moment(fsm), f"{fsm.name}.{state.name}", event))


def moment(fsm: Fsm) -> float:
    return fsm.time if fsm.host is None else moment(fsm.host.fsm)


def note(log: Log, name: str) -> FsmAction:
    return DelegateAction(lambda state: log.append((moment(state.fsm), name, None)))


def told(build: Build, steps: Sequence[float]) -> Log:
    """What becomes of a machine in these steps."""
    log: Log = []
    fsm = build(log)
    fsm.start()
    for step in steps:
        fsm.update(step)
    return log


def cut(rng: random.Random, ticks: int) -> list[float]:
    """Cut so many ticks into steps, at random."""
    cuts = sorted({0, ticks, *(rng.randrange(ticks) for _ in range(rng.randint(0, 6)))})
    return [(b - a) * TICK for a, b in pairwise(cuts)]


def state_with(*made: Callable[[Log], FsmAction]) -> Build:
    """A machine with these actions in a state that FINISHED and three events lead out of."""

    def build(log: Log) -> Fsm:
        fsm = Fsm("M", carry_time=True, on_unhandled="ignore")
        a, b = fsm.add_state("A"), fsm.add_state("B")
        for make in made:
            a.add_action(make(log))
        for event in (FINISHED, "E", "F", "LATE"):
            a.add_transition(event, b)
        fsm.observe(Watch(log))
        return fsm

    return build


def routine(log: Log) -> Callable[[], Any]:
    def steps() -> Any:
        yield 0.25
        log.append((0.25, "went on", None))
        yield TimedWait(0.25)
        yield 0.125

    return steps


def two_ends_inside(_log: Log) -> FsmAction:
    inner = Fsm("Inner", carry_time=True)
    states = [inner.add_state(name, final=name == "End") for name in ("Go", "Rest", "End")]
    for state, following in pairwise(states):
        state.add_action(TimedWait(0.25))
        state.add_transition(FINISHED, following)
    return RunFsm(inner, {"End": "E"})


@every(
    ("made", "expected"),
    [
        ([lambda _: Race(TimedWait(0.75, "E"), TimedWait(0.25, "F"))], (0.25, "F")),
        ([lambda _: Timeout(TimedWait(0.75), 0.25, "LATE")], (0.25, "LATE")),
        ([lambda _: TimedWait(0.75, "E"), lambda _: TimedWait(0.25, "F")], (0.25, "F")),
        ([lambda _: Move(Transform(), (0, 0), (1, 0), 0.75, finish_event="E"),
          lambda _: SendEvent("F", delay=0.25)], (0.25, "F")),
        ([lambda _: Tween({"x": 0}, "x", 0.0, 1.0, 0.375, repeat=2, finish_event="E"),
          lambda _: Parallel(TimedWait(0.25), TimedWait(0.125), finish_event="F")], (0.25, "F")),
        ([lambda _: MoveTowards(Transform((0, 0)), (3, 0), 4.0, finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([lambda _: FollowPath(Transform((0, 0)), [(1, 0), (3, 0)], 4.0, finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([lambda _: FollowWaypoints(Transform((0, 0)), [(1, 0), (3, 0)], 4.0, mode=PathMode.ONCE,
                                    finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([lambda _: RotateTowards(Transform((0, 0), 0.0), (0, 1), speed=120.0, finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([lambda _: Flee(Transform((1, 0)), (0, 0), 4.0, distance=4.0, finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([two_ends_inside, lambda _: TimedWait(0.25, "F")], (0.25, "F")),
        ([lambda log: Coroutine(routine(log), finish_event="E"),
          lambda _: TimedWait(0.5, "F")], (0.5, "F")),
        ([lambda _: Race(actions.Sequence(TimedWait(0.25), TimedWait(0.25), finish_event="E"),
                         ForEach((0.125, 0.25), TimedWait, finish_event="F"))], (0.375, "F")),
    ],
)  # fmt: skip
def test_what_ends_first_is_first_wherever_it_stands_in_the_list(
    made: list[Callable[[Log], FsmAction]], expected: tuple[float, str]
) -> None:
    build = state_with(*made)
    when, event = expected
    assert told(build, [1.0])[-1] == (when, "M.B", event)
    assert told(build, [1.0]) == told(build, [TICK] * 64)


def test_what_is_left_behind_is_where_it_was_at_that_moment() -> None:
    cart = Transform((0.0, 0.0))
    move = Move(cart, (0.0, 0.0), (8.0, 0.0), 2.0)
    fsm = state_with(lambda _: move, lambda _: TimedWait(0.25, "F"))([])
    fsm.start()
    fsm.update(1.0)
    assert cart.position == (1.0, 0.0)


def test_actions_that_look_at_things_are_updated_once_with_the_whole_step() -> None:
    seen: list[tuple[float, float]] = []
    look = DelegateAction(on_update=lambda s: seen.append((s.fsm.time, s.delta_time)))
    ends = [TimedWait(0.25), TimedWait(0.5), TimedWait(2.0)]
    fsm = state_with(*(lambda _, each=each: each for each in (*ends, look)))([])
    fsm.start()
    fsm.update(1.0)
    assert seen == [(1.0, 1.0)]


def test_a_state_ends_with_the_last_of_its_actions_also_with_one_that_is_not_timed() -> None:
    end = DelegateAction(on_update=lambda state: state.actions[0].finish())
    build = state_with(lambda _: end, lambda _: TimedWait(0.25), lambda _: TimedWait(0.5))
    assert told(build, [1.0])[-1] == (1.0, "M.B", FINISHED)


def test_rounds_without_time_follow_at_once_where_there_is_an_end_to_them() -> None:
    log: Log = []
    repeat = Repeat(note(log, "round"), times=3)
    fsm = state_with(lambda _: actions.Sequence(TimedWait(0.25), repeat, TimedWait(0.25)))(log)
    fsm.start()
    fsm.update(1.0)
    assert log[1:] == [(0.25, "round", None)] * 3 + [(0.5, "M.B", FINISHED)]


def test_a_round_without_time_is_followed_at_once_by_one_that_takes_time() -> None:
    waits = iter((0.25, 0.0, 0.25, 0.0, 9.0))
    log: Log = []
    rounds = Repeat(actions.Sequence(note(log, "round"), TimedWait(lambda: next(waits))))
    fsm = state_with(lambda _: rounds)([])
    fsm.start()
    fsm.update(1.0)
    assert [time for time, *_ in log] == [0.0, 0.25, 0.25, 0.5, 0.5]


def test_a_machine_inside_keeps_its_clock_when_it_ends_within_the_step() -> None:
    run = two_ends_inside([])
    fsm = state_with(lambda _: run)([])
    fsm.start()
    fsm.update(2.0)
    assert (fsm.time_in_state, run.machines[0].time) == (1.5, 0.5)


def blinking() -> Any:
    while True:
        yield 0.1


def never() -> None:
    raise ConnectionError


def blinker() -> Fsm:
    inner = Fsm("Lamp", carry_time=True)
    inner.add_state("Blink").add_action(Repeat(TimedWait(0.1)))
    return inner


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Repeat", lambda: [Repeat(TimedWait(0.1))]),
        ("Repeat", lambda: [Repeat(TimedWait(0.1)), TimedWait(9e9)]),
        ("Repeat", lambda: [TimedWait(9e9), actions.Sequence(Repeat(TimedWait(0.1)))]),
        ("Coroutine", lambda: [Coroutine(blinking)]),
        ("Retry", lambda: [Retry(DelegateAction(never), 10**6, delay=0.1), TimedWait(9e9)]),
        ("RunFsm", lambda: [RunFsm(blinker())]),
    ],
)
def test_a_step_that_holds_too_many_rounds_is_an_error_that_says_so(
    name: str, made: Callable[[], list[FsmAction]]
) -> None:
    fsm = Fsm("Lamp", carry_time=True)
    blink = fsm.add_state("Blink")
    for action in made():
        blink.add_action(action)
    fsm.start()
    said = "would go on more than 10,000 times within one update of 1200 s. Update in smaller st"
    with pytest.raises(FsmError, match=said):
        fsm.update(1200.0)
    assert fsm.time == 1200.0


def test_a_coroutine_that_does_wait_is_not_told_that_it_does_not() -> None:
    fsm = Fsm("Lamp")
    fsm.add_state("Blink").add_action(Coroutine(blinking))
    fsm.start()
    with pytest.raises(FsmError, match="Coroutine would go on more than 10,000 times within one u"):
        fsm.update(1200.0)


# Random trees


class Trees:
    """Makes random machines out of what takes time and what does not."""

    def __init__(self, seed: int, log: Log) -> None:
        self.rng = random.Random(seed)
        self.log = log
        self.events = ("E", "F", "G")

    def machine(self, name: str = "M", depth: int = 3) -> Fsm:
        """A wait leads to B, B and C lead on or back, so that no way is endless at one moment."""
        fsm = Fsm(name, carry_time=True, on_unhandled="ignore")
        fsm.observe(Watch(self.log))
        for each in ("A", "B", "C", "End"):
            fsm.add_state(each, final=each == "End")
        fsm.states["A"].add_action(TimedWait(self.seconds()))
        fsm.states["A"].add_transition(FINISHED, "B")
        for state, targets in (("B", ("C", "A", "End")), ("C", ("A", "End"))):
            for _ in range(self.rng.randint(1, 3)):
                fsm.states[state].add_action(self.action(depth))
            for event in (FINISHED, *self.events):
                if self.rng.random() < 0.6:
                    fsm.states[state].add_transition(event, self.rng.choice(targets))
        return fsm

    def action(self, depth: int) -> FsmAction:
        leaves = (self.wait, self.move, self.send, self.note)
        inner = (self.sequence, self.parallel, self.race, self.timeout, self.repeat, self.nested)
        return self.rng.choice(inner if depth and self.rng.random() < 0.6 else leaves)(depth - 1)

    def some(self, depth: int) -> list[FsmAction]:
        return [self.action(depth) for _ in range(self.rng.randint(1, 3))]

    def seconds(self) -> float:
        return self.rng.randint(1, 24) * TICK

    def event(self) -> str | None:
        return self.rng.choice((None, None, *self.events))

    def wait(self, _depth: int) -> FsmAction:
        return TimedWait(self.seconds(), self.event())

    def move(self, _depth: int) -> FsmAction:
        ends = (0.0, 0.0), (8.0, 0.0)
        return Move(Transform(), *ends, self.seconds(), finish_event=self.event())

    def send(self, _depth: int) -> FsmAction:
        delay = self.rng.choice((0.0, self.seconds()))
        return SendEvent(self.rng.choice(self.events), delay=delay)

    def note(self, _depth: int) -> FsmAction:
        return note(self.log, str(self.rng.random()))

    def sequence(self, depth: int) -> FsmAction:
        return actions.Sequence(*self.some(depth), finish_event=self.event())

    def parallel(self, depth: int) -> FsmAction:
        children = self.some(depth)
        needed = self.rng.choice((None, self.rng.randint(1, len(children))))
        return Parallel(*children, needed=needed, finish_event=self.event())

    def race(self, depth: int) -> FsmAction:
        return Race(*self.some(depth), finish_event=self.event())

    def timeout(self, depth: int) -> FsmAction:
        return Timeout(self.action(depth), self.seconds(), self.event())

    def repeat(self, depth: int) -> FsmAction:
        if self.rng.random() < 0.5:
            return Repeat(self.action(depth), self.rng.randint(0, 4), finish_event=self.event())
        return Repeat(actions.Sequence(TimedWait(self.seconds()), self.action(depth)))

    def nested(self, depth: int) -> FsmAction:
        outcome, self.events = self.event(), ("P", "Q")  # an event is offered to it first
        machine = self.machine(f"Inner{self.rng.randrange(999)}", max(0, depth))
        self.events = ("E", "F", "G")
        return RunFsm(machine, {"End": outcome} if outcome else None)


@pytest.mark.parametrize("seed", range(300))
def test_one_step_does_what_sixty_four_do_and_so_do_any_others(seed: int) -> None:
    def build(log: Log) -> Fsm:
        return Trees(seed, log).machine()

    rng = random.Random(seed)
    expected = told(build, [TICK] * 128)
    assert told(build, [2.0]) == expected
    for _ in range(3):
        assert told(build, cut(rng, 128)) == expected
