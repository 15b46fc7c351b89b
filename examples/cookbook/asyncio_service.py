"""Keep an asyncio service connected.

This whole service connects, reads once a second (here faster), reconnects when
the line is lost, gives up after three tries, and ends on `STOP`. `Retry` and
`Await` connect; `Repeat` reads until the state is exited. An `OSError` during a
read means a lost line. Any other error is a mistake in the program and leads to
`Failed`, and so does a server that never answers. (`Retry` tries again after
any error, so a mistake in `connect` shows up after the last try.) A signal
handler or a thread calls `post_event("STOP")`, even in the middle of a request,
whose task is then cancelled. A final state does not end `run_async`, so an
action there stops the machine. For a connection that never gives up, see
[connection with back-off](connection_with_backoff.md); for tasks in general,
[asyncio](../concepts/async.md).
"""

import asyncio

from actions import Await, DelegateAction, Repeat, Retry, Sequence, TimedWait
from fsmkit import ERROR, FINISHED, Fsm, FsmState
from fsmkit.timing import run_async


async def ask(state: FsmState[list[str]]) -> None:
    line = state.context.pop(0)  # a real one sends a request
    print(f"{state.name}: {line}")
    if line in ("busy", "lost"):
        raise ConnectionError(line)
    if line == "...":  # takes an hour, and somebody loses patience
        await asyncio.to_thread(state.fsm.post_event, "STOP")
        await asyncio.sleep(3600.0)


def end(state: FsmState[list[str]]) -> None:
    print(f"{state.name}: {state.fsm.event_data or 'on request'}")
    state.fsm.stop()


def build(*lines: str) -> Fsm[list[str]]:
    fsm = Fsm("Service", context=list(lines))
    call, read = fsm.add_state("Call"), fsm.add_state("Read")
    call.add_action(Retry(Await(ask), times=3, delay=0.02, backoff=2))
    call.add_transition(FINISHED, read)
    read.add_action(Repeat(Sequence(Await(ask), TimedWait(0.02))))
    read.add_transition(ERROR, call, when=lambda _, e: isinstance(e, OSError))
    for name, event in (("Failed", ERROR), ("Stopped", "STOP")):
        fsm.add_state(name, final=True).add_action(DelegateAction(end))
        fsm.add_global_transition(event, name)
    return fsm


if __name__ == "__main__":
    asyncio.run(run_async(build("busy", "hi", "20 C", "lost", "hi", "...")))
    asyncio.run(run_async(build("busy", "busy", "busy")))
