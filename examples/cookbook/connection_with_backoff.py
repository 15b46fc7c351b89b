"""Keep a connection, and reconnect when it is lost.

Use this for a service that must recover by itself, however long the other side
is down. Connecting, being online and waiting are states, so you see them in the
diagram and in the log, and each handles only the events that may happen in it.
An error in `connect` becomes `ERROR`. Each wait is twice as long as the one
before, up to 32 seconds. Multiply it by `rng.uniform(0.8, 1.2)` if many clients
would otherwise call at the same time. `Online` also ends what it starts,
whether the line is lost or the program stops: here a lamp, with a real line
`DelegateAction(on_exit=line.close)`. To give up after a few tries,
[`Retry`](retry_with_backoff.md) is shorter; with asyncio, see [a whole
service](asyncio_service.md).
"""

from dataclasses import dataclass

from actions import DelegateAction, SetValue, TimedWait
from fsmkit import ERROR, FINISHED, Fsm


@dataclass
class Line:
    lamp: bool = False
    failures: int = 0

    def connect(self) -> None:
        self.failures = (self.failures + 1) % 4
        if self.failures:  # a real one opens a socket
            raise ConnectionError("no answer")

    def delay(self) -> float:
        return 2.0 ** min(self.failures - 1, 5)


def build() -> Fsm[Line]:
    fsm = Fsm("Connection", context=Line())
    call, online, wait = map(fsm.add_state, ("Call", "Online", "Wait"))
    call.add_action(DelegateAction(fsm.context.connect))
    online.add_action(SetValue(fsm.context, "lamp", True, restore_on_exit=True))
    wait.add_action(TimedWait(fsm.context.delay))
    call.add_transition(FINISHED, online)
    call.add_transition(ERROR, wait)
    wait.add_transition(FINISHED, call)
    online.add_transition("LOST", call)
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        fsm.send_event_after(15.0, "LOST", keep=True)
        for _ in range(10):
            fsm.update(2.0)
            print(f"{fsm.time:4.1f} s  {fsm.path[0]:6}  {fsm.context}")
