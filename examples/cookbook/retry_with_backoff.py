"""Try a call again, and wait longer after each failure.

Use this for a server that restarts, or a file that another program has open.
`Retry` runs an action again when it raises one of `errors`, here after 0.5, 1,
2 and 4 seconds. When the last try fails, its error becomes `ERROR`. Any other
error becomes `ERROR` at once, since no second try fixes a misspelt name. Failed
tries are logged at INFO. Nothing blocks during the waits, and exiting the state
ends the tries. A call that takes long belongs in `Await` or `InThread`:
`Retry(InThread(upload), times=5, delay=0.5, backoff=2)`. See
[errors](../concepts/errors.md).
"""

from actions import DelegateAction, Retry
from fsmkit import ERROR, FINISHED, Fsm


class Server:
    """A server that fails until the call with this number."""

    def __init__(self, answers_at: int) -> None:
        self.answers_at, self.calls = answers_at, 0

    def upload(self) -> None:
        self.calls += 1
        if self.calls < self.answers_at:
            raise ConnectionError(f"no answer to call {self.calls}")


def build(answers_at: int = 4) -> Fsm[Server]:
    fsm = Fsm("Upload", context=Server(answers_at))
    upload = fsm.add_state("Upload")
    done, failed = (fsm.add_state(s, final=True) for s in ("Done", "Failed"))
    call = DelegateAction(fsm.context.upload)
    upload.add_action(
        Retry(call, times=5, delay=0.5, backoff=2, errors=ConnectionError)
    )
    upload.add_transition(FINISHED, done)
    upload.add_transition(ERROR, failed)
    return fsm


if __name__ == "__main__":
    for answers_at in (4, 6):
        fsm = build(answers_at)
        fsm.start()
        while fsm.current_state is fsm.states["Upload"]:
            fsm.update(0.5)
        print(f"{fsm.time} s, {fsm.context.calls} calls:", *fsm.path)
        print("   ", fsm.event_data or "no error")
