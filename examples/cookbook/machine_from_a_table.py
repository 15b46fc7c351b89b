"""Build a machine from a table.

Use this for rules that come from a spreadsheet or a level file. Each row is a
transition, and `seconds` says how long its state takes to finish; the machine
starts in the state of the first row. A name in `next` that no row begins with
raises an `UnknownStateError`, which suggests the name that you meant. [`fsmkit
check`](../checks.md) finds a typo in an event, or a state that nothing leads
to, as in any other machine. To read a file, use
`csv.DictReader(path.open(newline=""))`.
"""

import csv

from actions import TimedWait
from fsmkit import Fsm

TABLE = """\
state,event,next,seconds
Closed,OPEN,Opening,
Opening,FINISHED,Open,1.5
Open,CLOSE,Closing,
Open,FINISHED,Closing,5
Closing,OPEN,Opening,
Closing,FINISHED,Closed,1.5
"""


def build(table: str = TABLE) -> Fsm:
    fsm = Fsm("Door")
    rows = list(csv.DictReader(table.splitlines()))
    for name in dict.fromkeys(row["state"] for row in rows):
        fsm.add_state(name)
    for row in rows:
        state = fsm.states[row["state"]]
        state.add_transition(row["event"], row["next"])
        if row["seconds"]:
            state.add_action(TimedWait(float(row["seconds"])))
    return fsm


if __name__ == "__main__":
    with build().running() as fsm:
        for event in ("OPEN", "CLOSE", "OPEN"):
            print(fsm.time, event, fsm.send_event(event), *fsm.path)
            fsm.update(1.0)
            fsm.update(1.0)
