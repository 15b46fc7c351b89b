"""asyncio: the machine is one task among others, which send it events.

    python examples/anywhere_else/with_asyncio.py

A connection that is lost and tries again. Everything runs in one thread, so a task may send events
by `offer_event` at any time; from another thread it is `post_event`. A final state does not end
`run_async`: `Failed` stops the machine, and `main` ends the other task.
"""

from __future__ import annotations

import asyncio

from actions import Await, DelegateAction, Retry
from fsmkit import ERROR, FINISHED, Fsm, FsmState
from fsmkit.timing import run_async


class Line:
    """A line that answers the second call only."""

    def __init__(self) -> None:
        self.calls = 0

    async def connect(self) -> str:
        self.calls += 1
        await asyncio.sleep(0.05)
        if self.calls % 2:
            raise ConnectionError("no answer")
        return f"call {self.calls}"


def build(line: Line | None = None) -> Fsm[Line]:
    fsm = Fsm("Connection", context=line or Line())
    connecting, connected = (
        fsm.add_state("Connecting"),
        fsm.add_state("Connected"),
    )
    failed = fsm.add_state("Failed", final=True)
    connecting.add_action(
        Retry(Await(fsm.context.connect), times=5, delay=0.1, backoff=2)
    )
    connected.add_action(
        DelegateAction(
            lambda state: print("connected by", state.fsm.event_data)
        )
    )
    failed.add_action(DelegateAction(give_up))
    connecting.add_transition(FINISHED, connected)
    connecting.add_transition(ERROR, failed)
    connected.add_transition("LOST", connecting)
    return fsm


def give_up(state: FsmState[Line]) -> None:
    print("given up:", state.fsm.event_data)
    state.fsm.stop()  # ends run_async


async def lose_it_twice(fsm: Fsm[Line]) -> None:
    for _ in range(2):
        while fsm.current_state is not fsm.states["Connected"]:
            await asyncio.sleep(0.01)
        fsm.offer_event("LOST")
    fsm.stop()


async def main(line: Line | None = None) -> None:
    fsm = build(line)
    async with asyncio.TaskGroup() as tasks:
        other = tasks.create_task(lose_it_twice(fsm))
        await run_async(fsm, fps=60)  # until somebody stops the machine
        other.cancel()


if __name__ == "__main__":
    asyncio.run(main())
