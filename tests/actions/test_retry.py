"""Retry: an action that fails is run again."""

from math import inf, nan
from typing import Any

import pytest
from every import every

from actions import DelegateAction, Parallel, Retry, Sequence, TimedWait
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, TimeReference
from fsmkit.testing import Probe


class Oops(Exception):
    pass


class Flaky(FsmAction):
    """Fails in a callback, the first `fails` times; finishes in an update."""

    def __init__(self, journal: list[str], fails: int, phase: str = "enter") -> None:
        self.journal = journal
        self.left = fails
        self.phase = phase

    def on_enter(self) -> None:
        self.work("enter")

    def on_update(self) -> None:
        self.work("update")
        self.finish()

    def on_event(self, event: str, data: object) -> bool:
        if self.phase == "event":
            self.work("event")
        return False

    def on_exit(self) -> None:
        self.journal.append("exit")

    def work(self, phase: str) -> None:
        self.journal.append(phase)
        if phase == self.phase and self.left:
            self.left -= 1
            raise Oops(self.left)


def run(action: FsmAction, *events: str) -> Fsm:
    fsm = Fsm("M")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    for event in events:
        work.add_transition(event, done)
    work.add_action(action)
    fsm.start()
    return fsm


def test_an_action_that_fails_on_enter_is_entered_again() -> None:
    journal: list[str] = []
    retry = Retry(Flaky(journal, 2), 3, finish_event="DONE")
    fsm = run(retry, "DONE")
    assert journal == ["enter", "enter", "enter"]
    fsm.update(0.1)
    assert journal[3:] == ["update", "exit"]
    assert (retry.tries, fsm.current_state.name) == (3, "Done")


def test_an_action_that_fails_in_an_update_is_exited_and_entered_again() -> None:
    journal: list[str] = []
    retry = Retry(Flaky(journal, 1, "update"), 2)
    fsm = run(retry)
    fsm.update(0.1)
    assert journal == ["enter", "update", "exit", "enter"]
    assert (retry.tries, retry.finished) == (2, False)
    fsm.update(0.1)
    assert retry.finished


def test_an_action_that_fails_by_an_event_is_exited_and_entered_again() -> None:
    journal: list[str] = []
    fsm = run(Retry(Flaky(journal, 1, "event"), 2), "GO")
    assert fsm.send_event("GO"), "nobody took the event: it goes on to the transition"
    assert fsm.current_state.name == "Done"
    assert journal == ["enter", "event", "exit", "enter", "exit"]


def test_the_error_of_the_last_try_is_raised_with_the_number_of_tries() -> None:
    journal: list[str] = []
    retry = Retry(Flaky(journal, 9, "update"), 2)
    fsm = run(retry)
    fsm.update(0.1)
    with pytest.raises(Oops) as raised:
        fsm.update(0.1)
    assert raised.value.__notes__ == [
        "Retry.children[0] (Flaky), on_update",
        "Retry: 2 of 2 tries failed",
        "Fsm 'M', state 'Work', actions[0] (Retry), on_update",
    ]
    fsm.update(0.1)
    fsm.stop()
    assert journal == ["enter", "update", "exit"] * 2
    assert not retry.finished


def test_the_last_error_becomes_the_event_error() -> None:
    fsm = run(Retry(Flaky([], 9), 3), ERROR)
    assert fsm.current_state.name == "Done"
    assert isinstance(fsm.event_data, Oops)


def test_a_failed_try_is_logged_and_the_last_one_is_not(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "fsmkit.actions")
    fsm = run(Retry(Flaky([], 3), 3, delay=0.5, backoff=2), ERROR)
    for _ in range(3):
        fsm.update(0.5)
    assert fsm.current_state.name == "Done"
    assert caplog.messages == [
        "Fsm 'M', state 'Work', Retry: try 1 of 3 failed, 0.5 s to go until the next (Oops: 2)",
        "Fsm 'M', state 'Work', Retry: try 2 of 3 failed, 1.0 s to go until the next (Oops: 1)",
    ]


def test_each_delay_is_longer_than_the_one_before() -> None:
    times: list[float] = []

    def fail(state: Any) -> None:
        times.append(state.fsm.time)
        raise Oops

    retry = Retry(DelegateAction(fail), 5, delay=lambda: 1.0, backoff=2)
    fsm = run(retry)
    for _ in range(29):
        fsm.update(0.5)
    with pytest.raises(Oops):
        fsm.update(0.5)
    assert times == [0.0, 1.0, 3.0, 7.0, 15.0]


def test_the_delays_pass_by_its_own_time() -> None:
    slow = TimeReference("slow", scale=0.5)
    journal: list[str] = []
    fsm = run(Retry(Flaky(journal, 1), 2, delay=1.0, time=slow))
    fsm.update(1.0)
    assert journal == ["enter"]
    fsm.update(1.0)
    assert journal == ["enter", "enter"]


def test_between_two_tries_nothing_is_updated_and_nothing_exited() -> None:
    journal: list[str] = []
    retry = Retry(Flaky(journal, 1), 2, delay=1.0)
    fsm = run(retry, "GO")
    fsm.update(0.5)
    assert (journal, retry.waiting, retry.tries) == (["enter"], True, 1)
    fsm.send_event("GO")
    assert journal == ["enter"]


def test_every_visit_has_all_of_its_tries() -> None:
    retry = Retry(Flaky([], 5), 3, delay=1.0, backoff=2.0)
    fsm = run(retry)
    for _ in range(2):
        fsm.start()
        assert (retry.tries, retry.length) == (1, 1.0)
        fsm.update(1.0)
        assert (retry.tries, retry.length) == (2, 2.0)


def test_a_thousand_tries_need_no_recursion() -> None:
    retry = Retry(Flaky([], 9_999), 2_000)
    with pytest.raises(Oops, match="7999"):
        run(retry)
    assert retry.tries == 2_000


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_what_is_no_exception_is_not_retried(error: type[BaseException]) -> None:
    def fail(_probe: Probe) -> None:
        raise error

    journal: list[str] = []
    fsm = run(Retry(Probe("a", journal, on_update=fail), 9))
    with pytest.raises(error):
        fsm.update(0.1)
    fsm.stop()
    assert journal == ["enter a", "update a", "exit a"]


@pytest.mark.parametrize("errors", [Oops, (KeyError, Oops), (Exception,), LookupError])
@pytest.mark.parametrize("error", [Oops(), KeyError()])
def test_only_what_is_one_of_the_errors_is_retried(
    error: Exception, errors: type[Exception] | tuple[type[Exception], ...]
) -> None:
    def fail(_probe: Probe) -> None:
        raise error

    journal: list[str] = []
    fsm = run(Retry(Probe("a", journal, on_update=fail), 9, errors=errors))
    if isinstance(error, errors):
        fsm.update(0.1)
        assert journal == ["enter a", "update a", "exit a", "enter a"]
    else:
        with pytest.raises(type(error)) as raised:
            fsm.update(0.1)
        assert raised.value is error
        assert journal == ["enter a", "update a", "exit a"]


@pytest.mark.parametrize(
    ("group", "tries"),
    [
        (ExceptionGroup("both", [Oops(), Oops()]), 2),
        (ExceptionGroup("both", [Oops(), ExceptionGroup("deeper", [Oops()])]), 2),
        (ExceptionGroup("both", [Oops(), KeyError()]), 1),
    ],
)
def test_several_errors_at_once_are_retried_if_each_one_is(
    group: ExceptionGroup[Exception], tries: int
) -> None:
    def fail(_probe: Probe) -> None:
        raise group

    retry = Retry(Probe("a", [], on_enter=fail), 2, errors=Oops)
    with pytest.raises(ExceptionGroup):
        run(retry)
    assert retry.tries == tries


def test_an_error_of_on_exit_is_raised_and_the_next_try_is_made() -> None:
    def fail(_probe: Probe) -> None:
        raise Oops

    def fail_too(_probe: Probe) -> None:
        raise KeyError

    retry = Retry(Probe("a", [], on_update=fail, on_exit=fail_too), 2)
    fsm = run(retry)
    with pytest.raises(KeyError):
        fsm.update(0.1)
    fsm.update(0.1)
    assert retry.tries == 2
    with pytest.raises(ExceptionGroup) as raised:
        fsm.update(0.1)
    assert [type(each) for each in raised.value.exceptions] == [Oops, KeyError]


def test_a_callback_that_decided_a_change_and_failed_is_not_retried() -> None:
    def leave_and_fail(probe: Probe) -> None:
        probe.fsm.send_event("GO")
        raise Oops

    journal: list[str] = []
    retry = Retry(Probe("a", journal, on_update=leave_and_fail), 9)
    fsm = run(retry, "GO")
    with pytest.raises(Oops):
        fsm.update(0.1)
    assert (fsm.current_state.name, retry.tries) == ("Work", 1)
    assert journal == ["enter a", "update a"]


def test_after_it_was_finished_from_inside_it_retries_no_more() -> None:
    outer: list[Retry] = []

    def finish_and_fail(_probe: Probe) -> None:
        outer[0].finish()
        raise Oops

    retry = Retry(Sequence(TimedWait(0.1), Probe("a", [], on_enter=finish_and_fail)), 9)
    outer.append(retry)
    fsm = run(retry)
    with pytest.raises(Oops):
        fsm.update(0.1)
    assert (retry.finished, retry.tries) == (True, 1)


def test_an_error_in_the_middle_of_its_own_callback_goes_to_that_callback() -> None:
    journal: list[str] = []

    class Careful(Probe):
        def on_update(self) -> None:
            try:
                self.fsm.send_event("PING")
            except Oops:
                self.journal.append("caught")

        def on_event(self, event: str, data: object) -> bool:
            raise Oops

    retry = Retry(Careful("a", journal), 9)
    fsm = run(retry)
    fsm.update(0.1)
    assert (journal, retry.tries) == (["enter a", "caught"], 1)


def test_an_event_for_a_failure_is_no_error() -> None:
    fsm = run(Retry(Probe("a", [], on_update="FAILED"), 9), "FAILED")
    fsm.update(0.1)
    assert fsm.current_state.name == "Done"


def test_a_composition_that_fails_is_run_from_its_beginning() -> None:
    journal: list[str] = []
    steps = Sequence(Probe("a", journal, on_enter=Probe.finish), Flaky(journal, 1, "update"))
    fsm = run(Retry(Parallel(steps), 2))
    fsm.update(0.1)
    assert journal == [
        "enter a", "exit a", "enter", "update", "exit", "enter a", "exit a", "enter",
    ]  # fmt: skip


def test_a_disabled_action_is_not_tried() -> None:
    retry = Retry(Flaky([], 9), 1)
    retry.action.enabled = False
    assert run(retry, FINISHED).current_state.name == "Done"


@every(
    ("options", "kind", "message"),
    [
        ({"times": 0}, ValueError, "Retry: times must be an integer >= 1, got 0."),
        ({"times": True}, TypeError, "Retry: times must be an integer >= 1, got True."),
        ({"times": 1.5}, TypeError, "Retry: times must be an integer >= 1, got 1.5."),
        ({"delay": -1}, ValueError, "The delay of Retry must be a finite number of seconds >= 0"),
        ({"delay": "1"}, TypeError, "The delay of Retry must be a number of seconds, got '1'."),
        ({"backoff": -1}, ValueError, "Retry: backoff must be a finite number >= 0, got -1."),
        ({"backoff": inf}, ValueError, "Retry: backoff must be a finite number >= 0, got inf."),
        ({"backoff": nan}, ValueError, "Retry: backoff must be a finite number >= 0, got nan."),
        ({"backoff": "2"}, TypeError, "Retry: backoff must be a finite number >= 0, got '2'."),
        ({"errors": ()}, TypeError, "Retry: errors must be a subclass of Exception or a tuple of"),
        ({"errors": "OSError"}, TypeError, "Retry: errors must be .* such, got 'OSError'."),
        ({"time": 1.0}, TypeError, "Retry: time must be a TimeReference, got 1.0."),
        ({"finish_event": ""}, ValueError, "Retry: finish_event must be the name of an event"),
        ({"action": TimedWait}, TypeError, "Retry: each action must be an instance of FsmAction"),
    ],
)
def test_bad_parameters_are_refused_at_once(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Retry(**{"action": TimedWait(1), "times": 3, **options})


def test_a_delay_that_is_rolled_badly_is_refused_on_enter() -> None:
    with pytest.raises(ValueError, match="The delay of Retry must be a finite number"):
        run(Retry(Flaky([], 1), 2, delay=lambda: -1.0))
