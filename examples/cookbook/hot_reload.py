"""Change the code of a machine while the game runs.

With one call per frame the machine continues with the code that you have just
saved: in the same state, with the same times, and its actions where they were.
So you can try out a duration or a transition without playing to that place
again. `build` must be in a separate module, not in the script that runs; leave
the call out of the game that you ship. [Reloading](../reloading.md) says what
continues and what does not.

```py
while running:
    fsm = reloaded(fsm, build)
    fsm.update(dt)
```

The program copies itself to get such a module and edits the copy. Its
`Reloader` checks the file at every call; `reloaded` checks it four times a
second.
"""

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.reloading import Reloader


def build() -> Fsm:
    fsm = Fsm("Guard")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(4.0))
    rest.add_action(TimedWait(1.0))
    patrol.add_transition(FINISHED, rest)
    rest.add_transition(FINISHED, patrol)
    return fsm


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        file = Path(folder, "guard.py")
        code = Path(__file__).read_text("utf-8")
        file.write_text(code, "utf-8")
        sys.path.insert(0, folder)
        build, look = import_module("guard").build, Reloader(every=0.0).reloaded
        fsm = look(build(), build)
        fsm.start()
        fsm.update(3.0)
        file.write_text(code.replace("Rest", "Sleep"), "utf-8")
        for _ in range(4):
            fsm = look(fsm, build)
            fsm.update(0.5)
            print(fsm.time, *fsm.path)
