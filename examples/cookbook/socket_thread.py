"""Get events from a socket or a serial port.

Reading blocks, so a thread does it. A machine belongs to one thread, so the
reading thread only calls `post_event`, which any thread may call: the next
`update()` begins by sending the posted events, in order. You need no lock, and
nothing changes in the middle of a frame. Read a serial port or a queue in the
same way. The other end may send anything, so unknown events are ignored here.
See [threads](../concepts/threads.md).
"""

import socket
from threading import Thread

from actions import DelegateAction
from fsmkit import Fsm


def build() -> Fsm:
    fsm = Fsm("Pump", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    alone = fsm.add_state("Alone", final=True)
    on.add_action(DelegateAction(lambda state: print(state.fsm.event_data)))
    off.add_transition("START", on)
    on.add_transition("STOP", off)
    fsm.add_global_transition("CLOSED", alone)
    return fsm


def listen(line: socket.socket, fsm: Fsm) -> None:
    with line, line.makefile() as lines:
        for text in lines:
            event, _, data = text.strip().partition(" ")
            fsm.post_event(event, data)
    fsm.post_event("CLOSED")


if __name__ == "__main__":
    near, far = socket.socketpair()
    with build().running() as fsm:
        reader = Thread(target=listen, args=(near, fsm))
        reader.start()
        for words in (b"START slowly\nSTOP\n", b"START fast\nHELLO\n"):
            far.sendall(words)
        far.close()
        reader.join()  # so that it prints the same every time
        print("before the update:", *fsm.path)
        fsm.update(1 / 60)
        print("after it:", *fsm.path)
