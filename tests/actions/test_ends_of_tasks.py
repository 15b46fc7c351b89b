"""run_async and the tasks that its machines have cancelled; a run that is over before it began."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from actions import Await, DelegateAction, RunFsm
from fsmkit import Fsm, FsmGroup
from fsmkit.testing import Probe
from fsmkit.timing import run_async


def motor(journal: list[str], name: str = "motor") -> Fsm[Any]:
    fsm = Fsm(name)
    fsm.add_state("On").add_action(Probe(name, journal))
    return fsm


# Cancelled before its first turn


async def in_a_group(run: Coroutine[Any, Any, None]) -> None:
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(run)
        raise OSError("the camera is not there")


async def by_cancel(run: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(run)
    task.cancel()
    await task


async def by_a_timeout(run: Coroutine[Any, Any, None]) -> None:
    await asyncio.wait_for(run, 0)


async def by_closing(run: Coroutine[Any, Any, None]) -> None:
    run.close()


async def by_gather(run: Coroutine[Any, Any, None]) -> None:
    gathered = asyncio.gather(run, asyncio.sleep(1))
    gathered.cancel()
    await gathered


ENDS = [in_a_group, by_cancel, by_a_timeout, by_closing, by_gather]


def ended(end: Callable[[Any], Any], machine: Any) -> None:
    async def main() -> None:
        try:
            await end(run_async(machine))
        except* (OSError, asyncio.CancelledError, TimeoutError):
            pass

    asyncio.run(main())


@pytest.mark.parametrize("end", ENDS)
def test_machines_that_were_started_are_stopped(end: Any) -> None:
    journal: list[str] = []
    one, two = motor(journal, "one"), motor(journal, "two")
    group = FsmGroup([one, two])
    one.start()
    two.start()
    ended(end, group)
    assert (journal, group.is_running) == (
        ["enter one", "enter two", "exit one", "exit two"],
        False,
    )


@pytest.mark.parametrize("end", [by_cancel, by_closing])
def test_one_that_was_not_started_is_not(end: Any) -> None:
    journal: list[str] = []
    ended(end, motor(journal))
    assert journal == []


def test_it_raises_what_stopping_raises() -> None:
    def fail(_probe: Probe) -> None:
        raise OSError("jammed")

    async def main() -> None:
        fsm.start()
        task = asyncio.create_task(run_async(fsm))
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert "OSError" in str(caught.value.__notes__)

    fsm = Fsm("Motor")
    fsm.add_state("On").add_action(Probe("motor", [], on_exit=fail))
    asyncio.run(main())


def test_its_tasks_have_ended_by_then() -> None:
    async def main() -> None:
        fsm.start()
        await asyncio.sleep(0)
        task = asyncio.create_task(run_async(fsm))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        journal.append("over")

    async def drive() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            journal.append("tidied up")

    journal: list[str] = []
    fsm = Fsm("Robot")
    fsm.add_state("Drive").add_action(Await(drive))
    asyncio.run(main())
    assert journal == ["tidied up", "over"]


def test_it_looks_like_a_coroutine() -> None:
    async def main() -> None:
        run = run_async(motor([]), seconds=0.01)
        assert asyncio.iscoroutine(run)
        assert inspect.isawaitable(run)
        task = asyncio.create_task(run)
        assert "run_async()" in repr(task)
        await asyncio.sleep(0)
        assert task.get_stack()
        await task
        await run_async(motor([]), seconds=0.01)
        await Await(lambda: run_async(motor([]), seconds=0.01)).function(None)  # type: ignore[call-arg, arg-type]

    asyncio.run(main())
    if sys.version_info >= (3, 12):
        assert inspect.iscoroutinefunction(run_async)


def test_one_that_nobody_awaits_is_noticed() -> None:
    with pytest.warns(RuntimeWarning, match="coroutine 'run_async' was never awaited"):
        assert run_async(motor([])) is not None


# Whose tasks it waits for


class Slow:
    """Work that is cleaned up slowly: until somebody lets it."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()
        self.journal: list[str] = []

    def asking(self, name: str) -> Fsm[Any]:
        async def ask() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                await self.may_end.wait()
                self.journal.append(f"{name} has ended")

        fsm = Fsm(name)
        fsm.add_state("Ask").add_action(Await(ask))
        fsm.add_state("Rest")
        fsm.states["Ask"].add_transition("REST", "Rest")
        return fsm


def ending_at_once(*actions: Any) -> Fsm[Any]:
    fsm = Fsm("Mine")
    state = fsm.add_state("A")
    for action in actions:
        state.add_action(action)
    state.add_action(DelegateAction(on_update=fsm.stop))
    return fsm


async def turns() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


async def is_held_up(slow: Slow, machine: Any, patience: float, **options: Any) -> bool:
    """Return whether run_async waits for what `slow` does; then let that end."""
    run = asyncio.create_task(run_async(machine, fps=1000.0, **options))
    done, _ = await asyncio.wait([run], timeout=patience)
    slow.may_end.set()
    await run
    return not done


def test_not_for_those_of_another_machine() -> None:
    async def main() -> None:
        slow = Slow()
        other = slow.asking("Other")
        other.start()
        await turns()
        other.stop()
        assert not await is_held_up(slow, ending_at_once(), 30.0)
        assert slow.journal == []
        await turns()

    asyncio.run(main())


def test_not_for_those_of_another_machine_that_a_task_stops_meanwhile() -> None:
    async def main() -> None:
        slow = Slow()
        other = slow.asking("Other")
        other.start()
        await turns()
        asyncio.get_running_loop().call_later(0.01, other.stop)
        fsm = Fsm("Mine")
        fsm.add_state("A")
        assert not await is_held_up(slow, fsm, 30.0, seconds=0.03)
        await turns()

    asyncio.run(main())


class Unknown:
    """Something that updates a machine that nobody else knows of."""

    def __init__(self, fsm: Fsm[Any]) -> None:
        self.fsm = fsm
        self.steps = 0

    def update(self, dt: float) -> None:
        self.steps += 1
        if self.steps == 1:
            self.fsm.start()
        if self.steps == 5:
            self.fsm.stop()


def with_one_that_leaves(one: Fsm[Any]) -> FsmGroup:
    """Return a group out of which `one` is taken in its first update."""

    def send_away() -> None:
        one.stop()
        group.remove(one)

    group = FsmGroup([one, ending_at_once(DelegateAction(on_update=send_away))])
    return group


MACHINES: dict[str, Callable[[Fsm[Any]], Any]] = {
    "itself": lambda one: one,
    "nested": lambda one: ending_at_once(RunFsm(one)),
    "a member": lambda one: FsmGroup([one, ending_at_once()]),
    "a member that leaves": with_one_that_leaves,
    "in something else": Unknown,
}


@pytest.mark.parametrize("machine", MACHINES)
def test_for_its_own(machine: str) -> None:
    async def main() -> None:
        slow = Slow()
        one = slow.asking("One")
        if machine in ("itself", "a member"):  # the others stop it by themselves
            asyncio.get_running_loop().call_later(0.02, one.stop)
        assert await is_held_up(slow, MACHINES[machine](one), 0.2, seconds=0.05)
        assert slow.journal == ["One has ended"]

    asyncio.run(main())


def test_for_its_own_that_were_cancelled_before() -> None:
    async def main() -> None:
        slow = Slow()
        one = slow.asking("One")
        one.start()
        await turns()
        one.send_event("REST")
        assert await is_held_up(slow, one, 0.2, seconds=0.05)
        assert slow.journal == ["One has ended"]

    asyncio.run(main())
