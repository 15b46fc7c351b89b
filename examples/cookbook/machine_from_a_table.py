"""Build a machine from a table.

For rules that come from a spreadsheet or with a level. Each row is a
transition, and `seconds` say how long its state takes to be finished; the
machine begins in the state of the first row. A name in `next` that no row
begins with raises an `UnknownStateError`, which names the one that is meant. A
typo in an event, or a state that nothing leads to, is found by
[`fsmkit check`](../checks.md) as in any other machine. A file is read by
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
