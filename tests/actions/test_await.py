"""Await: the work of a task, begun and cancelled with the state."""

import asyncio
import copy
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from actions import Await, Coroutine, Parallel, Retry, RunFsm, Sequence, TimedWait, Timeout
from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmError, FsmState
from fsmkit.testing import Probe, Recorder
from fsmkit.timing import run_async


class Service:
    """Calls that wait for an answer; a journal of how they went."""

    def __init__(self) -> None:
        self.journal: list[str] = []
        self.answers: list[asyncio.Future[object]] = []

    async def call(self) -> object:
        self.journal.append("begun")
        self.answers.append(asyncio.get_running_loop().create_future())
        try:
            return await self.answers[-1]
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            self.journal.append("cancelled")
            raise
        finally:
            self.journal.append("over")


def client(*actions: FsmAction, context: Any = None) -> Fsm[Any]:
    """Ask (with the actions) -> Show on FINISHED and SHOW, -> Fail on ERROR, -> Rest on REST."""
    fsm: Fsm[Any] = Fsm("Client", context, on_unhandled="raise")
    ask, show, fail, rest = map(fsm.add_state, ("Ask", "Show", "Fail", "Rest"))
    for event, state in (("SHOW", show), (FINISHED, show), (ERROR, fail), ("REST", rest)):
        ask.add_transition(event, state)
    rest.add_transition("AGAIN", ask)
    for action in actions:
        ask.add_action(action)
    return fsm


def asynchronously(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test inside asyncio; no task is left dangling."""

    async def run(*args: Any) -> None:
        await test(*args)
        for _ in range(3):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    def synchronous(service: Service) -> None:
        asyncio.run(run(service))

    synchronous.__name__ = test.__name__  # type: ignore[attr-defined]
    return synchronous


@pytest.fixture
def service() -> Service:
    return Service()


async def settle() -> None:
    """Let the tasks run as far as they get."""
    for _ in range(3):
        await asyncio.sleep(0)


@asynchronously
async def test_it_says_that_the_loop_has_not_run_since_it_was_entered(service: Service) -> None:
    action = Await(service.call)
    with client(action).running() as fsm:
        fsm.update(10.0)
        assert action.waits_for == (
            "for asyncio to begin call: await something between two updates"
        )
        await asyncio.sleep(0)
        assert action.waits_for == "for the result of call"


@asynchronously
async def test_the_result_comes_with_an_update_as_data_of_finished(service: Service) -> None:
    work = Await(service.call)
    fsm = client(work)
    fsm.start()
    await settle()
    fsm.update(0.1)
    assert (service.journal, fsm.current_state.name) == (["begun"], "Ask")
    service.answers[0].set_result(42)
    await settle()
    assert fsm.current_state.name == "Ask"
    recorder = Recorder(fsm)
    fsm.update(0.1)
    assert recorder.journal == [
        "update 0.1",
        "Await finished",
        "event FINISHED: changed",
        "Await left",
        "leave Ask",
        "enter Show",
    ]
    assert (fsm.event_data, work.result) == (42, 42)


@asynchronously
async def test_it_is_the_data_of_its_finish_event_too(service: Service) -> None:
    fsm = client(Await(service.call, finish_event="SHOW"), TimedWait(9.0))
    fsm.start()
    await settle()
    service.answers[0].set_result(42)
    await settle()
    fsm.update(0.1)
    assert (fsm.current_state.name, fsm.last_event, fsm.event_data) == ("Show", "SHOW", 42)


@asynchronously
async def test_the_function_may_take_the_state(service: Service) -> None:
    async def ask(state: FsmState[Any]) -> str:
        return f"{state.name} {state.context}"

    fsm = client(Await(ask), context="Ann")
    fsm.start()
    await settle()
    fsm.update(0.1)
    assert fsm.event_data == "Ask Ann"


@asynchronously
async def test_results_come_after_the_posted_events(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.start()
    await settle()
    service.answers[0].set_result(42)
    await settle()
    fsm.post_event("REST")
    fsm.update(0.1)
    fsm.update(0.1)
    assert fsm.current_state.name == "Rest"


@asynchronously
async def test_what_it_raises_becomes_the_event_error(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.start()
    await settle()
    service.answers[0].set_exception(OSError("no answer"))
    await settle()
    fsm.update(0.1)
    assert (fsm.current_state.name, str(fsm.event_data)) == ("Fail", "no answer")
    assert fsm.event_data.__notes__ == [  # type: ignore[attr-defined]
        "Fsm 'Client', state 'Ask', actions[0] (Await), on_update"
    ]


@asynchronously
async def test_without_a_way_for_error_it_is_raised_by_the_update(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.states["Ask"].remove_transition(ERROR)
    fsm.start()
    await settle()
    service.answers[0].set_exception(OSError("no answer"))
    await settle()
    with pytest.raises(OSError, match="no answer"):
        fsm.update(0.1)
    fsm.update(0.1)
    assert fsm.current_state.name == "Ask"
    fsm.send_event("REST")


@asynchronously
async def test_leaving_the_state_cancels_it(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.start()
    await settle()
    fsm.send_event("REST")
    await settle()
    assert service.journal == ["begun", "cancelled", "over"]
    fsm.send_event("AGAIN")
    await settle()
    service.answers[1].set_result(2)
    await settle()
    fsm.update(0.1)
    assert (service.journal[3:], fsm.event_data) == (["begun", "over"], 2)


@asynchronously
async def test_a_result_of_a_visit_that_is_over_is_dropped(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.start()
    await settle()
    service.answers[0].set_result(1)
    await settle()
    fsm.send_event("REST")
    fsm.send_event("AGAIN")
    fsm.update(0.1)
    assert fsm.current_state.name == "Ask"
    await settle()
    service.answers[1].set_result(2)
    await settle()
    fsm.update(0.1)
    assert fsm.event_data == 2


@asynchronously
async def test_retry_asks_again(service: Service) -> None:
    fsm = client(Sequence(Retry(Await(service.call), 3, delay=1.0), TimedWait(0.0)))
    fsm.start()
    for number in range(3):
        await settle()
        if number < 2:
            service.answers[number].set_exception(OSError("no"))
        else:
            service.answers[number].set_result("yes")
        await settle()
        fsm.update(0.1)
        fsm.update(1.0)
    assert (fsm.current_state.name, service.journal) == ("Show", ["begun", "over"] * 3)


@asynchronously
async def test_a_timeout_cancels_it(service: Service) -> None:
    fsm = client(Timeout(Await(service.call), 1.0, "REST"))
    fsm.start()
    await settle()
    fsm.update(1.0)
    await settle()
    assert (fsm.current_state.name, service.journal) == ("Rest", ["begun", "cancelled", "over"])


@asynchronously
async def test_a_routine_gets_the_result_or_the_error_at_its_yield(service: Service) -> None:
    def routine(state: FsmState[Any]) -> Any:
        try:
            yield Await(service.call)
        except OSError as error:
            state.context.append(str(error))
        state.context.append((yield Await(service.call)))

    fsm = client(Coroutine(routine), context=[])
    fsm.start()
    await settle()
    service.answers[0].set_exception(OSError("no"))
    await settle()
    fsm.update(0.1)
    await settle()
    service.answers[1].set_result("yes")
    await settle()
    fsm.update(0.1)
    assert (fsm.context, fsm.current_state.name) == (["no", "yes"], "Show")


@asynchronously
async def test_it_works_in_a_nested_machine(service: Service) -> None:
    inner = client(Await(service.call))
    inner.states["Show"].final = True
    outer = Fsm("Outer", on_unhandled="raise")
    outer.add_state("In").add_action(RunFsm(inner, {"Show": "GOT"}))
    outer.states["In"].add_transition("GOT", outer.add_state("Out"))
    outer.start()
    await settle()
    service.answers[0].set_result(42)
    await settle()
    outer.update(0.1)
    assert (outer.current_state.name, outer.event_data) == ("Out", 42)


@asynchronously
async def test_a_copy_begins_the_work_anew(service: Service) -> None:
    fsm = client(Await(service.call), context=service)
    fsm.start()
    await settle()
    copied = copy.deepcopy(fsm, {id(service): service})
    copied.update(0.1)
    copied.update(0.1)
    await settle()
    assert service.journal == ["begun", "begun"]
    for answer, value in zip(service.answers, (1, 2), strict=True):
        answer.set_result(value)
    await settle()
    for machine in (fsm, copied):
        machine.update(0.1)
    assert (fsm.event_data, copied.event_data) == (1, 2)


@asynchronously
async def test_one_that_is_cancelled_by_somebody_else_is_an_error(service: Service) -> None:
    fsm = client(Await(service.call))
    fsm.start()
    await settle()
    service.answers[0].cancel()
    await settle()
    fsm.update(0.1)
    assert "Await: its work was cancelled from outside" in str(fsm.event_data)


@asynchronously
async def test_what_fails_after_the_state_was_left_is_logged(service: Service) -> None:
    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.append(record.getMessage())

    async def stubborn() -> None:
        try:
            await service.call()
        except asyncio.CancelledError:
            raise OSError("cannot hang up") from None

    logged: list[str] = []
    handler = Handler()
    logging.getLogger("fsmkit.actions").addHandler(handler)
    try:
        fsm = client(Await(stubborn))
        fsm.start()
        await settle()
        fsm.send_event("REST")
        await settle()
    finally:
        logging.getLogger("fsmkit.actions").removeHandler(handler)
    where = "Fsm 'Client', state 'Ask', Await"
    assert logged == [f"{where}: the work failed after the state was exited"]


def test_run_async_awaits_what_was_cancelled(service: Service) -> None:
    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            for _ in range(20):
                await asyncio.sleep(0)
            service.journal.append("tidied up")

    journal: list[str] = []
    fsm = client(Await(slow), Probe("p", journal))
    asyncio.run(run_async(fsm, fps=200, seconds=0.03))
    assert (service.journal, fsm.is_running) == (["tidied up"], False)


@pytest.mark.parametrize("together", [Parallel, Sequence])
def test_run_async_that_is_cancelled_stops_and_awaits(
    service: Service, together: type[Any]
) -> None:
    async def main() -> None:
        task = asyncio.create_task(run_async(fsm, fps=200))
        while not service.journal:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        service.journal.append("stopped")

    fsm = client(together(Await(service.call), TimedWait(9.0)))
    asyncio.run(main())
    assert service.journal == ["begun", "cancelled", "over", "stopped"]


@asynchronously
async def test_it_fails_with_the_errors_that_are_answers(service: Service) -> None:
    fsm = client(Await(service.call, fails_on=(TimeoutError, KeyError)))
    fsm.states["Ask"].add_transition(FAILED, "Rest")
    for error, state in ((TimeoutError("late"), "Rest"), (OSError("off"), "Fail")):
        fsm.start("Ask")
        await settle()
        service.answers[-1].set_exception(error)
        await settle()
        fsm.update(0.1)
        assert (fsm.current_state, fsm.event_data) == (fsm.states[state], error)
    fsm.stop()


def test_without_a_loop_it_says_what_to_do() -> None:
    async def ask() -> None: ...

    fsm = client(Await(ask))
    fsm.states["Ask"].remove_transition(ERROR)
    with pytest.raises(FsmError, match=r"Await must be entered while asyncio is running. Run the"):
        fsm.start()


@asynchronously
async def test_what_cannot_be_awaited_is_refused(service: Service) -> None:
    fsm = client(Await(lambda: 42))  # type: ignore[arg-type, return-value]
    fsm.states["Ask"].remove_transition(ERROR)
    with pytest.raises(TypeError, match="Await: function must return an awaitable, got 42"):
        fsm.start()


def test_what_returns_something_to_await_is_fine(service: Service) -> None:
    async def main() -> None:
        fsm = client(Await(lambda: asyncio.sleep(0, "done")))
        fsm.start()
        await settle()
        fsm.update(0.1)
        assert fsm.event_data == "done"

    asyncio.run(main())
