"""Rule 25: what compositions make of a child that fails."""

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest

from actions import (
    ForEach,
    Parallel,
    Race,
    Regions,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
    When,
)
from actions.definition import define_action
from actions.parts.composite import Composite
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.testing import drive


class Step(FsmAction):
    """Finishes in its n-th update (0: on enter), or fails then with its name as the reason."""

    def __init__(self, name: str, updates: int, journal: list[str], fails: bool = False) -> None:
        self.name = name
        self.updates = updates
        self.journal = journal
        self.fails = fails

    def on_enter(self) -> None:
        self.journal.append(f"enter {self.name}")
        self.left = self.updates
        self._end_if_over()

    def on_update(self) -> None:
        self.journal.append(f"update {self.name}")
        self.left -= 1
        self._end_if_over()

    def on_exit(self) -> None:
        self.journal.append(f"exit {self.name}")

    def _end_if_over(self) -> None:
        if self.left == 0 and self.fails:
            self.fail(self.name)
        elif self.left == 0:
            self.finish()


class World:
    """A machine that works and then is done or in need of help, with a journal of its steps."""

    def __init__(self) -> None:
        self.journal: list[str] = []

    def ok(self, name: str, updates: int = 1) -> Step:
        return Step(name, updates, self.journal)

    def bad(self, name: str, updates: int = 1) -> Step:
        return Step(name, updates, self.journal, fails=True)

    def run(self, action: FsmAction, *, updates: int = 0, **options: Any) -> Fsm:
        fsm = Fsm("M", **options)
        work = fsm.add_state("Work")
        work.add_transition(FINISHED, fsm.add_state("Done"))
        work.add_transition(FAILED, fsm.add_state("Help"))
        work.add_action(action)
        fsm.start()
        for _ in range(updates):
            fsm.update(1.0)
        return fsm


@pytest.fixture
def world() -> World:
    return World()


def yes() -> bool:
    return True


def no() -> bool:
    return False


def end(fsm: Fsm) -> tuple[str, object]:
    assert fsm.current_state is not None
    return fsm.current_state.name, fsm.event_data


def test_a_sequence_fails_with_the_child_and_enters_no_other(world: World) -> None:
    fsm = world.run(Sequence(world.ok("a"), world.bad("b"), world.ok("c")), updates=3)
    assert world.journal == [
        "enter a", "update a", "exit a", "enter b", "update b", "exit b",
    ]  # fmt: skip
    assert end(fsm) == ("Help", "b")


def test_a_sequence_fails_with_a_child_that_fails_as_it_is_entered(world: World) -> None:
    fsm = world.run(Sequence(world.ok("a", 0), world.bad("b", 0), world.ok("c")))
    assert world.journal == ["enter a", "exit a", "enter b", "exit b"]
    assert end(fsm) == ("Help", "b")


def test_a_composition_that_failed_is_updated_no_more_and_left_with_its_state(
    world: World,
) -> None:
    sequence = Sequence(world.bad("a"), world.ok("b"))
    fsm = world.run(sequence)
    fsm.states["Work"].remove_transition(FAILED)
    fsm.on_unhandled = "ignore"
    assert drive(fsm, [1, 1, fsm.stop]) == [
        "update 1", "Step failed", "Step left", "Sequence failed", "event FAILED: ignored",
        "update 1", "Sequence left", "leave Work",
    ]  # fmt: skip
    assert world.journal == ["enter a", "update a", "exit a"]


def test_for_each_fails_with_the_action_of_an_item(world: World) -> None:
    made: list[Step] = []

    def make(name: str) -> Step:
        made.append(world.bad(name) if name == "b" else world.ok(name))
        return made[-1]

    fsm = world.run(ForEach("abc", make), updates=3)
    assert world.journal == [
        "enter a", "update a", "exit a", "enter b", "update b", "exit b",
    ]  # fmt: skip
    assert end(fsm) == ("Help", "b")
    assert [step.state for step in made] == [None, None]


def test_repeat_fails_in_the_round_in_which_its_action_fails(world: World) -> None:
    class Tire(Step):
        rounds = 0

        def on_enter(self) -> None:
            self.rounds += 1
            self.fails = self.rounds == 3
            super().on_enter()

    repeat = Repeat(Tire("a", 1, world.journal), times=9)
    fsm = world.run(repeat, updates=5)
    assert world.journal == ["enter a", "update a", "exit a"] * 3
    assert (*end(fsm), repeat.rounds) == ("Help", "a", 2)


@pytest.mark.parametrize("times", [1, 2, None])
@pytest.mark.parametrize("carry_time", [False, True])
def test_repeat_fails_with_an_action_that_fails_as_it_is_entered(
    world: World, times: int | None, *, carry_time: bool
) -> None:
    fsm = world.run(Repeat(world.bad("a", 0), times=times), updates=1, carry_time=carry_time)
    assert world.journal == ["enter a", "exit a"]
    assert end(fsm) == ("Help", "a")


def test_a_timeout_fails_with_its_action_and_not_by_its_time(world: World) -> None:
    assert end(world.run(Timeout(world.bad("a", 2), 2.0), updates=2)) == ("Help", "a")
    assert end(world.run(Timeout(world.bad("b", 3), 2.0), updates=2)) == ("Done", None)


def test_a_timeout_may_fail_when_its_time_is_over(world: World) -> None:
    timeout = Timeout(world.ok("a", 3), 1.5, "LATE", fails=True)
    fsm = world.run(timeout, on_unhandled="ignore", carry_time=True)
    assert drive(fsm, [2]) == [
        "update 2", "Step left", "event LATE: ignored", "Timeout failed", "event FAILED: changed",
        "Timeout left", "leave Work", "enter Help",
    ]  # fmt: skip
    assert (*end(fsm), fsm.time_in_state) == ("Help", "not done within 1.5 s", 0.5)
    assert end(world.run(Timeout(world.ok("b", 1), 1.5, fails=True), updates=1)) == ("Done", None)


def test_retry_tries_again_what_takes_too_long(world: World) -> None:
    retry = Retry(Timeout(world.ok("a", 9), 2.0, fails=True), times=2)
    fsm = world.run(retry, updates=4)
    assert (*end(fsm), retry.tries) == ("Help", "not done within 2 s", 2)


def test_when_fails_with_its_action(world: World) -> None:
    assert end(world.run(When(yes, world.bad("a")), updates=1)) == ("Help", "a")
    assert end(world.run(When(no, world.bad("b")), updates=1)) == ("Done", None)


def test_parallel_fails_with_the_first_that_fails(world: World) -> None:
    fsm = world.run(Parallel(world.ok("a", 1), world.bad("b", 2), world.ok("c", 3)), updates=3)
    assert world.journal == [
        "enter a", "enter b", "enter c",
        "update a", "update b", "update c",
        "update b", "exit a", "exit b", "exit c",
    ]  # fmt: skip
    assert end(fsm) == ("Help", "b")


def test_parallel_fails_once_what_is_needed_cannot_be_reached(world: World) -> None:
    three = world.bad("a", 1), world.bad("b", 2), world.ok("c", 3)
    assert end(world.run(Parallel(*three, needed=2), updates=3)) == ("Help", "b")
    three = world.bad("a", 1), world.bad("b", 2), world.ok("c", 3)
    assert end(world.run(Parallel(*three, needed=1), updates=3)) == ("Done", None)


def test_a_failed_one_does_not_count_among_those_needed(world: World) -> None:
    three = world.bad("a", 1), world.ok("b", 2), world.ok("c", 3)
    fsm = world.run(Parallel(*three, needed=2))
    assert drive(fsm, [1, 1])[-2:] == ["update 1", "Step finished"]
    assert drive(fsm, [1])[-1] == "enter Done"


def test_a_race_goes_on_without_those_that_fail(world: World) -> None:
    fsm = world.run(Race(world.bad("a", 0), world.bad("b", 1), world.ok("c", 2)), updates=2)
    assert world.journal == [
        "enter a", "enter b", "enter c", "update b", "update c", "update c",
        "exit a", "exit b", "exit c",
    ]  # fmt: skip
    assert end(fsm) == ("Done", None)


def test_a_race_fails_with_the_last_once_all_have_failed(world: World) -> None:
    fsm = world.run(Race(world.bad("a", 2), world.bad("b", 3), world.bad("c", 1)), updates=2)
    assert end(fsm) == ("Work", None)
    fsm.update(1.0)
    assert end(fsm) == ("Help", "b")


def test_of_those_that_fail_from_outside_the_order_counts(world: World) -> None:
    a, b = world.ok("a", 9), world.ok("b", 9)
    fsm = world.run(Race(a, b))
    b.fail("first")
    a.fail("last")
    assert end(fsm) == ("Work", None)
    fsm.update(1.0)
    assert end(fsm) == ("Help", "last")


def test_retry_tries_again_and_fails_with_the_last_reason(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    reasons = iter(["one", "two", "three"])

    class Call(FsmAction):
        def on_update(self) -> None:
            self.fail(next(reasons))

    retry = Retry(Call(), times=3, delay=1.0)
    with caplog.at_level(logging.INFO, "fsmkit.actions"):
        fsm = world.run(retry)
        journal = drive(fsm, [1, 1, 1, 1, 1])
    assert journal == [
        "update 1", "Call failed", "Call left",
        "update 1", "Call entered",
        "update 1", "Call failed", "Call left",
        "update 1", "Call entered",
        "update 1", "Call failed", "Call left", "Retry failed", "event FAILED: changed",
        "Retry left", "leave Work", "enter Help",
    ]  # fmt: skip
    assert (*end(fsm), retry.tries) == ("Help", "three", 3)
    assert [record.getMessage() for record in caplog.records] == [
        (
            "Fsm 'M', state 'Work', Retry: try 1 of 3 failed, 1.0 s to go until the next "
            "(failed: 'one')"
        ),
        (
            "Fsm 'M', state 'Work', Retry: try 2 of 3 failed, 1.0 s to go until the next "
            "(failed: 'two')"
        ),
    ]


@pytest.mark.parametrize("times", [1, 3])
def test_retry_tries_at_once_what_fails_as_it_is_entered(world: World, times: int) -> None:
    fsm = world.run(Retry(world.bad("a", 0), times=times))
    assert world.journal == ["enter a", "exit a"] * times
    assert end(fsm) == ("Help", "a")


def test_retry_finishes_once_a_try_finishes(world: World) -> None:
    failures = iter([True, True, False])

    class Call(FsmAction):
        def on_update(self) -> None:
            if next(failures):
                self.fail()
            else:
                self.finish()

    retry = Retry(Sequence(TimedWait(1.0), Call()), times=3)
    fsm = world.run(retry, updates=6)
    assert (*end(fsm), retry.tries) == ("Done", None, 3)


def test_retry_takes_errors_and_failings_alike(world: World) -> None:
    class Call(FsmAction):
        tries = 0

        def on_update(self) -> None:
            self.tries += 1
            if self.tries == 1:
                raise ConnectionError
            self.fail("busy")

    assert end(world.run(Retry(Call(), times=2), updates=2)) == ("Help", "busy")


def nested(*, failed: bool = True) -> Fsm:
    game = Fsm("Game")
    play = game.add_state("Play")
    play.add_transition("GOAL", game.add_state("Won", final=True))
    play.add_transition("MISS", game.add_state("Lost", final=True, failed=failed))
    return game


def test_run_fsm_fails_in_a_state_marked_failed(world: World) -> None:
    fsm = world.run(RunFsm(nested()))
    fsm.send_event("MISS", "0:1")
    assert end(fsm) == ("Help", "0:1")
    fsm = world.run(RunFsm(nested()))
    fsm.send_event("MISS")
    assert end(fsm) == ("Help", "Lost")
    fsm = world.run(RunFsm(nested()))
    fsm.send_event("GOAL", "1:0")
    assert end(fsm) == ("Done", None)


def test_an_outcome_takes_the_place_of_failing(world: World) -> None:
    run_fsm = RunFsm(nested(), {"Lost": "SIGH"})
    fsm = world.run(run_fsm, on_unhandled="ignore")
    assert drive(fsm, [("MISS", "0:1")]) == [
        "event SIGH: ignored", "RunFsm finished", "event FINISHED: changed",
        "event MISS: consumed", "RunFsm left", "leave Work", "enter Done",
    ]  # fmt: skip


def test_a_failing_inside_a_machine_stays_in_it(world: World) -> None:
    game = Fsm("Game", on_unhandled="ignore")
    game.add_state("Play").add_action(world.bad("a"))
    game.states["Play"].add_transition(FAILED, game.add_state("Lost", final=True, failed=True))
    fsm = world.run(RunFsm(game))
    fsm.send_event(FAILED, "by hand")
    assert end(fsm) == ("Help", "by hand")
    assert world.journal == ["enter a", "exit a"]
    fsm.start("Work")
    fsm.update(1.0)
    assert end(fsm) == ("Help", "a")


def test_regions_fail_as_a_parallel_does(world: World) -> None:
    fsm = world.run(Regions(RunFsm(nested()), RunFsm(nested(failed=False))))
    fsm.send_event("MISS", "0:1")
    assert end(fsm) == ("Help", "0:1")
    fsm = world.run(Regions(RunFsm(nested()), RunFsm(nested(failed=False)), needed=1))
    fsm.send_event("MISS", "0:1")
    assert end(fsm) == ("Done", None)


@define_action
class Both(Composite[Any]):
    """A composite of a user, which knows nothing of failing."""

    actions: tuple[FsmAction, ...]

    @property
    def children(self) -> tuple[FsmAction, ...]:
        return self.actions

    def begin(self) -> None:
        for action in self.actions:
            self.begin_child(action)

    def go_on(self) -> None:
        if all(action.finished for action in self.actions):
            self.finish()


def test_a_composite_fails_by_default_with_the_first_child_that_fails(world: World) -> None:
    assert end(world.run(Both((world.ok("a"), world.bad("b"))), updates=1)) == ("Help", "b")


@pytest.mark.parametrize("data", [True, False, 1, None, "failed"])
def test_a_child_that_finishes_with_any_data_has_not_failed(world: World, data: object) -> None:
    class Give(FsmAction):
        def on_update(self) -> None:
            self.finish(data=data)

    give = Give()
    fsm = world.run(Sequence(give, world.ok("b")), updates=1)
    assert (fsm.current_state, world.journal) == (fsm.states["Work"], ["enter b"])
    assert end(world.run(Race(Give(), world.ok("c")), updates=1)) == ("Done", None)


def test_a_child_that_failed_and_then_raised_has_not_failed(world: World) -> None:
    class Break(FsmAction):
        tries = 0

        def on_enter(self) -> None:
            self.tries += 1
            if self.tries == 1:
                self.fail("broken")
                raise OSError

        def on_update(self) -> None:
            self.finish()

    assert end(world.run(Retry(Break(), times=2), updates=1)) == ("Done", None)


def test_an_error_on_the_way_out_is_raised_and_the_composite_has_failed(world: World) -> None:
    class Stuck(FsmAction):
        def on_update(self) -> None:
            self.fail("stuck")

        def on_exit(self) -> None:
            raise OSError("jammed")

    sequence = Sequence(Stuck(), world.ok("b"))
    fsm = world.run(sequence)
    with pytest.raises(OSError, match="jammed"):
        fsm.update(1.0)
    assert (sequence.failed, sequence._reason_) == (True, "stuck")
    assert (end(fsm), world.journal) == (("Work", None), [])


def test_carried_time_goes_on_after_a_failing(world: World) -> None:
    class Drop(FsmAction):
        def on_enter(self) -> None:
            self.left = 1.5

        @property
        def next_due(self) -> float:
            return self.left

        def on_update(self) -> None:
            self.left -= self.delta_time
            if self.left <= 0.0:
                self.fail("dropped", -self.left)

    for action in (
        Sequence(TimedWait(1.0), Drop(), TimedWait(1.0)),
        Sequence(TimedWait(1.0), Timeout(Parallel(Drop(), TimedWait(9.0)), 9.0)),
        Sequence(TimedWait(1.0), Race(Drop(), Drop())),
    ):
        fsm = world.run(action, carry_time=True)
        fsm.update(4.0)
        assert (*end(fsm), fsm.time_in_state) == ("Help", "dropped", 1.5)
    fsm = world.run(Retry(Drop(), times=3, delay=0.5), carry_time=True)
    fsm.update(7.0)  # 1.5 + 0.5 + 1.5 + 0.5 + 1.5
    assert (*end(fsm), fsm.time_in_state) == ("Help", "dropped", 1.5)


def test_a_copy_of_a_composition_with_a_failed_child_goes_on(world: World) -> None:
    fsm = world.run(Race(world.bad("a"), world.bad("b", 2)), updates=1)
    other = copy.deepcopy(fsm)
    other.update(1.0)
    assert end(other) == ("Help", "b")
    assert end(fsm) == ("Work", None)


def test_a_failing_while_suspended_work_waits(world: World) -> None:
    a = world.ok("a", 9)
    fsm = world.run(Sequence(a, world.ok("b")))
    fsm.states["Work"].add_transition("WAIT", "Done", suspend=True)
    fsm.send_event("WAIT")
    a.fail("no")
    assert not a.failed


Maker = Callable[[World], FsmAction]

MAY_FAIL: list[tuple[Maker, bool | None]] = [
    (lambda world: Sequence(world.ok("a"), world.bad("b")), True),
    (lambda world: Sequence(world.ok("a"), world.ok("b")), False),
    (lambda world: Parallel(world.ok("a"), world.bad("b"), needed=1), False),
    (lambda world: Parallel(world.ok("a"), world.bad("b")), True),
    (lambda world: Race(world.ok("a"), world.bad("b")), False),
    (lambda world: Race(world.bad("a"), world.bad("b")), True),
    (lambda world: Retry(world.bad("a"), times=2), True),
    (lambda world: Repeat(When(yes, Timeout(world.bad("a"), 1.0))), True),
    (lambda world: ForEach("ab", lambda _: world.bad("a")), None),
    (lambda world: Sequence(ForEach("ab", lambda _: world.bad("a"))), None),
    (lambda world: Parallel(ForEach("ab", lambda _: world.bad("a")), world.bad("b")), True),
    (lambda world: Timeout(world.ok("a"), 1.0, fails=True), True),
    (lambda _world: RunFsm(nested()), True),
    (lambda _world: RunFsm(nested(failed=False)), False),
    (lambda _world: RunFsm(nested(), {"Lost": "SIGH"}), False),
]


@pytest.mark.parametrize(("make", "expected"), MAY_FAIL)
def test_what_may_fail_follows_from_what_its_children_may(
    make: Maker, expected: bool | None, world: World
) -> None:
    def fails(action: FsmAction) -> bool | None:
        return action.fails if isinstance(action, Step) else action._may_fail_(fails)

    assert fails(make(world)) is expected
