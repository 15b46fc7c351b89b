"""The cost of the inspector for a game of 60 frames a second: `inspecting.py` in this folder.

Three groups of the same machines are updated in every frame, one after the other: one that nobody
looks at, one that is inspected, one that is inspected with a page open. The median time of an
update of each is printed. `--hour` simulates an hour of one machine with a page open instead, and
prints the memory of the process every ten minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

from actions import Move, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector import Inspector, inspect
from fsmkit.space import Transform

FRAME: Final = 1 / 60
READER: Final = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1].replace("http", "ws") + "socket", proxy=None, max_size=None) as page:
    for _ in page:
        pass
"""


def machine(number: int) -> Fsm[None]:
    body = Transform()
    fsm: Fsm[None] = Fsm(f"Npc {number}")
    go, rest = fsm.add_state("Go"), fsm.add_state("Rest")
    go.add_action(
        Move(body, (0.0, 0.0), (8.0, 0.0), duration=1.0 + number % 7, finish_event="THERE")
    )
    go.add_action(SendEventWhen(lambda _: body.position[0] > 9.0, "AWAY"))
    rest.add_action(TimedWait(0.5 + number % 5))
    go.add_transition("AWAY", rest)
    go.add_transition("THERE", rest)
    rest.add_transition(FINISHED, go)
    fsm.start()
    return fsm


def group(count: int) -> FsmGroup:
    return FsmGroup(machine(number) for number in range(count))


def read_along(inspector: Inspector) -> subprocess.Popen[bytes]:
    """Open a page, in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", READER, inspector.url])


def compare(count: int, frames: int) -> None:
    bare, watched, read = (group(count) for _ in range(3))
    times: dict[str, list[float]] = {"bare": [], "inspected": [], "with a page open": []}
    with inspect(watched, announce=None), inspect(read, announce=None) as inspector:
        reader = read_along(inspector)
        for _ in range(frames):
            begun = perf_counter()
            for name, each in zip(times, (bare, watched, read), strict=True):
                before = perf_counter()
                each.update(FRAME)
                times[name].append((perf_counter() - before) * 1e6)
            sleep(max(0.0, FRAME - (perf_counter() - begun)))
        reader.terminate()
        reader.wait()
    print(f"{count} machines, {frames} frames: us per update of the group\n")
    print("| | median | mean | more than bare, mean |\n| --- | ---: | ---: | ---: |")
    mean = {name: sum(each) / len(each) for name, each in times.items()}
    for name, each in times.items():
        print(
            f"| {name} | {median(each):.0f} | {mean[name]:.0f} | {mean[name] - mean['bare']:.0f} |"
        )


def simulate_an_hour() -> None:
    fsm = machine(1)
    with inspect(fsm, announce=None) as inspector:
        reader = read_along(inspector)
        for minute in range(61):
            if minute % 10 == 0:
                print(f"{minute:3} min  {resident():6.1f} MB")
            for _ in range(3600):
                fsm.update(FRAME)
        reader.terminate()
        reader.wait()


def resident() -> float:
    """Return the megabytes of memory; the tape is a file and not among them."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--frames", type=int, default=1200)
    parser.add_argument("--hour", action="store_true")
    options = parser.parse_args()
    if options.hour:
        simulate_an_hour()
    else:
        compare(options.machines, options.frames)


if __name__ == "__main__":
    main()
