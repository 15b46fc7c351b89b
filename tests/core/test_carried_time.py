"""Rule 22: the rest of a step is used in the next state, and inside compositions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import pairwise

import pytest
from every import every

from actions import (
    Defer,
    DelegateAction,
    Move,
    Parallel,
    Race,
    Repeat,
    Retry,
    RunFsm,
    SendEvent,
    Sequence,
    TimedWait,
    Timeout,
    WaitUntil,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, TimeReference, TransitionLoopError
from fsmkit.space import Transform


def drive(fsm: Fsm, steps: Iterable[float]) -> None:
    for step in steps:
        fsm.update(step)


def patrol(carry_time: bool = True) -> tuple[Fsm, list[float]]:
    """Two moves and two waits, 4.36 s a round; the list has the time of the beginning of each."""
    rounds: list[float] = []
    fsm = Fsm("Patrol", carry_time=carry_time)
    guard = Transform((0.0, 0.0))
    there, rest, back, look = map(fsm.add_state, ("There", "Rest", "Back", "Look"))
    there.add_action(DelegateAction(lambda state: rounds.append(state.fsm.time)))
    there.add_action(Move(guard, (0.0, 0.0), (4.0, 0.0), 1.7))
    rest.add_action(TimedWait(0.33))
    back.add_action(Move(guard, (4.0, 0.0), (0.0, 0.0), 1.83))
    look.add_action(TimedWait(0.5))
    for state, following in ((there, rest), (rest, back), (back, look), (look, there)):
        state.add_transition(FINISHED, following)
    fsm.start()
    return fsm, rounds


def stutter(seconds: float) -> Iterable[float]:
    rng = random.Random(7)
    left = seconds
    while left > 1e-6:
        step = min(left, rng.choice((0.004, 0.016, 0.033, 0.25, 2.0)))
        left -= step
        yield step


FRAMES = {
    "30 Hz": lambda: [1 / 30] * (30 * 600),
    "60 Hz": lambda: [1 / 60] * (60 * 600),
    "144 Hz": lambda: [1 / 144] * (144 * 600),
    "stutter": lambda: stutter(600.0),
    "one step": lambda: [600.0],
}


@pytest.mark.slow
@pytest.mark.parametrize("frames", FRAMES)
def test_a_patrol_keeps_its_phase_at_every_frame_rate(frames: str) -> None:
    fsm, rounds = patrol()
    drive(fsm, FRAMES[frames]())
    assert rounds == pytest.approx([4.36 * n for n in range(138)], abs=1e-5)


def test_without_it_a_patrol_falls_behind() -> None:
    fsm, rounds = patrol(carry_time=False)
    drive(fsm, FRAMES["30 Hz"]())
    assert rounds[-1] > 4.36 * (len(rounds) - 1) + 0.5


@pytest.mark.parametrize(
    ("carry_time", "expected"),
    [(True, [(24, 0.4)] * 4), (False, [(30, 0.5), (30, 0.5), (30, 0.5), (30, 0.5)])],
)
def test_ten_short_waits_take_exactly_their_time(
    carry_time: bool, expected: list[tuple[int, float]]
) -> None:
    def as_states() -> Fsm:
        fsm = Fsm("States", carry_time=carry_time)
        states = [fsm.add_state(f"S{n}") for n in range(11)]
        for state, following in pairwise(states):
            state.add_action(TimedWait(0.04))
            state.add_transition(FINISHED, following)
        return fsm

    def as_action(action: FsmAction) -> Fsm:
        fsm = Fsm("Action", carry_time=carry_time)
        fsm.add_state("S0").add_action(action)
        fsm.states["S0"].add_transition(FINISHED, fsm.add_state("S10"))
        return fsm

    machines = [
        as_states(),
        as_action(Sequence(*(TimedWait(0.04) for _ in range(10)))),
        as_action(Repeat(TimedWait(0.04), times=10)),
        as_action(Repeat(Sequence(TimedWait(0.03), TimedWait(0.01)), times=10)),
    ]
    took: list[tuple[int, float]] = []
    for fsm in machines:
        fsm.start()
        frames = 0
        while fsm.current_state.name != "S10":
            fsm.update(1 / 60)
            frames += 1
        took.append((frames, round(fsm.time - fsm.time_in_state, 6)))
    assert took == expected


class Journal(FsmAction):
    """Write down when the machine enters, updates and exits, and with how much."""

    def __init__(self, journal: list[str]) -> None:
        self.journal = journal

    def on_enter(self) -> None:
        self.journal.append(f"enter {self.state.name} {self.fsm.time:g}")

    def on_update(self) -> None:
        self.journal.append(f"update {self.state.name} {self.fsm.time:g} {self.delta_time:g}")

    def on_exit(self) -> None:
        self.journal.append(f"exit {self.state.name} {self.fsm.time:g}")


def chain(*actions: FsmAction, carry_time: bool = True) -> tuple[Fsm, list[str]]:
    """States A, B, ... with one action each, and a journal in each; FINISHED leads on."""
    journal: list[str] = []
    fsm = Fsm("Chain", carry_time=carry_time)
    for index, action in enumerate(actions):
        state = fsm.add_state("ABCDEF"[index])
        note = Journal(journal)
        note.background = True
        state.add_action(note)
        state.add_action(action)
        if index:
            fsm.states["ABCDEF"[index - 1]].add_transition(FINISHED, state)
    fsm.start()
    return fsm, journal


def test_the_next_state_is_updated_with_the_rest_and_time_is_exact_meanwhile() -> None:
    fsm, journal = chain(TimedWait(0.25), TimedWait(0.25), TimedWait(10.0))
    fsm.update(1.0)
    assert journal == [
        "enter A 0", "update A 1 1", "exit A 0.25", "enter B 0.25", "update B 1 0.75",
        "exit B 0.5", "enter C 0.5", "update C 1 0.5",
    ]  # fmt: skip
    assert (fsm.time, fsm.delta_time, fsm.time_in_state) == (1.0, 1.0, 0.5)


def test_of_several_that_finish_together_the_smallest_rest_counts() -> None:
    fsm, journal = chain(Parallel(TimedWait(0.25), TimedWait(0.75)), TimedWait(10.0))
    fsm.states["A"].add_action(TimedWait(0.5))
    fsm.start()
    journal.clear()
    fsm.update(1.0)
    assert journal == ["update A 1 1", "exit A 0.75", "enter B 0.75", "update B 1 0.25"]


def test_what_finishes_on_enter_hands_on_all_of_the_rest() -> None:
    fsm, journal = chain(TimedWait(0.5), DelegateAction(), DelegateAction(), TimedWait(9.0))
    fsm.update(2.0)
    assert journal[2:] == [
        "exit A 0.5", "enter B 0.5", "exit B 0.5", "enter C 0.5", "exit C 0.5", "enter D 0.5",
        "update D 2 1.5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "action",
    [
        WaitUntil(lambda state: state.fsm.time_in_state >= 0.5),
        DelegateAction(on_update=lambda state: state.send_event(FINISHED)),
    ],
    ids=["polled", "an event of its own"],
)
def test_other_changes_hand_on_nothing(action: FsmAction) -> None:
    fsm, journal = chain(action, TimedWait(9.0))
    fsm.update(1.0)
    assert journal == ["enter A 0", "update A 1 1", "exit A 1", "enter B 1"]


def test_a_change_decided_while_entering_drops_the_rest() -> None:
    go = DelegateAction(lambda state: state.send_event("ON"))
    fsm, journal = chain(TimedWait(0.5), go, TimedWait(9.0))
    fsm.states["B"].add_transition("ON", "C")
    fsm.update(1.0)
    assert journal[-2:] == ["exit B 0.5", "enter C 0.5"]
    assert (fsm.time, fsm.time_in_state) == (1.0, 0.5)
    fsm.update(1.0)
    assert journal[-1] == "update C 2 1"


def test_an_error_a_start_and_a_stop_drop_the_rest() -> None:
    fsm, journal = chain(TimedWait(0.5), DelegateAction(lambda: 1 / 0), TimedWait(9.0))
    with pytest.raises(ZeroDivisionError):
        fsm.update(1.0)
    assert (fsm.time, journal[-1]) == (1.0, "enter B 0.5")
    fsm.states["B"].add_transition(ERROR, "C")
    fsm.start()
    journal.clear()
    fsm.update(1.0)
    assert journal == ["update A 2 1", "exit A 1.5", "enter B 1.5", "exit B 1.5", "enter C 1.5"]
    fsm, journal = chain(TimedWait(0.5), DelegateAction(lambda state: state.fsm.start("A")))
    fsm.update(1.0)
    assert journal[-1] == "enter A 0.5"
    fsm, journal = chain(TimedWait(0.5), DelegateAction(lambda state: state.fsm.stop()))
    fsm.update(1.0)
    assert (journal[-1], fsm.time) == ("exit B 0.5", 1.0)


def test_finish_events_and_events_of_delayed_actions_hand_on_time_too() -> None:
    fsm, journal = chain(SendEvent("ON", delay=0.25), TimedWait(0.25, "ON"), TimedWait(9.0))
    for state, following in (("A", "B"), ("B", "C")):
        fsm.states[state].add_transition("ON", following)
    fsm.update(1.0)
    assert journal[-1] == "update C 1 0.5"


def test_a_timeout_hands_on_what_came_after_it() -> None:
    fsm, journal = chain(Timeout(TimedWait(9.0), 0.25, "LATE"), TimedWait(9.0))
    fsm.states["A"].add_transition("LATE", "B")
    fsm.update(1.0)
    assert journal[-1] == "update B 1 0.75"


def test_a_time_reference_gives_back_the_machine_s_own_seconds() -> None:
    slow = TimeReference("slow", scale=0.5)
    fsm, journal = chain(TimedWait(0.25, time=slow), TimedWait(9.0))
    fsm.update(1.0)
    assert journal[-1] == "update B 1 0.5"


def test_children_begin_within_the_step() -> None:
    seen: list[float] = []
    note = lambda state: seen.append(state.fsm.time)  # noqa: E731
    steps = (TimedWait(0.25), DelegateAction(note), TimedWait(0.25), DelegateAction(note))
    fsm, journal = chain(Sequence(*steps), TimedWait(9.0))
    fsm.update(1.0)
    assert seen == [0.25, 0.5]
    assert journal[-1] == "update B 1 0.5"


def test_rounds_follow_each_other_within_the_step() -> None:
    rounds = Repeat(TimedWait(0.3))
    fsm, _ = chain(rounds)
    fsm.update(1.0)
    assert rounds.rounds == 3
    fsm.update(0.2)
    assert rounds.rounds == 4
    at_once = Repeat(DelegateAction())
    fsm, _ = chain(at_once)
    fsm.update(1.0)
    assert at_once.rounds == 1


def test_a_race_is_over_when_its_winner_is() -> None:
    fsm, journal = chain(Race(TimedWait(5.0), TimedWait(0.25)), TimedWait(9.0))
    fsm.update(1.0)
    assert journal[-1] == "update B 1 0.75"


def test_the_next_try_begins_within_the_step() -> None:
    tries: list[float] = []

    def attempt(state: object) -> None:
        tries.append(fsm.time)
        if len(tries) < 3:
            raise ConnectionError

    retry = Retry(Sequence(DelegateAction(attempt), TimedWait(0.25)), 5, delay=0.5)
    fsm = Fsm("M", carry_time=True)
    fsm.add_state("A").add_action(retry)
    fsm.states["A"].add_transition(FINISHED, fsm.add_state("B"))
    fsm.start()
    drive(fsm, [0.6, 1.0])
    assert tries == pytest.approx([0.0, 0.5, 1.1])
    assert (fsm.current_state.name, fsm.time_in_state) == ("B", pytest.approx(0.25))


def test_a_nested_machine_hands_on_what_it_has_left() -> None:
    inner = Fsm("Inner", carry_time=True)
    work, end = inner.add_state("Work"), inner.add_state("End", final=True)
    work.add_action(TimedWait(0.25))
    work.add_transition(FINISHED, end)
    fsm, journal = chain(RunFsm(inner), TimedWait(9.0))
    fsm.update(1.0)
    assert journal[-1] == "update B 1 0.75"


def test_a_state_that_is_resumed_gets_the_rest() -> None:
    fsm, journal = chain(TimedWait(9.0), carry_time=True)
    pause = fsm.add_state("Pause")
    pause.add_action(TimedWait(0.25))
    pause.add_transition(FINISHED, BACK)
    fsm.add_global_transition("BREAK", pause, suspend=True)
    fsm.update(1.0)
    fsm.send_event("BREAK")
    fsm.update(1.0)
    assert journal == ["enter A 0", "update A 1 1", "update A 2 0.75"]


@pytest.mark.slow
def test_changes_at_one_moment_are_bounded_and_those_that_take_time_are_not() -> None:
    fsm = Fsm("Blink", carry_time=True, max_transitions=5)
    on, off = fsm.add_state("On"), fsm.add_state("Off")
    on.add_action(TimedWait(0.01))
    off.add_action(TimedWait(0.01))
    on.add_transition(FINISHED, off)
    off.add_transition(FINISHED, on)
    fsm.start()
    fsm.update(10.0)
    assert (fsm.current_state.name, fsm.time) == ("On", 10.0)
    with pytest.raises(TransitionLoopError, match="more than 10,000 state changes within one upd"):
        fsm.update(1000.0)
    assert (fsm.time, fsm.is_running) == (1010.0, True)
    fsm.update(0.005)

    loop = Fsm("Loop", carry_time=True, max_transitions=5)
    wait, a, b = map(loop.add_state, ("Wait", "A", "B"))
    wait.add_action(TimedWait(0.5))
    for state, following in ((wait, a), (a, b), (b, a)):
        state.add_transition(FINISHED, following)
    loop.start()
    with pytest.raises(TransitionLoopError, match="They repeat"):
        loop.update(1.0)
    assert loop.time == 1.0


def test_delayed_events_of_a_state_that_began_within_the_step_come_within_it() -> None:
    delay = DelegateAction(lambda state: state.fsm.send_event_after(0.25, "ON"), lambda state: None)
    fsm, journal = chain(TimedWait(0.5), delay, TimedWait(9.0))
    fsm.states["B"].add_transition("ON", "C")
    fsm.update(1.0)
    assert journal[-1] == "enter C 1"


@every(
    "first",
    [
        lambda: Parallel(TimedWait(0.2), Defer("X")),
        lambda: Parallel(TimedWait(0.1), TimedWait(0.2), Defer("X"), Defer("Y")),
        lambda: Parallel(TimedWait(0.2), Parallel(Defer("X"))),
        lambda: Parallel(TimedWait(0.2), Sequence(Defer("X"), TimedWait(0.0))),
        lambda: Sequence(TimedWait(0.2), Defer("X")),
    ],
)
@every("steps", [(0.6,), (0.15, 0.45), (0.3, 0.3), (0.1, 0.1, 0.1, 0.3)])
def test_what_those_leave_that_a_defer_waits_for_is_handed_on(
    first: Callable[[], FsmAction], steps: tuple[float, ...]
) -> None:
    fsm = Fsm("M", carry_time=True)
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Sequence(first(), TimedWait(0.3)))
    a.add_transition(FINISHED, b)
    fsm.start()
    drive(fsm, steps)
    assert (fsm.current_state, fsm.time_in_state) == (b, pytest.approx(0.1))


def test_a_defer_hands_on_the_whole_step_where_those_it_waits_for_finished_before() -> None:
    fsm = Fsm("M", carry_time=True)
    a = fsm.add_state("A")
    following = TimedWait(1.0)
    a.add_action(Sequence(Parallel(Defer("X"), TimedWait(0.2)), following))
    fsm.start()
    drive(fsm, (0.3, 0.5))
    assert following.elapsed == 0.5
