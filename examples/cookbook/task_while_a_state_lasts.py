"""Run an asyncio task while a state lasts.

`Await` starts the task when its state is entered and cancels it when the state
is exited, for whatever reason. The result of the task is the data of
`FINISHED`; an error that it raises becomes `ERROR`. So you keep no handle, and
no answer comes too late: `CANCEL` while the map is loading needs no extra code.
The machine must be updated inside the event loop, here by `run_async`.
Everything happens in one thread, so other tasks may call `send_event`.
[asyncio](../concepts/async.md) says more.
"""

import asyncio

from actions import Await, DelegateAction
from fsmkit import ERROR, FINISHED, Fsm, FsmState
from fsmkit.timing import run_async


async def load(state: FsmState) -> str:
    try:
        await asyncio.sleep(0.05)  # a real one asks a server
        return f"the map of {state.fsm.event_data}"
    finally:
        print("  the request has ended")


def build() -> Fsm:
    fsm = Fsm("Map")
    closed, loading = fsm.add_state("Closed"), fsm.add_state("Loading")
    shown, failed = fsm.add_state("Shown"), fsm.add_state("Failed")
    loading.add_action(Await(load))
    shown.add_action(DelegateAction(lambda state: print(state.fsm.event_data)))
    closed.add_transition("OPEN", loading)
    loading.add_transition(FINISHED, shown)
    loading.add_transition(ERROR, failed)
    fsm.add_global_transition("CLOSE", closed)
    return fsm


async def main() -> None:
    fsm = build()
    running = asyncio.create_task(run_async(fsm, seconds=0.5))
    for event, city in (("OPEN", "Rome"), ("CLOSE", "Rome"), ("OPEN", "Oslo")):
        await asyncio.sleep(0.02)
        print(event, city, fsm.send_event(event, city))
    await running


if __name__ == "__main__":
    asyncio.run(main())
