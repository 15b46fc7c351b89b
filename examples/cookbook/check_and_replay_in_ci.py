"""Check machines and replay a good run in CI.

Two lines of a CI job cover all machines of a project. `fsmkit check` finds
mistakes before anything runs, and a golden recording in the test suite keeps
their behaviour, without a single assertion. If you change a machine on purpose,
`pytest --fsm-update` updates the recording; read the difference before you
commit it. The program below does the same by hand, and then again with a door
that closes sooner. See [checks](../checks.md), [testing](../testing.md) and
[recording](../recording.md).

```yaml
- run: fsmkit check game/ --strict --explore --format github
- run: pytest --fsm-cover --fsm-cover-fail-under 90
```

```py
from fsmkit.testing import assert_replays


def test_the_door_works_as_before():
    assert_replays("door.jsonl", build, script=["OPEN", 1.0, 1.0])
```
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.checking import check
from fsmkit.recording import Recording, replay
from fsmkit.testing import drive


def build(open_for: float = 2.0) -> Fsm:
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    opened.add_action(TimedWait(open_for))
    closed.add_transition("OPEN", opened)
    opened.add_transition(FINISHED, closed)
    return fsm


if __name__ == "__main__":
    print("check:", check(build()) or "nothing to report")
    with TemporaryDirectory() as folder:
        golden = Path(folder, "door.jsonl")
        door = build()
        with Recording(door, golden):
            drive(door, ["OPEN", 1.0, 1.0])
        print("unchanged:", replay(build, golden))
        changed = str(replay(lambda: build(open_for=1.0), golden)).splitlines()
        print("changed:", changed[0], changed[-1], sep="\n  ")
